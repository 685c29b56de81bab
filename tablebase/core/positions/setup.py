"""Positions by any rules: read from a FEN, written as one, and their moves.

`chess_position` has positions of chess as boards of python-chess, which knows no other men.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tablebase.core.board import (
    FILES,
    UNLIMITED,
    WALL,
    BoardShape,
    Color,
    PieceType,
    square_file,
    square_rank,
)
from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.outcomes import MATED_OUTCOME
from tablebase.core.positions.position import Step
from tablebase.core.rules import CHESS, Material, Rules
from tablebase.core.words import quoted

_TURNS = {"w": Color.WHITE, "b": Color.BLACK}
_SIDES = {color: letter for letter, color in _TURNS.items()}
_PASSED, _CLOCK = 3, 4  # fields of a FEN
# Why a position is illegal; its other reason means less to a person.
KINGS_TOUCH = "the kings stand next to each other"

Man = tuple[Color, PieceType]


class Setup(NamedTuple):
    """Men on squares, a side to move, and what FENs say besides, but for rights to castle.

    Attributes
    ----------
    material : Material
        The men, and the rules by which they move.
    squares : tuple of int
        Their squares, in the order of ``material.men``, by number on the board of 8 x 8 (see
        `tablebase.core.board.BoardShape`).
    color : Color
        The side to move.
    passed : int or None
        The square that a pawn has just passed by a double step, where another may capture it.
    clock : int
        Plies since the last capture or pawn move.
    """

    material: Material
    squares: tuple[int, ...]
    color: Color
    passed: int | None = None
    clock: int = 0

    @property
    def board(self) -> Setup:
        """The position itself, which tables of its game are asked with."""
        return self

    @property
    def rules(self) -> Rules:
        """The rules of its men."""
        return self.material.rules

    @property
    def number(self) -> int:
        """The number of the move, which is the first one."""
        return 1

    @property
    def men(self) -> dict[int, Man]:
        """The men by square."""
        return dict(zip(self.squares, self.material.men, strict=True))

    @property
    def fen(self) -> str:
        """The position as a FEN with the letters of its rules, the number of the move being 1."""
        board = self.material.rules.board
        letters = {}
        for at, (color, man) in self.men.items():
            letter = self.material.rules.letter_of(man)
            letters[at] = letter if color is Color.WHITE else letter.lower()
        ranks = []
        for rank in _ranks_of(board):
            row = "".join(WALL if at is None else letters.get(at, ".") for at in rank)
            for empty in range(board.files, 0, -1):
                row = row.replace("." * empty, str(empty))
            ranks.append(row)
        passed = "-" if self.passed is None else board.name_of(self.passed)
        if not any(self.passing_captures()):
            passed = "-"
        return f"{'/'.join(ranks)} {'wb'[self.color]} - {passed} {self.clock} 1"

    def __str__(self) -> str:
        return self.fen

    def is_attacked(self, target: int, by: Color) -> bool:
        """Return whether a man of a side attacks a square."""
        men = self.men
        return any(
            target in _reached(self.material.rules, men, at, by)
            for at, (color, _) in men.items()
            if color is by
        )

    def is_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self.is_attacked(self.squares[self.color], self.color.opponent)

    def is_legal(self) -> bool:
        """Return whether the side that is not to move is out of check.

        The king of the side to move is on no goal square either, where it would have won before.
        Whether a game can lead to the position does not matter.
        """
        if self.squares[self.color] in self.material.rules.goal_squares:
            return False
        return not self.is_attacked(self.squares[self.color.opponent], self.color)

    def moves(self) -> Iterator[SetupMove]:
        """Yield the legal moves, captures en passant last.

        There is none if the opponent has reached the goal. A bare king that has lost can only
        make the other king bare.
        """
        men, rules = self.men, self.material.rules
        if self.squares[self.color.opponent] in rules.goal_squares:
            return
        bared = self.material.bared[self.color]
        for origin, (color, man) in men.items():
            if color is not self.color or bared > 1:
                continue
            targets = _pawn_targets if man is PieceType.PAWN else _targets
            for target in targets(rules, men, origin, color):
                if bared and target not in men:
                    continue
                promotes = man is PieceType.PAWN and target not in rules.pawn_squares[self.color]
                for new in rules.promotions if promotes else (man,):
                    after = {at: one for at, one in men.items() if at not in {origin, target}}
                    after[target] = color, new
                    captured = men[target][1] if target in men else None
                    zeroing = captured is not None or man is PieceType.PAWN
                    position = _arranged(
                        after,
                        color.opponent,
                        rules,
                        passed=_passed(origin, target) if man is PieceType.PAWN else None,
                        clock=0 if zeroing else self.clock + 1,
                    )
                    if position.is_legal():
                        promotion = new if promotes else None
                        yield SetupMove(man, origin, target, captured, promotion, position)
        yield from self.passing_captures()

    def passing_captures(self) -> Iterator[SetupMove]:
        """Yield the legal captures en passant."""
        if self.passed is None:
            return
        men, target = self.men, self.passed
        board, pushed = self.material.rules.board, target - _forward(self.color) * FILES
        for dx in (-1, 1):
            origin = _ahead(board, pushed, dx, 0)
            if origin is not None and men.get(origin) == (self.color, PieceType.PAWN):
                after = {at: one for at, one in men.items() if at not in {origin, pushed}}
                after[target] = self.color, PieceType.PAWN
                position = _arranged(after, self.color.opponent, self.material.rules)
                if position.is_legal():
                    pawn = PieceType.PAWN
                    yield SetupMove(pawn, origin, target, pawn, None, position)

    def final_outcome(self) -> int | None:
        """Return the outcome of a position without a legal move, None of others."""
        if any(self.moves()):
            return None
        rules = self.material.rules
        is_lost = (
            rules.stalemate_loses
            or self.material.bared[self.color]
            or self.squares[self.color.opponent] in rules.goal_squares
            or self.is_check()
        )
        return MATED_OUTCOME if is_lost else 0

    def steps(self) -> Iterator[Step[SetupMove]]:
        """Yield every legal move, in the order of `moves`."""
        return (move.step for move in self.moves())

    def captures(self) -> Iterator[Step[SetupMove]]:
        """Yield the legal captures."""
        return (move.step for move in self.moves() if move.captured is not None)

    def passing(self) -> Iterator[Step[SetupMove]]:
        """Yield the legal captures en passant."""
        return (move.step for move in self.passing_captures())

    def exchanged(self) -> Setup:
        """Return the position turned upside down with the colours exchanged."""
        exchange = self.material.rules.board.exchange
        men = {int(exchange[at]): (color.opponent, man) for at, (color, man) in self.men.items()}
        passed = None if self.passed is None else int(exchange[self.passed])
        return _arranged(men, self.color.opponent, self.rules, passed=passed, clock=self.clock)

    def setup(self) -> Setup:
        """Return the position itself, if it is legal; else raise an error."""
        check_setup(self)
        return self

    def after(self, move: SetupMove) -> Setup:
        """Return the position after a legal move."""
        return move.after

    def name_of(self, move: SetupMove) -> str:
        """Return the name of a legal move, with both its squares."""
        return str(move)


class SetupMove(NamedTuple):
    """A move of a `Setup`.

    Attributes
    ----------
    man : PieceType
        The man that moves.
    origin, target : int
        Its squares.
    captured, promotion : PieceType or None
        The man that is captured, and what a pawn becomes.
    after : Setup
        The position after it.
    """

    man: PieceType
    origin: int
    target: int
    captured: PieceType | None
    promotion: PieceType | None
    after: Setup

    @property
    def is_zeroing(self) -> bool:
        """Whether it is a capture or a pawn move."""
        return self.captured is not None or self.man is PieceType.PAWN

    @property
    def step(self) -> Step[SetupMove]:
        """The move as one of a `Position`."""
        return Step(self, self.is_zeroing, self.after)

    def uci(self) -> str:
        """Return the move as its squares, and the letter of what a pawn becomes."""
        rules = self.after.material.rules
        promotion = "" if self.promotion is None else rules.letter_of(self.promotion).lower()
        name_of = rules.board.name_of
        return f"{name_of(self.origin)}{name_of(self.target)}{promotion}"

    def __str__(self) -> str:
        rules = self.after.material.rules
        man = "" if self.man is PieceType.PAWN else rules.letter_of(self.man)
        promotion = "" if self.promotion is None else f"={rules.letter_of(self.promotion)}"
        sign = "-" if self.captured is None else "x"
        origin, target = map(rules.board.name_of, (self.origin, self.target))
        return f"{man}{origin}{sign}{target}{promotion}"


def _passed(origin: int, target: int) -> int | None:
    """Return the square that a pawn passes by a move, None unless it is a double step."""
    return (origin + target) // 2 if abs(target - origin) == 2 * FILES else None


def _forward(color: Color) -> int:
    """Return by how many ranks a pawn moves up the board."""
    return 1 if color is Color.WHITE else -1


def _arranged(
    men: dict[int, Man], color: Color, rules: Rules, *, passed: int | None = None, clock: int = 0
) -> Setup:
    """Return the position of men by square."""
    white, black = (
        tuple(man for side, man in men.values() if side is one and man is not PieceType.KING)
        for one in Color
    )
    material = Material(white, black, rules)
    left = sorted(men)
    squares = []
    for wanted in material.men:
        at = next(at for at in left if men[at] == wanted)
        left.remove(at)
        squares.append(at)
    return Setup(material, tuple(squares), color, passed, clock)


def _ahead(board: BoardShape, origin: int, dx: int, dy: int) -> int | None:
    return board.on(square_file(origin) + dx, square_rank(origin) + dy)


def _reached(
    rules: Rules, men: dict[int, Man], origin: int, color: Color, *, quiet: bool = False
) -> Iterator[int]:
    """Yield the squares that a man attacks, own men's too; or by its other moves if `quiet`."""
    forward = _forward(color)
    for dx, dy, reach in (rules.quiet_steps if quiet else rules.steps)[men[origin][1]]:
        for count in range(1, min(reach, UNLIMITED) + 1):
            at = _ahead(rules.board, origin, count * dx, forward * count * dy)
            if at is None:
                break
            yield at
            if at in men:
                break


