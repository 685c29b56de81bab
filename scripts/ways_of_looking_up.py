"""Measure five ways of looking up the positions of a walk in a table that symmetry reduces.

Usage::

    python scripts/ways_of_looking_up.py [--save]

In each step of a walk one man goes to a random square, and the position is looked up:

- reduced: turned to what the table holds, by a symmetry that kings or pawns tell;
- in turn: the images one after another, until one is what the table holds;
- copies: all images are kept up to date, and the one is picked that the table holds;
- expanded: in a table of all images, by the squares as they are;
- tree: in one decision tree of all images, man by man; equal subtrees are one, or a leaf.

Of runs that take turns on one thread, the one with the least processor time counts.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import measurement
import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.symmetry import D4
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.index.combinations import rank_pieces
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.index.numbering import MAX_MEN_OF_INDEX, table_index
from tablebase.core.index.pawns import (
    second_slice_symmetry,
    slice_entry,
    slice_number,
    slice_symmetry,
)
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import hot_entry, inlined_kernel
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.table_names import table_path

DATA = Path(__file__).parents[1] / "data"
WALKS, LENGTH, REPEATS = 200, 500, 30
WEIGHTS = 64 ** np.arange(4)[::-1]


def reader(find: Any) -> Any:
    """Return a kernel that looks up walks by a way."""

    @hot_entry
    def read(tables, codes, images, starts, steps, result):
        """Write what is found to `result` [steps, walks], see `walks`, keeping up some images."""
        kept = len(images)
        for walk in range(len(starts)):
            for t in range(kept):
                for man in range(starts.shape[1]):
                    images[t, man] = D4[t, starts[walk, man]]
            for step in range(len(steps)):
                for t in range(kept):
                    images[t, steps[step, walk, 0]] = D4[t, steps[step, walk, 1]]
                result[step, walk] = find(tables, codes, images)

    return read


@inlined_kernel
def reduced(tables, codes, images):
    """Return the code by the symmetry that the squares of the kings or pawns tell."""
    space = work_space(MAX_MEN_OF_INDEX, np.uint8)[: images.shape[1]]
    number, symmetry, second = orientation(tables, images[0])
    slot = slot_of(tables, turned(images[0], symmetry, space), number)
    if second != NO_SYMMETRY:
        slot = min(slot, slot_of(tables, turned(images[0], second, space), number))
    return codes[slot]


@inlined_kernel
def in_turn(tables, codes, images):
    """Return the code by the first image that the table holds."""
    space = work_space(MAX_MEN_OF_INDEX, np.uint8)[: images.shape[1]]
    other = work_space(MAX_MEN_OF_INDEX, np.uint8)[: images.shape[1]]
    number, second = np.int64(0), np.int64(0)
    for t in range(len(D4)):
        number, symmetry, second = orientation(tables, turned(images[0], t, space))
        if symmetry == 0:
            break
    slot = slot_of(tables, space, number)
    if second != NO_SYMMETRY:
        slot = min(slot, slot_of(tables, turned(space, second, other), number))
    return codes[slot]


@inlined_kernel
def copies(tables, codes, images):
    """Return the code by the image that is kept up to date."""
    number, symmetry, second = orientation(tables, images[0])
    slot = slot_of(tables, images[symmetry], number)
    if second != NO_SYMMETRY:
        slot = min(slot, slot_of(tables, images[second], number))
    return codes[slot]


@inlined_kernel
def turned(image, symmetry, space):
    """Write an image of men under a symmetry to `space`, and return it."""
    for man in range(len(image)):
        space[man] = D4[symmetry, image[man]]
    return space


@inlined_kernel
def orientation(tables, image):
    """Return slice, the symmetry that makes an image what the table holds, and a second one."""
    if len(tables.pawn_men):
        entry = slice_entry(tables.slice_of, image[2:])
        return slice_number(entry), slice_symmetry(entry), second_slice_symmetry(entry)
    kings = np.int64(image[0]) * 64 + image[1]
    return np.int64(0), np.int64(tables.king_symmetry[kings]), np.int64(tables.king_second[kings])


@inlined_kernel
def slot_of(tables, image, number):
    """Return the slot of an image that the table holds; men are pieces, or one pawn."""
    pieces, pawns = image[2:], np.uint64(0)
    if len(tables.pawn_men):
        pieces, pawns = image[2:2], np.uint64(1) << np.uint64(image[2])
    rank = rank_pieces(tables.group_sizes, pieces, pawns)
    pair = tables.king_pair[np.int64(image[0]) * 64 + image[1]]
    return (number * tables.ranks + rank) * len(tables.king_squares) + pair


@inlined_kernel
def expanded(_tables, codes, images):
    """Return the code by the squares, from codes [64 ** men]."""
    place = np.int64(0)
    for man in range(images.shape[1]):
        place = place * 64 + images[0, man]
    return codes[place]


@inlined_kernel
def tree(_tables, nodes, images):
    """Return the code by nodes int32 [n, 64], the last one the root; ~code is a leaf."""
    node, man = np.int64(len(nodes) - 1), 0
    while node >= 0:
        node, man = np.int64(nodes[node, images[0, man]]), man + 1
    return ~node


def spread(material: Material, codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the codes of all images, and whether there are positions, [2, 64 ** men]."""
    index, men = table_index(material), material.piece_count
    squares, valid = index.decode_many(np.arange(index.size))
    found = np.zeros((2, 64**men), dtype=np.uint8)
    for t in index.symmetries:
        places = D4[t][squares[valid]] @ WEIGHTS[-men:]
        found[0, places], found[1, places] = codes[valid], 1
    return found


