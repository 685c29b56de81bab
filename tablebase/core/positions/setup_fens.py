"""FENs of positions by any rules."""

from __future__ import annotations

import re

from tablebase.core.board import FILES, WALL, Color, PieceType, square_rank
from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.positions.setup import (
    TURNS,
    Man,
    Setup,
    arranged,
    check_setup,
    forward_of,
    ranks_of,
)
from tablebase.core.rules import CHESS, Rules
from tablebase.core.words import quoted

_PASSED, _CLOCK = 3, 4  # fields of a FEN


def _men_of(placement: str, rules: Rules) -> dict[int, Man]:
    """Return the men by square that the first field of a FEN places."""
    men: dict[int, Man] = {}
    rows, ranks = placement.split("/"), ranks_of(rules.board)
    if len(rows) != len(ranks):
        raise UnsupportedPositionError(
            f"{quoted(placement)} has {len(rows)} ranks, not {len(ranks)}"
        )
    for squares, row in zip(ranks, rows, strict=True):
        signs = re.sub(r"\d", lambda empty: " " * int(empty[0]), row, flags=re.ASCII)
        if len(signs) != len(squares):
            raise UnsupportedPositionError(
                f"the rank {quoted(row)} has {len(signs)} squares, not {len(squares)}"
            )
        for at, sign in zip(squares, signs, strict=True):
            if (at is None) != (sign == WALL):
                raise UnsupportedPositionError(
                    f"the rank {quoted(row)} does not have the walls of {rules.name}: "
                    f"write {WALL} for each"
                )
            if at is not None and sign != " ":
                if sign.upper() not in rules.letters:
                    known = " ".join(rules.letters)
                    raise UnsupportedPositionError(
                        f"{quoted(sign)} in the rank {quoted(row)} is no man of {rules.name}, "
                        f"which has {known}"
                    )
                color = Color.WHITE if sign.isupper() else Color.BLACK
                men[at] = color, rules.letters[sign.upper()]
    return men


def read_setup(fen: str, rules: Rules = CHESS) -> Setup:
    """Read a position from a FEN.

    Parameters
    ----------
    fen : str
        Men with the letters of the rules, Black's in lower case, and the side to move; underscores
        may stand for spaces. The square that a pawn has just passed and the clocks may be left
        out, and rights to castle must be ``-``.
    rules : Rules
        What the letters mean.

    Returns
    -------
    Setup

    Raises
    ------
    UnsupportedPositionError
        If the text is no FEN, has rights to castle, or its position is not legal.

    Examples
    --------
    >>> position = read_setup("8/8/8/8/8/2k5/1R6/K7 w")
    >>> position.material, len(list(position.moves()))
    (Material('KRK'), 16)
    """
    fields = fen.replace("_", " ").split()
    if len(fields) < 2 or fields[1] not in TURNS:
        raise UnsupportedPositionError(
            f"{quoted(fen)} is not a FEN: write men and side to move, w or b"
        )
    if fields[2:3] not in ([], ["-"]):
        raise UnsupportedPositionError(
            f"{quoted(fen)} has rights that tables do not know: write - -"
        )
    clock = fields[4] if len(fields) > _CLOCK else "0"
    if not (clock.isascii() and clock.isdigit()):
        raise UnsupportedPositionError(f"{quoted(clock)} is no clock in {quoted(fen)}: write 0")
    men = _men_of(fields[0], rules)
    for color in Color:
        kings = list(men.values()).count((color, PieceType.KING))
        if kings != 1:
            raise UnsupportedPositionError(
                f"{color.name.lower()} has {kings} kings in {quoted(fen)}"
            )
    for at, (color, man) in men.items():
        if man is PieceType.PAWN and at not in rules.pawn_squares[color]:
            raise UnsupportedPositionError(
                f"a pawn stands on {rules.board.name_of(at)} in {quoted(fen)}"
            )
    position = arranged(men, TURNS[fields[1]], rules, clock=int(clock))
    check_setup(position)
    passed = fields[3] if len(fields) > _PASSED else "-"
    return position if passed == "-" else _with_passed(position, passed, fen)


def _with_passed(position: Setup, name: str, fen: str) -> Setup:
    """Return a position in which a pawn has just passed a square.

    Raises
    ------
    UnsupportedPositionError
        If none can have done so.
    """
    rules, men, mover = position.material.rules, position.men, position.color.opponent
    passed = rules.board.numbers.get(name, -1)
    pushed, origin = (passed + count * forward_of(mover) * FILES for count in (1, -1))
    is_passed = (
        passed >= 0
        and rules.double_push
        and square_rank(origin) == rules.push_ranks[mover]
        and men.get(pushed) == (mover, PieceType.PAWN)
        and passed not in men
        and origin not in men
    )
    if not is_passed:
        raise UnsupportedPositionError(
            f"no pawn has just passed {quoted(name)} in {quoted(fen)}: write -"
        )
    return position._replace(passed=passed)
