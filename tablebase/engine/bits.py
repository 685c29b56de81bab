"""Set-wise operations on words, lines and planes of positions.

See `planes` for what a plane is. A *line* is eight consecutive words of a plane: the
positions with White's king on one rank, word f with that king on file f.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tablebase.board import (
    BETWEEN,
    D4,
    DIAGONAL,
    FLIP,
    INVERSE,
    KING_ATTACKS,
    MIRROR,
    PAWN_ATTACKS,
    RAYS,
    Color,
    PieceType,
    square,
    square_file,
    square_rank,
)
from tablebase.jit import (
    empty_line,
    hot_kernel,
    load_line,
    lowest_bit,
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
    work_space,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

WHITE = int(Color.WHITE)
PAWN = int(PieceType.PAWN)
KNIGHT = int(PieceType.KNIGHT)
ALL = np.uint64(2**64 - 1)
ONE = np.uint64(1)


def _squares_where(condition: Callable[[int], bool]) -> np.uint64:
    return np.uint64(sum(1 << s for s in range(64) if condition(s)))


NOT_LAST_FILE = _squares_where(lambda s: square_file(s) < 7)
NOT_FIRST_FILE = _squares_where(lambda s: square_file(s) > 0)
# Delta swaps: exchange the squares that differ in one bit of both file and rank.
_DIAGONAL_1, _DIAGONAL_2, _DIAGONAL_4 = (
    np.uint64(sum(1 << s for s in range(64) if s & bit and not s & 8 * bit)) for bit in (1, 2, 4)
)


def _free_of_kings() -> NDArray[np.uint64]:
    """Return, for a line and a square, the positions of the line with no king on the square."""
    free = np.empty((8, 64, 8), dtype=np.uint64)
    for s in range(64):
        free[:, s] = ~(np.uint64(1) << np.uint64(s))
        free[square_rank(s), s, square_file(s)] = 0
    return free.reshape(8, 512)


def _lanes() -> NDArray[np.int64]:
    """Return the squares along the lanes of the sliders' lines of movement.

    [piece type, axis, step]: for a rook's ranks and files and a bishop's diagonals, the squares
    lane after lane, -1 after each lane, -2 after the last one; unused axes begin with -2.
    """
    axes = {
        PieceType.BISHOP: ((1, 1), (-1, 1)),
        PieceType.ROOK: ((1, 0), (0, 1)),
        PieceType.QUEEN: ((1, 0), (0, 1), (1, 1), (-1, 1)),
    }
    lanes = np.full((7, 4, 64 + 16), -2, dtype=np.int64)
    for piece_type, steps in axes.items():
        for axis, (dx, dy) in enumerate(steps):
            row: list[int] = []
            for s in range(64):
                x, y = square_file(s), square_rank(s)
                if 0 <= x - dx < 8 and 0 <= y - dy < 8:
                    continue  # not the first square of a lane
                while 0 <= x < 8 and 0 <= y < 8:
                    row.append(square(x, y))
                    x, y = x + dx, y + dy
                row.append(-1)
            lanes[piece_type, axis, : len(row)] = row
    return lanes


FREE_OF_KINGS = _free_of_kings()  # uint64 [line, square * 8 + word]
LANES = _lanes()
for _constant in (FREE_OF_KINGS, LANES):
    _constant.setflags(write=False)
del _constant


@hot_kernel
def _delta_swap(line, mask, shift):
    """Exchange the bits of `mask` with those `shift` above them, in every word of a line."""
    moved = (line ^ shift_down(line, shift)) & splat(mask)
    return line ^ moved ^ shift_up(moved, shift)


@hot_kernel
def transform_words(line, symmetry):
    """Move the bits of every word of a line as a symmetry moves squares."""
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
def load_image(words, plane, k, symmetry):
    """Return line `k` of the plane whose image under a symmetry is stored as `plane`."""
    base = np.int64(plane) * 64
    if symmetry == 0:
        return load_line(words, base + k * 8)
    if symmetry & DIAGONAL:
        row = work_space(8, np.uint64)
        for f in range(8):
            row[f] = words[base + D4[symmetry, k * 8 + f]]
        line = load_line(row, 0)
    else:
        line = load_line(words, base + (7 - k if symmetry & FLIP else k) * 8)
        if symmetry & MIRROR:
            line = reversed_words(line)
    return transform_words(line, INVERSE[symmetry])


@hot_kernel
def or_image(line, words, plane, k, symmetry, lines):
    """Add line `k` to the plane whose image under a symmetry is stored as `plane`.

    The lines of the stored plane that are touched are marked as bits of ``lines[plane]``.
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
                row = np.int64(D4[symmetry, k * 8 + f])
                words[base + row] |= word
                lines[plane] |= np.uint8(1 << (row >> 3))
        return
    if symmetry & MIRROR:
        line = reversed_words(line)
    k = 7 - k if symmetry & FLIP else k
    store_line(words, base + k * 8, load_line(words, base + k * 8) | line)
    lines[plane] |= np.uint8(1 << k)


