"""Planes, where the engine keeps positions, and the tracks along which a man moves.

A *plane* is 64 words: word i has the positions with White's king on square i, bit j with Black's
king on square j. Every placement of the pieces is a plane, so a king moves inside a plane, and a
piece moves along a *track*, one plane for each of its 64 squares. Tracks are not the *lines* of
`bits`, eight words of one plane.

Without pawns up to eight symmetries are spent on one piece, the *anchor*: its square is the first
of its orbit, and another square of it continues in the transformed plane of the symmetric image.
With pawns no plane is transformed, and the anchor only divides a large slice among threads.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import COMPOSE, D4, DIAGONAL, first_of_orbits
from tablebase.core.engine.sets.bits import free_of_leads
from tablebase.core.jit.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tablebase.core.board.shape import BoardShape
    from tablebase.core.rules.material import Material

    Piece = tuple[Color, PieceType]

SQUARES = np.arange(64)
# A slice with pawns that has fewer planes is solved by a single thread, and needs no anchor.
LARGE_SLICE = 1 << 16


class Planes(NamedTuple):
    """The planes of a set of pieces, as arrays for kernels.

    A mover is the anchor, or one or two identical pieces; the anchor, if there is one, is mover 0.
    Tracks are sorted by block, a range of planes that only the anchor's moves leave.
    """

    piece_man: NDArray[np.int64]  # [pieces] position in `Material.men`
    plane_squares: NDArray[np.uint8]  # [planes, pieces]
    is_copy: NDArray[np.bool_]  # [planes] whether the mirrored one, an earlier one, serves as well
    mirrored: NDArray[np.int32]  # [planes] the mirrored plane of an anchor on a diagonal, or -1
    value_plane: NDArray[np.int32]  # [planes] where its values lie: planes of its own are numbered
    # from 0 on, a copy's are those of the mirrored one; -1 where two men share a square
    mover_color: NDArray[np.int64]  # [movers]
    mover_type: NDArray[np.int64]  # [movers]
    track_bounds: NDArray[np.int64]  # [movers + 1] first track of each mover
    track_planes: NDArray[np.int32]  # [tracks, 64] plane by the mover's square, -1 if occupied
    track_symmetry: NDArray[np.uint8]  # [tracks, 64] the symmetry that leads to that plane
    track_mirrored: NDArray[np.int32]  # [tracks, 64] the mirrored plane, or -1
    track_occupied: NDArray[np.uint64]  # [tracks] squares of the other pieces, or off the board
    block_count: int
    has_anchor: bool
    free: NDArray[np.uint64]  # [8, 512] `free_of_leads`


class _Axis:
    """One or two identical pieces: a digit of the plane's number."""

    def __init__(self, pieces: list[int], squares: Iterable[tuple[int, ...]]) -> None:
        self.pieces = pieces
        self.squares = np.array(list(squares), dtype=np.int64).reshape(-1, len(pieces))
        self.size = len(self.squares)
        self.stride = 0

    @cached_property
    def digits(self) -> NDArray[np.int64]:
        """The digit by the squares of the pieces, [64] or [64, 64]; -1 where there is none."""
        found = np.full((64,) * len(self.pieces), -1, dtype=np.int64)
        for squares in (self.squares, self.squares[:, ::-1]):
            found[tuple(squares.T)] = np.arange(self.size)
        return found

    def transformed(self, symmetry: int) -> NDArray[np.int64]:
        """Return the digit of every digit's image under a symmetry."""
        images = D4[symmetry].astype(np.int64)[self.squares]
        return np.asarray(self.digits[tuple(images.T)], dtype=np.int64)


class _Tracks(NamedTuple):
    targets: NDArray[np.int64]
    symmetry: NDArray[np.uint8]
    mirrored: NDArray[np.int64]
    occupied: NDArray[np.uint64]


