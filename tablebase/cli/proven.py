"""What a region says of a position that no table has: proven results, and how far they lead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.board import Wdl
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.solving import conversion_of_position
from tablebase.words import plies_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from tablebase.probing import Tablebase
    from tablebase.solving import ProvenMove

_WORDS = {1: "win", 0: "draw", -1: "loss", None: "not known"}


def proven_result(tables: Tablebase, board: chess.Board) -> int | None:
    """Return a result that is proven in a region; None if a table has more, or nothing is known."""
    try:
        tables.probe_outcome(board)
    except (MissingTableError, UnsupportedPositionError):
        return tables.get_wdl(board)
    return None


def conversion_words(plies: int) -> str:
    """Return how far away a conversion is.

    >>> conversion_words(-4)
    '4 plies up to a conversion'
    """
    return f"{plies_in_words(abs(plies))} up to a conversion"


def value_words(one: ProvenMove) -> str:
    """Return what a move leads to for the side that makes it, as a list of moves has it."""
    words = _WORDS[one.wdl]
    plies = f", conversion in {plies_in_words(abs(one.conversion))}" if one.conversion else ""
    return words + plies


def moves_text(board: chess.Board, moves: Sequence[ProvenMove]) -> str:
    """Return the moves, those that lead to the same in one line."""
    groups: dict[str, list[str]] = {}
    for one in moves:
        groups.setdefault(value_words(one), []).append(board.san(one.move))
    return "\n".join(f"{words}: {' '.join(sans)}" for words, sans in groups.items())


def position_text(board: chess.Board, wdl: int, moves: Sequence[ProvenMove]) -> str:
    """Return who is to move, the result, and how far the next conversion is.

    Parameters
    ----------
    board
        The position.
    wdl
        Its result.
    moves
        Its moves, best first.
    """
    sides = ("White", "Black") if board.turn else ("Black", "White")
    result = {1: f"{sides[0]} wins", 0: "Draw", -1: f"{sides[1]} wins"}[wdl]
    plies = conversion_of_position(moves)
    far = f": {conversion_words(plies)}" if plies else ""
    return f"{sides[0]} to move\n{result}, proven{far}"


def end_of_line(line: Sequence[chess.Move], board: chess.Board) -> str:
    """Return why a line from a position that is won does not end in mate; nothing if it does."""
    after = board.copy(stack=False)
    for move in line:
        after.push(move)
    if after.is_checkmate():
        return ""
    return f"Nothing tells of progress {'from there' if line else 'here'}."


def describe_proven(board: chess.Board, wdl: int, moves: Sequence[ProvenMove]) -> dict[str, Any]:
    """Return the same as JSON has it: with the keys of other positions, null for distances."""

    def values(one: int | None, conversion: int | None) -> dict[str, Any]:
        # The 50-move rule changes nothing about a draw.
        wdl50, category = (0, "draw") if one == 0 else (None, "unknown")
        found = {"wdl": one, "wdl50": wdl50, "category": category, "dtm_plies": None, "dtz": None}
        return {**found, "conversion": conversion}

    return {
        "fen": board.fen(),
        "result": Wdl(wdl).name.lower(),
        **values(wdl, conversion_of_position(moves)),
        "dtm_moves": None,
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "fifty_move_warning": None,
        "moves": [
            {
                "uci": one.move.uci(),
                "san": board.san(one.move),
                **values(one.wdl, one.conversion),
                "mate": one.mate,
                "zeroing": one.zeroing,
            }
            for one in moves
        ],
    }
