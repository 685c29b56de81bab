"""Syzygy files made from our tables.

A file gets its name only after it was read back and every cell compared.
"""

from __future__ import annotations

import hashlib
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.jit.kernels import hot_entry
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.storage.atomic import complete_or_absent
from tablebase.core.tables.table import stored_sides
from tablebase.export.pairs import Pairs, compress, estimate_size, single_value
from tablebase.export.reports import Exported
from tablebase.export.syzygy_audit import Sources
from tablebase.export.syzygy_cells import (
    LISTED,
    CellSource,
    Distances,
    count_values,
    gather,
    wrong_distances,
    wrong_results,
)
from tablebase.export.syzygy_facts import SYZYGY_RESULTS, UP_TO
from tablebase.export.syzygy_games import SyzygyKind, syzygy_game, syzygy_name
from tablebase.export.syzygy_layout import (
    NO_ORDER,
    PAWN_FILES,
    Ordering,
    cell_count,
    make_cells,
    orderings,
    piece_code,
    with_other_leads,
)
from tablebase.export.syzygy_reading import (
    BLACK_TO_MOVE,
    EXACT_LOSSES,
    EXACT_WINS,
    MAPPED,
    MD5_SIZE,
    SINGLE,
    SINGLE_BY_FORCE,
    WIDE_MAP,
    read_syzygy,
)

# Binary logarithms of bytes: results are probed far more often than distances.
_RESULTS_BLOCK, _DISTANCES_BLOCK = 6, 10
_SHORT_RUN = 32
# The sample by which an order of the men is chosen: a number of runs, and the cells of a run.
_SAMPLES, _SAMPLE_SIZE = 16, 4096


@dataclass(frozen=True)
class _Made:
    """A compressed table of a file; `digest` is of the values of its cells."""

    color: Color
    file: int
    ordering: Ordering
    flags: int
    pairs: Pairs
    digest: bytes
    maps: tuple[NDArray[np.uint16], ...] = field(default=())


class _Writer:
    """Makes the tables of one material's files."""

    def __init__(self, sources: Sources, material: Material, *, rounded: bool) -> None:
        self.kinds = syzygy_game(material.rules).kinds
        self.sources, self.material, self.rounded = sources, material, rounded
        self.files = PAWN_FILES if material.has_pawns else 1

    def choose(self, kind: SyzygyKind, source: CellSource) -> tuple[float, Ordering]:
        """Return the order of men and digits by which a sample compresses best, and to what."""
        tried = [(self._estimate(kind, source, one), one) for one in orderings(self.material)]
        best = min(tried)
        others = with_other_leads(self.material, best[1])
        return min([best, *((self._estimate(kind, source, one), one) for one in others)])

    def _estimate(self, kind: SyzygyKind, source: CellSource, ordering: Ordering) -> float:
        found = []
        for file in range(self.files):
            cells = make_cells(self.material, ordering, file)
            runs, last = _SAMPLES // self.files, cell_count(cells) - _SAMPLE_SIZE
            for start in np.unique(np.linspace(0, max(last, 0), runs).astype(int)).tolist():
                run = range(start, min(start + _SAMPLE_SIZE, cell_count(cells)))
                found.append(self._expected(kind, source, cells, run))
        return estimate_size(self._filled(kind, source, np.concatenate(found))[0])

    def _expected(
        self, kind: SyzygyKind, source: CellSource, cells: KernelRecord, cell_range: range
    ) -> NDArray[np.uint8]:
        return gather(source, cells, distances=kind.has_distances, cell_range=cell_range)

    def _filled(
        self, kind: SyzygyKind, source: CellSource, expected: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint16], tuple[NDArray[np.uint16], ...]]:
        """Return the values of cells, and the distances that they stand for."""
        if not kind.has_distances:
            return _fill(expected), ()
        ranks, maps = _rank_distances(expected, self._distances(source))
        values = np.empty(len(expected), dtype=np.uint16)
        _fill_distances(ranks, expected, values)
        return values, maps

    def _distances(self, source: CellSource) -> Distances:
        exact = not self.rounded
        return Distances.of(source.outcomes, exact_wins=exact, exact_losses=exact)

    def make(self, kind: SyzygyKind, source: CellSource, ordering: Ordering, file: int) -> _Made:
        """Make a table: gather what cells must hold, fill the others, check, and compress."""
        cells = make_cells(self.material, ordering, file)
        expected = self._expected(kind, source, cells, range(cell_count(cells)))
        values, maps = self._filled(kind, source, expected)
        flags, forced = 0, kind.has_distances and not self.material.rules.royal
        if kind.has_distances:
            flags |= BLACK_TO_MOVE if source.color == Color.BLACK else 0
            flags |= 0 if self.rounded else EXACT_WINS | EXACT_LOSSES
            if any(one.any() for one in maps):
                wide = any(len(one) > 255 or one.max(initial=0) > 255 for one in maps)
                flags |= MAPPED | WIDE_MAP * wide
            else:
                values[:], maps = 0, ()
            if forced and (expected == DRAW).all():
                values[:] = SINGLE_BY_FORCE
            wrong = wrong_distances(expected, values, self._distances(source), maps)[1]
        else:
            wrong = wrong_results(expected, values)[1]
        assert not wrong, f"{wrong} cells of {self.material} would be wrong"
        del expected  # a few five-man tables at a time should fit into 2 GB
        digest = _digest(values)
        is_single = not maps and (values == values[0]).all()
        if is_single and (not forced or values[0] == SINGLE_BY_FORCE):
            pairs, flags = single_value(int(values[0])), flags | SINGLE
        else:
            block = _DISTANCES_BLOCK if kind.has_distances else _RESULTS_BLOCK
            pairs = compress(values, largest_block=block)
        return _Made(source.color, file, ordering, flags, pairs, digest, maps)

    def content(self, kind: SyzygyKind, made: Sequence[_Made]) -> Iterator[bytes]:
        """Yield a file without its checksum, part by part."""
        material = self.material
        shape = 2 * material.has_pawns + (not material.is_symmetric)
        head = kind.magic + bytes([material.piece_count << 4 | shape])
        by_file = [[one for one in made if one.file == file] for file in range(self.files)]
        for tables in by_file:
            head += _nibbles([[one.ordering.lead] for one in tables], kind)
            if tables[0].ordering.second != NO_ORDER:
                head += _nibbles([[one.ordering.second] for one in tables], kind)
            codes = [[piece_code(material, man) for man in one.ordering.men] for one in tables]
            head += _nibbles(codes, kind)
        head += bytes(len(head) % 2)
        tables = [one for same in by_file for one in same]
        for one in tables:
            head += bytes([one.flags]) + one.pairs.header
        for one in tables:
            head += _packed_maps(one, len(head))
        head += bytes(len(head) % 2)
        head += b"".join(one.pairs.index for one in tables)
        head += b"".join(one.pairs.sizes for one in tables)
        yield _padded(head)
        for one in tables:
            yield _padded(one.pairs.data)


