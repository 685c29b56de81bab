"""The records of a region and of a thread's work space, their columns and offsets.

Columns of integer arrays have names here. They are constants in compiled code. They are named
tuples, since older versions of numba cannot index arrays by members of enums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.solve.kernels.king_planes import MAX_SQUARES, MOST_WAYS, WORDS
from tablebase.solve.kernels.teams import new_sync, new_team

NONE = -1
# Sets of one kind of positions: by side to move. Where an attacker is to move, positions that are
# not legal are in the bounds of that attacker, else they are not.
TURNS = 2
# Both attackers, as bits.
BOTH_ATTACKERS = 3
# No structure has moves to more others.
MOST_CHILDREN = 1500
# Rows of a list of moves.
MOST_MOVES = 1024


class _State(NamedTuple):
    """Whether a structure is solved for an attacker."""

    CLOSED: int = 0  # it is outside the region
    OPEN: int = 1  # its bounds may differ
    EXACT: int = 2  # both of its bounds are the result


State = _State()


class _Number(NamedTuple):
    """Numbers of a region. From FREE on: where freed memory begins, by pieces."""

    COUNT: int = 0  # structures
    TOP: int = 1  # words of the arena that are taken
    FEW: int = 2  # whether men promote to queen and knight alone
    LIMIT: int = 3  # words of the arena that may be taken
    SHORT: int = 4  # whether there were too few of them
    FREE: int = 5


Number = _Number()


class _Move(NamedTuple):
    """Columns of a structure's list, which has a row for each way to leave it.

    Pieces are numbered within the structure; NONE stands for no piece.
    """

    MOVER: int = 0  # side that moves
    FROM: int = 1  # square of the pawn that moves; NONE for captures by the king and all pieces
    TO: int = 2  # square; NONE for captures by the king and all pieces of the piece CAPTURED
    CAPTURED: int = 3  # piece that is captured
    PROMOTED: int = 4  # code of the piece that a pawn becomes
    NEW: int = 5  # its number among the pieces that are left
    FREE: int = 6  # squares that must be free, as a word
    CHILD: int = 7  # structure that the move leads to
    BACK: int = 8  # structure once the promoted piece is captured
    EN_PASSANT: int = 9  # structure that an en passant capture of the pawn leads to
    EN_PASSANT_TOO: int = 10  # structure that the other such capture leads to


Move = _Move()


class _Out(NamedTuple):
    """Columns of a plane's list, which has a row for each move out of a plane."""

    ROW: int = 0  # of the structure's list
    PLANE: int = 1  # of the structure that it leads to
    MASK: int = 2  # squares on which no king may stand, as a word
    HOW: int = 3  # how kings are changed, a `How`
    SQUARE: int = 4  # on which a king captures
    BY: int = 5  # piece that captures, or NONE


Out = _Out()


class _How(NamedTuple):
    """The ways in which a move out changes the kings."""

    KINGS_STAY: int = 0
    WHITE_KING: int = 1  # captures
    BLACK_KING: int = 2


How = _How()


class _Sets(NamedTuple):
    """Numbers of the sets of a work space, see `set_at`; for sets by side, White's number.

    What follows them differs for bounds, for distances, and for what a flood reaches.
    """

    LEGAL: int = 0  # legal positions, by side to move
    STALE: int = 2  # stalemates, by side to move
    CLAIM: int = 4  # where a side to move may claim a draw, since it might have promoted otherwise
    FRESH: int = 6  # what is new, by side to move
    DOUBT: int = 8  # where a defender's move has just turned out to lose
    CANDIDATES: int = 9  # where the defender may still lose


class _SolveSets(NamedTuple):
    """Numbers of further sets while bounds are found."""

    SAVED: int = 10  # what a defender's moves out save, by bound and attacker, see `saved_at`


class _DistanceSets(NamedTuple):
    """Numbers of further sets while distances are found."""

    WON: int = 10  # the attacker's positions that are won
    NOT_WON: int = 11  # those that are not yet
    LOST: int = 12  # the defender's that are lost
    LOSABLE: int = 13  # the defender's that may be lost by a move out


class _FloodSets(NamedTuple):
    """Numbers of further sets in a flood."""

    UNREACHED: int = 10  # open positions that it has not reached, by side to move


Sets, SolveSets, DistanceSets, FloodSets = _Sets(), _SolveSets(), _DistanceSets(), _FloodSets()

