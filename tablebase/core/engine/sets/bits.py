"""Set-wise operations on words, lines and planes of positions.

See `planes` for what a plane is. A *line* is eight consecutive words of a plane: the
positions with White's king on one rank, word f with that king on file f.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tablebase.core.board.geometry import Color, PieceType, square_file, square_rank
from tablebase.core.board.symmetry import D4, DIAGONAL, FLIP, INVERSE, MIRROR
from tablebase.core.jit.instructions import lowest_bit, work_space
from tablebase.core.jit.kernels import hot_kernel
from tablebase.core.jit.vectors import (
    empty_line,
    load_line,
    reversed_bits,
    reversed_bytes,
    reversed_words,
    shift_down,
    shift_up,
    splat,
    store_line,
    word_of,
    words_down,
    words_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WHITE = int(Color.WHITE)
PAWN = int(PieceType.PAWN)
KING = int(PieceType.KING)
ALL = np.uint64(2**64 - 1)
ONE = np.uint64(1)
# In place of a side: both.
EITHER = np.int64(2)


def _squares_where(condition: Callable[[int], bool]) -> np.uint64:
    return np.uint64(sum(1 << s for s in range(64) if condition(s)))


NOT_LAST_FILE = _squares_where(lambda s: square_file(s) < 7)
NOT_FIRST_FILE = _squares_where(lambda s: square_file(s) > 0)
# Delta swaps: exchange the squares that differ in one bit of both file and rank.
_DIAGONAL_1, _DIAGONAL_2, _DIAGONAL_4 = (
    np.uint64(sum(1 << s for s in range(64) if s & bit and not s & 8 * bit)) for bit in (1, 2, 4)
)


@cache
def free_of_leads(nobody: tuple[bool, bool]) -> NDArray[np.uint64]:
    """Return, for a line and a square, the positions of the line with no lead on the square.

    The lead of a side with `nobody` stands nowhere. Shape [line, square * 8 + word].
    """
    free = np.full((8, 64, 8), ALL)
    for s in range(64):
        if not nobody[Color.BLACK]:
            free[:, s] = ~(np.uint64(1) << np.uint64(s))
        if not nobody[Color.WHITE]:
            free[square_rank(s), s, square_file(s)] = 0
    free.setflags(write=False)
    return free.reshape(8, 512)


@hot_kernel
def load_image(words, plane, k, symmetry):
    """Return line `k` of a plane that `words` have only as its image `plane` under a symmetry.

    KRK, rook on h8: its image under the half turn is plane 0, with the rook on a1.
    """
    base = np.int64(plane) * 64
    if symmetry == 0:
        return load_line(words, base + k * 8)
    if symmetry & DIAGONAL:
        gathered = work_space(8, np.uint64)
        for f in range(8):
            gathered[f] = words[base + D4[symmetry, k * 8 + f]]
        line = load_line(gathered, 0)
    else:
        line = load_line(words, base + (7 - k if symmetry & FLIP else k) * 8)
        if symmetry & MIRROR:
            line = reversed_words(line)
    return transform_words(line, INVERSE[symmetry])


@hot_kernel
def transform_words(line, symmetry):
    """Return `line` with the bits of every word moved as a symmetry moves squares."""
    if symmetry & DIAGONAL:
        line = _delta_swap(line, _DIAGONAL_1, np.int64(7))
        line = _delta_swap(line, _DIAGONAL_2, np.int64(14))
        line = _delta_swap(line, _DIAGONAL_4, np.int64(28))
    if symmetry & MIRROR:
        line = reversed_bits(line)
    if symmetry & FLIP:
        line = reversed_bytes(line)
    return line


@hot_kernel
def _delta_swap(line, mask, shift):
    """Exchange the bits of `mask` with the bits `shift` above them, in every word of `line`."""
    moved = (line ^ shift_down(line, shift)) & splat(mask)
    return line ^ moved ^ shift_up(moved, shift)


@hot_kernel
def or_image(line, words, plane, k, symmetry, lines):
    """Add `line` to `words`: line `k` of the plane whose image under a symmetry is `plane`.

    The lines of `plane` that are touched are marked as bits of ``lines[plane]``.
    """
    base = np.int64(plane) * 64
    if symmetry == 0:
        store_line(words, base + k * 8, load_line(words, base + k * 8) | line)
        lines[plane] |= np.uint8(1 << k)
        return
    line = transform_words(line, symmetry)
    if symmetry & DIAGONAL:
        for f in range(8):
            word = word_of(line, f)
            if word:
                image = np.int64(D4[symmetry, k * 8 + f])
                words[base + image] |= word
                lines[plane] |= np.uint8(1 << (image >> 3))
        return
    if symmetry & MIRROR:
        line = reversed_words(line)
    k = 7 - k if symmetry & FLIP else k
    store_line(words, base + k * 8, load_line(words, base + k * 8) | line)
    lines[plane] |= np.uint8(1 << k)


@hot_kernel
def remove_image(line, words, plane, k, symmetry):
    """Take `line` out of `words`: line `k` of the plane whose image under a symmetry is `plane`."""
    base = np.int64(plane) * 64
    line = transform_words(line, symmetry)
    if symmetry & DIAGONAL:
        for f in range(8):
            words[base + D4[symmetry, k * 8 + f]] &= ~word_of(line, f)
        return
    if symmetry & MIRROR:
        line = reversed_words(line)
    k = 7 - k if symmetry & FLIP else k
    store_line(words, base + k * 8, load_line(words, base + k * 8) & ~line)


@hot_kernel
def king_preimage(color, words, plane, k):
    """Return line `k` of the preimage of the set `words` of a plane under the king's moves."""
    base = np.int64(plane) * 64 + k * 8
    line = load_line(words, base)
    if color == WHITE:
        preimage = words_up(line) | words_down(line)
        if k > 0:
            line = load_line(words, base - 8)
            preimage |= line | words_up(line) | words_down(line)
        if k < 7:
            line = load_line(words, base + 8)
            preimage |= line | words_up(line) | words_down(line)
        return preimage
    sides = shift_up(line & splat(NOT_LAST_FILE), 1) | shift_down(line & splat(NOT_FIRST_FILE), 1)
    line = line | sides
    return sides | shift_up(line, 8) | shift_down(line, 8)


