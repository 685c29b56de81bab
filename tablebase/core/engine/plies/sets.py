"""The sets of one slice: which positions are decided so far, and what a ply works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.engine.plies.arrays import Memory

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Sets(NamedTuple):
    """Sets of positions of one slice, for each side to move: bits by plane, king, king.

    Flags are bytes by plane. Their number is filled up to a multiple of 64, see `_planes_with`.
    """

    values: NDArray[np.uint8]  # [2, planes with values * 4096] see `Planes.value_plane`
    not_won: NDArray[np.uint64]  # [2, planes * 64] legal, not (yet) won by the side to move
    refuge: NDArray[np.uint64]  # [2, planes * 64] the same of positions as a move leads to them: it
    # is `not_won` itself, but where checks are counted
    not_lost: NDArray[np.uint64]  # [2, planes * 64] legal, not (yet) lost
    may_lose: NDArray[np.uint64]  # [2, planes * 64] not lost, best move out loses by this ply
    reach: NDArray[np.uint64]  # [2, planes * 64] work space: zero outside `reach_lines`
    reach_lines: NDArray[np.uint8]  # [2, flags] by plane, lines of `reach` in use, a bit each
    frontier: NDArray[np.uint64]  # [2 or 3, 2, planes * 64] last ply's results: WIN, then LOSS
    # by parity of the ply, where there are losses in every ply
    frontier_lines: NDArray[np.uint8]  # [2 or 3, 2, flags] lines of `frontier` that are not zero
    presence: NDArray[np.uint8]  # [2, planes / 64, 128, 64] lines that may have a value before
    # the first ply, a bit each: by 64 planes, value modulo 128, plane
    # Of other games:
    decided: NDArray[np.uint64]  # [2, planes * 64] legal, and worth what `values` says before the
    # first ply: no quiet move counts; empty if the rules decide no position
    checked: NDArray[np.uint64]  # [2, planes * 64] legal, in check; empty if that does not matter
    imported: NDArray[np.uint8]  # [2, planes with values * 4096] what those of `checked` are worth
    # as a move leads to them, with one check fewer left; only if the table has more layers


# Two values may share a place in `Sets.presence`, which takes half the memory and costs no time: a
# place only says where to look, and `seeds_of` compares the values themselves.
PRESENCE_KEYS = 128
# Not needed once all plies are done.
TRANSIENT_SETS = ("may_lose", "reach", "frontier", "presence")
_EMPTY_AT_FIRST = ("reach", "reach_lines", "frontier_lines")


def make_sets(
    planes: int,
    value_planes: int,
    frontiers: int,
    spare: Memory | None = None,
    *,
    has_decided: bool = False,
    has_layers: bool = False,
) -> Sets:
    """Return sets for a number of planes, with nothing in `reach` and any content elsewhere.

    There are two frontiers if no ply has both wins and losses, else three; for `has_decided` see
    `Material.has_decided`, for `has_layers` `Rules.check_counting`.

    The `TRANSIENT_SETS` lie in spare memory if there is room.
    """
    new, spare = Memory(), spare or Memory()
    arrays = {}
    shapes = set_shapes(
        planes, value_planes, frontiers, has_decided=has_decided, has_layers=has_layers
    )
    for name, (shape, dtype) in shapes.items():
        memory = spare if name in TRANSIENT_SETS else new
        make = memory.zeros if name in _EMPTY_AT_FIRST else memory.empty
        arrays[name] = make(shape, dtype)
    arrays.setdefault("refuge", arrays["not_won"])
    return Sets(**arrays)


def set_shapes(
    planes: int,
    value_planes: int,
    frontiers: int,
    *,
    has_decided: bool = False,
    has_layers: bool = False,
) -> dict[str, tuple[tuple[int, ...], type]]:
    """Return shape and type of each of the `Sets`; see `make_sets`."""
    words, stacks = planes * 64, -(-planes // 64)
    own_refuge = {"refuge": ((2, words), np.uint64)} if has_layers else {}
    return {
        "values": ((2, value_planes * 4096), np.uint8),
        "not_won": ((2, words), np.uint64),
        **own_refuge,
        "checked": ((2, words if has_layers else 0), np.uint64),
        "imported": ((2, value_planes * 4096 if has_layers else 0), np.uint8),
        "not_lost": ((2, words), np.uint64),
        "decided": ((2, words if has_decided else 0), np.uint64),
        "may_lose": ((2, words), np.uint64),
        "reach": ((2, words), np.uint64),
        "reach_lines": ((2, stacks * 64), np.uint8),
        "frontier": ((frontiers, 2, words), np.uint64),
        "frontier_lines": ((frontiers, 2, stacks * 64), np.uint8),
        "presence": ((2, stacks, PRESENCE_KEYS, 64), np.uint8),
    }
