"""One move of the proving side in each position, by the bounds of a region: what a proof plays."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, Protocol

import chess

from tablebase.capacity import MEASURED_PIECES
from tablebase.solving.bounds import with_queens
from tablebase.solving.conversions import Conversions, distance_of, index_of, value_before
from tablebase.solving.kernels import MATE, NONE, WORDS, Number, State
from tablebase.solving.places import Place, place_of
from tablebase.solving.plans import Distance, distance_of_move

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tablebase.solving.region import Region
    from tablebase.solving.solver import Solver

# Distances that are kept at once, in bytes: of one structure with two pieces, or many with one.
MOST_DISTANCES = 1 << 28


class NoStrategyError(Exception):
    """The region has no move that proves a result; the message says why."""


class Choice(NamedTuple):
    """The move of the proving side, and how near it is to a conversion: falls within a structure."""

    move: chess.Move
    nearness: int


class Strategy(Protocol):
    """What `Winning` and `Holding` have in common."""

    def choose(self, board: chess.Board) -> Choice | None:
        """Return the move of the proving side, which is to move; None if it is stalemated.

        Raises
        ------
        NoStrategyError
            If the region proves none.
        """


class _Bounds:
    """One bound of a region, asked for the side that proves something.

    Parameters
    ----------
    solver
        A solver that has run.
    attacker
        Whose attack: 0 for White's, 1 for Black's.
    upper
        Whether to ask where it may win, rather than where it surely does.
    """

    def __init__(self, solver: Solver, attacker: int, *, upper: bool) -> None:
        self.region: Region = solver.region
        self.few = bool(self.region.fields.numbers[Number.FEW])
        self._attacker, self._upper = attacker, upper

    def number(self, place: Place) -> int | None:
        """Return the number of a structure that is solved for the attacker, None of others."""
        number = self.region.number_of(*place.structure)
        is_closed = self.region.fields.state[number, self._attacker] == State.CLOSED
        return None if is_closed else number

    def proves(self, board: chess.Board) -> bool:
        """Return whether the bound proves the claim of a position, a passing right left out."""
        place = place_of(board)
        number = self.number(place)
        if number is None:
            return False
        fields = self.region.fields
        start = int((fields.upper if self._upper else fields.lower)[number, self._attacker])
        plane = (place.turn << (6 * int(fields.pieces[number]))) + place.plane
        word = int(fields.arena[start + plane * WORDS + place.white_king])
        return bool(word >> place.black_king & 1) != self._upper

    def proves_after(self, board: chess.Board, move: chess.Move) -> bool:
        """Return whether the bound proves the claim of the position after a move."""
        board.push(move)
        try:
            if not board.has_legal_en_passant():
                return self.proves(board)
            captures = list(board.generate_legal_ep())
            if self.proves(board) and all(self._reply(board, one) for one in captures):
                return True
            return all(self._reply(board, one) for one in board.legal_moves)
        finally:
            board.pop()

    def _reply(self, board: chess.Board, move: chess.Move) -> bool:
        board.push(move)
        proven = self.proves(board)
        board.pop()
        return proven

    def images(self, board: chess.Board) -> Iterator[chess.Board]:
        """Yield a position, and those with queens for rooks and bishops that the region left out.

        A move that proves the claim of any of them proves it for the position: see `with_queens`.
        """
        yield board
        if self.few:
            yield from with_queens(board, not board.turn)


class Winning:
    """The moves of a side that wins: towards the next conversion, as plans are.

    Parameters
    ----------
    solver
        A solver that has run.
    winner
        The side.
    """

    def __init__(self, solver: Solver, winner: chess.Color) -> None:
        self._bounds = _Bounds(solver, 0 if winner else 1, upper=False)
        self._conversions: OrderedDict[int, Conversions] = OrderedDict()

    def choose(self, board: chess.Board) -> Choice:
        """Return the move of the winner, who is to move; see `Strategy`."""
        choice = self.nearest(board)
        if choice is not None:
            return choice
        for image in self._bounds.images(board):
            for move in image.legal_moves:
                if image.is_zeroing(move) and self._bounds.proves_after(image, move):
                    return Choice(move, 0)
        raise NoStrategyError(_reason(self._bounds, board))

    def nearest(self, board: chess.Board) -> Choice | None:
        """Return the move towards the nearest conversion, None if no distance is known."""
        images = list(self._bounds.images(board))
        found = [(-value, i) for i, one in enumerate(images) if (value := self._value(one)) > 0]
        if not found:
            return None
        value, i = min(found)
        return Choice(self._move(images[i], -value), MATE + value)

    def _value(self, board: chess.Board) -> int:
        """Return the value of a position, 0 if it is not won without a right to pass."""
        if not self._bounds.proves(board):
            return 0
        place = place_of(board)
        conversions = self._conversions_of(place)
        return max(0, conversions.value_at(place)) if conversions else 0

    def _conversions_of(self, place: Place) -> Conversions | None:
        number = self._bounds.number(place)
        assert number is not None, "the bound proves something"
        fields = self._bounds.region.fields
        if fields.pieces[number] > MEASURED_PIECES or fields.gap[number, 0] == NONE == fields.gap[number, 1]:
            return None
        if number in self._conversions:
            self._conversions.move_to_end(number)
            return self._conversions[number]
        while sum(one.bytes for one in self._conversions.values()) > MOST_DISTANCES:
            self._conversions.popitem(last=False)
        self._conversions[number] = Conversions(self._bounds.region, number)
        return self._conversions[number]

    def _move(self, board: chess.Board, value: int) -> chess.Move:
        """Return a move that has the value of its position."""
        distance = distance_of(value)
        assert distance is not None
        if distance.plies > 1:
            conversions = self._conversions_of(place_of(board))
            assert conversions is not None
            for move in board.legal_moves:
                if not board.is_zeroing(move):
                    board.push(move)
                    same = value_before(conversions.value_at(place_of(board))) == value
                    board.pop()
                    if same:
                        return move
        found: list[tuple[Distance, bool, int, str, chess.Move]] = []
        for move in board.legal_moves:
            board.push(move)
            mate = board.is_checkmate()
            board.pop()
            if mate:
                return move
            if board.is_zeroing(move) and self._bounds.proves_after(board, move):
                away = distance_of_move(board, move, 1, None)
                assert away is not None
                order = (not board.is_capture(move), -(move.promotion or 0), move.uci())
                found.append((away, *order, move))
        return min(found)[-1]


class Holding:
    """The moves of a side that does not lose: into positions that its proof has already, if any.

    Parameters
    ----------
    solver
        A solver that has run.
    holder
        The side.
    new_replies
        Counts the replies in a position that lead to positions that are not in the proof yet; it
        may stop at the given number.
    """

    def __init__(
        self, solver: Solver, holder: chess.Color, new_replies: Callable[[chess.Board, int], int]
    ) -> None:
        self._bounds = _Bounds(solver, 1 if holder else 0, upper=True)
        self._new_replies = new_replies
        self._winning = Winning(solver, holder)

    def choose(self, board: chess.Board) -> Choice | None:
        """Return the move of the holder, who is to move; see `Strategy`."""
        choice = self._winning.nearest(board)
        if choice is not None:
            return choice
        found = {
            move: None
            for image in self._bounds.images(board)
            for move in image.legal_moves
            if self._bounds.proves_after(image, move)
        }
        if not found:
            if board.is_stalemate():
                return None
            raise NoStrategyError(_reason(self._bounds, board))
        best, fewest = next(iter(found)), 1 << 30
        for move in sorted(found, key=lambda one: not board.gives_check(one)):
            board.push(move)
            new = self._new_replies(board, fewest)
            board.pop()
            if new < fewest:
                best, fewest = move, new
        return Choice(best, 0)

def _reason(bounds: _Bounds, board: chess.Board) -> str:
    """Return why there is no move."""
    if (board.occupied & ~board.kings & ~board.pawns).bit_count() > MEASURED_PIECES:
        return f"distances with more than {MEASURED_PIECES} pieces take too much memory"
    return "tables that the result depends on are not there"
