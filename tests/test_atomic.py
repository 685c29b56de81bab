"""Atomic files: complete or absent, and what dead processes left behind."""

import os
import socket
import subprocess
import sys

import pytest

from tablebase.atomic import complete_or_absent, partial_path, remove_leftovers


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


def test_leftovers_of_dead_processes_only(tmp_path):
    process = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        check=True,
        capture_output=True,
        text=True,
    )
    own = partial_path(tmp_path / "KRK.h5")
    dead = own.with_name(own.name.replace(str(os.getpid()), process.stdout.strip()))
    alive = own.with_name(own.name.replace(str(os.getpid()), str(os.getppid())))
    elsewhere = dead.with_name(dead.name.replace(socket.gethostname(), "another-host.example"))
    foreign = tmp_path / ".notes.partial"
    for path in (dead, alive, elsewhere, foreign):
        path.write_bytes(b"")
    assert remove_leftovers(tmp_path) == [dead]
    assert set(tmp_path.iterdir()) == {alive, elsewhere, foreign}
