"""Positions by any rules: read from a FEN, written as one, and their moves.

`chess_position` has positions of chess as boards of python-chess, which knows no other men.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tablebase.core.board.geometry import FILES, NOBODY, Color, PieceType, kings_touch
from tablebase.core.board.shape import WALL
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME, MATED_OUTCOME, WON_OUTCOME
from tablebase.core.positions.setup_steps import (
    ahead,
    ep_square_of,
    forward_of,
    may_be_ep_square,
    moved,
    pawn_targets,
    ranks_of,
    reached,
    targets_of,
)
from tablebase.core.rules.material import Checks, Man, Material
from tablebase.core.rules.rules import CHECKS, Rules

TURNS = {"w": Color.WHITE, "b": Color.BLACK}
# Why a position is illegal; its other reason means less to a person.
KINGS_TOUCH = "the kings stand next to each other"
# Where a king is that has exploded: on no square, and the game is over.
GONE = -1


class Setup(NamedTuple):
    """A position of any game as data; it has no rights to castle.

    Attributes
    ----------
    material : Material
        The men, and the rules by which they move.
    squares : tuple of int
        Their squares, in the order of ``material.men``, by number on the board of 8 x 8 (see
        `tablebase.core.board.shape.BoardShape`); `GONE` for a king that has exploded. That
        of `NOBODY` means nothing.
    color : Color
        The side to move.
    ep_square : int or None
        The square that a pawn has just passed by a double step, where another may capture it.
    clock : int
        Plies since the last capture or pawn move.
    checks : tuple of int
        The checks left to White and to Black, where they are counted; 0 after the last one, which
        wins. For a bare king, which gives none, tables have one value, whatever is left.
    """

    material: Material
    squares: tuple[int, ...]
    color: Color
    ep_square: int | None = None
    clock: int = 0
    checks: Checks = (CHECKS, CHECKS)

    @property
    def board(self) -> Setup:
        """The position itself, because tables of its game take it as it is."""
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
        men = zip(self.squares, self.material.men, strict=True)
        return {at: man for at, man in men if at != GONE and man[1] is not NOBODY}

    @property
    def fen(self) -> str:
        """The position as a FEN with its rules' letters, checks left if counted, and move 1."""
        board = self.material.rules.board
        letters = {}
        for at, (color, man) in self.men.items():
            letter = self.material.rules.letter_of(man)
            letters[at] = letter if color is Color.WHITE else letter.lower()
        ranks = []
        for rank in ranks_of(board):
            row = "".join(WALL if at is None else letters.get(at, ".") for at in rank)
            for empty in range(board.files, 0, -1):
                row = row.replace("." * empty, str(empty))
            ranks.append(row)
        ep_square = "-"
        if self.ep_square is not None and any(self.en_passant()):
            ep_square = board.name_of(self.ep_square)
        left = f"{self.checks[0]}+{self.checks[1]} " if self.rules.check_counting else ""
        return f"{'/'.join(ranks)} {'wb'[self.color]} - {ep_square} {left}{self.clock} 1"

    def __str__(self) -> str:
        return self.fen

    def is_check(self) -> bool:
        """Return whether the side to move is in check, which it never is where no king is royal."""
        return self._may_take_king(self.color.opponent)

    @property
    def _is_over(self) -> bool:
        """Whether a side has no king left, or where none is royal no man, or no check to give."""
        if self.rules.royal:
            return GONE in self.squares or 0 in self.checks
        return not (self.material.white and self.material.black)

    def _may_take_king(self, by: Color) -> bool:
        """Return whether a side attacks the other king, and may take it."""
        if not self.rules.royal:
            return False
        if self.rules.blast and GONE not in self.squares and kings_touch(*self.squares[:2]):
            return False
        king, men = self.squares[by.opponent], self.men
        own = (at for at, (color, _) in men.items() if color is by)
        return any(king in reached(self.rules, men, at, by) for at in own)

    def is_legal(self) -> bool:
        """Return whether the side that is not to move is out of check, or both if none is given.

        The king of the side to move is on no goal square either, where it would have won before,
        unless Black had an answer; only that one may have exploded. That side has not given its
        last check, either. Whether a game can lead to the position does not matter. Where no king
        is royal, only the side to move may have lost all its men.
        """
        if not self.rules.royal:
            return bool(self.material.of(self.color.opponent))
        if not self.checks[self.color]:
            return False
        own, other = self.squares[self.color], self.squares[self.color.opponent]
        answered = self.rules.flag_move and self.color is Color.WHITE
        if other == GONE or (own in self.rules.goal_squares and not answered):
            return False
        return own == GONE or not (
            self._may_take_king(self.color) or (not self.rules.checking and self.is_check())
        )

    def _has_arrived(self, color: Color) -> bool:
        """Return whether the king of a side is on a square that it wins by reaching."""
        return self.squares[color] in self.rules.goal_squares

    def _is_raced(self) -> bool:
        """Return whether a king has reached the goal, and the other one has no answer."""
        if self._has_arrived(self.color):
            return True
        if not self._has_arrived(self.color.opponent):
            return False
        men, own, rules = self.men, self.squares[self.color], self.rules
        if not (rules.flag_move and self.color is Color.BLACK):
            return True
        goals = [at for at in targets_of(rules, men, own, self.color) if at in rules.goal_squares]
        afters = [moved(rules, men, own, at, men[own], captured=at) for at in goals]
        return not any(arranged(one, Color.WHITE, rules).is_legal() for one in afters)

    def moves(self) -> Iterator[SetupMove]:
        """Yield the legal moves, captures en passant last.

        There is none if a king has reached the goal, unless Black may answer, or has exploded. A
        bare king that has lost can only make the other king bare. Where captures are forced, there
        is nothing else if there is one.
        """
        if self.rules.royal:
            yield from self._possible_moves()
            return
        moves = list(self._possible_moves())
        yield from [move for move in moves if move.captured is not None] or moves

    def _possible_moves(self) -> Iterator[SetupMove]:
        """Yield the moves of `moves` as if no capture were forced."""
        men, rules = self.men, self.material.rules
        if self._is_over or self._is_raced():
            return
        bared = self.material.bared[self.color]
        for origin, (color, man) in men.items():
            if color is not self.color or bared > 1:
                continue
            targets = pawn_targets if man is PieceType.PAWN else targets_of
            for target in targets(rules, men, origin, color):
                if bared and target not in men:
                    continue
                promotes = man is PieceType.PAWN and target not in rules.pawn_squares[self.color]
                for new in rules.promotions if promotes else (man,):
                    captured = men[target][1] if target in men else None
                    after = moved(rules, men, origin, target, (color, new), captured=target)
                    position = arranged(
                        after,
                        color.opponent,
                        rules,
                        ep_square=ep_square_of(origin, target) if man is PieceType.PAWN else None,
                        clock=0 if captured or man is PieceType.PAWN else self.clock + 1,
                    )
                    if position.is_legal():
                        promotion = new if promotes else None
                        position = self._counted(position)
                        yield SetupMove(man, origin, target, captured, promotion, position)
        yield from self.en_passant()

    def en_passant(self) -> Iterator[SetupMove]:
        """Yield the legal captures en passant."""
        if self.ep_square is None or self._is_over:
            return
        men, target = self.men, self.ep_square
        board, pushed = self.material.rules.board, target - forward_of(self.color) * FILES
        for dx in (-1, 1):
            origin = ahead(board, pushed, dx, 0)
            if origin is not None and men.get(origin) == (self.color, PieceType.PAWN):
                man = self.color, PieceType.PAWN
                after = moved(self.rules, men, origin, target, man, captured=pushed)
                position = arranged(after, self.color.opponent, self.rules)
                if position.is_legal():
                    pawn, position = PieceType.PAWN, self._counted(position)
                    yield SetupMove(pawn, origin, target, pawn, None, position)

    def _counted(self, after: Setup) -> Setup:
        """Return the position after a move with the checks that are left then."""
        if not self.rules.check_counting:
            return after
        left = [*self.checks]
        left[self.color] -= after.is_check()
        return after._replace(checks=(left[0], left[1]))

    @property
    def end(self) -> str | None:
        """Why no move is left: a word, or None if there is a move.

        ``checkmate``, ``stalemate``, ``bare king``, ``goal``, ``explosion``, ``third check`` or
        ``no pieces``.
        """
        if _has_move(self):
            return None
        if 0 in self.checks:
            return "third check"
        if self._is_over:
            return "explosion" if self.rules.royal else "no pieces"
        if self.material.bared[self.color]:
            return "bare king"
        if self._is_raced():
            return "goal"
        return "checkmate" if self.is_check() else "stalemate"

    def final_outcome(self) -> int | None:
        """Return the outcome of a position without a legal move, None if there is one."""
        end = self.end
        if not self.rules.royal:
            return None if end is None else self._without_move()
        if self.squares[self.color.opponent] == GONE:
            return None  # the side to move has won, which is no position of a game
        if end == "goal" and self._has_arrived(self.color):
            return 0 if self._has_arrived(self.color.opponent) else ARRIVED_OUTCOME
        if end == "stalemate" and self.rules.stalemate != "loss":
            return 0
        return MATED_OUTCOME if end else None

    def _without_move(self) -> int:
        """Return the outcome where no king is royal and there is no move."""
        own, others = (len(self.material.of(one)) for one in (self.color, self.color.opponent))
        if not self.rules.fewest_win or own < others:
            return WON_OUTCOME
        return 0 if own == others else ~WON_OUTCOME

    def captures(self) -> Iterator[SetupMove]:
        """Yield the legal captures."""
        return (move for move in self.moves() if move.captured is not None)

    def swapped(self) -> Setup:
        """Return the position turned upside down with the colours exchanged."""
        assert not self.rules.one_sided, "the colours cannot be exchanged"
        flip = self.material.rules.board.flip
        men = {int(flip[at]): (color.opponent, man) for at, (color, man) in self.men.items()}
        at = None if self.ep_square is None else int(flip[self.ep_square])
        there = arranged(men, self.color.opponent, self.rules, ep_square=at, clock=self.clock)
        return there._replace(checks=self.checks[::-1])

    def setup(self) -> Setup:
        """Return the position itself, if tables may have it; else raise an error."""
        check_setup(self)
        check_men(self)
        return self

    def after(self, move: SetupMove) -> Setup:
        """Return the position after a legal move."""
        return move.after

    def name_of(self, move: SetupMove) -> str:
        """Return a legal move in algebraic notation, with ``#`` if it decides the game."""
        name, letter = self.rules.board.name_of, self.rules.letter_of
        start, capture = name(move.origin), "x" * (move.captured is not None)
        if move.man is PieceType.PAWN:
            start = start[0] if capture else ""
        else:
            goal = move.man, move.target
            like = [one for one in _moves_of(self) if (one.man, one.target) == goal]
            others = [name(one.origin) for one in like if one.origin != move.origin]
            # As little of the square as no other such man has: nothing, file, rank or both.
            told = ("", *start, start)
            start = next(one for one in told if not any(one in other for other in others))
            start = letter(move.man) + start
        promotion = "" if move.promotion is None else f"={letter(move.promotion)}"
        sign = "#" if move.after.final_outcome() else "+" * move.after.is_check()
        return f"{start}{capture}{name(move.target)}{promotion}{sign}"


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
    def move(self) -> SetupMove:
        """The move itself, which is a `LegalMove`."""
        return self

    @property
    def zeroing(self) -> bool:
        """Whether it is a capture or a pawn move."""
        return self.captured is not None or self.man is PieceType.PAWN

    def uci(self) -> str:
        """Return the move as its squares, and the letter of what a pawn becomes."""
        rules = self.after.material.rules
        promotion = "" if self.promotion is None else rules.letter_of(self.promotion).lower()
        name_of = rules.board.name_of
        return f"{name_of(self.origin)}{name_of(self.target)}{promotion}"

    def __str__(self) -> str:
        return self.uci()


