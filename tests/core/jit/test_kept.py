"""Files of compiled kernels: what is damaged, stale or closed is compiled again."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numba
import pytest

from tablebase.core.jit import kept, kernel_sources
from tablebase.core.jit.kernel_sources import compiled_sources
from tablebase.core.jit.kernels import entry, kernel

# Not imported by name, which would make them sources of the kernels here.
solve_slices = import_module("tablebase.core.engine.plies.slices").solve_slices
PACKAGE = Path(kernel_sources.__file__).parents[2]


def thrice(value):
    return 3 * value


def five_times(value):
    return 5 * value


def ask(function=thrice):
    """Return a kernel's answer as in a new process, and whether it was found in a file."""
    compiled = entry(function).dispatcher
    return compiled(14), sum(compiled.stats.cache_hits.values()) == 1


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Return the user's own folder, where one kernel is kept beside a file of somebody else."""
    import_module("tablebase.core.jit.dispatchers")  # which names a folder to numba itself
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "notes.nbi").write_text("not ours")
    assert ask() == (42, False)
    assert ask() == (42, True)
    yield tmp_path
    assert (tmp_path / "others" / "notes.nbi").read_text() == "not ours"


def hole(data):
    """Return bytes with zeros in the middle, as a page that was never written."""
    middle = len(data) // 2
    return data[:middle] + bytes(16) + data[middle + 16 :]


DAMAGES = {
    "empty": lambda _: b"",
    "cut": lambda data: data[:40],
    "cut at the end": lambda data: data[:-1],
    "zeros": lambda data: bytes(len(data)),
    "garbage": lambda data: bytes(255 - byte for byte in data),
    "text": lambda _: b"this was another file\n",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_is_replaced_once(folder, ending, damage):
    (path,) = folder.glob(f"*_*/*.{ending}")
    path.write_bytes(damage(path.read_bytes()))
    assert ask() == (42, False)
    assert ask() == (42, True)


def test_code_that_can_be_read_but_was_changed_is_not_run(folder):
    (path,) = folder.glob("*_*/*.nbc")
    data = path.read_bytes()
    code = data.index(b"\x7fELF") if b"\x7fELF" in data else len(data) // 2
    path.write_bytes(data[:code] + hole(data[code:]))
    assert ask() == (42, False)
    assert ask() == (42, True)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("edited", "is_found"),
    [
        (Path(__file__), False),
        (PACKAGE / "core" / "jit" / "compiler.py", False),
        (PACKAGE / "cli" / "lines.py", True),
    ],
    ids=["its own", "the compiler's", "another's"],
)
def test_an_edit_compiles_what_it_touches(edited, is_found, monkeypatch):
    edit(monkeypatch, edited)
    assert ask() == (42, is_found)
    assert ask() == (42, True)


def edit(monkeypatch, edited):
    """Let a source be read as if a comment had been added."""
    read = kernel_sources._read.__wrapped__
    monkeypatch.setattr(
        kernel_sources, "_read", lambda path: read(path) + b"# edited" * (path == edited.resolve())
    )
    # Each process reads the sources once.
    monkeypatch.setattr(kept, "source_digest", kernel_sources.source_digest.__wrapped__)


def test_what_a_kernel_calls_in_other_modules_is_among_its_sources():
    names = compiled_sources(solve_slices.py_func)
    assert "tablebase/core/engine/sets/bits.py" in names
    assert "tablebase/core/rules/rules.py" in names
    assert not any("reading" in name for name in names)


def test_kernels_that_a_factory_closes_in_another_are_among_its_sources():
    def names_of(*visits):
        def call(value):
            return visits[0](value)

        return set(compiled_sources(call))

    assert not any("engine" in name for name in names_of(kernel(thrice)))
    assert "tablebase/core/engine/sets/bits.py" in names_of(kernel(thrice), solve_slices)


def test_a_kernel_under_the_name_of_another_is_not_run(folder):
    assert ask(five_times) == (70, False)
    files = {path.name: path for path in folder.glob("*_*/*.nbc")}
    ours, other = (next(files[n] for n in files if f.__name__ in n) for f in (thrice, five_times))
    ours.write_bytes(other.read_bytes())
    assert ask() == (42, False)
    assert ask() == (42, True)


def test_a_kernel_for_other_arguments_is_not_run(folder):
    assert entry(thrice).dispatcher(1.5) == 4.5
    first, second = sorted(folder.glob("*_*/*.nbc"))
    first.write_bytes(second.read_bytes())
    assert ask() == (42, False)
    assert ask() == (42, True)


def test_what_cannot_be_read_or_written_hinders_nothing(folder):
    (index,) = folder.glob("*_*/*.nbi")
    index.unlink()
    index.mkdir()  # neither read as a file nor replaced by one, whoever asks
    (index / "in the way").touch()
    for _ in range(2):
        assert ask() == (42, False)


def test_a_kernel_without_any_folder_is_compiled_each_time(monkeypatch):
    def refuse(*_):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(kept, "FunctionCache", refuse)
    for _ in range(2):
        assert ask() == (42, False)


@pytest.mark.parametrize("is_late", [False, True])
def test_processes_that_meet_the_same_damage_do_not_disturb_each_other(folder, is_late):
    """Another process writes its kernel before this one has cleared the damage, or after that."""
    (index,) = folder.glob("*_*/*.nbi")
    sound = index.read_bytes()
    index.write_bytes(b"")
    compiled = entry(thrice).dispatcher
    clear = compiled._cache.flush

    def clear_beside_another():
        if not is_late:
            index.write_bytes(sound)
        clear()
        if is_late:
            index.write_bytes(sound)

    compiled._cache.flush = clear_beside_another
    assert compiled(14) == 42
    assert ask() == (42, True)


def run(source, **variables):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), **variables}
    return subprocess.run(
        [sys.executable, *source], env=environment, capture_output=True, text=True, check=False
    )


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "kernels")
    done = run(["-c", "import tablebase.core.jit.cache"], NUMBA_CACHE_DIR=folder)
    assert done.returncode == 0, done.stderr
    named = (
        f"NUMBA_CACHE_DIR={folder} cannot be used (Not a directory): name another folder, or none"
    )
    assert done.stderr.count(named) == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "code", "begin"),
    [
        (["-m", "tablebase", "count", "KRK"], 2, "tablebase: "),
        (
            [
                "-c",
                "import tablebase\ntablebase.Tablebase().probe_dtm_many(['8/8/8/8/8/8/8/K1k5 w'])",
            ],
            1,
            "tablebase.core.ground.errors.TablebaseError: ",
        ),
    ],
    ids=["shell", "Python"],
)
def test_numba_must_not_be_switched_off(source, code, begin):
    done = run(source, NUMBA_DISABLE_JIT="1")
    assert (done.returncode, done.stdout) == (code, "")
    message = "NUMBA_DISABLE_JIT is set, but without compiled kernels nothing works here: unset it"
    assert done.stderr.splitlines()[-1] == begin + message
