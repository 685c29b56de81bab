"""Syzygy and Gaviota files: if `audit` finds nothing wrong, python-chess reads the right values."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.gaviota
import chess.syzygy
from fuzzing.mutations import damage
from fuzzing.tables import NAMES, make_tables, random_boards
from fuzzing.target import REFUSED, RIGHT, Answers, Mutant, Target, WrongAnswerError

from tablebase import Material
from tablebase.core.rules.material import generation_order
from tablebase.export.gaviota_audit import audit_gaviota
from tablebase.export.gaviota_reading import gaviota_material
from tablebase.export.gaviota_writing import write_gaviota
from tablebase.export.reports import Audit
from tablebase.export.syzygy_audit import audit_syzygy
from tablebase.export.syzygy_games import syzygy_names
from tablebase.export.syzygy_writing import write_syzygy

_POSITIONS = 60
_HEADER = 512  # bytes in which changes are most likely to be believed


def make_exported(base: Path) -> Path:
    """Return a folder with files of both formats, made if it is not there."""
    tables, folder = make_tables(base), base / "exported"
    if not folder.exists():
        new = base / "new"
        new.mkdir()
        wanted = [Material.from_name(name) for name in NAMES]
        needed = {one for material in wanted for one in (material, *material.dependencies())}
        for material in generation_order(needed):
            if material.groups:
                write_syzygy(material, [tables], new)
                write_gaviota(material, tables / f"{material.name}.h5", new)
        new.rename(folder)
    return folder


class Exported(Target):
    """Files for other programs, as this one and python-chess read them."""

    name = "exported"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._tables, self._folder = make_tables(base), make_exported(base)
        self._files = {}
        self._boards: dict[str, list[chess.Board]] = {}
        self._truths: dict[str, list[int]] = {}
        for name in NAMES:
            material = Material.from_name(name)
            files = (*syzygy_names(material), f"{name.lower()}.gtb.cp4")
            for file in files:
                self._files[file] = (self._folder / file).read_bytes()
                boards = random_boards(random.Random(2004), material, _POSITIONS)
                self._boards[file] = boards
                self._truths[file] = self._read_by_others(file, self._folder)

    def valid(self) -> list[Mutant]:
        """Return the files as they are."""
        return [Mutant(name, "nothing", data) for name, data in self._files.items()]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return a damaged file."""
        name = rng.choice(list(self._files))
        data = self._files[name]
        if rng.random() < 0.5:
            return Mutant(name, *damage(rng, data, list(self._files.values())))
        how, head = damage(rng, data[:_HEADER], [data])
        return Mutant(name, f"{how} of the header", head + data[_HEADER:])

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Audit the file; if nothing is wrong, read it by python-chess."""
        answers = Answers()
        report = answers.ask(partial(self._audit, path))
        if report is None or not report.passed:
            return REFUSED
        found = self._read_by_others(mutant.name, path.parent)
        if found != self._truths[mutant.name]:
            raise WrongAnswerError("audit passed a file of which python-chess reads other values")
        return RIGHT

    def _audit(self, path: Path) -> Audit:
        if path.suffix == ".cp4":
            source = self._tables / f"{gaviota_material(path).name}.h5"
            return audit_gaviota(path, source, threads=1)
        return audit_syzygy(path, [self._tables], threads=1)

    def _read_by_others(self, name: str, folder: Path) -> list[int]:
        """Return what python-chess reads from a file of a folder, with the others as they were."""
        reader: Any
        probe: Callable[[chess.Board], int]
        if name.endswith(".cp4"):
            reader = chess.gaviota.PythonTablebase()
            probe = reader.probe_dtm
        else:
            reader = chess.syzygy.Tablebase()
            probe = reader.probe_wdl if name.endswith("w") else reader.probe_dtz
        with reader:
            for directory in (self._folder, folder):  # the last one counts
                reader.add_directory(str(directory))
            return [probe(board) for board in self._boards[name]]