@lru_cache(maxsize=1)
def _has_move(position: Setup) -> bool:
    """Return whether there is a legal move, as the name of a move and facts after it both ask."""
    return any(position.moves())


@lru_cache(maxsize=1)
def _moves_of(position: Setup) -> list[SetupMove]:
    """Return the legal moves, which the name of each of them depends on."""
    return list(position.moves())


def arranged(
    men: dict[int, Man], color: Color, rules: Rules, *, ep_square: int | None = None, clock: int = 0
) -> Setup:
    """Return the position of men by square."""
    lead = PieceType.KING if rules.royal else NOBODY
    white, black = (
        tuple(man for side, man in men.values() if side is one and man is not lead) for one in Color
    )
    material = Material(white, black, rules)
    left = sorted(men)
    squares = []
    for wanted in material.men:
        at = next((at for at in left if men[at] == wanted), GONE)
        if at != GONE:
            left.remove(at)
        elif wanted[1] is NOBODY:
            at = 0
        squares.append(at)
    return Setup(material, tuple(squares), color, ep_square, clock)


def check_men(position: Setup) -> None:
    """Refuse a position with too many men for tables or too few, by `UnsupportedPositionError`."""
    men, most = position.material.piece_count, position.rules.most_men
    if not position.rules.royal and position.end == "no pieces":
        raise UnsupportedPositionError(f"the game is over, a side has no pieces: {position}")
    if 0 in position.checks:
        raise UnsupportedPositionError(f"the game is over, no check is left: {position}")
    if GONE in position.squares:
        raise UnsupportedPositionError(f"the game is over, a king has exploded: {position}")
    if position.squares[position.color] in position.rules.goal_squares:
        raise UnsupportedPositionError(f"the game is over, a king has reached its goal: {position}")
    if men > most:
        raise UnsupportedPositionError(f"{men} pieces, but tables have at most {most}: {position}")