WORK_SETS = 14


class _Queue(NamedTuple):
    """Queues of planes, by what the kernels look for there."""

    DOUBTS: int = 0  # a defender may have lost there
    WINS: int = 1  # an attacker has just won there
    LOSSES: int = 2  # a defender has just lost there
    FLOODED: int = 3  # the flood has just come there


Queue = _Queue()


class _Room(NamedTuple):
    """Numbers of a work space."""

    PLANES: int = 0  # that there is room for


Room = _Room()

LOWER, UPPER = 0, 1  # bounds
# Planes of an answer: lower bounds, which upper bounds follow, and what is scratch. See `rows`.
WIN, HOLD, SCRATCH = 0, 2 * WORDS, 4 * WORDS
ANSWER_WORDS = 6 * WORDS


class RegionFields(NamedTuple):
    """The structures that are known, by row, as arrays for kernels.

    A structure may be solved for one *attacker* only: where White can win and where Black can are
    two questions. Columns say where sets begin in `arena`, packed sets as of `packing.swap_packed`.
    """

    buckets: NDArray[np.int32]  # [power of two] structures by the hash of their key, or NONE
    # [structures, 3] white pawns, black pawns, counts of pieces by code in four bits
    keys: NDArray[np.uint64]
    state: NDArray[np.uint8]  # [structures, 2 attackers] a `State`
    lower: NDArray[np.int64]  # [structures, 2 attackers] first word of the lower bound
    upper: NDArray[np.int64]  # [structures, 2 attackers]
    # [structures] first word of stalemates with White and Black to move, or NONE
    stale: NDArray[np.int64]
    # [structures] first word of what the flood reached; NONE unless a flood lasts
    reached: NDArray[np.int64]
    hits: NDArray[np.int64]  # [structures, 2 attackers] open positions through which a flood came
    # [structures, 2 attackers] positions in the upper bound only; NONE if from a table
    gap: NDArray[np.int64]
    changed: NDArray[np.uint8]  # [structures] attackers whose bounds changed in this round, as bits
    todo: NDArray[np.uint8]  # [structures] attackers for whom to solve in this round, as bits
    # [structures] attackers for whom it is asked for, as bits, see `expand`
    led_to: NDArray[np.uint8]
    level: NDArray[np.int32]  # [structures] greater than of all structures that moves out lead to
    pieces: NDArray[np.int32]  # [structures] men besides kings and pawns
    numbers: NDArray[np.int64]  # [FREE + 4] columns `Number`
    arena: NDArray[np.uint64]  # [words] the planes of all sets
    octets: NDArray[np.uint8]  # [8 * words] the memory of `arena`


class MenFields(NamedTuple):
    """The pieces of a structure, one placement of them, and a list of the moves out of it."""

    size: NDArray[np.int64]  # [1] how many pieces
    codes: NDArray[np.int64]  # [MAX_SQUARES] in ascending order
    squares: NDArray[np.int64]  # [MAX_SQUARES]
    out: NDArray[np.int64]  # [MOST_MOVES, Out] the list


class WorkFields(NamedTuple):
    """The work space of one thread, for structures of up to `planes` planes."""

    sets: NDArray[np.uint64]  # [WORK_SETS * planes * WORDS] `Sets` and what follows them
    queued: NDArray[np.uint8]  # [Queue, planes] whether to look at a plane
    valid: NDArray[np.uint8]  # [planes] whether no two men stand on one square
    moves: NDArray[np.int64]  # [MOST_MOVES, Move] the list of the structure
    here: KernelRecord  # of `MenFields`: the structure's pieces, and the present plane
    # of a structure that a move leads to; its list: captures of a promoted piece
    there: KernelRecord
    answer: NDArray[np.uint64]  # [ANSWER_WORDS] what a move out leads to, see `rows`
    scratch: NDArray[np.uint64]  # [WORDS]
    # [2 * WORDS] unpacked planes: of a lower bound or stalemates, of an upper bound or what is open
    pages: NDArray[np.uint64]
    ways: NDArray[np.uint64]  # [2, MOST_WAYS] see `king_planes.list_targets`
    numbers: NDArray[np.int64]  # [Room]
    team: KernelRecord  # of `teams.TeamFields`
    sync: KernelRecord  # of `teams.SyncFields`


