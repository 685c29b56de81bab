"""README and the first pages, followed in a new copy of the source by make, pip and a network."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import FOLLOWED, pattern_of, sessions_on

ROOT = Path(__file__).parents[1]
NO_NETWORK = r"No matching distribution found|Could not fetch|Failed to establish|Name or service"
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone"),
    pytest.mark.skipif(not shutil.which("make"), reason="make is not installed"),
]


@pytest.fixture
def source(tmp_path):
    """Return a folder with the files of the repository and nothing else."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def environment():
    """Return the variables of a shell that knows nothing of this run."""
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "TABLEBASE_PATH", "NUMBA_CACHE_DIR", "MAKEFLAGS")
    found = {name: value for name, value in os.environ.items() if name not in ours}
    return found | {"PYTHON": sys.executable, "BROWSER": "true", "COLUMNS": "80"}


def finished(command, source, environment, typed=""):
    """Run a command to its end; skip the test if it needs a network and there is none."""
    done = subprocess.run(
        command,
        cwd=source,
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode and re.search(NO_NETWORK, done.stderr):
        pytest.skip("packages cannot be installed: there is no network")
    return done


def start(command, source, environment):
    """Start a command that runs until it is stopped, and stop it when it has begun."""
    with subprocess.Popen(
        [*command, "--port", "0"], cwd=source, env=environment, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout.readline().startswith("http://")
        running.kill()


def quickstart():
    """Return the commands of README's quickstart on Linux and macOS."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```sh\n(make.*?)```", text, re.DOTALL)[1]
    return [shlex.split(line, comments=True) for line in block.splitlines()]


def installations(page):
    """Return the commands of a page that install more packages."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"`pip (install --editable '\.\[[^`]*)`", text)
    return [[".venv/bin/python", "-m", "pip", *shlex.split(one)] for one in found]


def test_first_pages_can_be_followed_in_a_new_clone(source, environment):
    tables, tests, activate, serve = quickstart()
    assert (tables, tests) == (["make", "tables"], ["make", "test"])
    assert activate == [".", ".venv/bin/activate"]
    made = finished(tables, source, environment)
    assert made.returncode == 0, made.stderr
    start([f".venv/bin/{serve[0]}", *serve[1:]], source, environment)
    for page in FOLLOWED:
        for command in installations(page):
            assert finished(command, source, environment).returncode == 0
        for one in sessions_on(page):
            command = [".venv/bin/tablebase", *one.arguments]
            done = finished(command, source, environment, one.typed)
            is_refused = any(line.startswith("tablebase: ") for line in one.shown)
            assert done.returncode == (2 if is_refused else 0), (command, done.stderr)
            assert re.search(pattern_of(one.shown), done.stdout + done.stderr, re.DOTALL), command
