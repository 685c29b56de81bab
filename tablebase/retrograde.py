"""Kernels of one ply: positions won, positions that may be lost, and those that are.

A side to move is won in n plies if some move leads to a position that its opponent, then to move,
has lost in n - 1. It is lost in n if all its moves lead to positions won for the opponent and the
longest of these in n - 1. Both need only one operation, the *image* of a set: the positions from
which some move leads into the set. Images are taken line of planes by line of planes, in one of
two ways: densely, for all 64 squares of the moving piece at once, or sparsely, for each line that
holds something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tablebase._jit import kernel
from tablebase._simd import (
    any_word,
    bytes_equal,
    bytes_with,
    count_bits,
    empty_line,
    load_line,
    lowest_bit,
    prefetch,
    store_line,
    write_selected,
)
from tablebase.bits import (
    FREE_OF_KINGS,
    ONE,
    king_image,
    king_lines,
    load_image,
    or_image,
    piece_images,
    remove_image,
)
from tablebase.geometry import RAYS
from tablebase.memory import Memory
from tablebase.symmetry import COMPOSE, DIAGONAL, FLIP
from tablebase.teamwork import DENSE, SPARSE, clock, note_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

# From this many of a line's 64 planes on the dense way is faster (measured).
DENSE_PUSH = 10
DENSE_ESCAPE = 5

# Values while solving: bytes in the order of preference of the side to move, so that the better of
# two is the larger.  A loss in n plies is n / 2, a draw 128, a win in n plies 255 - (n - 1) / 2.
# Before the first ply a value holds the best result of the moves that leave the slice, 0 if there
# are none.
DRAW_VALUE = 128
BEST_VALUE = 255
REVERSED_BITS = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)), bitorder="little")
REVERSED_BITS.setflags(write=False)
# numba would compile kernels anew for each literal number they are called with, but not for these.
WIN, LOSS = np.int64(0), np.int64(1)


class Sets(NamedTuple):
    """Sets of positions of one slice, for each side to move: bits by plane, king, king."""

    values: NDArray[np.uint8]  # [2, planes * 4096]
    not_won: NDArray[np.uint64]  # [2, planes * 64] legal, not (yet) won by the side to move
    not_lost: NDArray[np.uint64]  # [2, planes * 64] legal, not (yet) lost
    may_lose: NDArray[np.uint64]  # [2, planes * 64] not lost, no move out saves it (by now)
    reach: NDArray[np.uint64]  # [2, planes * 64] work space: zero outside `reach_lines`
    reach_lines: NDArray[np.uint8]  # [2, planes] lines of `reach` in use, a bit each
    frontier: NDArray[np.uint64]  # [2, 2, planes * 64] [WIN or LOSS]: last ply's results
    frontier_lines: NDArray[np.uint8]  # [2, 2, planes] lines of `frontier` that are not zero
    presence: NDArray[np.uint8]  # [2, planes / 64, 256, 64] lines with a value before the first
    # ply, a bit each: by 64 planes, value, plane


# Not needed once all plies are done.
PASSING_SETS = ("may_lose", "reach", "frontier", "presence")


def make_sets(planes: int, spare: Memory | None = None) -> Sets:
    """Return sets for a number of planes, with nothing in `reach` and any content elsewhere.

    The `PASSING_SETS` lie in spare memory if there is room.
    """
    words = planes * 64
    new, spare = Memory(), spare or Memory()
    return Sets(
        values=new.empty((2, planes * 4096), np.uint8),
        not_won=new.empty((2, words), np.uint64),
        not_lost=new.empty((2, words), np.uint64),
        may_lose=spare.empty((2, words), np.uint64),
        reach=spare.zeros((2, words), np.uint64),
        reach_lines=new.zeros((2, planes), np.uint8),
        frontier=spare.empty((2, 2, words), np.uint64),
        frontier_lines=new.zeros((2, 2, planes), np.uint8),
        presence=spare.empty((2, -(-planes // 64), 256, 64), np.uint8),
    )


@kernel
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


@kernel
def _gather(planes, symmetry, squares, words, source):
    """Copy planes, line by line, to `source` [8 * 64 * 8]; line k of those of ``squares[k]``.

    The other squares of a line with any squares become zero. Plane by plane is the order that the
    memory likes.
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