def _targets(rules: Rules, men: dict[int, Man], origin: int, color: Color) -> Iterator[int]:
    """Yield the squares that a piece can move to, checks aside."""
    captures, others = (
        dict.fromkeys(_reached(rules, men, origin, color, quiet=quiet)) for quiet in (False, True)
    )
    for target in captures | others:
        if target not in (captures if target in men else others):
            continue
        if target not in men or men[target][0] is not color:
            yield target


def _pawn_targets(rules: Rules, men: dict[int, Man], origin: int, color: Color) -> Iterator[int]:
    """Yield the squares that a pawn can move to, checks aside."""
    for target in _reached(rules, men, origin, color):
        if target in men and men[target][0] is not color:
            yield target
    at = origin
    for _ in range(2 if square_rank(origin) == rules.push_ranks[color] else 1):
        ahead = _ahead(rules.board, at, 0, _forward(color))
        if ahead is None or ahead in men:
            return
        yield ahead
        at = ahead


def _ranks_of(board: BoardShape) -> list[list[int | None]]:
    """Return the squares of each rank, the last rank first; None for walls."""
    files = range(board.first_file, board.first_file + board.files)
    ranks = range(board.last_rank, board.first_rank - 1, -1)
    return [[board.on(file, rank) for file in files] for rank in ranks]


