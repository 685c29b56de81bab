"""Planes of kings as sets of pairs of squares, and structures of boards in a region."""

import chess
import numpy as np

from tablebase.solve.kernels.fields import State, make_work
from tablebase.solve.places import place_of
from tablebase.solve.region import Region

PAIRS = [(white, black) for white in range(64) for black in range(64)]
STEPS = [set(chess.SquareSet(chess.BB_KING_ATTACKS[square])) for square in range(64)]


def some_plane(rng):
    return rng.integers(2**64, size=64, dtype=np.uint64)


def pairs_of(words):
    """Return the squares of both kings of all positions of a plane."""
    return {(white, black) for white, black in PAIRS if int(words[white]) >> black & 1}


def words_of(pairs):
    """Return the plane of some squares of both kings."""
    words = [0] * 64
    for white, black in pairs:
        words[white] |= 1 << black
    return np.array(words, dtype=np.uint64)


def kings_near(pairs, side):
    """Return what a side's king reaches in one step from some positions."""
    if side == 0:
        return {(white, black) for first, black in pairs for white in STEPS[first]}
    return {(white, black) for white, first in pairs for black in STEPS[first]}


def men_board(men):
    """Return a board of men like ``Qd1 Pa2 pa7``; capital letters are white."""
    board = chess.Board(None)
    for man in men.split():
        board.set_piece_at(chess.parse_square(man[1:]), chess.Piece.from_symbol(man[0]))
    return board


def with_kings(board, white, black, turn):
    """Return the board with kings and a side to move, 0 for White; None if that is illegal."""
    if white == black or board.occupied & (chess.BB_SQUARES[white] | chess.BB_SQUARES[black]):
        return None
    board = board.copy()
    board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
    board.turn = turn == 0
    return board if board.is_valid() else None


def legal_boards(board, turn):
    """Return all legal positions of some men and kings, by the squares of the kings."""
    boards = {pair: with_kings(board, *pair, turn) for pair in PAIRS}
    return {pair: one for pair, one in boards.items() if one is not None}


class Given:
    """A region with room for what a test writes, and a work space."""

    def __init__(self, *, pieces=0, few=False, words=1 << 20):
        self.region = Region(np.zeros(words, dtype=np.uint64), few=few)
        self.work = make_work(1 << (6 * pieces))
        self.used = 0

    @property
    def record(self):
        return self.region.record

    @property
    def fields(self):
        return self.region.fields

    def structure(self, men):
        """Return the number of a structure, and which of its planes men stand on."""
        place = place_of(with_kings_anywhere(men_board(men)))
        return self.region.number_of(*place.structure), place.plane

    def solved(self, structure, rng):
        """Let a structure be open, with bounds that mean nothing."""
        self.region.fields.state[structure] = State.OPEN
        for bounds in (self.fields.lower, self.fields.upper):
            for attacker in range(2):
                bounds[structure, attacker] = self.room(structure)
        self.fields.arena[: self.used] = rng.integers(2**64, size=self.used, dtype=np.uint64)

    def room(self, structure):
        """Return where there is room for sets of a structure."""
        place, self.used = self.used, self.used + self.region.words_of(structure)
        assert self.used <= len(self.fields.arena)
        self.fields.numbers[1] = self.used
        return place

    def plane_at(self, place):
        """Return a plane of the arena, which can be written."""
        return self.fields.arena[place : place + 64]

    def bound(self, structure, bound, attacker, turn, plane=0):
        """Return a plane of a bound, 0 for the lower one, which can be written."""
        start = (self.fields.upper if bound else self.fields.lower)[structure, attacker]
        planes = self.region.words_of(structure) // 128
        return self.plane_at(int(start) + (turn * planes + plane) * 64)


def with_kings_anywhere(board):
    free = [square for square in chess.SQUARES if not board.piece_at(square)]
    board.set_piece_at(free[0], chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(free[-1], chess.Piece(chess.KING, chess.BLACK))
    return board
