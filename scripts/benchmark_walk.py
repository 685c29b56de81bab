"""Measure ways of looking up the positions of a walk: oriented copies of the board, and the others.

Usage::

    python scripts/benchmark.py walk [--dir FOLDER] [--json | --save]

In each step of a walk one man moves, and the position is looked up. *Oriented copies* keep the
position under all eight symmetries up to date, as a Go program does that rotates the board for its
patterns; a look-up picks the copy that the table holds. The other ways are those of
``benchmark_probe``; they are given each position of the walk. All take turns on one thread, and the
run with the least processor time counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmark_probe import (
    LOOKUP_MATERIALS,
    Action,
    Line,
    add_output,
    available,
    expanded_codes,
    fastest,
    put_out,
    random_squares,
    read_expanded,
    read_reduced,
    read_rotating,
)
from numpy.typing import NDArray

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import PieceType, square_file
from tablebase.core.board.movement import from_to_pairs
from tablebase.core.board.symmetry import D4
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.index.combinations import MAX_PIECES, rank_pieces
from tablebase.core.index.kings import NO_SYMMETRY
from tablebase.core.index.numbering import table_index
from tablebase.core.index.pawns import (
    second_slice_symmetry,
    slice_entry,
    slice_number,
    slice_symmetry,
)
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import hot_entry, kernel
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table

WAYS = ("reduced", "reduced, images in turn", "reduced, oriented copies", "expanded")
TRIES = 8  # to find a step that leads to a legal position
# [square] its images under the eight symmetries, one in each byte.
COPIES = np.ascontiguousarray(D4.T).view("<u8").ravel()
COPIES.setflags(write=False)


@kernel
def copy_of(copies: Any, man: Any, symmetry: Any) -> Any:
    """Return the square of a man in one of the copies."""
    return (copies[man] >> np.uint64(8 * symmetry)) & np.uint64(255)


@kernel
def index_of_copy(tables: Any, copies: Any, symmetry: Any, slice_: Any) -> Any:
    """Return the index of the copy under a symmetry that makes it canonical."""
    pieces = work_space(MAX_PIECES, np.uint8)[: len(tables.piece_men)]
    for i in range(len(pieces)):
        pieces[i] = copy_of(copies, tables.piece_men[i], symmetry)
    pawns = np.uint64(0)
    for man in tables.pawn_men:
        pawns |= np.uint64(1) << copy_of(copies, man, symmetry)
    rank = rank_pieces(tables.group_sizes, pieces, pawns)
    kings = copy_of(copies, 0, symmetry) * np.uint64(64) + copy_of(copies, 1, symmetry)
    return (slice_ * tables.ranks + rank) * len(tables.king_squares) + tables.king_pair[kings]


@kernel
def index_of_copies(tables: Any, copies: Any) -> Any:
    """Return the index of a position by its oriented copies, uint64 [men]."""
    kings = copy_of(copies, 0, 0) * np.uint64(64) + copy_of(copies, 1, 0)
    symmetry, second = np.int64(tables.king_symmetry[kings]), np.int64(tables.king_second[kings])
    slice_ = np.int64(0)
    if len(tables.pawn_men):
        pawns = work_space(MAX_PIECES, np.uint8)[: len(tables.pawn_men)]
        for i in range(len(pawns)):
            pawns[i] = copy_of(copies, tables.pawn_men[i], 0)
        entry = slice_entry(tables.slice_of, pawns)
        slice_ = slice_number(entry)
        symmetry, second = slice_symmetry(entry), second_slice_symmetry(entry)
    index = index_of_copy(tables, copies, symmetry, slice_)
    if second != NO_SYMMETRY:
        index = min(index, index_of_copy(tables, copies, second, slice_))
    return index


@hot_entry
def read_copies(tables: Any, codes: Any, starts: Any, steps: Any, result: Any) -> Any:
    """Read codes [size] along walks, keeping oriented copies up to date.

    `starts` uint8 [walks, men] are positions, `steps` uint8 [steps, walks, 2] man and new square.
    """
    copies = work_space(MAX_PIECES, np.uint64)
    for walk in range(len(starts)):
        for man in range(starts.shape[1]):
            copies[man] = COPIES[starts[walk, man]]
        for step in range(len(steps)):
            copies[steps[step, walk, 0]] = COPIES[steps[step, walk, 1]]
            result[walk * len(steps) + step] = codes[index_of_copies(tables, copies)]


def reachable(kind: PieceType) -> NDArray[np.bool_]:
    """Return to which squares a man steps from each on an empty board, pawns back, too."""
    if kind is not PieceType.PAWN:
        return from_to_pairs((kind,))
    squares = np.arange(64)
    same_file = square_file(squares)[:, None] == square_file(squares)
    return same_file & (np.abs(squares[:, None] - squares) == 8)


def make_walks(
    tablebase: Tablebase, material: Material, walks: int, length: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return walks through legal positions with White to move.

    They are the starts, uint8 [walks, men]; the man of each step and its new square, uint8 [length,
    walks, 2]; and the positions after each step, uint8 [walks, length, men].
    """
    rng = np.random.default_rng(4)
    tables = [reachable(kind) for _, kind in material.men]
    targets = np.array([[np.resize(np.flatnonzero(row), 64) for row in one] for one in tables])
    starts = random_squares(tablebase, material, walks, seed=5)
    steps = np.empty((length, walks, 2), dtype=np.uint8)
    positions = np.empty((walks, length, material.piece_count), dtype=np.uint8)
    squares, every = starts.copy(), np.arange(walks)
    for step in range(length):
        # Who finds no step stays where he is.
        steps[step, :, 0], steps[step, :, 1] = 0, squares[:, 0]
        waiting = every
        for _ in range(TRIES):
            men = rng.integers(0, material.piece_count, len(waiting))
            new = targets[men, squares[waiting, men], rng.integers(0, 64, len(waiting))]
            tried = squares[waiting]
            tried[np.arange(len(waiting)), men] = new
            _, valid = tablebase.probe_dtm_many(tried, material, turn=True)
            squares[waiting[valid]] = tried[valid]
            steps[step, waiting[valid]] = np.stack((men, new), axis=1)[valid]
            waiting = waiting[~valid]
            if not len(waiting):
                break
        positions[:, step] = squares
    return starts, steps, positions