def new_numbers(*, few: bool, room: int) -> NDArray[np.int64]:
    """Return the numbers of an empty region whose arena has `room` words."""
    numbers = np.full(Number.FREE + 4, NONE, dtype=np.int64)
    numbers[: Number.FREE] = 0, 0, few, room, 0
    return numbers


def make_region(size: int, numbers: NDArray[np.int64], arena: NDArray[np.uint64]) -> KernelRecord:
    """Return a region with room for `size` structures; its buckets are empty."""

    def nowhere(*shape: int) -> NDArray[np.int64]:
        return np.full((size, *shape), NONE, dtype=np.int64)

    return KernelRecord(
        RegionFields(
            np.full(4 * size, NONE, dtype=np.int32),
            np.zeros((size, 3), dtype=np.uint64),
            np.zeros((size, 2), dtype=np.uint8),
            nowhere(2),
            nowhere(2),
            nowhere(),
            nowhere(),
            np.zeros((size, 2), dtype=np.int64),
            np.zeros((size, 2), dtype=np.int64),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.uint8),
            np.zeros(size, dtype=np.int32),
            np.zeros(size, dtype=np.int32),
            numbers,
            arena,
            arena.view(np.uint8),
        )
    )


def work_bytes(planes: int) -> int:
    """Return the bytes of a thread's work space."""
    return WORK_SETS * planes * WORDS * 8 + (len(Queue) + 1) * planes + 300_000


def share_work(work: KernelRecord, threads: int) -> list[KernelRecord]:
    """Return work spaces for threads that solve a structure together, with one space's sets."""
    sync, shared = new_sync(threads), work.fields
    return [
        KernelRecord(
            make_work(0).fields._replace(
                sets=shared.sets,
                queued=shared.queued,
                valid=shared.valid,
                numbers=shared.numbers,
                team=new_team(thread, threads),
                sync=sync,
            )
        )
        for thread in range(threads)
    ]


def make_work(planes: int) -> KernelRecord:
    """Return a thread's work space for structures of up to `planes` planes."""
    return KernelRecord(
        WorkFields(
            np.empty(WORK_SETS * planes * WORDS, dtype=np.uint64),
            np.zeros((len(Queue), planes), dtype=np.uint8),
            np.zeros(planes, dtype=np.uint8),
            np.zeros((MOST_MOVES, len(Move)), dtype=np.int64),
            make_men(),
            make_men(),
            np.zeros(ANSWER_WORDS, dtype=np.uint64),
            np.zeros(WORDS, dtype=np.uint64),
            np.zeros(2 * WORDS, dtype=np.uint64),
            np.zeros((2, MOST_WAYS), dtype=np.uint64),
            np.array([planes], dtype=np.int64),
            new_team(0, 1),
            new_sync(1),
        )
    )


def make_men() -> KernelRecord:
    """Return room for the pieces of a structure."""
    return KernelRecord(
        MenFields(
            np.zeros(1, dtype=np.int64),
            np.zeros(MAX_SQUARES, dtype=np.int64),
            np.zeros(MAX_SQUARES, dtype=np.int64),
            np.zeros((MOST_MOVES, len(Out)), dtype=np.int64),
        )
    )


@kernel
def pawns_of(region, structure):
    """Return the squares of all pawns of a structure."""
    return region.keys[structure, 0] | region.keys[structure, 1]


@kernel
def set_of(planes, number, side, plane):
    """Return the first word of a plane of a set by side."""
    return set_at(planes, np.int64(number) + side, plane)


@kernel
def set_at(planes, number, plane):
    """Return the first word of a plane of a set in the work space."""
    return (np.int64(number) * planes + plane) * WORDS


@kernel
def saved_at(planes, bound, attacker, plane):
    """Return the first word of a plane of a set SAVED."""
    return set_at(planes, SolveSets.SAVED + 2 * bound + attacker, plane)


@kernel
def answer_at(part, bound):
    """Return the first word of a plane of an answer, WIN or HOLD."""
    return part + WORDS * bound


@kernel
def bound_at(region, structure, bound, attacker, turn, plane):
    """Return the first word of a plane of a bound, LOWER or UPPER, in the arena; see `read_bound`.

    The bound is not packed: it is one that is being found.
    """
    start = region.upper[structure, attacker] if bound else region.lower[structure, attacker]
    return start + (turn * planes_of(region, structure) + plane) * WORDS


@kernel
def planes_of(region, structure):
    """Return the number of planes of a structure."""
    return 1 << (6 * np.int64(region.pieces[structure]))
