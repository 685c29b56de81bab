"""Atomic files: complete or absent, and what dead processes left behind."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from tablebase.storage import atomic
from tablebase.storage.atomic import complete_or_absent, partial_file, remove_leftovers


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "KRK.h5"
    path.write_text("old")
    with complete_or_absent(path) as partial:
        partial.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "KRK.h5"
    path.write_text("old")

    def interrupted():
        with complete_or_absent(path) as partial:
            partial.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_writers_of_one_process_do_not_meet(tmp_path):
    # As builders in containers do whose host names and process numbers are equal.
    path = tmp_path / "KRK.h5"
    with complete_or_absent(path) as first:
        first.write_text("first")
        with complete_or_absent(path) as second:
            second.write_text("second")
            assert remove_leftovers(tmp_path) == []
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_another_file_under_the_temporary_name_is_not_taken(tmp_path):
    path = tmp_path / "KRK.h5"

    def replaced():
        with complete_or_absent(path) as partial:
            partial.unlink()
            partial.write_text("half of another")

    with pytest.raises(OSError, match="removed while it was written: run the same command again"):
        replaced()
    assert not path.exists()


def dead_partial(folder, host=None):
    """Return the path of what a killed process left of a table."""
    script = (
        "import os, sys; from pathlib import Path; from tablebase.storage import partial_file\n"
        "with partial_file(Path(sys.argv[1])) as (path, _): print(path, flush=True); os._exit(9)"
    )
    command = [sys.executable, "-c", script, str(folder / "KRK.h5")]
    process = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    path = folder / process.stdout.strip()
    return path.rename(folder / path.name.replace(socket.gethostname(), host)) if host else path


def test_leftovers_of_dead_processes_only(tmp_path):
    dead = dead_partial(tmp_path)
    elsewhere = dead_partial(tmp_path, "another-host.example")
    foreign = tmp_path / ".notes.partial"
    foreign.touch()
    with partial_file(tmp_path / "KRK.h5") as (alive, _):
        assert remove_leftovers(tmp_path) == [dead]
        assert set(tmp_path.iterdir()) == {alive, elsewhere, foreign}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None)])
def test_what_no_process_left_stays(tmp_path, make):
    odd = tmp_path / ".KRK.h5.1234.partial"
    make(odd)
    assert remove_leftovers(tmp_path) == []
    assert odd.exists()


@pytest.mark.parametrize("problem", ["no module", "no support"])
def test_without_locks_leftovers_are_old(tmp_path, monkeypatch, problem):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(atomic, "flock", None if problem == "no module" else refuse)
    path = tmp_path / "KRK.h5"
    with complete_or_absent(path) as partial:
        partial.write_text("new")
    assert path.read_text() == "new"
    dead = dead_partial(tmp_path)
    assert remove_leftovers(tmp_path) == []
    os.utime(dead, (time.time(), time.time() - 25 * 60 * 60))
    assert remove_leftovers(tmp_path) == [dead]


WRITER = """
import sys, time
from pathlib import Path
from tablebase.storage.atomic import complete_or_absent, remove_leftovers
path, letter = Path(sys.argv[1]), sys.argv[2]
for _ in range(100):
    remove_leftovers(path.parent)
    with complete_or_absent(path) as partial, partial.open("w") as file:
        for _ in range(10):
            file.write(1000 * letter)
            file.flush()
            time.sleep(0.0005)
"""


def test_writers_with_equal_process_numbers(tmp_path):
    alone = ["unshare", "--pid", "--fork", "--mount-proc"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("a process cannot have numbers of its own here")
    path = tmp_path / "KRK.h5"
    command = [*alone, sys.executable, "-c", WRITER, str(path)]
    with ExitStack() as stack:
        writers = [stack.enter_context(subprocess.Popen([*command, name])) for name in "ab"]
        contents = set()
        while any(writer.poll() is None for writer in writers):
            if path.exists():
                contents.add(path.read_text())
            time.sleep(0.001)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert contents <= {10_000 * "a", 10_000 * "b"}
    assert list(tmp_path.iterdir()) == [path]