def grown(codes: NDArray[np.uint8], men: int) -> NDArray[np.int32]:
    """Return the nodes of the tree of codes [64 ** men]."""
    level, nodes, count = ~codes.astype(np.int32), [], 0
    for _ in range(men):
        rows, place = np.unique(level.reshape(-1, 64), axis=0, return_inverse=True)
        is_leaf = (rows == rows[:, :1]).all(axis=1) & (rows[:, 0] < 0)
        numbers = count + np.cumsum(~is_leaf) - 1
        nodes.append(rows[~is_leaf])
        count += len(nodes[-1])
        level = np.where(is_leaf, rows[:, 0], numbers).astype(np.int32)[place.ravel()]
    return np.concatenate(nodes)


def walks(there: NDArray[np.uint8], men: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return starts [walks, men] and steps [steps, walks, 2], a man and its new square."""
    random, every = np.random.default_rng(1), np.arange(WALKS)
    places = random.choice(np.flatnonzero(there), WALKS)
    squares = (places[:, None] // WEIGHTS[-men:] % 64).astype(np.uint8)
    starts, steps = squares.copy(), np.empty((LENGTH, WALKS, 2), dtype=np.uint8)
    for step in steps:
        man, tried = random.integers(0, men, WALKS), squares.copy()
        tried[every, man] = random.integers(0, 64, WALKS)
        fits = there[tried @ WEIGHTS[-men:]] > 0
        squares[fits] = tried[fits]
        step[:] = np.stack((man, squares[every, man]), axis=1)
    return starts, steps


def measure(material: Material) -> dict[str, dict[str, float]]:
    """Return by way nanoseconds for a position, bytes, and seconds to make it from the table."""
    codes, index = read_table(table_path(DATA, material)).white, table_index(material)
    begin = time.thread_time()
    whole, there = spread(material, codes)
    spreading = time.thread_time() - begin
    nodes = grown(whole, material.piece_count)
    growing = time.thread_time() - begin
    images = np.empty((len(index.symmetries), material.piece_count), dtype=np.uint8)
    ways = {
        "reduced": (reader(reduced), codes, images[:1], 0.0),
        "in turn": (reader(in_turn), codes, images[:1], 0.0),
        "copies": (reader(copies), codes, images, 0.0),
        "expanded": (reader(expanded), whole, images[:1], spreading),
        "tree": (reader(tree), nodes, images[:1], growing),
    }
    starts, steps = walks(there, material.piece_count)
    results = {way: np.empty((LENGTH, WALKS), dtype=np.uint8) for way in ways}
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(REPEATS):
        for way, (read, data, kept, _) in ways.items():
            begin = time.thread_time()
            read(index.tables, data, kept, starts, steps, results[way])
            best[way] = min(best[way], time.thread_time() - begin)
    if any((result != results["reduced"]).any() for result in results.values()):
        raise RuntimeError(f"{material}: the ways differ")
    each = 1e9 / (WALKS * LENGTH)
    return {
        way: {"ns": each * best[way], "bytes": data.nbytes, "seconds": seconds}
        for way, (_, data, _, seconds) in ways.items()
    }


@reader_may_leave()
def main() -> None:
    """Print what each way takes."""
    found = {name: measure(Material.from_name(name)) for name in ("KRK", "KRNK", "KPK")}
    print(json.dumps(found, indent=1))
    if "--save" in sys.argv:
        print(measurement.save("ways_of_looking_up", found))


if __name__ == "__main__":
    main()
