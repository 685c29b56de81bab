"""What kernels get: the problem, which all threads share, and the worker of each thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablebase.core.jit.records import KernelRecord


class Problem(NamedTuple):
    """A material to solve, as arrays for kernels."""

    metric: KernelRecord  # of `MetricTables`
    found: KernelRecord  # of `FoundValues`
    game: KernelRecord  # of `Game`
    law: KernelRecord  # of `Law`
    planes: KernelRecord  # of `Planes`
    children: KernelRecord  # of `Children`
    colors: NDArray[np.int64]  # [men besides kings]
    types: NDArray[np.int64]  # [men besides kings]
    pawn_men: NDArray[np.int64]  # [pawns] which of these are pawns
    slice_pawns: NDArray[np.uint8]  # [slices, pawns] squares
    slice_order: NDArray[np.int64]  # [slices] in the order of solution
    advance_bounds: NDArray[np.int64]  # [advances + 1] slices of one advance, in `slice_order`
    stalemates: NDArray[np.uint64]  # [2, slices * ranks * 64] and mates, but for a capture en
    # passant; empty where there is none
    epochs: int  # how many there may be
    undecided: NDArray[np.uint8]  # [epochs but the last, 2, ranks * bytes of a row] positions
    # without a result at the end of an epoch, a bit for each pair of kings; empty with pawns
    # Of other games:
    value_of_code: NDArray[np.uint8]  # [256] value of a result of the table by its code
    last_import: NDArray[np.int64]  # [1] the ply after the last result that is imported


class Worker(NamedTuple):
    """What one thread solves slices with."""

    sets: KernelRecord  # of `Sets`; shared where there is an anchor
    men: KernelRecord  # of `Men`
    scratch: KernelRecord  # of `Scratch`
    undecided: NDArray[np.uint64]  # [epochs but the last, 2, planes * 64] positions of the slice at
    # hand without a result at the end of an epoch; shared like the sets; empty without pawns
    sync: KernelRecord  # of `Sync`, of the threads that solve a slice together
    team: KernelRecord  # of `Team`, the thread's place among these