@hot_kernel
def king_lines(color, lines):
    """Return as bits the lines that one king move can reach from the `lines` of a plane."""
    if color == WHITE:
        return (lines | (lines << 1) | (lines >> 1)) & 255
    return lines


@hot_kernel
def piece_preimages(movement, color, kind, free, blocked, source, preimages):
    """Write the preimages of `source` under a piece's moves to `preimages`: a line of its planes.

    Both are uint64 [64 * 8], a line for each square of the piece. `blocked` is the word of squares
    where other men but kings stand, for which `source` is empty; `free` is that
    line of `free_of_leads`.
    """
    all_lanes = movement.lanes[color, kind]
    has_lanes = False
    for axis in range(len(all_lanes)):
        lanes = all_lanes[axis]
        if lanes[0] < 0:
            break
        has_lanes = True
        first, step = 0, 0
        while lanes[step] >= 0:
            reaching = empty_line()
            while lanes[step] >= 0:  # forwards along a lane
                s = np.int64(lanes[step])
                preimage = reaching
                if axis > 0:
                    preimage |= load_line(preimages, s * 8)
                store_line(preimages, s * 8, preimage)
                if (blocked >> np.uint64(s)) & ONE:
                    reaching = empty_line()
                else:
                    reaching = (reaching | load_line(source, s * 8)) & load_line(free, s * 8)
                step += 1
            reaching = empty_line()
            for back in range(step - 1, first - 1, -1):
                s = np.int64(lanes[back])
                store_line(preimages, s * 8, load_line(preimages, s * 8) | reaching)
                if (blocked >> np.uint64(s)) & ONE:
                    reaching = empty_line()
                else:
                    reaching = (reaching | load_line(source, s * 8)) & load_line(free, s * 8)
            step += 1
            first = step
    _leap_preimages(movement.leaps[color, kind], has_lanes, source, preimages)
    _ride_preimages(movement.rides[color, kind], free, blocked, source, preimages)


