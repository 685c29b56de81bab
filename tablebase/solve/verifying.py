"""Files of regions, checked: each structure solved again, and a sample by forward moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.ground.verdicts import Checked
from tablebase.core.positions.chess_board import illegality
from tablebase.solve.bounds import UNKNOWN, Bounds, bounds_by_moves, bounds_in
from tablebase.solve.kernels.fields import BOTH_ATTACKERS, NONE, TURNS, Number, State, make_work
from tablebase.solve.kernels.king_planes import WORDS
from tablebase.solve.kernels.structures import solve_batch
from tablebase.solve.region import Region
from tablebase.solve.region_file import FROM_TABLE, NOT_ASKED, RegionFile
from tablebase.solve.saving import load_region, unknown_bounds

SAMPLE = 1000
MOST_DIFFERENCES = 10
_KINDS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


@dataclass(frozen=True)
class RegionReport(Checked):
    """Result of the check of a region."""

    path: Path
    structures: int
    positions: int
    from_tables: int  # structures with values of complete tables, whose moves were not checked
    sampled: int  # positions that were checked by forward moves
    # structures with a bound that does not follow from its moves, and positions of the sample whose
    # value contradicts their moves
    different: int
    differences: tuple[str, ...]  # the first of them

    @property
    def counts(self) -> tuple[int, int]:
        """Whatever was checked besides tables, and what is wrong."""
        return self.structures - self.from_tables + self.sampled, self.different


def check_region(
    path: Path, *, sample: int = SAMPLE, progress: Callable[[float], None] | None = None
) -> RegionReport:
    """Check a file of a region: solve each structure again from the bounds stored for its moves.

    A lower bound may have nothing that does not follow, an upper bound must have all that does;
    python-chess checks a sample. `CorruptTableError` if damaged, `MemoryError` if it does not fit.
    """
    wrong: list[str] = []
    with RegionFile(path) as file:
        header = file.header
        wrong += _check_structures(file, progress)
        checked = 0
        for board in random_positions(file, sample):
            checked += 1
            if reason := contradiction(file, board):
                wrong.append(f"{board.fen()}: {reason}")
    from_tables = int((header.states & FROM_TABLE != 0).sum())
    positions = int(header.planes.sum()) * 8192
    first = tuple(wrong[:MOST_DIFFERENCES])
    return RegionReport(path, len(header.keys), positions, from_tables, checked, len(wrong), first)


def _check_structures(file: RegionFile, progress: Callable[[float], None] | None) -> Iterator[str]:
    """Yield the contradictions in structures."""
    most = int(file.header.planes.max())
    scratch = 5 * TURNS * WORDS * most
    arena = np.empty(int(file.starts[-1]) + scratch, dtype=np.uint64)
    region, work = Region(arena, few=file.header.few), make_work(most)
    numbers = load_region(file, region)
    solved = numbers[region.fields.gap[numbers, 0] != NONE]
    region.expand(work, solved)
    for done, structure in enumerate(solved.tolist()):
        if progress is not None:
            progress(done / len(solved))
        if not (_follows(region, work, structure) and _says_nothing(file, region, work, structure)):
            white, black, pieces = map(int, region.fields.keys[structure])
            yield f"bounds do not follow: {_structure_words(white, black, pieces)}"


def _follows(region: Region, work: Any, structure: int) -> bool:
    """Return whether bounds follow from the bounds after the moves."""
    fields, size = region.fields, region.words_of(structure)
    columns: list[NDArray[Any]] = [
        fields.lower, fields.upper, fields.stale, fields.state, fields.gap
    ]  # fmt: skip
    kept = [column[structure].copy() for column in columns]
    lower, upper, stale = kept[:3]
    top = int(fields.numbers[Number.TOP]) + size * np.arange(5)

    def sets(start: int) -> NDArray[np.uint64]:
        return fields.arena[start : start + size]

    fields.lower[structure], fields.upper[structure] = top[0:2], top[2:4]
    if stale >= 0:
        fields.stale[structure] = top[4]
    fields.state[structure], fields.todo[structure] = State.CLOSED, BOTH_ATTACKERS
    solve_batch(region.record, work, np.array([structure]), 0, 1)
    good = stale < 0 or np.array_equal(sets(stale), sets(top[4]))
    for attacker in np.flatnonzero(kept[3]):
        good &= not (sets(lower[attacker]) & ~sets(top[attacker])).any()
        good &= not (sets(top[2 + attacker]) & ~sets(upper[attacker])).any()
    for column, value in zip(columns, kept, strict=True):
        column[structure] = value
    return bool(good)


def _says_nothing(file: RegionFile, region: Region, work: Any, structure: int) -> bool:
    """Return whether bounds say nothing where they were not asked for."""
    number = file.find(*map(int, region.fields.keys[structure]))
    assert number is not None, "the region was read from this file"
    asked = [not file.header.states[number] & NOT_ASKED << attacker for attacker in range(2)]
    if all(asked):
        return True
    words = file.words(int(file.starts[number]), int(file.starts[number + 1]))
    sets = words.reshape(-1, region.words_of(structure))
    unknown = [unknown_bounds(region, work.fields.there, structure, one) for one in range(2)]
    return all(
        asked[attacker] or all(map(np.array_equal, sets[attacker:4:2], unknown[attacker]))
        for attacker in range(2)
    )


def _structure_words(white: int, black: int, pieces: int) -> str:
    """Return the pawns and the pieces of a structure, in words.

    >>> _structure_words(1 << 8, 1 << 48, 1)
    'white pawns on a2, black pawns on a7, pieces Q'
    """
    sides = [
        f"{name} pawns on {' '.join(chess.SQUARE_NAMES[s] for s in chess.SquareSet(word))}"
        for name, word in (("white", white), ("black", black))
        if word
    ]
    men = "".join(letter * (pieces >> (4 * code) & 15) for code, letter in enumerate("QRBNqrbn"))
    return ", ".join([*sides, *([f"pieces {men}"] if men else [])]) or "bare kings"


# Forward moves
def random_positions(file: RegionFile, count: int, seed: int = 0) -> Iterator[chess.Board]:
    """Yield legal positions of a region, fewer than asked for where most are illegal.

    None is of a structure whose values complete tables gave: its moves need not be in the region.
    """
    rng = np.random.default_rng(seed)
    header = file.header
    weights = np.where(header.states & FROM_TABLE, 0, header.planes).cumsum()
    for _ in range(4 * count if weights[-1] else 0):
        if count == 0:
            return
        number = np.searchsorted(weights, rng.integers(weights[-1]), side="right")
        key = header.keys[number]
        board = _random_board(rng, *map(int, key))
        if board is not None:
            count -= 1
            yield board


def _random_board(
    rng: np.random.Generator, white: int, black: int, pieces: int
) -> chess.Board | None:
    board = chess.Board(None)
    for word, color in ((white, chess.WHITE), (black, chess.BLACK)):
        for square in chess.SquareSet(word):
            board.set_piece_at(square, chess.Piece(chess.PAWN, color))
    codes = [code for code in range(8) for _ in range(pieces >> (4 * code) & 15)]
    free = [square for square in range(64) if not board.occupied >> square & 1]
    *squares, white_king, black_king = rng.choice(free, len(codes) + 2, replace=False).tolist()
    for code, square in zip(codes, squares, strict=True):
        board.set_piece_at(square, chess.Piece(_KINDS[code % 4], code < 4))
    board.set_piece_at(white_king, chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(black_king, chess.Piece(chess.KING, chess.BLACK))
    board.turn = bool(rng.integers(2))
    return None if illegality(board) else board


def contradiction(file: RegionFile, board: chess.Board) -> str:
    """Return the contradiction between a position's bounds and its moves', empty if none."""
    bounds = bounds_in(file, board)
    assert bounds is not None
    least, most = bounds
    # Where men promote to queen and knight alone, the other promotions are not needed.
    left_out = (chess.ROOK, chess.BISHOP) if file.header.few else ()
    moves = [move for move in board.legal_moves if move.promotion not in left_out]
    best = bounds_by_moves(board, partial(_bounds_after, file), moves)
    # A bound may say less than those of the moves do.
    if least > best.least:
        return f"at least {least} for the side to move, but its moves say at least {best.least}"
    if most < best.most:
        return f"at most {most} for the side to move, but its moves say up to {best.most}"
    return ""


def _bounds_after(file: RegionFile, board: chess.Board) -> Bounds:
    """Return the bounds of a position, or of its moves if it is outside."""
    return bounds_in(file, board) or bounds_by_moves(
        board, lambda after: bounds_in(file, after) or UNKNOWN
    )
