"""Kernels: where they are cached, records, and calls by address."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof, types

from tablebase import _jit
from tablebase._jit import Record, entry, entry_address, far, kernel


class Inner(NamedTuple):
    weights: np.ndarray
    bias: int


class Outer(NamedTuple):
    grid: np.ndarray
    inner: Record
    name: int


@entry
def read_record(record, i, j):
    return record.grid[i, j] * record.inner.weights[j] + record.inner.bias + record.name


@kernel
def write_record(record, i, j, value):
    record.grid[i, j] = value


@pytest.fixture
def record():
    grid = np.arange(12, dtype=np.int64).reshape(3, 4)
    inner = Record(Inner(np.array([10, 100, 1000, 10000], dtype=np.int64), 7))
    return Record(Outer(grid, inner, 3))


def test_records_are_read_like_tuples(record):
    for i in range(3):
        for j in range(4):
            assert read_record(record, i, j) == (4 * i + j) * 10 ** (j + 1) + 10


def test_arrays_of_records_are_shared(record):
    write_record(record, 2, 1, 99)
    assert record.fields.grid[2, 1] == 99
    assert read_record(record, 2, 1) == 9910


def test_records_of_other_shapes_need_no_new_kernel(record):
    read_record(record, 0, 0)
    count = len(read_record.signatures)
    other = Record(
        Outer(np.ones((9, 9), dtype=np.int64), Record(Inner(np.ones(9, dtype=np.int64), 0)), 0)
    )
    assert read_record(other, 8, 8) == 1
    assert len(read_record.signatures) == count


@entry
def scaled_sum(values, factor):
    total = np.int64(0)
    for value in values:
        total += value * factor
    return total


far_scaled_sum = far(scaled_sum, 2)


@kernel
def call_far(entries, values, factor):
    return far_scaled_sum(entries, (values, np.int64(factor))) + 1


def test_far_calls_reach_the_kernel():
    values = np.arange(5)
    entries = np.zeros(3, dtype=np.int64)
    entries[2] = entry_address(scaled_sum, typeof(values), types.int64)
    assert call_far(entries, values, 3) == 31


def test_arrays_of_more_dimensions_are_laid_out_as_numba_does():
    cube = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)

    class Cube(NamedTuple):
        cube: np.ndarray

    @kernel
    def corner(record):
        return record.cube[1, 2, 3], record.cube.shape

    assert corner(Record(Cube(cube))) == (23, (2, 3, 4))


def test_the_cache_is_named_after_the_sources():
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    assert _jit.cache_folder().name == f"kernels-{_jit._source_digest()}"
    assert folder.exists()


@pytest.fixture
def caches(monkeypatch, tmp_path):
    """Return where the folders of kernels are: one used yesterday, one last used 8 days ago."""
    monkeypatch.setattr(_jit, "_PACKAGE", tmp_path)
    for name, days in [("kernels-recent", 1), ("kernels-old", 8), ("others-old", 8)]:
        kernel = tmp_path / "__pycache__" / name / "module" / "kernel.nbc"
        kernel.parent.mkdir(parents=True)
        kernel.touch()
        moment = time.time() - days * 24 * 3600
        os.utime(kernel.parents[1], (moment, moment))
    return tmp_path / "__pycache__"


def test_a_new_folder_replaces_those_out_of_use(caches):
    folder = _jit.cache_folder()
    assert {path.name for path in caches.iterdir()} == {folder.name, "kernels-recent", "others-old"}
    assert (caches / "kernels-recent" / "module" / "kernel.nbc").exists()


def test_what_is_in_use_stays(caches, monkeypatch):
    monkeypatch.setattr(_jit, "_source_digest", lambda: "old")
    assert _jit.cache_folder() == caches / "kernels-old"
    monkeypatch.setattr(_jit, "_source_digest", lambda: "new")
    _jit.cache_folder()
    assert (caches / "kernels-old" / "module" / "kernel.nbc").exists()


@pytest.fixture
def run_module(tmp_path):
    """Return a function that runs a source in a process of its own, with a folder for kernels."""

    def run(source):
        module = tmp_path / "module.py"
        module.write_text(source)
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
        environment["PYTHONPATH"] = str(Path(__file__).parents[1])
        command = [sys.executable, str(module)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_process_outlives_its_folder(run_module):
    output = run_module(
        "import os, shutil\n"
        "from tablebase._jit import entry\n"
        "@entry\n"
        "def double(value):\n"
        "    return 2 * value\n"
        "assert double(3) == 6\n"
        "shutil.rmtree(os.environ['NUMBA_CACHE_DIR'])\n"
        "assert double(1.5) == 3.0\n"
        "print(*(name for _, _, names in os.walk(os.environ['NUMBA_CACHE_DIR']) for name in names))"
    )
    assert "double" in output


def test_entries_alone_are_cached(run_module, tmp_path):
    for hits in range(2):
        output = run_module(
            "from tablebase._jit import entry, kernel\n"
            "@kernel\n"
            "def part(value):\n"
            "    return 2 * value\n"
            "@entry\n"
            "def whole(value):\n"
            "    return part(value) + 1\n"
            "print(whole(3), part(4), sum(whole.stats.cache_hits.values()))"
        )
        assert output.split() == ["7", "8", str(hits)]
    names = {path.name.split("-")[0] for path in (tmp_path / "kernels").rglob("*.nb?")}
    assert names == {"module.whole"}


def test_another_folder_serves_if_the_first_cannot_be_written(monkeypatch, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, so no folder can be made in it")
    monkeypatch.setattr(_jit, "_PACKAGE", blocked)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert _jit.cache_folder().parent == tmp_path / "cache" / "chess-tablebase"
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(Path, "home", lambda: blocked)
    folder = _jit.cache_folder()
    assert folder.is_dir()
    assert folder.name.startswith("chess-tablebase-")
    folder.rmdir()


def test_import_survives_without_any_writable_home(tmp_path):
    environment = {**os.environ, "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"}
    environment.pop("NUMBA_CACHE_DIR", None)
    code = (
        "from pathlib import Path\n"
        "import tempfile\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "real = tempfile.TemporaryFile\n"
        "def refuse(dir=None, **more):\n"
        "    raise PermissionError(dir)\n"
        "tempfile.TemporaryFile = refuse\n"
        "import tablebase._jit as jit\n"
        "import os\n"
        "print(os.environ['NUMBA_CACHE_DIR'])\n"
    )
    command = [sys.executable, "-c", code]
    run = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip().startswith(str(tmp_path))