def check_setup(position: Setup) -> None:
    """Refuse a position that is not `Setup.is_legal`, by `UnsupportedPositionError`.

    The message names the FEN that may have been meant if the wrong side is to move.
    """
    squares, rules = position.squares, position.material.rules
    gone = squares[:2].count(GONE) if rules.blast else 0
    men = position.material.men
    there = [at for at, (_, man) in zip(squares, men, strict=False) if man is not NOBODY]
    apart = len({*there} & {*rules.board.squares}) + gone
    if not (apart == len(there) and len(squares) == len(men)):
        raise UnsupportedPositionError(
            f"{position.material} on the squares {list(squares)}: each piece needs one of its own"
        )
    without = position._replace(ep_square=None)
    for at, (color, man) in position.men.items():
        if man is PieceType.PAWN and at not in rules.pawn_squares[color]:
            name = rules.board.name_of(at)
            raise UnsupportedPositionError(f"a pawn stands on {name} in {without}")
    behind, mover = position.ep_square, position.color.opponent
    if behind is not None and not may_be_ep_square(rules, position.men, behind, mover):
        name = rules.board.name_of(behind) if behind in rules.board.squares else str(behind)
        raise UnsupportedPositionError(f"no pawn has just passed {quoted(name)} in {without}")
    if position.is_legal():
        return
    reason = "the side to move could take the king"
    if 0 in position.checks:
        reason = "the side to move has given its last check"
    if not rules.checking:
        reason = "a king is in check, which no move may give"
    if position.material.rules.goal:
        reason = f"the game is over, or {reason}"
    if not rules.royal:
        reason = "the side not to move has no pieces"
    elif kings_touch(*position.squares[:2]):
        reason = KINGS_TOUCH
    if gone:
        reason = "the king of the side not to move has exploded"
    other = position._replace(color=position.color.opponent)
    if other.is_legal():
        reason += f", try {'wb'[other.color]} instead of {'wb'[position.color]}"
        position = other
    raise UnsupportedPositionError(f"illegal position: {reason}: {position}")
