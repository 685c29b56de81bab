"""Positions of any game in FENs with the square that a pawn has just passed, and as JSON types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tablebase.core.board import FILES, Color, PieceType, square_rank
from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.positions import Setup, read_setup
from tablebase.core.probing.variants import RankedSetupMove, pushed_by
from tablebase.core.words import quoted

if TYPE_CHECKING:
    from tablebase.core.outcomes import Outcome
    from tablebase.core.positions import SetupMove
    from tablebase.core.rules import Rules


def read_passing(fen: str, rules: Rules) -> tuple[Setup, int | None]:
    """Read a position from a FEN that may name the square that a pawn has just passed.

    Returns
    -------
    tuple
        The position, and the square of the pawn that may be captured en passant, None if none may.

    Raises
    ------
    UnsupportedPositionError
        As by `read_setup`, or if no pawn can just have passed the square.
    """
    fields = fen.replace("_", " ").split()
    passed = fields[3] if len(fields) > 3 else "-"
    position = read_setup(" ".join([*fields[:3], "-", *fields[4:]][: len(fields)]), rules)
    if passed == "-":
        return position, None
    forward = _forward(position)
    target = rules.board.numbers.get(passed, -1)
    pushed, origin = target - forward * FILES, target + forward * FILES
    men = position.men
    is_passed = (
        target >= 0
        and rules.double_push
        and square_rank(origin) == rules.push_ranks[position.color.opponent]
        and men.get(pushed) == (position.color.opponent, PieceType.PAWN)
        and target not in men
        and origin not in men
    )
    if not is_passed:
        raise UnsupportedPositionError(
            f"no pawn has just passed {quoted(passed)} in {quoted(fen)}: write -"
        )
    return position, pushed


def fen_with_passing(position: Setup, pushed: int | None) -> str:
    """Return a FEN with the square that a pawn has just passed, if another can capture it there."""
    if pushed is None or not any(position.passing_captures(pushed)):
        return position.fen
    fields = position.fen.split()
    fields[3] = position.material.rules.board.name_of(pushed + _forward(position) * FILES)
    return " ".join(fields)


def _forward(position: Setup) -> int:
    """Return by how many ranks a pawn of the side to move goes up the board."""
    return 1 if position.color is Color.WHITE else -1


def fen_after(move: SetupMove) -> str:
    """Return the FEN of the position after a move."""
    return fen_with_passing(move.after, pushed_by(move))


def _uci(move: SetupMove) -> str:
    """Return a move as its squares, and the letter of what a pawn becomes."""
    rules = move.after.material.rules
    promotion = "" if move.promotion is None else rules.letter_of(move.promotion).lower()
    name_of = rules.board.name_of
    return f"{name_of(move.origin)}{name_of(move.target)}{promotion}"


def describe_step(move: SetupMove) -> dict[str, Any]:
    """Return a move as JSON types: its names, the position after it, whether it zeroes."""
    return {
        "move": str(move),
        "uci": _uci(move),
        "fen": fen_after(move),
        "zeroing": move.is_zeroing,
    }


def _end_of(position: Setup, moves: Sequence[RankedSetupMove]) -> str | None:
    """Return the reason for which a game is over, None if it is not."""
    if moves:
        return None
    if position.material.bared[position.color]:
        return "bare king"
    return "checkmate" if position.is_check() else "stalemate"


def describe_setup(
    position: Setup,
    outcome: Outcome,
    moves: Sequence[RankedSetupMove],
    line: Sequence[SetupMove] | None = None,
    *,
    pushed: int | None = None,
) -> dict[str, Any]:
    """Return a position of any game with its value and moves.

    Parameters
    ----------
    position, outcome
        The position, and its outcome for the side to move.
    moves
        Its legal moves, best first.
    line
        The moves of best play, to be included; None to leave them out.
    pushed
        Square of a pawn that may be captured en passant.

    Returns
    -------
    dict
        The fields that `tablebase probe --rules` and the server give, and ``line``, moves as texts,
        if it is given.
    """
    rules = position.material.rules

    def values(one: Outcome) -> dict[str, Any]:
        return {"wdl": int(one.result), "dtm_plies": one.plies * int(one.result)}

    described: dict[str, Any] = {
        "rules": rules.name,
        "rules_sha256": rules.digest,
        "fen": fen_with_passing(position, pushed),
        "result": outcome.result.name.lower(),
        **values(outcome),
        "check": position.is_check(),
        "end": _end_of(position, moves),
        "moves": [describe_step(move) | values(after) for move, after in moves],
    }
    if line is not None:
        described["line"] = [str(move) for move in line]
    return described
