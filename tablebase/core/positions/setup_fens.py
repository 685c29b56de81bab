"""FENs of positions by any rules."""

from __future__ import annotations

import re

from tablebase.core.board import WALL, Color, PieceType
from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.positions.setup import (
    TURNS,
    Man,
    Setup,
    arranged,
    check_setup,
    ranks_of,
)
from tablebase.core.rules import CHESS, Rules
from tablebase.core.words import quoted

_PASSED, _CLOCK = 3, 4  # fields of a FEN
_MOST_DIGITS = 9  # of a clock


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
                        f"{quoted(sign)} in the rank {quoted(row)} is not a piece of {rules.name}, "
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
            f"{quoted(fen)} is not a FEN: write pieces and side to move, w or b"
        )
    if fields[2:3] not in ([], ["-"]):
        raise UnsupportedPositionError(
            f"{quoted(fen)} has rights that tables do not know: write - -"
        )
    clock = fields[4] if len(fields) > _CLOCK else "0"
    if not (clock.isascii() and clock.isdigit() and len(clock) <= _MOST_DIGITS):
        raise UnsupportedPositionError(
            f"{quoted(clock)} is not a halfmove clock in {quoted(fen)}: write 0"
        )
    men = _men_of(fields[0], rules)
    for color in Color:
        kings = list(men.values()).count((color, PieceType.KING))
        if kings != 1:
            raise UnsupportedPositionError(
                f"{color.name.lower()} has {kings} kings in {quoted(fen)}"
            )
    passed = fields[3] if len(fields) > _PASSED else "-"
    if passed not in {"-", *rules.board.numbers}:
        raise UnsupportedPositionError(
            f"no pawn has just passed {quoted(passed)} in {quoted(fen)}: write -"
        )
    number = rules.board.numbers.get(passed)
    position = arranged(men, TURNS[fields[1]], rules, passed=number, clock=int(clock))
    check_setup(position)
    return position