def _men_of(placement: str, rules: Rules) -> dict[int, Man]:
    """Return the men by square that the first field of a FEN places."""
    men: dict[int, Man] = {}
    rows, ranks = placement.split("/"), _ranks_of(rules.board)
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
    if len(fields) < 2 or fields[1] not in _TURNS:
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
    position = _arranged(men, _TURNS[fields[1]], rules, clock=int(clock))
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
    pushed, origin = (passed + count * _forward(mover) * FILES for count in (1, -1))
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


def check_setup(position: Setup) -> None:
    """Raise an error if a position cannot arise; see `Setup.is_legal`.

    Raises
    ------
    UnsupportedPositionError
        It names the FEN that may have been meant if the wrong side is to move.
    """
    squares, there = position.squares, position.material.rules.board.squares
    if len({*squares} & {*there}) < len(position.material.men):
        raise UnsupportedPositionError(
            f"{position.material} on the squares {list(squares)}: each man needs one of its own"
        )
    if position.is_legal():
        return
    white, black = position.squares[:2]
    distances = [abs(part(white) - part(black)) for part in (square_file, square_rank)]
    reason = "the side to move could take the king"
    if position.material.rules.goal:
        reason = f"the game is over, or {reason}"
    if max(distances) == 1:
        reason = KINGS_TOUCH
    other = position._replace(color=position.color.opponent)
    if other.is_legal():
        reason += f", try {_SIDES[other.color]} instead of {_SIDES[position.color]}"
        position = other
    raise UnsupportedPositionError(f"illegal position: {reason}: {position}")