def make_planes(material: Material) -> Planes:
    """Return the planes and tracks of a material's pieces."""
    men = [i for i, (_, man) in enumerate(material.men) if i >= 2 and man is not PieceType.PAWN]
    pieces = [material.men[i] for i in men]
    axes, anchor = _choose_axes(material, pieces)
    digits = _digits(axes)
    plane_squares = np.zeros((len(digits), len(pieces)), dtype=np.uint8)
    for axis, digit in zip(axes, digits.T, strict=True):
        plane_squares[:, axis.pieces] = axis.squares[digit]
    symmetric = None if material.has_pawns else anchor
    tracks = [
        _anchor_tracks(axes, material.symmetries, material.rules.board)
        if symmetric in axis.pieces
        else _axis_tracks(axes, axis, material.rules.board)
        for axis in axes
    ]
    movers = [pieces[axis.pieces[0]] for axis in axes]
    bounds = np.cumsum([0, *(len(track.targets) for track in tracks)], dtype=np.int64)
    none = np.empty((0, 64), dtype=np.int64)
    mirrored = _mirrored_planes(tracks, len(digits))
    is_copy = (mirrored >= 0) & (mirrored < np.arange(len(digits)))
    return Planes(
        piece_man=np.array(men, dtype=np.int64),
        plane_squares=plane_squares,
        is_copy=is_copy,
        mirrored=mirrored,
        value_plane=_value_planes(plane_squares, is_copy, mirrored),
        mover_color=np.array([color for color, _ in movers], dtype=np.int64),
        mover_type=np.array([man for _, man in movers], dtype=np.int64),
        track_bounds=bounds,
        track_planes=np.concatenate([none, *(one.targets for one in tracks)]).astype(np.int32),
        track_symmetry=np.concatenate([none, *(one.symmetry for one in tracks)]).astype(np.uint8),
        track_mirrored=np.concatenate([none, *(one.mirrored for one in tracks)]).astype(np.int32),
        track_occupied=np.concatenate(
            [np.empty(0, dtype=np.uint64), *(one.occupied for one in tracks)]
        ),
        block_count=axes[0].size if anchor is not None else 1,
        has_anchor=anchor is not None,
        free=free_of_leads(material.nobody),
    )


def _choose_axes(material: Material, pieces: list[Piece]) -> tuple[list[_Axis], int | None]:
    """Return the axes and the anchor, None if there is no anchor."""
    if not pieces:
        return [], None
    anchor, board = _choose_anchor(pieces), material.rules.board.squares
    if not material.has_pawns:
        return _axes(pieces, board, anchor, first_of_orbits(material.symmetries, board)), anchor
    axes = _axes(pieces, board, None)
    if prod(axis.size for axis in axes) < LARGE_SLICE:
        return axes, None
    return _axes(pieces, board, anchor, board), anchor


def _choose_anchor(pieces: list[Piece]) -> int:
    """Return the piece to be the anchor: of those with the fewest twins that with the fewest moves.

    If it has a twin, a placement can have two planes, which are solved and stored alike.
    """
    order = sorted(
        range(len(pieces)), key=lambda i: (pieces.count(pieces[i]), pieces[i][1], pieces[i][0])
    )
    return order[0]


def _axes(
    pieces: list[Piece],
    board: Sequence[int],
    anchor: int | None,
    squares_of_anchor: Sequence[int] = (),
) -> list[_Axis]:
    """Return the axes, slowest first: the anchor, then identical pieces two by two, then single."""
    axes = []
    left = list(range(len(pieces)))
    if anchor is not None:
        axes.append(_Axis([anchor], [(square,) for square in squares_of_anchor]))
        left.remove(anchor)
    while left:
        twins = [i for i in left if pieces[i] == pieces[left[0]]][:2]
        axes.append(_Axis(twins, placements(board, len(twins))))
        left = [i for i in left if i not in twins]
    stride = 1
    for axis in reversed(axes):
        axis.stride = stride
        stride *= axis.size
    return axes


def placements(squares: Sequence[int], men: int) -> list[tuple[int, ...]]:
    """Return the squares of one man, or of two of a kind, in the order of the digits of an axis."""
    return sorted(combinations(sorted(squares), men), key=lambda chosen: chosen[::-1])


def _digits(axes: list[_Axis]) -> NDArray[np.int64]:
    """Return every combination of the axes' digits in order, [combinations, axes]."""
    if not axes:
        return np.zeros((1, 0), dtype=np.int64)
    grids = np.meshgrid(*(np.arange(axis.size) for axis in axes), indexing="ij")
    return np.stack([grid.ravel() for grid in grids], axis=1)


