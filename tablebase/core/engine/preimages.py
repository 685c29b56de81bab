"""Preimages under the moves of pieces, line of planes by line of planes.

The *preimage* of a set is the positions from which some move leads into it. It is taken in one of
two ways: densely, for all 64 squares of the moving piece at once, or sparsely, for each line that
holds something.
"""

from __future__ import annotations

import numpy as np

from tablebase.core.board import COMPOSE, DIAGONAL, FLIP
from tablebase.core.engine.bits import (
    FREE_OF_KINGS,
    ONE,
    load_image,
    or_image,
    piece_preimages,
    remove_image,
)
from tablebase.core.engine.far_kernels import BYTES, FAR, NUMBER, WORD, WORDS
from tablebase.core.engine.threads import DENSE, SPARSE, clock, note_time
from tablebase.core.jit import (
    any_word,
    bytes_with,
    count_bits,
    empty_line,
    hot_entry,
    hot_kernel,
    load_line,
    lowest_bit,
    prefetch,
    store_line,
    work_space,
)

# From this many of a line's 64 planes on the dense way is faster (measured).
DENSE_PUSH = 10
DENSE_ESCAPE = 5

REVERSED_BITS = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)), bitorder="little")
REVERSED_BITS.setflags(write=False)


@hot_kernel
def _squares_in_use(planes, symmetry, blocked, lines, used, squares):
    """Write to `squares` [8] the words of squares whose plane uses each line; return if any.

    `planes` and `symmetry` [64] are a line of planes, `lines` the bits of lines used by plane,
    `used` uint8 [64] is work space.
    """
    found = np.uint8(0)
    for s in range(64):
        bits = np.uint8(0)
        if not (blocked >> np.uint64(s)) & ONE:
            bits = lines[planes[s]]
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
def _gather(planes, symmetry, squares, words, source):
    """Copy planes, line by line, to `source` [8 * 64 * 8]; line k of those of ``squares[k]``.

    The other squares of a line with any squares become zero. Plane by plane, so that memory is read
    in sequence.
    """
    for s in range(64):
        base, t = np.int64(planes[s]) * 64, symmetry[s]
        for k in range(8):
            place = (k * 64 + s) * 8
            if not (squares[k] >> np.uint64(s)) & ONE:
                store_line(source, place, empty_line())
            elif t == 0:  # far the commonest: worth a way of its own
                store_line(source, place, load_line(words, base + k * 8))
            else:
                store_line(source, place, load_image(words, planes[s], k, t))


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
def _prefetch_targets(planes, symmetry, blocked, dense, words):
    """Bring the lines near that dense preimages will be added to."""
    for s in range(64):
        if (blocked >> np.uint64(s)) & ONE:
            continue
        base, t = np.int64(planes[s]) * 64, symmetry[s]
        for k in range(8):
            stored = 7 - k if t & FLIP else k
            if dense[k] or t & DIAGONAL:
                prefetch(words, base + stored * 8)


# More parameters than elsewhere: the caller picks the sets by side and by what is pushed.
@hot_entry
def push_lines(planes, mover, first, last, pawns, source, source_lines, reach, lines, team):
    """Add to `reach` the positions from which a piece's move leads into `source`.

    Lines ``first`` to ``last - 1`` are all of one mover; `lines` are those of `reach`
    in use; `pawns` is a word of squares.
    """
    movement, color, kind = planes.movement, planes.mover_color[mover], planes.mover_type[mover]
    unrays = movement.unrays[color, kind]
    gathered, preimages = work_space(4096, np.uint64), work_space(4096, np.uint64)
    squares, dense = work_space(8, np.uint64), work_space(8, np.uint64)
    used = work_space(64, np.uint8)
    for number in range(first, last):
        line_planes, symmetry = planes.line_planes[number], planes.line_symmetry[number]
        copies = planes.line_copies[number]
        blocked = planes.line_occupied[number] | pawns
        if not _squares_in_use(line_planes, symmetry, blocked, source_lines, used, squares):
            continue
        since = clock(team)
        if _split_by_density(squares, DENSE_PUSH, dense):
            _prefetch_targets(line_planes, symmetry, blocked, dense, reach)
            _gather(line_planes, symmetry, dense, source, gathered)
            since = note_time(team, DENSE, since)
        targets = np.uint64(0)
        for k in range(8):
            line_preimages = preimages[k * 512 : k * 512 + 512]
            if dense[k]:
                line_source = gathered[k * 512 : k * 512 + 512]
                piece_preimages(movement, color, kind, k, blocked, line_source, line_preimages)
                squares[k] = ~blocked
                since = note_time(team, DENSE, since)
            elif squares[k]:
                squares[k] = _sparse_preimages(
                    unrays, k, blocked, squares[k], line_planes, symmetry, source, line_preimages
                )
                since = note_time(team, SPARSE, since)
            targets |= squares[k]
        while targets:
            s = lowest_bit(targets)
            targets &= targets - ONE
            base, t = np.int64(line_planes[s]) * 64, symmetry[s]
            touched = 0
            for k in range(8):
                if (squares[k] >> np.uint64(s)) & ONE:
                    preimage = load_line(preimages, (k * 64 + s) * 8)
                    if not any_word(preimage):
                        continue
                    if t == 0 and copies[s] < 0:
                        place = base + k * 8
                        store_line(reach, place, load_line(reach, place) | preimage)
                        touched |= 1 << k
                    else:
                        or_image(preimage, reach, line_planes[s], k, symmetry[s], lines)
                        if copies[s] >= 0:
                            mirrored = _mirrored(symmetry[s])
                            or_image(preimage, reach, copies[s], k, mirrored, lines)
            lines[line_planes[s]] |= np.uint8(touched)


