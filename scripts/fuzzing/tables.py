"""Files of tables: a value that is read from a changed one is right, or the file is refused."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import chess
import h5py
import numpy as np
from fuzzing import hdf5
from fuzzing.mutations import damage
from fuzzing.target import Answers, Mutant, Target, run_command

from tablebase import Material, Table, Tablebase, open_tablebase
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.metrics import DISTANCES, DTM, DTZ, METRICS, Metric
from tablebase.core.positions.chess_board import board_of, illegality
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import stored_sides

NAMES = ("KRK", "KPK")
VALUES = "values"  # changed with all checksums of chunks: only the SHA-256 of all tells
_POSITIONS, _SINGLE = 40, 12  # in batches, and of these one by one
_MEANING = "dtz_outcomes"


def edit_meaning(rng: random.Random, file: h5py.File) -> None:
    """Change what codes of distances to zeroing mean, to something that may be."""
    if _MEANING not in file.attrs:
        hdf5.edit_attribute(rng, file)
        return
    meaning = json.loads(file.attrs[_MEANING])
    side = meaning[rng.choice(sorted(meaning))]
    one, other = rng.randrange(len(side)), rng.randrange(len(side))
    change = rng.randrange(3)
    if change == 0:
        side[one], side[other] = side[other], side[one]
    elif change == 1:
        side[one] += rng.choice((-2, -1, 1, 2, 100))
    else:
        side[one] = ~side[one]
    file.attrs.modify(_MEANING, np.bytes_(json.dumps(meaning)))


_EDITS: dict[str, hdf5.Edit] = {
    "attribute": hdf5.edit_attribute,
    "data set": hdf5.edit_layout,
    "chunk": hdf5.edit_chunk,
    "meaning": edit_meaning,
    VALUES: hdf5.edit_values,
}


def make_tables(base: Path) -> Path:
    """Return a folder with tables and sub-tables, helpmates too, made if it is not there."""
    from tablebase.core.building.generator import generate

    folder = base / "tables"
    if not folder.exists():
        materials = [Material.from_name(name) for name in NAMES]
        generate(materials, base / "new", metrics=DISTANCES)
        (base / "new").rename(folder)
    return folder


def make_long_table(base: Path) -> Path:
    """Return a folder with a made-up table with epochs, made if it is not there."""
    folder = base / "epochs"
    if not folder.exists():
        (base / "new").mkdir()
        material = Material.from_name("KRK")
        noise = np.random.default_rng(20040704)
        epochs = [noise.choice([0, 0, 0, 0, 1, 2], slot_count(material)) << 8 for _ in range(2)]
        codes = [noise.integers(0, 12, one.size) + one for one in epochs]
        write_table(Table(material, *(one.astype(np.uint16) for one in codes)), base / "new/KRK.h5")
        (base / "new").rename(folder)
    return folder


def dateless(path: Path) -> bytes:
    """Return the bytes of a table as if it had been written at the same time as any other."""

    def edit(_: random.Random, file: Any) -> None:
        file.attrs.modify("created", np.bytes_(b"2004-07-04T00:00:00+00:00"))

    return hdf5.rewrite(random.Random(0), path.read_bytes(), edit)


def random_boards(rng: random.Random, material: Material, count: int) -> list[chess.Board]:
    """Return legal positions of a material, as many as asked for."""
    boards: list[chess.Board] = []
    while len(boards) < count:
        squares = rng.sample(range(64), material.piece_count)
        board = board_of(material, squares, rng.choice(chess.COLORS))
        if not illegality(board):
            boards.append(board)
    return boards


class Tables(Target):
    """Tables with both metrics."""

    name = "tables"
    make: Callable[[Path], Path] = staticmethod(make_tables)
    materials: tuple[str, ...] = NAMES
    metrics: tuple[Metric, ...] = METRICS

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        folder = self.make(base)
        self._files = {f"{name}.h5": dateless(folder / f"{name}.h5") for name in self.materials}
        self._boards: dict[str, list[chess.Board]] = {}
        self._truths: dict[str, list[Any]] = {}
        with open_tablebase(folder) as tables:
            for name in self._files:
                material = Material.from_name(name[:-3])
                boards = random_boards(random.Random(2004), material, _POSITIONS)
                self._boards[name] = boards
                self._truths[name] = [
                    one() for one in self._questions(tables, folder / name, boards)
                ]

    def valid(self) -> list[Mutant]:
        """Return the tables as they are."""
        return [Mutant(name, "nothing", data) for name, data in self._files.items()]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return a changed table."""
        name = rng.choice(list(self._files))
        data, others = self._files[name], list(self._files.values())
        kind = rng.randrange(8)
        if kind < 2:
            return Mutant(name, *damage(rng, data, others))
        if kind == 2:
            return Mutant(name, "metadata", hdf5.change_metadata(rng, data))
        how = rng.choice(list(_EDITS))
        return Mutant(name, how, hdf5.rewrite(rng, data, _EDITS[how]))

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Ask for values one by one, in batches, by chunks and as a whole."""
        answers, name = Answers(), mutant.name
        known = len(self.metrics) if mutant.how == VALUES else len(self._truths[name])
        with open_tablebase(path.parent) as tables:
            questions = self._questions(tables, path, self._boards[name])
            for number, question in enumerate(questions):
                answers.ask(question, self._truths[name][number] if number < known else None)
        if mutant.how in {"attribute", "meaning"}:
            run_command("info", str(path))
        return answers.verdict

    def _questions(
        self, tables: Tablebase, path: Path, boards: list[chess.Board]
    ) -> list[Callable[[], Any]]:
        """Return what is asked, first that whose answer the SHA-256 of all values guards."""
        single = [tables.probe_dtm, tables.probe_wdl]
        many: list[Callable[..., Any]] = [tables.probe_dtm_many, tables.probe_wdl_many]
        if DTZ in self.metrics:
            single += [tables.probe_dtz, tables.probe_wdl50]
            many += [tables.probe_dtz_many, tables.probe_wdl50_many]
        return [
            *(partial(_digest_of_all, path, metric) for metric in self.metrics),
            partial(_digest_of_chunks, path),
            *(partial(probe, board) for board in boards[:_SINGLE] for probe in single),
            *(partial(_in_a_batch, probe, boards) for probe in many),
        ]


def _in_a_batch(probe: Callable[..., Any], boards: list[chess.Board]) -> list[int]:
    """Return what many positions are worth."""
    values: list[int] = probe(boards)[0].tolist()
    return values


def _digest_of_all(path: Path, metric: Metric) -> str:
    """Return a digest of a table that is read at once."""
    table = read_table(path, metric)
    _check_name(table.material, path)
    digest = hashlib.sha256()
    for part in (*table.codes, *table.outcomes):
        digest.update(part.tobytes())
    return digest.hexdigest()


def _digest_of_chunks(path: Path) -> str:
    """Return a digest of a table that is read chunk by chunk, however long these are."""
    digest = hashlib.sha256()
    with open_table(path) as file:
        file.check()
        _check_name(file.material, path)
        for metric in file.metrics:
            for color in stored_sides(file.material):
                for number in range(file.chunk_count):
                    digest.update(file.chunk(color, number, metric).tobytes())
    return digest.hexdigest()


def _check_name(material: Material, path: Path) -> None:
    """Raise what probing does if a file is a table of another material."""
    if material.name != path.stem:
        raise CorruptTableError(f"{path} has the table of {material}")


class LongTables(Tables):
    """Tables whose distances have a second byte; their values are made up."""

    name = "epochs"
    make = staticmethod(make_long_table)
    materials = ("KRK",)
    metrics = (DTM,)