def walk_lines(
    tablebase: Tablebase, directory: Path, material: Material, arguments: argparse.Namespace
) -> Iterator[Line]:
    """Yield what looking up each position of walks takes in every way."""
    index = table_index(material)
    symmetries = np.array(index.symmetries)
    codes = read_table(directory / f"{material}.h5").white
    expanded = expanded_codes(tablebase, material)
    starts, steps, positions = make_walks(tablebase, material, arguments.walks, arguments.length)
    rows = positions.reshape(-1, material.piece_count)
    results = {way: np.empty(len(rows), np.uint8) for way in WAYS}
    reduced, turned, copied, flat = (results[way] for way in WAYS)
    ways: tuple[Action, ...] = (
        lambda: read_reduced(index.tables, codes, rows, reduced),
        lambda: read_rotating(index.tables, codes, rows, symmetries, turned),
        lambda: read_copies(index.tables, codes, starts, steps, copied),
        lambda: read_expanded(expanded, rows, flat),
    )
    # Processor time: other work on the machine matters less.
    times = fastest(dict(zip(WAYS, ways, strict=True)), arguments.repeats, time.thread_time)
    assert all((result == reduced).all() for result in results.values())
    for way, seconds in times.items():
        ratio = times[WAYS[0]] / seconds
        yield Line(f"{material} {way}", seconds / len(rows), ratio, WAYS[0])


@reader_may_leave()
def main(arguments: Sequence[str] | None = None) -> None:
    """Print the ways of looking up as one table."""
    parser = argparse.ArgumentParser(prog="benchmark.py walk", description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, default=Path("data"), help="folder of our tables")
    parser.add_argument("--walks", type=int, default=200, help="how many walks")
    parser.add_argument("--length", type=int, default=1000, help="steps of each walk")
    parser.add_argument("--repeats", type=int, default=150, help="runs; the fastest counts")
    add_output(parser)
    options = parser.parse_args(arguments)
    with open_tablebase(options.dir) as tablebase:
        measured = [
            (f"walk {material}", list(walk_lines(tablebase, options.dir, material, options)))
            for material in available(tablebase, LOOKUP_MATERIALS)
        ]
    put_out("walk", measured, options)


if __name__ == "__main__":
    main()