far_push_lines = FAR.entry(
    push_lines, "planes", NUMBER, NUMBER, NUMBER, WORD, WORDS, BYTES, WORDS, BYTES, "team"
)


@hot_kernel
def _mirrored(symmetry):
    """Return the symmetry that does `symmetry`, then reflects in the a1-h8 diagonal."""
    return COMPOSE[DIAGONAL, symmetry]


@hot_kernel
def _sparse_preimages(unrays, k, blocked, squares, planes, symmetry, source, preimages):
    """Write the preimages of a few lines; return the word of squares that got one."""
    free = FREE_OF_KINGS[k]
    targets = np.uint64(0)
    while squares:
        origin = lowest_bit(squares)
        squares &= squares - ONE
        line = load_image(source, planes[origin], k, symmetry[origin])
        if not any_word(line):
            continue
        for ray in unrays[origin]:
            if ray[0] < 0:
                break
            reaching = line
            for target in ray:
                if target < 0 or (blocked >> np.uint64(target)) & ONE:
                    break
                place = np.int64(target) * 8
                bit = ONE << np.uint64(target)
                reaching = reaching & load_line(free, place)
                if targets & bit:
                    store_line(preimages, place, load_line(preimages, place) | reaching)
                else:
                    store_line(preimages, place, reaching)
                    targets |= bit
    return targets


@hot_entry
def escape_lines(planes, mover, first, last, pawns, not_won, reach, reach_lines, team):
    """Take out of `reach` the positions from which a piece's move leads into `not_won`."""
    movement, color, kind = planes.movement, planes.mover_color[mover], planes.mover_type[mover]
    rays = movement.walks[color, kind]
    gathered, preimages = work_space(4096, np.uint64), work_space(4096, np.uint64)
    squares, dense = work_space(8, np.uint64), work_space(8, np.uint64)
    used = work_space(64, np.uint8)
    for number in range(first, last):
        line_planes, symmetry = planes.line_planes[number], planes.line_symmetry[number]
        copies = planes.line_copies[number]
        blocked = planes.line_occupied[number] | pawns
        if not _squares_in_use(line_planes, symmetry, blocked, reach_lines, used, squares):
            continue
        since = clock(team)
        if _split_by_density(squares, DENSE_ESCAPE, dense):
            for k in range(8):
                dense[k] = ~blocked if dense[k] else np.uint64(0)
            _gather(line_planes, symmetry, dense, not_won, gathered)
        candidates = np.uint64(0)
        for k in range(8):
            candidates |= squares[k]
            if dense[k]:
                line_source = gathered[k * 512 : k * 512 + 512]
                line_preimages = preimages[k * 512 : k * 512 + 512]
                piece_preimages(movement, color, kind, k, blocked, line_source, line_preimages)
        note_time(team, DENSE, since)
        while candidates:
            s = lowest_bit(candidates)
            candidates &= candidates - ONE
            for k in range(8):
                if not (squares[k] >> np.uint64(s)) & ONE:
                    continue
                if dense[k]:
                    preimage = load_line(preimages, (k * 64 + s) * 8)
                else:
                    since = clock(team)
                    preimage = load_image(reach, line_planes[s], k, symmetry[s])
                    if any_word(preimage):
                        preimage = _escapes(
                            rays[s], k, blocked, line_planes, symmetry, not_won, preimage
                        )
                    note_time(team, SPARSE, since)
                if any_word(preimage):
                    remove_image(preimage, reach, line_planes[s], k, symmetry[s])
                    if copies[s] >= 0:
                        remove_image(preimage, reach, copies[s], k, _mirrored(symmetry[s]))


far_escape_lines = FAR.entry(
    escape_lines, "planes", NUMBER, NUMBER, NUMBER, WORD, WORDS, WORDS, BYTES, "team"
)


@hot_kernel
def _escapes(rays, k, blocked, planes, symmetry, not_won, line):
    """Return those of a line's positions from which a piece reaches `not_won` along its rays."""
    free = FREE_OF_KINGS[k]
    escapes = empty_line()
    for ray in rays:
        if ray[0] < 0:
            break
        moving = line
        for target in ray:
            if target < 0 or (blocked >> np.uint64(target)) & ONE:
                break
            moving = moving & load_line(free, np.int64(target) * 8)
            escapes |= moving & load_image(not_won, planes[target], k, symmetry[target])
        if not any_word(line & ~escapes):
            break
    return escapes
