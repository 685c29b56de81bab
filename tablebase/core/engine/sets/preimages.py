"""Preimages under the moves of pieces, track by track.

The *preimage* of a set is the positions from which some move leads into it: found densely, for all
64 squares of a piece at once, or sparsely, for each line that holds something.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.board.symmetry import COMPOSE, DIAGONAL, FLIP
from tablebase.core.engine.sets.bits import (
    ONE,
    load_image,
    or_image,
    piece_preimages,
    remove_image,
)
from tablebase.core.jit.instructions import count_bits, lowest_bit, prefetch, work_space
from tablebase.core.jit.kernels import hot_kernel
from tablebase.core.jit.vectors import (
    any_word,
    bytes_with,
    empty_line,
    load_line,
    store_line,
)

# From this many of a track's 64 planes on the dense way is faster (measured).
DENSE_PUSH = 10
DENSE_ESCAPE = 5

REVERSED_BITS = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)), bitorder="little")
REVERSED_BITS.setflags(write=False)


@hot_kernel
def push_tracks(problem, mover, first, last, pawns, which, sets):
    """Add to `reach` the positions from which a mover's moves lead into the opponent's `frontier`.

    That is `which`: wins for losses, and what `frontier_before` tells for wins. Tracks ``first`` to
    ``last - 1`` are the mover's; `pawns` is a word of squares.
    """
    planes = problem.planes
    color = planes.mover_color[mover]
    source, source_lines = sets.frontier[which, 1 - color], sets.frontier_lines[which, 1 - color]
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    gathered, preimages = work_space(4096, np.uint64), work_space(4096, np.uint64)
    squares, dense = work_space(8, np.uint64), work_space(8, np.uint64)
    used = work_space(64, np.uint8)
    for track in range(first, last):
        blocked = planes.track_occupied[track] | pawns
        if not _squares_in_use(planes, track, blocked, source_lines, used, squares):
            continue
        if _split_by_density(squares, DENSE_PUSH, dense):
            _prefetch_targets(planes, track, blocked, dense, reach)
            _gather(planes, track, dense, source, gathered)
        for k in range(8):
            if dense[k]:
                _dense_preimages(problem, mover, k, blocked, gathered, preimages)
                squares[k] = ~blocked
            elif squares[k]:
                squares[k] = _sparse_preimages(
                    problem, mover, track, k, blocked, squares[k], source, preimages
                )
        _add_preimages(planes, track, squares, preimages, reach, reach_lines)


@hot_kernel
def _squares_in_use(planes, track, blocked, lines, used, squares):
    """Write to `squares` [8] the words of squares whose plane uses each line; return if any does.

    Reads the bits of `lines` by plane, of those of `track` that are not `blocked`;
    `used` uint8 [64] is work space.
    """
    track_planes, symmetry = planes.track_planes[track], planes.track_symmetry[track]
    found = np.uint8(0)
    for s in range(64):
        bits = np.uint8(0)
        if not (blocked >> np.uint64(s)) & ONE:
            bits = lines[track_planes[s]]
            t = symmetry[s]
            if t & DIAGONAL:
                bits = np.uint8(255 if bits else 0)
            elif t & FLIP:
                bits = REVERSED_BITS[bits]
        used[s] = bits
        found |= bits
    for k in range(8):
        squares[k] = bytes_with(used, np.int64(0), np.uint8(1 << k))
    return found != 0


@hot_kernel
def _split_by_density(squares, least, dense):
    """Copy to `dense` [8] the words of `squares` [8] with `least` bits or more; return if any."""
    found = False
    for k in range(8):
        dense[k] = 0
        if count_bits(squares[k]) >= least:
            dense[k] = squares[k]
            found = True
    return found


@hot_kernel
def _prefetch_targets(planes, track, blocked, dense, words):
    """Fetch the lines of `words` that preimages will be added to where `dense` is not zero."""
    track_planes, symmetry = planes.track_planes[track], planes.track_symmetry[track]
    for s in range(64):
        if (blocked >> np.uint64(s)) & ONE:
            continue
        base, t = np.int64(track_planes[s]) * 64, symmetry[s]
        for k in range(8):
            stored = 7 - k if t & FLIP else k
            if dense[k] or t & DIAGONAL:
                prefetch(words, base + stored * 8)


@hot_kernel
def _gather(planes, track, squares, words, source):
    """Copy `words` of a `track` to `source` [8 * 64 * 8], line by line.

    Line k is copied of the planes of ``squares[k]``, and zero of the others.
    """
    track_planes, symmetry = planes.track_planes[track], planes.track_symmetry[track]
    for s in range(64):  # plane by plane, so that memory is read in sequence
        base, t = np.int64(track_planes[s]) * 64, symmetry[s]
        for k in range(8):
            place = (k * 64 + s) * 8
            if not (squares[k] >> np.uint64(s)) & ONE:
                store_line(source, place, empty_line())
            elif t == 0:  # far the commonest: worth a way of its own
                store_line(source, place, load_line(words, base + k * 8))
            else:
                store_line(source, place, load_image(words, track_planes[s], k, t))


@hot_kernel
def _dense_preimages(problem, mover, k, blocked, gathered, preimages):
    """Write line `k` of the preimages of what is `gathered` to `preimages`, both [8 * 64 * 8]."""
    planes, movement = problem.planes, problem.law.movement
    color, man_type = planes.mover_color[mover], planes.mover_type[mover]
    source, found = gathered[k * 512 : k * 512 + 512], preimages[k * 512 : k * 512 + 512]
    piece_preimages(movement, color, man_type, planes.free[k], blocked, source, found)


@hot_kernel
def _sparse_preimages(problem, mover, track, k, blocked, squares, source, preimages):
    """Write line `k` of the preimages of `source` to `preimages`; return the squares that got any.

    Only planes of `squares` in `track` are read. A move goes from a `start` to its `arrival`.
    """
    planes = problem.planes
    track_planes, symmetry = planes.track_planes[track], planes.track_symmetry[track]
    unrays = problem.law.movement.unrays[planes.mover_color[mover], planes.mover_type[mover]]
    free = planes.free[k]
    starts = np.uint64(0)
    while squares:
        arrival = lowest_bit(squares)
        squares &= squares - ONE
        line = load_image(source, track_planes[arrival], k, symmetry[arrival])
        if not any_word(line):
            continue
        for ray in unrays[arrival]:
            if ray[0] < 0:
                break
            reaching = line
            for start in ray:
                if start < 0 or (blocked >> np.uint64(start)) & ONE:
                    break
                place, bit = np.int64(k * 64 + start) * 8, ONE << np.uint64(start)
                reaching = reaching & load_line(free, np.int64(start) * 8)
                if starts & bit:
                    store_line(preimages, place, load_line(preimages, place) | reaching)
                else:
                    store_line(preimages, place, reaching)
                    starts |= bit
    return starts


@hot_kernel
def _add_preimages(planes, track, squares, preimages, reach, reach_lines):
    """Add `preimages` to `reach` in `track`, and mark `reach_lines`.

    There are some in line k of the planes of ``squares[k]``.
    """
    targets = np.uint64(0)
    for k in range(8):
        targets |= squares[k]
    while targets:
        s = lowest_bit(targets)
        targets &= targets - ONE
        plane, symmetry = planes.track_planes[track, s], planes.track_symmetry[track, s]
        mirrored = planes.track_mirrored[track, s]
        touched = 0
        for k in range(8):
            if not (squares[k] >> np.uint64(s)) & ONE:
                continue
            preimage = load_line(preimages, (k * 64 + s) * 8)
            if not any_word(preimage):
                continue
            if symmetry == 0 and mirrored < 0:
                place = np.int64(plane) * 64 + k * 8
                store_line(reach, place, load_line(reach, place) | preimage)
                touched |= 1 << k
            else:
                or_image(preimage, reach, plane, k, symmetry, reach_lines)
                if mirrored >= 0:
                    or_image(preimage, reach, mirrored, k, _mirrored(symmetry), reach_lines)
        reach_lines[plane] |= np.uint8(touched)


@hot_kernel
def _mirrored(symmetry):
    """Return the symmetry that does `symmetry`, then reflects in the a1-h8 diagonal."""
    return COMPOSE[DIAGONAL, symmetry]


@hot_kernel
def escape_tracks(problem, mover, first, last, pawns, sets):
    """Take out of `reach` the positions from which a mover's moves lead into `refuge`.

    The latter is the opponent's; all else is as for `push_tracks`.
    """
    planes = problem.planes
    color = planes.mover_color[mover]
    reach, reach_lines, refuge = (
        sets.reach[color],
        sets.reach_lines[color],
        sets.refuge[1 - color],
    )
    gathered, preimages = work_space(4096, np.uint64), work_space(4096, np.uint64)
    squares, dense = work_space(8, np.uint64), work_space(8, np.uint64)
    used = work_space(64, np.uint8)
    for track in range(first, last):
        blocked = planes.track_occupied[track] | pawns
        if not _squares_in_use(planes, track, blocked, reach_lines, used, squares):
            continue
        if _split_by_density(squares, DENSE_ESCAPE, dense):
            for k in range(8):
                dense[k] = ~blocked if dense[k] else np.uint64(0)
            _gather(planes, track, dense, refuge, gathered)
        candidates = np.uint64(0)
        for k in range(8):
            candidates |= squares[k]
            if dense[k]:
                _dense_preimages(problem, mover, k, blocked, gathered, preimages)
        while candidates:
            s = lowest_bit(candidates)
            candidates &= candidates - ONE
            plane, symmetry = planes.track_planes[track, s], planes.track_symmetry[track, s]
            mirrored = planes.track_mirrored[track, s]
            for k in range(8):
                if not (squares[k] >> np.uint64(s)) & ONE:
                    continue
                if dense[k]:
                    escapes = load_line(preimages, (k * 64 + s) * 8)
                else:
                    escapes = load_image(reach, plane, k, symmetry)
                    if any_word(escapes):
                        escapes = _escapes(problem, mover, track, s, k, blocked, refuge, escapes)
                if any_word(escapes):
                    remove_image(escapes, reach, plane, k, symmetry)
                    if mirrored >= 0:
                        remove_image(escapes, reach, mirrored, k, _mirrored(symmetry))


@hot_kernel
def _escapes(problem, mover, track, s, k, blocked, refuge, line):
    """Return the positions of `line` from which the mover on square `s` gets into `refuge`."""
    planes, movement = problem.planes, problem.law.movement
    track_planes, symmetry = planes.track_planes[track], planes.track_symmetry[track]
    free = planes.free[k]
    escapes = empty_line()
    for ray in movement.walks[planes.mover_color[mover], planes.mover_type[mover], s]:
        if ray[0] < 0:
            break
        moving = line
        for target in ray:
            if target < 0 or (blocked >> np.uint64(target)) & ONE:
                break
            moving = moving & load_line(free, np.int64(target) * 8)
            escapes |= moving & load_image(refuge, track_planes[target], k, symmetry[target])
        if not any_word(line & ~escapes):
            break
    return escapes
