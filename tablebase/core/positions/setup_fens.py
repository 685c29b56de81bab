"""FENs of positions by any rules."""

from __future__ import annotations

import re

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.shape import WALL
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.positions.setup import (
    TURNS,
    Setup,
    arranged,
    check_setup,
)
from tablebase.core.positions.setup_steps import ranks_of
from tablebase.core.rules.material import Checks, Man
from tablebase.core.rules.refusals import kings_castle
from tablebase.core.rules.rules import CHECKS, CHESS, Rules

_FIELDS = ("", "", "-", "-", "0", "1")  # of a FEN, with what they are if they are left out
MOST_FIELDS = len(_FIELDS)
_CLOCKS = ("halfmove clock", "number of a move")
_MOST_DIGITS = 9  # of a clock
_LEAST_BEFORE_CHECKS = 3  # fields
_COUNTED = re.compile(r"(\+?)([0-3])\+([0-3])")
_RIGHTS = re.compile("-|(?!$)[A-HKQ]*[a-hkq]*")


def read_setup(fen: str, rules: Rules = CHESS) -> Setup:
    """Read a position from a FEN.

    Parameters
    ----------
    fen : str
        Men with the letters of the rules, Black's in lower case, and the side to move; underscores
        may stand for spaces. The last four fields may be left out. Rights to castle are dropped
        where the king or the corner is not in place, and in games in which nobody castles. In games
        without the 50-move rule the fourth may be the limit of a count, as Fairy-Stockfish writes
        it for makruk, which is dropped too. Where checks are counted, those left may follow the
        third or fourth field, as ``3+3``, or those given the last, as ``+0+0``; else three are left
        to each side.
    rules : Rules
        What the letters mean.

    Returns
    -------
    Setup

    Raises
    ------
    UnsupportedPositionError
        If the text is no FEN, has a right to castle, or its position is not legal.

    Examples
    --------
    >>> position = read_setup("8/8/8/8/8/2k5/1R6/K7 w")
    >>> position.material, len(list(position.moves()))
    (Material('KRK'), 16)
    """
    plain, checks = split_checks(fen, rules)
    placement, turn, rights, ep_square, clock, _ = _fields_of(plain)
    men = _men_of(placement, rules)
    if not _RIGHTS.fullmatch(rights) or may_castle(placement, rights, rules):
        raise UnsupportedPositionError(
            f"{quoted(fen)} has rights that tables do not know: write - -"
        )
    for color in Color if rules.royal else ():
        kings = list(men.values()).count((color, PieceType.KING))
        exploded = rules.blast and color is TURNS[turn] and kings == 0  # the game is over
        if kings != 1 and not exploded:
            raise UnsupportedPositionError(
                f"{color.name.lower()} has {kings} kings in {quoted(fen)}"
            )
    if ep_square.isascii() and ep_square.isdigit() and not rules.fifty_moves:
        ep_square, clock = "-", "0"  # the limit of a count, and how far it has come
    if ep_square not in {"-", *rules.board.numbers}:
        raise UnsupportedPositionError(
            f"no pawn has just passed {quoted(ep_square)} in {quoted(fen)}: write -"
        )
    at = rules.board.numbers.get(ep_square)
    position = arranged(men, TURNS[turn], rules, ep_square=at, clock=int(clock))
    position = position._replace(checks=checks)
    check_setup(position)
    return position


def split_checks(fen: str, rules: Rules) -> tuple[str, Checks]:
    """Return a FEN without what it says of checks, if they are counted, and those left.

    Raises `UnsupportedPositionError` if that is no number of checks.

    >>> from tablebase.core.rules.rule_files import built_in_rules
    >>> split_checks("8/8/8/8/8/2k5/1R6/K7 w - - 0 1 +1+0", built_in_rules()["3check"])
    ('8/8/8/8/8/2k5/1R6/K7 w - - 0 1', (2, 3))
    """
    fields = fen.replace("_", " ").split()
    told = [one for one in fields[_LEAST_BEFORE_CHECKS:] if "+" in one][:1]
    if not (rules.check_counting and told):
        return fen, (CHECKS, CHECKS)
    found = _COUNTED.fullmatch(told[0])
    if not found:
        raise UnsupportedPositionError(
            f"{quoted(told[0])} is no number of checks in {quoted(fen)}: write those left, 3+3, or "
            "those given, +0+0"
        )
    given, white, black = found[1], int(found[2]), int(found[3])
    fields.remove(told[0])
    return " ".join(fields), (CHECKS - white, CHECKS - black) if given else (white, black)


def _fields_of(fen: str) -> list[str]:
    """Return the six fields of a FEN; those that are left out are as usual."""
    fields = fen.replace("_", " ").split()
    if len(fields) < 2 or fields[1] not in TURNS:
        raise UnsupportedPositionError(
            f"{quoted(fen)} is not a FEN: write pieces and side to move, w or b"
        )
    if len(fields) > MOST_FIELDS:
        raise UnsupportedPositionError(
            f"{quoted(fen)} is not a FEN: it has {len(fields)} parts, not {MOST_FIELDS}"
        )
    fields += _FIELDS[len(fields) :]
    for value, usual, name in zip(fields[-2:], _FIELDS[-2:], _CLOCKS, strict=True):
        if not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS):
            raise UnsupportedPositionError(
                f"{quoted(value)} is not a {name} in {quoted(fen)}: write {usual}"
            )
    return fields


def _men_of(placement: str, rules: Rules) -> dict[int, Man]:
    """Return the men by square that the first field of a FEN places.

    What says that men are promoted, or that no man is in hand, is passed over.
    """
    men: dict[int, Man] = {}
    placement = re.sub("([A-Za-z])~", r"\1", placement).removesuffix("[]")
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


def may_castle(placement: str, rights: str, rules: Rules) -> bool:
    """Return whether king and a man in the corner, or on the file named, are there for a right.

    The men are those of the first field of a FEN. Which men castle from where a game's rules say,
    but tables do not know.
    """
    ranks, men = ranks_of(rules.board), _men_of(placement, rules)
    for right in rights.replace("-", "") if kings_castle(rules) else "":
        color = Color.WHITE if right.isupper() else Color.BLACK
        corners = {"K": rules.board.files - 1, "Q": 0}
        named = corners.get(right.upper(), ord(right.upper()) - ord("A"))
        own = {
            file: men[at][1]
            for file, at in enumerate(ranks[-1 if color is Color.WHITE else 0])
            if at is not None and at in men and men[at][0] is color
        }
        if PieceType.KING in own.values() and own.get(named, PieceType.KING) is not PieceType.KING:
            return True
    return False