def _anchor_tracks(axes: list[_Axis], symmetries: tuple[int, ...], board: BoardShape) -> _Tracks:
    """Return the tracks of the anchor: one for each orbit of the other pieces' squares."""
    anchor, *others = axes
    digits = _digits(others)
    numbers = _base(others, digits)
    images = np.empty((8, len(digits)), dtype=np.int64)
    for t in symmetries:
        moved = [axis.transformed(t)[digit] for axis, digit in zip(others, digits.T, strict=True)]
        images[t] = _base(others, np.stack(moved, axis=1)) if moved else 0
    first = numbers == images[list(symmetries)].min(axis=0)
    images, occupied = images[:, first], _words(others, digits, board.outside)[first]
    squares = first_of_orbits(symmetries, board.squares)
    place = {square: digit for digit, square in enumerate(squares)}
    planes = np.full((len(occupied), 64), -1, dtype=np.int64)
    mirrored = np.full((len(occupied), 64), -1, dtype=np.int64)
    symmetry = np.zeros((len(occupied), 64), dtype=np.uint8)
    for square in board.squares:
        t = next(t for t in symmetries if int(D4[t, square]) in place)
        image = int(D4[t, square])
        planes[:, square] = place[image] * anchor.stride + images[t]
        symmetry[:, square] = t
        if DIAGONAL in symmetries and D4[DIAGONAL, image] == image:
            turned = COMPOSE[DIAGONAL, t]
            mirrored[:, square] = place[image] * anchor.stride + images[turned]
    return _Tracks(
        _without_occupied(planes, occupied),
        symmetry,
        np.where(planes == mirrored, -1, _without_occupied(mirrored, occupied)),
        occupied,
    )


def _base(axes: list[_Axis], digits: NDArray[np.int64]) -> NDArray[np.int64]:
    strides = np.array([axis.stride for axis in axes], dtype=np.int64)
    return digits @ strides


def _words(axes: list[_Axis], digits: NDArray[np.int64], outside: int) -> NDArray[np.uint64]:
    """Return the words that the axes' pieces occupy, with those `outside`, by row of digits."""
    words = np.full(len(digits), outside).astype(np.uint64)
    for axis, digit in zip(axes, digits.T, strict=True):
        for squares in axis.squares[digit].T:
            words |= np.uint64(1) << squares.astype(np.uint64)
    return words


def _without_occupied(planes: NDArray[np.int64], occupied: NDArray[np.uint64]) -> NDArray[np.int64]:
    free = (occupied[:, None] >> SQUARES.astype(np.uint64)) & np.uint64(1) == 0
    return np.where(free, planes, -1)


def _axis_tracks(axes: list[_Axis], axis: _Axis, board: BoardShape) -> _Tracks:
    """Return the tracks of a piece that is not the anchor."""
    others = [other for other in axes if other is not axis]
    digits = _digits(others)
    base, occupied = _base(others, digits), _words(others, digits, board.outside)
    if len(axis.pieces) == 1:
        planes = base[:, None] + axis.digits * axis.stride
    else:
        partner = np.tile(np.array(board.squares), len(base))
        base = np.repeat(base, len(board.squares))
        occupied = np.repeat(occupied, len(board.squares))
        occupied |= np.uint64(1) << partner.astype(np.uint64)
        planes = base[:, None] + axis.digits[partner] * axis.stride
    planes = _without_occupied(planes, occupied)
    nothing = np.zeros(planes.shape, dtype=np.uint8)
    return _Tracks(planes, nothing, np.full(planes.shape, -1), occupied)


def _mirrored_planes(tracks: list[_Tracks], count: int) -> NDArray[np.int32]:
    """Return the plane that is the image of each in the a1-h8 diagonal, or -1."""
    mirrored = np.full(count, -1, dtype=np.int32)
    for track in tracks:
        both = track.mirrored >= 0
        mirrored[track.targets[both]] = track.mirrored[both]
        mirrored[track.mirrored[both]] = track.targets[both]
    return mirrored


def _value_planes(
    plane_squares: NDArray[np.uint8], is_copy: NDArray[np.bool_], mirrored: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the place of the values of each plane, see `Planes.value_plane`."""
    in_order = np.sort(plane_squares, axis=1)
    apart = (in_order[:, 1:] != in_order[:, :-1]).all(axis=1)
    own = apart & ~is_copy
    found = np.where(own, np.cumsum(own) - 1, -1).astype(np.int32)
    found[is_copy] = found[mirrored[is_copy]]
    return found


@kernel
def place_men(problem, slice_number, plane, men):
    """Write the `squares` of a plane's men; return if two share one, and the word of squares taken.

    Squares off the board count as taken.
    """
    planes = problem.planes
    occupied = np.uint64(problem.law.outside)
    clash = False
    for i in range(len(planes.piece_man)):
        square = planes.plane_squares[plane, i]
        men.squares[planes.piece_man[i] - 2] = square
        bit = np.uint64(1) << np.uint64(square)
        clash |= (occupied & bit) != np.uint64(0)
        occupied |= bit
    for i in range(len(problem.pawn_men)):
        square = problem.slice_pawns[slice_number, i]
        men.squares[problem.pawn_men[i]] = square
        bit = np.uint64(1) << np.uint64(square)
        clash |= (occupied & bit) != np.uint64(0)
        occupied |= bit
    return clash, occupied
