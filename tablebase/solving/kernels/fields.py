"""What kernels work on: the records of a region and of a thread's work space, and what is where.

Columns of integer arrays have names here. They are constants in compiled code.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.jit import KernelRecord, kernel
from tablebase.solving.kernels.planes import MAX_SQUARES, MOST_WAYS, WORDS

NONE = -1
# Sets of one kind of positions: by side to move. Where an attacker is to move, positions that are
# not legal are in a bound of his, else they are not.
TURNS = 2
# Both attackers, as bits.
BOTH = 3
# No structure has moves to more others.
MOST_CHILDREN = 1500
# Rows of a list of moves.
MOST_MOVES = 1024


class State(IntEnum):
    """Whether a structure is solved for an attacker."""

    CLOSED = 0  # it is outside the region
    OPEN = 1  # its bounds may differ
    EXACT = 2  # both of its bounds are the result


class Number(IntEnum):
    """Numbers of a region. From FREE on: where freed memory begins, by pieces."""

    COUNT = 0  # structures
    TOP = 1  # words of the arena that are taken
    FEW = 2  # whether men promote to queen and knight alone
    LIMIT = 3  # words of the arena that may be taken
    SHORT = 4  # whether there were too few of them
    FREE = 5


class Move(IntEnum):
    """Columns of a structure's list, which has a row for each way to leave it. Others are NONE."""

    MOVER = 0  # who moves
    KIND = 1  # PAWN_MOVES or CAPTURES, by king and pieces
    FROM = 2  # of a pawn
    TO = 3  # NONE: where the captured piece stands
    CAPTURED = 4  # which piece is captured
    NEW = 5  # place of the promoted piece among those left
    CHILD = 6  # structure that it leads to
    FREE = 7  # squares that must be free, as a word
    BACK = 8  # of a promotion: structure once the new piece is captured
    PASSING = 9  # of a double push: structure that a capture en passant leads to
    PASSING_TOO = 10  # and that of the other such capture


PAWN_MOVES, CAPTURES = 0, 1
# Whether structures that a list leads to are added to those that are known.
LOOK, ADD = 0, 1


class Out(IntEnum):
    """Columns of a plane's list, which has a row for each move out of a plane."""

    ROW = 0  # of the structure's list
    PLANE = 1  # of the structure that it leads to
    MASK = 2  # squares on which no king may stand, as a word
    HOW = 3  # how kings are changed, a `How`
    SQUARE = 4  # on which a king captures
    BY = 5  # piece that captures, or NONE


class How(IntEnum):
    """How a move out changes the kings."""

    KINGS_STAY = 0
    WHITE_KING = 1  # captures
    BLACK_KING = 2


class Sets(IntEnum):
    """Sets of a work space, by number. Where two are by side, the number is White's."""

    LEGAL = 0  # legal positions, by side to move
    STALE = 2  # stalemates, by side to move
    SAVED = 4  # what a defender's moves out save, by bound and attacker
    FRESH = 8  # what is new, by side to move
    CLAIM = 10  # where a side to move may claim a draw, since it might have promoted otherwise
    DOUBT = 12  # where a defender's move has just turned out to lose
    CANDIDATES = 13  # where the defender may still lose
    # In place of SAVED while distances are found:
    WON = 4  # the attacker's positions that are won
    LEFT = 5  # those that are not yet
    LOST = 6  # the defender's that are lost


WORK_SETS = 14

# Planes of an answer, each WORDS long, and then those that are scratch.
WIN, HOLD = 0, 128  # lower bounds; upper bounds lie WORDS further
SCRATCH = 256
ANSWER_WORDS = 512


class RegionFields(NamedTuple):
    """The structures that are known, as arrays for kernels. Their number is the row.

    Where White can win and where Black can are two questions that do not touch each other: a
    structure may be solved for one *attacker* alone.

    Attributes
    ----------
    slots
        int32 [power of two], structures by the hash of their key, or NONE.
    keys
        uint64 [structures, 3], white pawns and black pawns as words, and how many pieces there are
        of each code, in four bits each.
    state
        uint8 [structures, 2 attackers], a `State`.
    lower, upper
        int64 [structures, 2 attackers], where the bounds begin in `arena`, in words.
    stale
        int64 [structures], where stalemates with White and Black to move begin there, or NONE.
    reached
        int64 [structures], where positions that the flood reached begin there; NONE but while it
        lasts.
    hits
        int64 [structures, 2 attackers], open positions through which a flood came.
    gap
        int64 [structures, 2 attackers], positions that are in upper bounds, not in lower ones; NONE
        if a complete table gave the values.
    changed
        uint8 [structures], the attackers whose bounds changed in this round, as bits.
    todo
        uint8 [structures], the attackers for whom it is solved in this round, as bits.
    led_to
        uint8 [structures], the attackers for whom it is asked for, as bits, see `expand`.
    rank
        int32 [structures], greater than those of all structures that moves out lead to.
    pieces
        int32 [structures], how many men besides kings and pawns.
    numbers
        int64 [FREE + 4], columns `Number`.
    arena
        uint64 [words], the planes of all sets.
    """

    slots: NDArray[np.int32]
    keys: NDArray[np.uint64]
    state: NDArray[np.uint8]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    stale: NDArray[np.int64]
    reached: NDArray[np.int64]
    hits: NDArray[np.int64]
    gap: NDArray[np.int64]
    changed: NDArray[np.uint8]
    todo: NDArray[np.uint8]
    led_to: NDArray[np.uint8]
    rank: NDArray[np.int32]
    pieces: NDArray[np.int32]
    numbers: NDArray[np.int64]
    arena: NDArray[np.uint64]