def _fill(facts: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return a result for each cell, such that they compress well."""
    found = count_values(facts)[:SYZYGY_RESULTS]
    preferred = np.zeros(UP_TO + SYZYGY_RESULTS, dtype=np.uint8)
    for most in range(1, SYZYGY_RESULTS):
        preferred[UP_TO + most] = np.argmax(found[: most + 1])
    values = np.empty(len(facts), dtype=np.uint16)
    _fill_results(facts, preferred, values)
    return values


@hot_entry
def _fill_results(facts, preferred, values):
    """Choose a result for each cell, `facts` uint8 [n], and write it to `values` uint16 [n].

    A cell with a choice gets the result of the cell before if possible, else of the next settled
    cell, else `preferred` [ANY + 1].
    """
    before = np.int64(SYZYGY_RESULTS)
    following = np.int64(-1)  # the next cell that is settled
    for i in range(len(facts)):
        fact = np.int64(facts[i])
        if fact >= SYZYGY_RESULTS:
            most = fact - UP_TO
            if before <= most:
                fact = before
            else:
                if following < i:
                    following = np.int64(i)
                    while following < len(facts) and facts[following] >= SYZYGY_RESULTS:
                        following += 1
                fact = np.int64(preferred[fact])
                if following < len(facts) and facts[following] <= most:
                    fact = np.int64(facts[following])
        values[i] = fact
        before = fact


@hot_entry
def _fill_distances(ranks, codes, values):
    """Write the rank of each code, and where any distance will do a rank that compresses well.

    In short runs it is the smaller rank of both neighbours, in long runs rank 0.
    """
    i = 0
    before = np.int64(0)
    while i < len(codes):
        if codes[i] != DRAW:
            before = np.int64(ranks[codes[i]])
            values[i] = before
            i += 1
            continue
        end = i
        while end < len(codes) and codes[end] == DRAW:
            end += 1
        chosen = np.int64(0)
        if end - i < _SHORT_RUN:
            chosen = before
            if end < len(codes):
                chosen = min(before, np.int64(ranks[codes[end]]))
        values[i:end] = chosen
        i = end


def _rank_distances(
    codes: NDArray[np.uint8], distances: Distances
) -> tuple[NDArray[np.uint16], tuple[NDArray[np.uint16], ...]]:
    """Return the rank of each code, and by result the distances that ranks stand for.

    The more frequent ones come first, so that symbols mean much the same whatever the result.
    """
    found = count_values(codes)
    found[DRAW] = 0
    ranks = np.zeros(256, dtype=np.uint16)
    maps = []
    for result in LISTED:
        held = np.flatnonzero((distances.results == result) & (found > 0))
        stored, inverse = np.unique(distances.stored[held], return_inverse=True)
        order = np.argsort(-np.bincount(inverse, weights=found[held]), kind="stable")
        maps.append(stored[order].astype(np.uint16))
        ranks[held] = np.argsort(order)[inverse]
    return ranks, tuple(maps)


def _nibbles(of_sides: list[list[int]], kind: SyzygyKind) -> bytes:
    """Return numbers for each side to move, White's in the low half of bytes."""
    low = of_sides[0]
    # A symmetric table of results repeats its one side, one of distances leaves the other zero.
    high = [0] * len(low) if kind.has_distances else of_sides[-1]
    return bytes(a | b << 4 for a, b in zip(low, high, strict=True))


def _packed_maps(made: _Made, offset: int) -> bytes:
    """Return the lists of distances of a table as they begin at an offset of the file."""
    if not made.maps:
        return b""
    if made.flags & WIDE_MAP:
        return bytes(offset % 2) + b"".join(
            struct.pack("<H", len(one)) + one.astype("<u2").tobytes() for one in made.maps
        )
    return b"".join(bytes([len(one)]) + one.astype(np.uint8).tobytes() for one in made.maps)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 64)


