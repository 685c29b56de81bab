"""Kernels: what is cached, and how they are compiled without numba's inner classes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run_module(tmp_path):
    """Return a function that runs a source in a process of its own, with a folder for kernels."""

    def run(source, **variables):
        module = tmp_path / "module.py"
        if not module.exists() or module.read_text() != source:  # numba looks at the time, too
            module.write_text(source)
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels"), **variables}
        environment["PYTHONPATH"] = str(ROOT)
        command = [sys.executable, str(module)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        run.errors = done.stderr
        return done.stdout

    return run


def test_a_process_outlives_its_folder(run_module):
    output = run_module(
        "import os, shutil\n"
        "from tablebase.core.jit.kernels import entry\n"
        "@entry\n"
        "def double(value):\n"
        "    return 2 * value\n"
        "assert double(3) == 6\n"
        "shutil.rmtree(os.environ['NUMBA_CACHE_DIR'])\n"
        "assert double(1.5) == 3.0\n"
        "print(*(name for _, _, names in os.walk(os.environ['NUMBA_CACHE_DIR']) for name in names))"
    )
    assert "double" in output


@pytest.mark.thorough
def test_entries_alone_are_cached(run_module, tmp_path):
    for hits in range(2):
        output = run_module(
            "from tablebase.core.jit.kernels import entry, kernel\n"
            "@kernel\n"
            "def part(value):\n"
            "    return 2 * value\n"
            "@entry\n"
            "def whole(value):\n"
            "    return part(value) + 1\n"
            "print(whole(3), part(4), sum(whole.dispatcher.stats.cache_hits.values()))"
        )
        assert output.split() == ["7", "8", str(hits)]
    names = {path.name.split("-")[0] for path in (tmp_path / "kernels").rglob("*.nb?")}
    assert names == {"module.whole"}


@pytest.mark.thorough
@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_disk_that_is_full_keeps_nothing_and_hinders_nothing(run_module, tmp_path):
    source = (
        "import os, resource, signal\n"
        "from tablebase.core.jit.kernels import entry\n"
        "@entry\n"
        "def twice(value):\n"
        "    return 2 * value\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(os.environ['ROOM']), -1))\n"
        "print(twice(3), sum(twice.dispatcher.stats.cache_hits.values()))"
    )
    for room, hits in (("100", 0), ("-1", 0), ("100", 1)):
        assert run_module(source, ROOM=room).split() == ["6", str(hits)]
    assert not list((tmp_path / "kernels").rglob("*.tmp.*"))


INLINED = """
from tablebase.core.jit.kernels import entry, inlined_kernel
def make_walk(visit):
    @inlined_kernel
    def walk(count):
        found = 0
        for n in range(count):
            found = visit(found, n)
        return found
    return walk
@inlined_kernel
def add(found, n):
    return found + n
@inlined_kernel
def count(found, n):
    return found + 1
sums, counts = make_walk(add), make_walk(count)
@entry
def whole(n):
    return 10 * sums(n) + counts(n)
print(whole(4), sum(whole.dispatcher.stats.cache_hits.values()))
"""


@pytest.mark.thorough
def test_a_kernel_is_inlined_with_the_visitor_that_it_was_made_for(run_module):
    look = "print(*whole.dispatcher.inspect_asm().values(), sep='\\n')\n"
    output = run_module(INLINED + look).splitlines()
    assert output[0] == "64 0"
    functions = [line for line in output if "@function" in line]
    assert functions
    assert not [line for line in functions if "walk" in line or "add" in line]
    assert run_module(INLINED + look).split()[:2] == ["64", "1"]


DOUBLE = """
from tablebase.core.jit.kernels import entry, kernel
from tablebase.core.jit import dispatchers as _dispatchers
@kernel
def part(value):
    return 2 * value
@entry
def whole(value):
    return part(value) + 1
