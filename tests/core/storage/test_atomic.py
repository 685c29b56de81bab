"""Atomic files: complete or absent, and what dead processes left behind."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pytest

from tablebase.core.storage import atomic
from tablebase.core.storage.atomic import (
    complete_or_absent,
    partial_file,
    remove_leftovers,
    sole_writer,
    write_text,
)

HOST = socket.gethostname()


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


def dead_partial(path, host=HOST):
    """Return the path of what a killed process left of a file."""
    script = (
        "import os, sys; from pathlib import Path\n"
        "from tablebase.core.storage.atomic import partial_file\n"
        "with partial_file(Path(sys.argv[1])) as (path, _): print(path, flush=True); os._exit(9)"
    )
    command = [sys.executable, "-c", script, str(path)]
    process = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    left = path.parent / process.stdout.strip()
    return left.rename(left.with_name(left.name.replace(HOST, host)))


def test_leftovers_of_dead_processes_only(tmp_path):
    elsewhere = dead_partial(tmp_path / "KRK.h5", "another-host.example")
    dead = dead_partial(tmp_path / "KRK.h5")
    foreign = tmp_path / ".notes.partial"
    foreign.touch()
    with partial_file(tmp_path / "KBK.h5") as (alive, _):
        assert remove_leftovers(tmp_path) == [dead]
        assert set(tmp_path.iterdir()) == {alive, elsewhere, foreign}


@pytest.mark.parametrize("name", ["won [1].parquet", "KRK.html", "a.region", "*"])
def test_the_next_writer_of_a_file_removes_what_dead_ones_left(tmp_path, name):
    path, other = tmp_path / name, tmp_path / "other.parquet"
    elsewhere = dead_partial(path, "another-host.example")
    dead = dead_partial(path)
    of_another = dead_partial(other)
    assert dead.exists()
    with partial_file(path) as (alive, _):
        write_text(path, "whole")
        assert set(tmp_path.iterdir()) == {alive, path, elsewhere, of_another}
    assert path.read_text() == "whole"


def test_a_text_is_whole_or_as_before(tmp_path, monkeypatch):
    path = tmp_path / "KRK.html"
    write_text(path, "old")
    monkeypatch.setattr(atomic.os, "fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_lines_end_as_in_the_text(tmp_path):
    """On every system: checksums are of these bytes."""
    write_text(tmp_path / "KRK.html", "one\ntwo\r\n")
    assert (tmp_path / "KRK.html").read_bytes() == b"one\ntwo\r\n"


def refuse(*_):
    raise OSError(28, "No space left on device")


def test_writers_of_one_file_wait_for_each_other(tmp_path):
    path, told = tmp_path / "KRK.h5", []

    def write(name):
        with sole_writer(path):
            told.extend([name, name])

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcdef"]
    with sole_writer(path), sole_writer(tmp_path / "KBK.h5"):
        for thread in threads:
            thread.start()
        assert not told
    for thread in threads:
        thread.join()
    assert told[::2] == told[1::2]
    assert sorted(told[::2]) == list("abcdef")
    assert not list(tmp_path.iterdir())


def test_what_a_killed_sole_writer_left_keeps_nobody_out(tmp_path):
    path = tmp_path / "KRK.h5"
    script = (
        "import os, sys; from pathlib import Path\n"
        "from tablebase.core.storage.atomic import sole_writer\n"
        "with sole_writer(Path(sys.argv[1])): os._exit(9)"
    )
    command = [sys.executable, "-c", script, str(path)]
    subprocess.run(command, check=False)
    assert len(list(tmp_path.iterdir())) == 1
    with sole_writer(path):
        assert remove_leftovers(tmp_path) == []
    assert not list(tmp_path.iterdir())
    subprocess.run(command, check=False)
    assert len(remove_leftovers(tmp_path)) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("make", [os.mkdir, getattr(os, "mkfifo", None)])
def test_what_no_process_left_stays(tmp_path, make):
    odd = tmp_path / ".KRK.h5.1234.partial"
    make(odd)
    assert remove_leftovers(tmp_path) == []
    assert odd.exists()


@pytest.mark.parametrize("problem", ["no module", "no support"])
def test_without_locks_leftovers_are_old(tmp_path, monkeypatch, problem):
    monkeypatch.setattr(atomic, "flock", None if problem == "no module" else refuse)
    path = tmp_path / "KRK.h5"
    with sole_writer(path), sole_writer(path), complete_or_absent(path) as partial:
        partial.write_text("new")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
    dead = dead_partial(path)
    assert remove_leftovers(tmp_path) == []
    os.utime(dead, (time.time(), time.time() - 25 * 60 * 60))
    assert remove_leftovers(tmp_path) == [dead]


WRITER = """
import os, sys
from pathlib import Path
from tablebase.core.storage.atomic import complete_or_absent, remove_leftovers
path, letter = Path(sys.argv[1]), sys.argv[2]
with complete_or_absent(path) as partial, partial.open("w") as file:
    file.write(letter)
    file.flush()
    remove_leftovers(path.parent)
    print(os.getpid(), flush=True)
    input()
    file.write(letter)
"""


def test_writers_with_equal_process_numbers(tmp_path):
    alone = ["unshare", "--pid", "--fork", "--mount-proc"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("a process cannot have numbers of its own here")
    path = tmp_path / "KRK.h5"
    command = [*alone, sys.executable, "-c", WRITER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(subprocess.Popen([*command, name], **pipes)) for name in "ab"
        )
        # Both have written one half.
        assert first.stdout.readline() == second.stdout.readline() == "1\n"
        assert remove_leftovers(tmp_path) == []
        assert not path.exists()
        for writer, name in ((second, "b"), (first, "a")):
            writer.communicate("go on\n")
            assert writer.returncode == 0
            assert path.read_text() == 2 * name
    assert list(tmp_path.iterdir()) == [path]