def write_syzygy(
    material: Material,
    folders: Sequence[Path],
    target: Path,
    *,
    rounded: bool = False,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Exported]:
    """Write the two Syzygy files of a material, results and distances to zeroing.

    Parameters
    ----------
    material
        A normalized material of a game of `syzygy_games`.
    folders
        Where our tables are, its own and its sub-tables, with distances to zeroing.
    target
        The folder to write to.
    rounded
        Whether distances may be a ply too short, as in most files in use: those are smaller.
    threads
        How many threads to use; by default one for each processor.
    progress
        Called with the numbers of tables made and of all.

    Returns
    -------
    list[Exported]
        The files, of results and of distances. Each was read back.

    Raises
    ------
    CorruptTableError
        If one of our files is damaged, or what was written cannot be read back.
    MissingTableError
        If one of our tables is missing.
    InvalidRulesError
        If the game has no Syzygy files.
    """
    began, rounded = time.perf_counter(), as_flag("rounded", rounded)
    writer = _Writer(Sources(material, folders, threads), material, rounded=rounded)
    with ThreadPoolExecutor(as_threads(threads)) as pool:
        made = _make_all(writer, pool, progress)
    exported = []
    for kind, parts in made.items():
        path = target / f"{syzygy_name(material)}{kind.suffix}"
        _save(path, writer.content(kind, parts), parts)
        seconds = time.perf_counter() - began
        exported.append(Exported(path, path.stat().st_size, seconds))
        began = time.perf_counter()
    return exported


def _make_all(
    writer: _Writer, pool: ThreadPoolExecutor, progress: Callable[[int, int], None] | None
) -> dict[SyzygyKind, list[_Made]]:
    """Return the tables of both files."""
    sides = stored_sides(writer.material)
    done, total = 0, (len(sides) + 1) * writer.files
    _, distances = kinds = writer.kinds
    made: dict[SyzygyKind, list[_Made]] = {kind: [] for kind in kinds}
    smallest = np.inf
    for color in sides:
        source = writer.sources.of(color)
        choices = [pool.submit(writer.choose, kind, source) for kind in kinds]
        chosen = {kind: one.result() for kind, one in zip(kinds, choices, strict=True)}
        # Distances are stored for the side to move that takes less room; readers look a move ahead
        # for the other one.
        if chosen[distances][0] >= smallest:
            del chosen[distances]
        else:
            smallest = chosen[distances][0]
            made[distances] = []
        tables = [
            (kind, pool.submit(writer.make, kind, source, ordering, file))
            for kind, (_, ordering) in chosen.items()
            for file in range(writer.files)
        ]
        for kind, table in tables:
            made[kind].append(table.result())
            done = min(done + 1, total - 1)
            if progress is not None:
                progress(done, total)
    return made


def _save(path: Path, content: Iterator[bytes], made: Sequence[_Made]) -> None:
    """Write a file and give it its name once it has been read back."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with complete_or_absent(path) as partial:
        checksum = hashlib.blake2b(digest_size=MD5_SIZE)
        with partial.open("rb+") as file:
            for data in content:
                checksum.update(data)
                file.write(data)
            file.write(checksum.digest())
        digests = {(one.color, one.file): one.digest for one in made}
        for part in read_syzygy(partial, name=path):
            if digests.pop((part.color, part.file)) != _digest(part.values):
                raise CorruptTableError(f"{path} would not read back as written: check the disk")
        assert not digests, "tables of the file were not read back"


def _digest(values: NDArray[np.uint16]) -> bytes:
    return hashlib.blake2b(values.data).digest()