def new_numbers(*, few: bool, room: int) -> NDArray[np.int64]:
    """Return the numbers of a region in whose arena there is room for so many words."""
    numbers = np.full(Number.FREE + 4, NONE, dtype=np.int64)
    numbers[: Number.FREE] = 0, 0, few, room, 0
    return numbers


def make_region(size: int, numbers: NDArray[np.int64], arena: NDArray[np.uint64]) -> KernelRecord:
    """Return a region with room for so many structures, none of which is entered in its slots."""

    def places(*shape: int) -> NDArray[np.int64]:
        return np.full((size, *shape), NONE, dtype=np.int64)

    return KernelRecord(
        RegionFields(
            np.full(4 * size, NONE, dtype=np.int32),
            np.zeros((size, 3), dtype=np.uint64),
            np.zeros((size, 2), dtype=np.uint8),
            places(2),
            places(2),
            places(),
            places(),
            np.zeros((size, 2), dtype=np.int64),
            np.zeros((size, 2), dtype=np.int64),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.int32),
            np.zeros(size, dtype=np.int32),
            numbers,
            arena,
        )
    )


class WorkFields(NamedTuple):
    """What one thread needs besides the region, for structures of so many planes.

    Attributes
    ----------
    sets
        uint64 [WORK_SETS * planes * WORDS], the sets of `Sets`.
    queue
        int32 [2, planes], planes that a flood comes to.
    queued
        uint8 [3, planes], which planes to look at.
    valid
        uint8 [planes], whether no two men stand on one square.
    moves
        int64 [MOST_MOVES, Move], the list of the structure.
    out, spare
        int64 [MOST_MOVES, Out], the list of a plane, and scratch.
    codes, squares
        int64 [2, MAX_SQUARES], the pieces and where they stand, and scratch.
    answer
        uint64 [ANSWER_WORDS], what a move out leads to, see `rows`.
    scratch
        uint64 [4 * WORDS].
    ways
        uint64 [2, MOST_WAYS], see `planes.list_targets`.
    numbers
        int64 [1], planes that there is room for.
    """

    sets: NDArray[np.uint64]
    queue: NDArray[np.int32]
    queued: NDArray[np.uint8]
    valid: NDArray[np.uint8]
    moves: NDArray[np.int64]
    out: NDArray[np.int64]
    spare: NDArray[np.int64]
    codes: NDArray[np.int64]
    squares: NDArray[np.int64]
    answer: NDArray[np.uint64]
    scratch: NDArray[np.uint64]
    ways: NDArray[np.uint64]
    numbers: NDArray[np.int64]


def work_bytes(planes: int) -> int:
    """Return the bytes of a thread's work space."""
    return WORK_SETS * planes * WORDS * 8 + 12 * planes + 300_000


def make_work(planes: int) -> KernelRecord:
    """Return a thread's work space for structures of so many planes."""

    def lists(columns: int) -> NDArray[np.int64]:
        return np.zeros((MOST_MOVES, columns), dtype=np.int64)

    return KernelRecord(
        WorkFields(
            np.empty(WORK_SETS * planes * WORDS, dtype=np.uint64),
            np.zeros((2, planes), dtype=np.int32),
            np.zeros((3, planes), dtype=np.uint8),
            np.zeros(planes, dtype=np.uint8),
            lists(len(Move)),
            lists(len(Out)),
            lists(len(Out)),
            np.zeros((2, MAX_SQUARES), dtype=np.int64),
            np.zeros((2, MAX_SQUARES), dtype=np.int64),
            np.zeros(ANSWER_WORDS, dtype=np.uint64),
            np.zeros(4 * WORDS, dtype=np.uint64),
            np.zeros((2, MOST_WAYS), dtype=np.uint64),
            np.array([planes], dtype=np.int64),
        )
    )


@kernel
def set_at(planes, number, plane):
    """Return where a plane of a set of the work space begins."""
    return (number * planes + plane) * WORDS


@kernel
def place_in(region, structure, bound, attacker, turn, plane):
    """Return where a plane of a bound (0 lower, 1 upper) begins in the arena."""
    start = region.upper[structure, attacker] if bound else region.lower[structure, attacker]
    planes = 1 << (6 * np.int64(region.pieces[structure]))
    return start + (turn * planes + plane) * WORDS
