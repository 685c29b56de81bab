"""The folder of compiled kernels: which one, whose, and for how long."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tablebase.core.jit import cache

PACKAGE = Path(cache.__file__).parents[2]


def test_another_folder_serves_if_the_first_cannot_be_written(monkeypatch, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, so no folder can be made in it")
    monkeypatch.setattr(cache, "_PACKAGE", blocked)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert cache.cache_folder().parent == tmp_path / "cache" / "chess-tablebase"
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setattr(Path, "home", lambda: blocked)
    folder = cache.cache_folder()
    assert folder.is_dir()
    assert folder.name.startswith("chess-tablebase-")
    folder.rmdir()


def is_used(folder):
    """Return whether kernels are put into a folder that is the first candidate."""
    return cache.cache_folder().parent == folder


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
@pytest.mark.parametrize(
    ("mode", "used"),
    [(0o700, True), (0o755, True), (0o775, False), (0o757, False), (0o1777, False)],
)
def test_folders_that_others_can_write_to_are_refused(mode, used, monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path / "package")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "package" / "__pycache__"
    folder.mkdir(parents=True)
    assert is_used(folder)
    kernels = cache.cache_folder()
    for place in (folder, kernels):
        place.chmod(mode)
        assert is_used(folder) == used
        place.chmod(0o700)
    assert is_used(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")
def test_folders_of_other_users_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path / "package")
    folder = tmp_path / "package" / "__pycache__"
    assert is_used(folder)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert not is_used(folder)


def test_new_folders_are_closed_to_others(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path / "blocked")
    (tmp_path / "blocked").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    before = os.umask(0)
    try:
        kernels = cache.cache_folder()
    finally:
        os.umask(before)
    assert kernels.parent == tmp_path / "cache" / "chess-tablebase"
    if hasattr(os, "geteuid"):
        assert (kernels.stat().st_mode | kernels.parent.stat().st_mode) & 0o077 == 0


def test_no_home_is_made(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path / "blocked")
    (tmp_path / "blocked").touch()
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = cache.cache_folder()
    assert folder.parent == tmp_path
    assert not (tmp_path / "home").exists()


def run_without_any_folder(tmp_path, code):
    """Run code in a process that can write to no folder but new temporary ones."""
    environment = {**os.environ, "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"}
    environment.pop("NUMBA_CACHE_DIR", None)
    setting = (
        "import os, tempfile\n"
        f"tempfile.tempdir = {str(tmp_path)!r}\n"
        "def refuse(dir=None, **more):\n"
        "    raise PermissionError(dir)\n"
        "tempfile.TemporaryFile = refuse\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", setting + code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=PACKAGE.parent,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_temporary_folder_goes_with_its_process(tmp_path):
    code = "import tablebase.core.jit.cache\nfolder = os.environ['NUMBA_CACHE_DIR']\n"
    output = run_without_any_folder(tmp_path, code + "print(os.path.isdir(folder), folder)")
    is_folder, folder = output.split()
    assert is_folder == "True"
    assert Path(folder).parent == tmp_path
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_temporary_folder_outlives_forks(tmp_path):
    code = (
        "import sys, tablebase.core.jit.cache\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "print(os.path.isdir(os.environ['NUMBA_CACHE_DIR']))"
    )
    assert run_without_any_folder(tmp_path, code) == "True"
    assert not list(tmp_path.iterdir())


def test_numba_may_be_imported_first(tmp_path):
    code = (
        "import numba, tablebase.core.jit.cache\n"
        "print(numba.config.CACHE_DIR == os.environ['NUMBA_CACHE_DIR'])"
    )
    assert run_without_any_folder(tmp_path, code) == "True"