@hot_kernel
def remove_image(line, words, plane, k, symmetry):
    """Take line `k` out of the plane whose image under a symmetry is stored as `plane`."""
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
def king_image(color, words, plane, k):
    """Return line `k` of the positions from which one king move leads into a plane's set."""
    base = np.int64(plane) * 64 + k * 8
    line = load_line(words, base)
    if color == WHITE:
        image = words_up(line) | words_down(line)
        if k > 0:
            line = load_line(words, base - 8)
            image |= line | words_up(line) | words_down(line)
        if k < 7:
            line = load_line(words, base + 8)
            image |= line | words_up(line) | words_down(line)
        return image
    sides = shift_up(line & splat(NOT_LAST_FILE), 1) | shift_down(line & splat(NOT_FIRST_FILE), 1)
    line = line | sides
    return sides | shift_up(line, 8) | shift_down(line, 8)


@hot_kernel
def king_lines(color, lines):
    """Return as bits the lines that one king move can reach from the lines of a plane."""
    if color == WHITE:
        return (lines | (lines << 1) | (lines >> 1)) & 255
    return lines


@hot_kernel
def piece_images(piece_type, k, blocked, source, images):
    """Write the images of a piece's moves for line `k` of all 64 planes along which it moves.

    `source` and `images` are uint64 [64 * 8], a line for each square of the piece; `blocked` is
    the word of squares where other men but kings stand.
    """
    if piece_type == KNIGHT:
        _leaper_images(piece_type, source, images)
        return
    free = FREE_OF_KINGS[k]
    for axis in range(4):
        lanes = LANES[piece_type, axis]
        if lanes[0] < 0:
            break
        first, step = 0, 0
        while lanes[step] != -2:
            reaching = empty_line()
            while lanes[step] >= 0:  # forwards along a lane
                s = lanes[step]
                image = reaching
                if axis > 0:
                    image |= load_line(images, s * 8)
                store_line(images, s * 8, image)
                if (blocked >> np.uint64(s)) & ONE:
                    reaching = empty_line()
                else:
                    reaching = (reaching | load_line(source, s * 8)) & load_line(free, s * 8)
                step += 1
            reaching = empty_line()
            for back in range(step - 1, first - 1, -1):
                s = lanes[back]
                store_line(images, s * 8, load_line(images, s * 8) | reaching)
                if (blocked >> np.uint64(s)) & ONE:
                    reaching = empty_line()
                else:
                    reaching = (reaching | load_line(source, s * 8)) & load_line(free, s * 8)
            step += 1
            first = step


@hot_kernel
def _leaper_images(piece_type, source, images):
    """Do the work of `piece_images` for a piece that jumps; blocked sources must be empty."""
    for s in range(64):
        image = empty_line()
        for ray in RAYS[piece_type, s]:
            if ray[0] < 0:
                break
            image |= load_line(source, np.int64(ray[0]) * 8)
        store_line(images, s * 8, image)


@hot_kernel
def sliding_attacks(piece_type, origin, occupied):
    """Return the word of squares that a piece attacks, `occupied` a word."""
    attacks = np.uint64(0)
    for ray in RAYS[piece_type, origin]:
        for target in ray:
            if target < 0:
                break
            bit = ONE << np.uint64(target)
            attacks |= bit
            if occupied & bit:
                break
    return attacks


@hot_kernel
def attack_plane(by, colors, types, squares, plane):
    """Write the kings' squares for which the men of colour `by` attack the other king.

    `colors`, `types` and `squares` are those of the men besides the kings; `plane` is uint64 [64].
    Kings of both colours block lines.
    """
    for row in range(64):
        plane[row] = 0
    occupied = np.uint64(0)
    for i in range(len(squares)):
        occupied |= ONE << np.uint64(squares[i])
    for i in range(len(squares)):
        if colors[i] != by:
            continue
        if types[i] == PAWN:
            attacks = PAWN_ATTACKS[by, squares[i]]
        else:
            attacks = sliding_attacks(types[i], np.int64(squares[i]), occupied)
        if by != WHITE:
            while attacks:
                row = lowest_bit(attacks)
                attacks &= attacks - ONE
                plane[row] |= ~BETWEEN[squares[i], row]
            continue
        for row in range(64):
            if (attacks >> np.uint64(row)) & ONE and types[i] != PAWN:
                # White's own king stands on the line.
                blocked = occupied | (ONE << np.uint64(row))
                plane[row] |= sliding_attacks(types[i], np.int64(squares[i]), blocked)
            else:
                plane[row] |= attacks


@hot_kernel
def legal_plane(occupied, attacked, plane):
    """Write the legal positions of a plane: kings apart, on free squares, none to be captured.

    `occupied` is the word of the other men's squares, `attacked` the `attack_plane` of the side
    to move, both `attacked` and `plane` uint64 [64].
    """
    for row in range(64):
        bit = ONE << np.uint64(row)
        if occupied & bit:
            plane[row] = 0
        else:
            plane[row] = ~(KING_ATTACKS[row] | bit | occupied | attacked[row])