@kernel
def _split_by_density(squares, least, dense):
    """Move to `dense` [8] the words of `squares` [8] with at least so many; return if any."""
    found = False
    for k in range(8):
        dense[k] = 0
        if count_bits(squares[k]) >= least:
            dense[k] = squares[k]
            found = True
    return found


@kernel
def _prefetch_targets(planes, symmetry, blocked, dense, words):
    """Bring the lines near that dense images will be added to."""
    for s in range(64):
        if (blocked >> np.uint64(s)) & ONE:
            continue
        base, t = np.int64(planes[s]) * 64, symmetry[s]
        for k in range(8):
            stored = 7 - k if t & FLIP else k
            if dense[k] or t & DIAGONAL:
                prefetch(words, base + stored * 8)


@kernel
def push_lines(layout, mover, first, last, pawns, source, source_lines, reach, lines, team):
    """Add to `reach` the positions from which a piece's move leads into `source`.

    Lines ``first`` to ``last - 1`` of the layout, all of one mover; `lines` are those of `reach`
    in use; `pawns` is a word of squares.
    """
    piece_type = layout.mover_type[mover]
    gathered, images = np.empty(4096, np.uint64), np.empty(4096, np.uint64)
    squares, dense = np.empty(8, np.uint64), np.empty(8, np.uint64)
    used = np.empty(64, np.uint8)
    for number in range(first, last):
        planes, symmetry = layout.line_planes[number], layout.line_symmetry[number]
        copies = layout.line_copies[number]
        blocked = layout.line_occupied[number] | pawns
        if not _squares_in_use(planes, symmetry, blocked, source_lines, used, squares):
            continue
        since = clock(team)
        if _split_by_density(squares, DENSE_PUSH, dense):
            _prefetch_targets(planes, symmetry, blocked, dense, reach)
            _gather(planes, symmetry, dense, source, gathered)
            since = note_time(team, DENSE, since)
        targets = np.uint64(0)
        for k in range(8):
            line_images = images[k * 512 : k * 512 + 512]
            if dense[k]:
                line_source = gathered[k * 512 : k * 512 + 512]
                piece_images(piece_type, k, blocked, line_source, line_images)
                squares[k] = ~blocked
                since = note_time(team, DENSE, since)
            elif squares[k]:
                squares[k] = _sparse_images(
                    piece_type, k, blocked, squares[k], planes, symmetry, source, line_images
                )
                since = note_time(team, SPARSE, since)
            targets |= squares[k]
        while targets:
            s = lowest_bit(targets)
            targets &= targets - ONE
            base, t = np.int64(planes[s]) * 64, symmetry[s]
            touched = 0
            for k in range(8):
                if (squares[k] >> np.uint64(s)) & ONE:
                    image = load_line(images, (k * 64 + s) * 8)
                    if not any_word(image):
                        continue
                    if t == 0 and copies[s] < 0:
                        place = base + k * 8
                        store_line(reach, place, load_line(reach, place) | image)
                        touched |= 1 << k
                    else:
                        or_image(image, reach, planes[s], k, symmetry[s], lines)
                        if copies[s] >= 0:
                            mirrored = _mirrored(symmetry[s])
                            or_image(image, reach, copies[s], k, mirrored, lines)
            lines[planes[s]] |= np.uint8(touched)


@kernel
def _mirrored(symmetry):
    """Return the symmetry that does `symmetry`, then reflects in the a1-h8 diagonal."""
    return COMPOSE[DIAGONAL, symmetry]


@kernel
def _sparse_images(piece_type, k, blocked, squares, planes, symmetry, source, images):
    """Write to `images` the images of a few lines; return the word of squares that got one."""
    free = FREE_OF_KINGS[k]
    targets = np.uint64(0)
    while squares:
        origin = lowest_bit(squares)
        squares &= squares - ONE
        line = load_image(source, planes[origin], k, symmetry[origin])
        if not any_word(line):
            continue
        for ray in RAYS[piece_type, origin]:
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
                    store_line(images, place, load_line(images, place) | reaching)
                else:
                    store_line(images, place, reaching)
                    targets |= bit
    return targets