@hot_kernel
def _leap_preimages(leaps, has_preimages, source, preimages):
    """Write the preimages of `source` under the steps `leaps` to `preimages`, or add them."""
    for leap in leaps:
        if leap[0] < 0:
            break
        place = np.int64(leap[0]) * 8
        preimage = empty_line()
        if has_preimages:
            preimage = load_line(preimages, place)
        for i in range(1, len(leap)):
            if leap[i] < 0:
                break
            preimage |= load_line(source, np.int64(leap[i]) * 8)
        store_line(preimages, place, preimage)


@hot_kernel
def _ride_preimages(rides, free, blocked, source, preimages):
    """Add the preimages of `source` along the rays `rides` to `preimages`.

    `free` has the positions with no king on a square, `blocked` the squares of other men.
    """
    for ride in rides:
        if ride[0] < 0:
            break
        place = np.int64(ride[0]) * 8
        preimage, passing = load_line(preimages, place), splat(ALL)
        for i in range(1, len(ride)):
            target = np.int64(ride[i])
            if target < 0 or (blocked >> np.uint64(target)) & ONE:
                break
            preimage |= passing & load_line(source, target * 8)
            passing &= load_line(free, target * 8)
        store_line(preimages, place, preimage)


@hot_kernel
def attacks_square(movement, color, kind, origin, target, occupied):
    """Return whether a man attacks a square, `occupied` a word."""
    if not (movement.attacks[color, kind, origin] >> np.uint64(target)) & ONE:
        return False
    return movement.between[color, kind, origin, target] & occupied == np.uint64(0)


@hot_kernel
def attack_plane(movement, shields, by, colors, kinds, squares, plane):
    """Write the kings' squares for which the men of colour `by` give check to the other king.

    `colors`, `kinds` and `squares` are those of the men besides the kings; `plane` is uint64 [64].
    Kings of both colours block lines; `shields` are those of `Rules`. If `by` is EITHER, the checks
    of both sides count.
    """
    for white in range(64):
        plane[white] = 0
    occupied = np.uint64(0)
    for i in range(len(squares)):
        occupied |= ONE << np.uint64(squares[i])
    for i in range(len(squares)):
        own = colors[i]
        if by not in (own, EITHER):
            continue
        kind, origin = kinds[i], np.int64(squares[i])
        attacks = attacked_squares(movement, own, kind, origin, occupied)
        if own != WHITE:
            while attacks:
                white = lowest_bit(attacks)
                attacks &= attacks - ONE
                plane[white] |= ~movement.between[own, kind, origin, white]
            continue
        for white in range(64):
            if not (attacks >> np.uint64(white)) & ONE:
                plane[white] |= attacks
        for ray in movement.rays[own, kind, origin]:
            if ray[0] < 0:
                break
            hidden = np.uint64(0)  # by White's own king, from the ray's end back
            for step in range(len(ray) - 1, -1, -1):
                king = np.int64(ray[step])
                if king >= 0 and (attacks >> np.uint64(king)) & ONE:
                    plane[king] |= attacks & ~hidden
                    hidden |= ONE << np.uint64(king)
    for white in range(64):
        plane[white] &= ~shields[white]


@hot_kernel
def attacked_squares(movement, color, kind, origin, occupied):
    """Return the word of squares that a man attacks, `occupied` a word."""
    attacks = np.uint64(0)
    for ray in movement.rays[color, kind, origin]:
        for target in ray:
            if target < 0:
                break
            bit = ONE << np.uint64(target)
            attacks |= bit
            if occupied & bit:
                break
    return attacks


@hot_kernel
def legal_plane(movement, shields, occupied, attacked, plane):
    """Write the legal positions of a plane: kings on free squares, none to be captured.

    They are apart, but for `shields` of `Rules`.

    `occupied` is the word of the other men's squares, `attacked` the `attack_plane` of the side
    to move, or of both where no move gives check, both `attacked` and `plane` uint64 [64].
    """
    for white in range(64):
        bit = ONE << np.uint64(white)
        if occupied & bit:
            plane[white] = 0
        else:
            near = movement.attacks[WHITE, KING, white] & ~shields[white]
            plane[white] = ~(near | bit | occupied | attacked[white])