print(whole(3), part(4), _dispatchers.IS_PLAIN, sum(whole.dispatcher.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_plain_numba_can_be_asked_for(run_module):
    for hits in range(2):
        output = run_module(DOUBLE, TABLEBASE_PLAIN_NUMBA="1")
        assert output.split() == ["7", "8", "True", str(hits)]
        assert run_module.errors.count("RuntimeWarning") == 1
        assert "TABLEBASE_PLAIN_NUMBA is set" in run_module.errors
        assert "Traceback" not in run_module.errors
    for hits in range(2):  # what was compiled plainly is not taken for the other, nor replaced
        output = run_module(DOUBLE, TABLEBASE_PLAIN_NUMBA="0")
        assert output.split() == ["7", "8", "False", str(hits)]
        assert not run_module.errors
    assert run_module(DOUBLE, TABLEBASE_PLAIN_NUMBA="1").split()[-1] == "1"


@pytest.mark.parametrize(
    "breaking",
    [
        pytest.param("del numba.core.codegen.JITCodeLibrary", marks=pytest.mark.slow),
        "del numba.core.typed_passes.NativeLowering",
    ],
)
def test_a_missing_hook_of_numba_means_plain_numba(breaking, run_module):
    start = "import numba\nimport numba.core.codegen, numba.core.options, numba.core.typed_passes\n"
    assert run_module(start + breaking + DOUBLE).split() == ["7", "8", "True", "0"]
    assert run_module.errors.count("RuntimeWarning") == 1
    assert "this numba is not as expected" in run_module.errors
    assert "Traceback" not in run_module.errors


def test_methods_that_are_overridden_must_be_there(monkeypatch):
    pipeline = pytest.importorskip("tablebase.core.jit.compiler")
    pipeline.try_out({})
    monkeypatch.setattr(pipeline, "_HOOKS", ((pipeline.Lower, ("setup_function", "forgotten")),))
    with pytest.raises(AttributeError, match="forgotten"):
        pipeline.try_out({})


NEWER = "import numba\nnumba.__version__ = '99.1.0'\n"


@pytest.mark.slow
def test_a_newer_numba_is_tried_out(run_module):
    assert run_module(NEWER + DOUBLE).split() == ["7", "8", "False", "0"]
    assert not run_module.errors
    breaking = (
        "from numba.core.base import BaseContext\n"
        "inserted = BaseContext.insert_user_function\n"
        "def insert(self, function, kind, libraries):\n"
        "    assert all(type(each).__module__.startswith('numba') for each in libraries), 'own'\n"
        "    return inserted(self, function, kind, libraries)\n"
        "BaseContext.insert_user_function = insert\n"
    )
    assert run_module(NEWER + breaking + DOUBLE).split()[:3] == ["7", "8", "True"]
    assert run_module.errors.count("RuntimeWarning") == 1


def test_the_newest_numba_tried_is_stated_with_the_dependency():
    from tablebase.core.jit.compiler import NEWEST_KNOWN

    version = ".".join(map(str, NEWEST_KNOWN))
    assert f"the newest tried is {version};" in (ROOT / "pyproject.toml").read_text()


@pytest.mark.slow
def test_plain_numba_builds_the_same_tables(tmp_path):
    from tablebase.core.rules.material import Material
    from tablebase.core.storage.reading import open_table
    from tablebase.core.storage.table_names import table_path

    environment = {**os.environ, "TABLEBASE_PLAIN_NUMBA": "1", "PYTHONPATH": str(ROOT)}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "kernels")
    command = [sys.executable, "-m", "tablebase", "build", "KRK", "KPK", "--dir", str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kernels are compiled by plain numba") == 1
    for material in map(Material.from_name, ("KRK", "KPK")):
        with (
            open_table(table_path(tmp_path, material)) as built,
            open_table(table_path(ROOT / "data", material)) as known,
        ):
            for metric in known.metrics:
                assert built.sha256_of(metric) == known.sha256_of(metric)