@kernel
def escape_lines(layout, mover, first, last, pawns, not_won, reach, reach_lines, team):
    """Take out of `reach` the positions from which a piece's move leads into `not_won`."""
    piece_type = layout.mover_type[mover]
    gathered, images = np.empty(4096, np.uint64), np.empty(4096, np.uint64)
    squares, dense = np.empty(8, np.uint64), np.empty(8, np.uint64)
    used = np.empty(64, np.uint8)
    for number in range(first, last):
        planes, symmetry = layout.line_planes[number], layout.line_symmetry[number]
        copies = layout.line_copies[number]
        blocked = layout.line_occupied[number] | pawns
        if not _squares_in_use(planes, symmetry, blocked, reach_lines, used, squares):
            continue
        since = clock(team)
        if _split_by_density(squares, DENSE_ESCAPE, dense):
            for k in range(8):
                dense[k] = ~blocked if dense[k] else np.uint64(0)
            _gather(planes, symmetry, dense, not_won, gathered)
        candidates = np.uint64(0)
        for k in range(8):
            candidates |= squares[k]
            if dense[k]:
                line_source = gathered[k * 512 : k * 512 + 512]
                piece_images(piece_type, k, blocked, line_source, images[k * 512 : k * 512 + 512])
        note_time(team, DENSE, since)
        while candidates:
            s = lowest_bit(candidates)
            candidates &= candidates - ONE
            for k in range(8):
                if not (squares[k] >> np.uint64(s)) & ONE:
                    continue
                if dense[k]:
                    image = load_line(images, (k * 64 + s) * 8)
                else:
                    since = clock(team)
                    image = load_image(reach, planes[s], k, symmetry[s])
                    if any_word(image):
                        image = _escapes(
                            piece_type, k, s, blocked, planes, symmetry, not_won, image
                        )
                    note_time(team, SPARSE, since)
                if any_word(image):
                    remove_image(image, reach, planes[s], k, symmetry[s])
                    if copies[s] >= 0:
                        remove_image(image, reach, copies[s], k, _mirrored(symmetry[s]))


@kernel
def _escapes(piece_type, k, origin, blocked, planes, symmetry, not_won, line):
    """Return those of a line's positions from which the piece on `origin` reaches `not_won`."""
    free = FREE_OF_KINGS[k]
    escapes = empty_line()
    for ray in RAYS[piece_type, origin]:
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


@kernel
def _take_out(words, base, line):
    """Remove positions from the line of a set that begins at `base`."""
    store_line(words, base, load_line(words, base) & ~line)


@kernel
def _rows_to_write(values, words, base):
    """Return as bits which words of a line hold something; bring their rows of values near."""
    rows = np.uint64(0)
    for f in range(8):
        if words[base + f]:
            rows |= ONE << np.uint64(f)
            prefetch(values, (base + f) * 64)
    return rows


@kernel
def _write_values(values, words, plane, rows, code):
    """Write the value of the positions in those words of a plane whose bit is set in `rows`."""
    while rows:
        place = np.int64(plane) * 64 + lowest_bit(rows)
        rows &= rows - ONE
        write_selected(values, place * 64, words[place], code)


@kernel
def _forget_lines(plane, lines, words):
    """Zero those lines of a plane that are set in `lines`."""
    for k in range(8):
        if (lines >> k) & 1:
            store_line(words, np.int64(plane) * 64 + k * 8, empty_line())


@kernel
def _seeds(values, base, code, seeds):
    """Return the positions of a line that have a value; `seeds` [8] is work space."""
    for f in range(8):
        seeds[f] = bytes_equal(values, (base + f) * 64, code)
    return load_line(seeds, 0)


