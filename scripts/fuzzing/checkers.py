"""Tables of strangers for the checkers in examples/: no false file is right, none harms them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from fuzzing import hdf5
from fuzzing.mutations import damage
from fuzzing.tables import dateless, edit_meaning, make_tables
from fuzzing.target import (
    EXAMPLES,
    REFUSED,
    RIGHT,
    Ended,
    Mutant,
    Target,
    WrongAnswerError,
    run_program,
)

from tablebase import Material
from tablebase.core.index.legality import NO_POSITION, map_marks
from tablebase.core.index.numbering import table_index

IN_PYTHON, IN_C = EXAMPLES / "check_table.py", EXAMPLES / "check_table.c"
# All sanitizers of memory and of undefined behaviour; a report ends the program.
SANITIZED = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# What was never freed is no matter in a program that ends, and ptrace forbids looking for it.
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
# Shadows of memory take terabytes of addresses, whatever bound this process has.
UNBOUNDED = 'ulimit -S -d "$(ulimit -H -d)"; exec "$0" "$@"'
LIMIT = 60.0  # seconds
NAMES = ("KRK", "KQK")
_BESIDE = ("KK",)
_SAMPLE = 20  # positions for the program in Python
_RIGHT = re.compile(r"(.*): (\d+) positions, (\w+(?: and \w+)*) right\n")
_SIDES = ("white_to_move", "black_to_move")
_METRICS = ("dtm", "dtz")


def edit_sets(rng: random.Random, file: h5py.File) -> None:
    """Take data sets away, with the values of others made draws, as if nothing were missing."""
    for name in hdf5.data_sets(file):
        codes = file[name][:]
        codes[:] = 255
        chunks = file[name].chunks
        del file[name]
        if rng.random() < 0.7:
            file.create_dataset(name, data=codes, chunks=chunks, compression=6, fletcher32=True)
    if rng.random() < 0.5:
        stated = rng.choice((b" ", b"", b"dtm", b"dtz", b"dtm dtm", b"dtm dtz", b"dtm  dtz"))
        file.attrs.create("metrics", np.bytes_(stated or b"\0"))


def edit_bomb(rng: random.Random, file: h5py.File) -> None:
    """State a large data set or large chunks, which take little room."""
    name = rng.choice(hdf5.data_sets(file))
    size = file[name].size
    del file[name]
    shape, chunk = rng.choice(((1 << 28, 1 << 20), (1 << 26, 1 << 26), (size, 1 << 26), (1, 1)))
    options = {"chunks": (chunk,), "compression": 9, "fletcher32": True, "maxshape": (None,)}
    made = file.create_dataset(name, (shape,), "u1", **options)
    made[: min(shape, 1 << 26)] = 255


def edit_depth(rng: random.Random, file: h5py.File) -> None:
    """Put an odd text where the meaning of codes is."""
    meaning = rng.choice((
        b"[" * 60_000, b'{"white_to_move": [' + b"1," * 30_000, b'{"white_to_move": [NaN, -1e99]}',
        b'{"white_to_move":[-2147483648,9223372036854775808],"black_to_move":[0,"a",null]}', b"7",
    ))  # fmt: skip
    file.attrs.create("dtz_outcomes", np.bytes_(meaning))


_EDITS: dict[str, hdf5.Edit] = {
    "attribute": hdf5.edit_attribute,
    "data set": hdf5.edit_layout,
    "chunk": hdf5.edit_chunk,
    "meaning": edit_meaning,
    "values": hdf5.edit_values,
    "sets": edit_sets,
    "bomb": edit_bomb,
    "depth": edit_depth,
}


class Checkers(Target):
    """Tables with all metrics, for the checker in Python and, with a compiler, the one in C."""

    name = "checkers"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._folder = make_tables(base)
        self._files = {f"{name}.h5": dateless(self._folder / f"{name}.h5") for name in NAMES}
        self._legal = {f"{name}.h5": legal_slots(name) for name in NAMES}
        self._truths = {name: _meanings(self._folder / name) for name in self._files}
        self._program: Path | None = None
        if compiler():
            self._program = base / "check_table"
            if not self._program.exists():
                compile_sanitized(self._program)
        self._said: dict[str, str] = {}

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
        """Check the file by both programs; what one of them calls right has the right values."""
        for name in _BESIDE:
            (path.parent / f"{name}.h5").symlink_to((self._folder / f"{name}.h5").resolve())
        ended = [run_program(IN_PYTHON, "--positions", str(_SAMPLE), str(path))]
        _forget()
        if self._program is not None:
            ended.append(run_in_c(self._program, path))
        for one in ended:
            if bool(one.code) != bool(one.err) or one.err.count("\n") > 1:
                raise WrongAnswerError(f"exit code {one.code} with {one.out}{one.err}")
            if one.code == 0:
                self._require_right(mutant, path, one.out)
        if self._program is not None and ended[1].code == 0:
            self._compare(mutant.name, path)
        return REFUSED if any(one.code for one in ended) else RIGHT

    def _require_right(self, mutant: Mutant, path: Path, said: str) -> None:
        """Raise an error unless a program says that it compared as much as in the whole table."""
        found = _RIGHT.fullmatch(said)
        if found is None or found[1] != str(path):
            raise WrongAnswerError(f"the checker printed {said!r}")
        what = f"{found[2]} positions, {found[3]}"
        key = f"{mutant.name} {int(found[2]) == _SAMPLE}"
        if mutant.how == "nothing":
            self._said[key] = what
        if what != self._said[key] or not int(found[2]):
            raise WrongAnswerError(f"{what} are right, and not {self._said[key]}")

    def _compare(self, name: str, path: Path) -> None:
        """Raise an error if a file that is right has another value than the table, where read."""
        try:
            found = _meanings(path)
        except (LookupError, OSError, RuntimeError, TypeError, ValueError):
            return  # HDF5 guards bytes that the program in C does not need
        for key, values in self._truths[name].items():
            legal = self._legal[name][key[0]]
            if not np.array_equal(values[legal], found[key][legal]):
                raise WrongAnswerError(f"{key} has other values, and the checker calls it right")


def _meanings(path: Path) -> dict[tuple[str, str], np.ndarray]:
    """Return what the codes of a table mean, by side to move and metric."""
    found: dict[tuple[str, str], Any] = {}
    with h5py.File(path) as file:
        outcomes = json.loads(file.attrs["dtz_outcomes"])
        for side in _SIDES:
            found[side, "dtm"] = file[f"{side}/dtm"][:].astype(np.int64)
            listed = np.full(256, 1 << 20, dtype=np.int64)
            listed[: len(outcomes[side][:255])], listed[255] = outcomes[side][:255], 0
            found[side, "dtz"] = listed[file[f"{side}/dtz"][:]]
            for mates in ("white_mates", "black_mates"):
                found[side, mates] = file[f"{side}/{mates}"][:]
    return found


def _forget() -> None:
    """Forget what the program in Python remembers of a file that is another one in each case."""
    import check_table

    check_table.find.cache_clear()
    check_table.chunk.cache_clear()


def compile_sanitized(target: Path) -> None:
    """Compile check_table.c with the sanitizers."""
    name = compiler()
    assert name is not None, "there is no compiler"
    warnings = "-Wall", "-Wextra", "-Werror"
    subprocess.run([name, *SANITIZED, *warnings, "-o", target, IN_C, "-lz"], check=True)


def compiler() -> str | None:
    """Return a compiler of C that has the sanitizers and zlib, None if there is none."""
    return next(filter(_can_compile, ("cc", "gcc", "clang")), None)


@cache
def _can_compile(name: str) -> bool:
    if shutil.which(name) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "a.c"
        source.write_text("#include <zlib.h>\nint main(void) { return !zlibVersion(); }\n")
        program = Path(folder) / "a"
        made = subprocess.run(
            [name, *SANITIZED, "-o", program, source, "-lz"], capture_output=True, check=False
        )
        return not made.returncode and not subprocess.run([program], check=False).returncode


def run_in_c(program: Path, *paths: Path) -> Ended:
    """Return the result of the program in C; `WrongAnswerError` if a sanitizer reports anything."""
    done = subprocess.run(
        ["/bin/sh", "-c", UNBOUNDED, program, *paths],
        capture_output=True,
        text=True,
        errors="replace",
        env=os.environ | SETTINGS,
        timeout=LIMIT,
        check=False,
    )
    # With the sanitizers' exit code of 1 their report would pass for a difference.
    if done.returncode not in {0, 1, 2} or re.search("runtime error|Sanitizer", done.stderr):
        raise WrongAnswerError(f"it ended with {done.returncode}: {done.stderr[:2000]}")
    return Ended(done.returncode, done.stdout, done.stderr)


def legal_slots(name: str) -> dict[str, np.ndarray]:
    """Return by side to move which slots of a table have values that count."""
    parts = map_marks(table_index(Material.from_name(name)), lambda _, marks: marks.copy())
    marks = np.concatenate(list(parts)).astype(np.int64)
    there = marks != NO_POSITION
    return {side: there & (marks >> color & 1 != 0) for color, side in enumerate(_SIDES)}
