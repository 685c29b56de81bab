"""One move of the proving side in each position, by the bounds of a region: what a proof plays."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tablebase.core.ground.capacity import MEASURED_PIECES
from tablebase.solve.bounds import with_queens
from tablebase.solve.kernels.exits import MATE
from tablebase.solve.kernels.fields import LOWER, UPPER, Number, State
from tablebase.solve.measuring import distances_in, value_before
from tablebase.solve.packed import packed_after, packed_of
from tablebase.solve.places import count_pieces, place_of_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import chess

    from tablebase.solve.measuring import ZeroingDistances
    from tablebase.solve.packed import Packed
    from tablebase.solve.places import Structure
    from tablebase.solve.region import Region
    from tablebase.solve.solver import Solver

    # From a position and some of its moves to that one which adds the least to a proof.
    Cheapest = Callable[[chess.Board, Packed, Sequence[chess.Move]], chess.Move]

# Distances that are kept at once, in bytes: of a few structures with two pieces, or many with one;
# but no more than a part of the memory of the region.
MOST_DISTANCES, PART_OF_MEMORY = 1 << 28, 4


class NoStrategyError(Exception):
    """The region has no move that proves a result; the message gives the reason."""


class ProvingMove(NamedTuple):
    """A move of the proving side."""

    move: chess.Move
    nearness: int = 0  # for a win, a number that falls from move to move within a structure


class Strategy(Protocol):
    """What `Winning` and `Holding` have in common."""

    @property
    def bytes(self) -> int:
        """Memory of the distances that are kept."""

    def choose(self, board: chess.Board, cheapest: Cheapest) -> ProvingMove | None:
        """Return the move of the proving side, which is to move; None if it is stalemated.

        `cheapest` chooses among moves that all serve; `NoStrategyError` if the region proves none.
        """


class _Bounds:
    """A bound of a finished region, asked for the side that proves something.

    It says where the `attacker` surely wins, or with `upper` where he may.
    """

    def __init__(self, solver: Solver, attacker: int, *, upper: bool) -> None:
        self.region: Region = solver.region
        self._few = bool(self.region.fields.numbers[Number.FEW])
        self._attacker, self._upper = attacker, upper
        self._known: dict[Structure, tuple[int, int] | None] = {}

    def entry(self, structure: Structure) -> tuple[int, int] | None:
        """Return the number of a structure and of its pieces, None if it is not solved."""
        if structure not in self._known:
            number, fields = self.region.number_of(*structure), self.region.fields
            is_open = fields.state[number, self._attacker] != State.CLOSED
            found = (number, int(fields.pieces[number])) if is_open else None
            self._known[structure] = found
        return self._known[structure]

    def proves(self, packed: Packed, turn: chess.Color) -> bool:
        """Return whether the bound proves the claim of a position, en passant left out."""
        structure, plane, side, white_king, black_king = place_of_packed(packed, turn)
        entry = self.entry(structure)
        if entry is None:
            return False
        number, pieces = entry
        row, bound = (side << (6 * pieces)) + plane, UPPER if self._upper else LOWER
        word = int(self.region.bound(number, self._attacker, bound, row, 1)[white_king])
        return bool(word >> black_king & 1) != self._upper

    def proves_after(self, board: chess.Board, packed: Packed, move: chess.Move) -> bool:
        """Return whether the bound proves the claim of the position after a move."""
        after = packed_after(board, packed, move)
        if not after[7]:
            return self.proves(after, not board.turn)
        board.push(move)
        turn = not board.turn
        en_passant = [packed_after(board, after, one) for one in board.generate_legal_ep()]
        proven = self.proves(after, not turn) and all(self.proves(one, turn) for one in en_passant)
        if not proven:
            replies = (packed_after(board, after, one) for one in board.legal_moves)
            proven = all(self.proves(one, turn) for one in replies)
        board.pop()
        return proven

    def images(self, board: chess.Board) -> Iterator[tuple[chess.Board, Packed]]:
        """Yield a position, and those with queens for rooks and bishops that the region left out.

        A move that proves the claim of any of them proves it for the position: see `with_queens`.
        """
        yield board, packed_of(board)
        if self._few:
            for image in with_queens(board, not board.turn):
                yield image, packed_of(image)


class Winning:
    """The moves of a winning side: towards the next zeroing move, as in plans."""

    def __init__(self, solver: Solver, winner: chess.Color) -> None:
        self._bounds = _Bounds(solver, 0 if winner else 1, upper=False)
        self._distances: OrderedDict[int, ZeroingDistances] = OrderedDict()
        self._most = min(MOST_DISTANCES, solver.memory // PART_OF_MEMORY)

    @property
    def bytes(self) -> int:
        """Memory of the distances that are kept."""
        return sum(one.bytes for one in self._distances.values())

    def choose(self, board: chess.Board, cheapest: Cheapest) -> ProvingMove:
        """Return the move of the winner, who is to move; see `Strategy`."""
        choice = self.find(board, cheapest)
        if choice is None:
            raise NoStrategyError(_reason(board))
        return choice

    def find(self, board: chess.Board, cheapest: Cheapest) -> ProvingMove | None:
        """Return the move of the winner, None if none is proven."""
        choice = self._nearest(board, cheapest)
        if choice is not None:
            return choice
        images = list(self._bounds.images(board))
        if any(self._bounds.proves(packed, image.turn) for image, packed in images):
            return None  # without distances, moves within the structure could go round in circles
        # An en passant capture; or a root whose moves were solved, but not itself once more. None
        # of its lines leads back to it.
        found = [
            (not image.is_zeroing(move), move)
            for image, packed in images
            for move in image.legal_moves
            if self._bounds.proves_after(image, packed, move)
        ]
        if not found:
            return None
        is_quiet, move = min(found, key=lambda one: one[0])
        return ProvingMove(move, 2 * MATE if is_quiet else 0)

    def _nearest(self, board: chess.Board, cheapest: Cheapest) -> ProvingMove | None:
        """Return the move towards the nearest zeroing move, None if no distance is known."""
        best: tuple[int, chess.Board, Packed] | None = None
        for image, packed in self._bounds.images(board):
            value = self._value(packed, image.turn)
            if value > (best[0] if best else 0):
                best = value, image, packed
        if best is None:
            return None
        value, image, packed = best
        return ProvingMove(self._move(image, packed, value, cheapest), MATE - value)

    def _value(self, packed: Packed, turn: chess.Color) -> int:
        """Return the value of a position for the winner, 0 if it is not known to be won."""
        if not self._bounds.proves(packed, turn):
            return 0
        distances = self._distances_of(packed, turn)
        return max(0, distances.value_at(place_of_packed(packed, turn))) if distances else 0

    def _distances_of(self, packed: Packed, turn: chess.Color) -> ZeroingDistances | None:
        """Return the distances in the structure of a position, None if they cannot be had."""
        entry = self._bounds.entry(place_of_packed(packed, turn).structure)
        assert entry is not None, "the bound proves something"
        number, _ = entry
        if number in self._distances:
            self._distances.move_to_end(number)
            return self._distances[number]
        while self.bytes > self._most:
            self._distances.popitem(last=False)
        found = distances_in(self._bounds.region, number)
        if found is not None:
            self._distances[number] = found
        return found

    def _move(
        self, board: chess.Board, packed: Packed, value: int, cheapest: Cheapest
    ) -> chess.Move:
        """Return a move towards a zeroing move, which adds as little to the proof as any."""
        distances = self._distances_of(packed, board.turn)
        assert distances is not None
        found = []
        for move in board.legal_moves:
            if board.is_zeroing(move):
                if self._bounds.proves_after(board, packed, move):
                    found.append((MATE, move))
                continue
            after = place_of_packed(packed_after(board, packed, move), not board.turn)
            before = value_before(distances.value_at(after))
            if before >= value - 1:
                found.append((before, move))
        found.sort(key=lambda one: (-one[0], -(one[1].promotion or 0), one[1].uci()))
        return cheapest(board, packed, [move for _, move in found])


class Holding:
    """The moves of a side that does not lose: into positions that its proof has already, if any."""

    def __init__(self, solver: Solver, holder: chess.Color) -> None:
        self._bounds = _Bounds(solver, 1 if holder else 0, upper=True)
        self._winning = Winning(solver, holder)

    @property
    def bytes(self) -> int:
        """Memory of the distances that are kept."""
        return self._winning.bytes

    def choose(self, board: chess.Board, cheapest: Cheapest) -> ProvingMove | None:
        """Return the move of the holder, who is to move; see `Strategy`."""
        choice = self._winning.find(board, cheapest)
        if choice is not None:
            return choice
        found = {
            move: None
            for image, packed in self._bounds.images(board)
            for move in image.legal_moves
            if self._bounds.proves_after(image, packed, move)
        }
        if not found:
            if board.is_stalemate():
                return None
            raise NoStrategyError(_reason(board))
        return ProvingMove(cheapest(board, packed_of(board), list(found)))


def _reason(board: chess.Board) -> str:
    """Return the reason for which a position has no move."""
    if count_pieces(board) > MEASURED_PIECES:
        return (
            f"a win with more than {MEASURED_PIECES} pieces besides kings and pawns would take "
            f"too much memory, unless tables have it: {board.fen()}"
        )
    return f"the saved region needs tables for this position, but there are none: {board.fen()}"