@kernel
def finish_wins(layout, color, ply, first, last, sets):
    """Record the positions of planes ``first`` to ``last - 1`` won in `ply`; return if any.

    `sets.reach` holds the images of the pieces' moves into lost positions; the king's moves and
    the wins by moves that leave the slice are added here.
    """
    code = np.uint8(BEST_VALUE - (ply - 1) // 2)
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    not_won, values = sets.not_won[color], sets.values[color]
    lost, lost_lines = sets.frontier[LOSS, 1 - color], sets.frontier_lines[LOSS, 1 - color]
    won, won_lines = sets.frontier[WIN, color], sets.frontier_lines[WIN, color]
    presence = sets.presence[color]
    seeds = np.empty(8, np.uint64)
    found = False
    rows_before = np.uint64(0)
    for plane in range(first, last):
        by_king = king_lines(color, np.int64(lost_lines[plane]))
        seeded = np.int64(presence[plane >> 6, code, plane & 63])
        lines = np.int64(reach_lines[plane]) | by_king | seeded
        now = 0
        rows = np.uint64(0)
        while lines:
            k = lowest_bit(np.uint64(lines))
            lines &= lines - 1
            base = np.int64(plane) * 64 + k * 8
            line = load_line(reach, base)
            store_line(reach, base, empty_line())
            unknown = load_line(not_won, base)
            if not any_word(unknown):
                continue
            if (by_king >> k) & 1:
                line |= king_image(color, lost, plane, k)
            if (seeded >> k) & 1:
                line |= _seeds(values, base, code, seeds)
            line &= unknown
            if any_word(line):
                store_line(won, base, line)
                store_line(not_won, base, unknown & ~line)
                if not layout.is_copy[plane]:
                    rows |= _rows_to_write(values, won, base) << np.uint64(k * 8)
                now |= 1 << k
        reach_lines[plane] = 0
        _write_values(values, won, plane - 1, rows_before, code)
        rows_before = rows
        _forget_lines(plane, np.int64(won_lines[plane]) & ~now, won)
        won_lines[plane] = now
        found |= now != 0
    _write_values(values, won, last - 1, rows_before, code)
    return found


@kernel
def choose_candidates(color, ply, first, last, sets):
    """Reduce `sets.reach` to positions that may be lost in `ply`, as far as one plane tells.

    It holds the images of the pieces' moves into positions won in ``ply - 1`` for the opponent.
    The king's moves are added, and the positions whose best move out of the slice loses in `ply`;
    known ones are taken out, those that the king can save, and those with a better move out of the
    slice. At ply 0 all positions without a move out are looked at.
    """
    code = np.uint8(ply // 2)
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    not_lost, may_lose = sets.not_lost[color], sets.may_lose[color]
    not_won, not_won_after = sets.not_won[color], sets.not_won[1 - color]
    won, won_lines = sets.frontier[WIN, 1 - color], sets.frontier_lines[WIN, 1 - color]
    presence = sets.presence[color]
    seeds = np.empty(8, np.uint64)
    for plane in range(first, last):
        by_king = king_lines(color, np.int64(won_lines[plane]))
        seeded = 255 if ply == 0 else np.int64(presence[plane >> 6, code, plane & 63])
        lines = np.int64(reach_lines[plane]) | by_king | seeded
        left = 0
        while lines:
            k = lowest_bit(np.uint64(lines))
            lines &= lines - 1
            base = np.int64(plane) * 64 + k * 8
            candidates = load_line(may_lose, base)
            line = load_line(reach, base)
            if (seeded >> k) & 1:
                new = _seeds(sets.values[color], base, code, seeds) & load_line(not_lost, base)
                candidates |= new
                store_line(may_lose, base, candidates)
                line |= new
            candidates &= load_line(not_won, base)
            if any_word(candidates):
                if (by_king >> k) & 1:
                    line |= king_image(color, won, plane, k)
                line &= candidates
                if any_word(line):
                    line &= ~king_image(color, not_won_after, plane, k)
            else:
                line = candidates
            store_line(reach, base, line)
            if any_word(line):
                left |= 1 << k
        reach_lines[plane] = left


@kernel
def finish_losses(layout, color, ply, first, last, sets):
    """Record the positions left in `sets.reach` as lost in `ply`; return if there are any."""
    code = np.uint8(ply // 2)
    reach, reach_lines = sets.reach[color], sets.reach_lines[color]
    not_lost, may_lose = sets.not_lost[color], sets.may_lose[color]
    values = sets.values[color]
    lost, lost_lines = sets.frontier[LOSS, color], sets.frontier_lines[LOSS, color]
    found = False
    rows_before = np.uint64(0)
    for plane in range(first, last):
        lines = reach_lines[plane]
        now = 0
        rows = np.uint64(0)
        if lines:
            for k in range(8):
                if (lines >> k) & 1:
                    base = np.int64(plane) * 64 + k * 8
                    line = load_line(reach, base)
                    store_line(reach, base, empty_line())
                    if any_word(line):
                        store_line(lost, base, line)
                        _take_out(not_lost, base, line)
                        _take_out(may_lose, base, line)
                        if not layout.is_copy[plane]:
                            rows |= _rows_to_write(values, lost, base) << np.uint64(k * 8)
                        now |= 1 << k
            reach_lines[plane] = 0
        _write_values(values, lost, plane - 1, rows_before, code)
        rows_before = rows
        _forget_lines(plane, np.int64(lost_lines[plane]) & ~now, lost)
        lost_lines[plane] = now
        found |= now != 0
    _write_values(values, lost, last - 1, rows_before, code)
    return found
