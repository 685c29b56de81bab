"""What remains where the folder of a capability is deleted, with those that import it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.few import few
from support.waiting import PATIENCE

from tablebase.core.ground.seams import COMMANDS

HERE = Path(__file__).parents[1]
PACKAGE = HERE.parent / "tablebase"
CAPABILITIES = sorted(
    path.parent.name for path in PACKAGE.glob("*/__init__.py")
    if path.parent.name not in {"core", "cli"}
)  # fmt: skip
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"


def importers(capability):
    """Return a capability and all that import it, however indirectly."""
    found, more = set(), {capability}
    while more != found:
        found = more
        pattern = re.compile(rf"\bfrom tablebase\.({'|'.join(sorted(found))})\b")
        more = found | {
            one for one in CAPABILITIES for path in PACKAGE.joinpath(one).rglob("*.py")
            if pattern.search(path.read_text(encoding="utf-8"))
        }  # fmt: skip
    return found


def run(capabilities, *commands):
    """Return exit code and output of each command."""
    command = [sys.executable, str(HERE / "support" / "without.py"), ",".join(sorted(capabilities))]
    result = subprocess.run(
        [*command, *commands],
        check=True, text=True, timeout=PATIENCE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    parts = re.split(r"^exit code (\d+)\n", result.stdout, flags=re.MULTILINE)
    return [(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=False)]


@pytest.mark.thorough
@pytest.mark.parametrize("capability", few(CAPABILITIES, "cluster", "finding", "serve"))
def test_the_rest_works_and_its_commands_say_that_they_are_missing(tmp_path, capability):
    deleted = importers(capability)
    gone = [one.name for one in COMMANDS if one.module.split(".")[1] in deleted]
    folder = shlex.quote(str(tmp_path))
    core = [
        "--help",
        *(
            f"{what} --dir {folder}"
            for what in (
                "build KRK",
                f"probe {MATE_IN_16}",
                "verify KRK",
                "info",
                "build KPK --workers 2",
            )
        ),
    ]
    told = run(deleted, *core, *gone)
    (help_, build, probe, verify, info, workers), missing = told[: len(core)], told[len(core) :]
    assert help_[0] == build[0] == probe[0] == verify[0] == info[0] == 0, told
    assert all(f" {one.name}" in help_[1] for one in COMMANDS)
    assert "mate in 16" in probe[1].lower()
    assert "KRK: OK" in verify[1]
    if "cluster" in deleted:
        assert workers[0] == 2
        assert "is not part of this installation" in workers[1]
    assert len(missing) == len(gone)
    for name, (code, text) in zip(gone, missing, strict=True):
        assert code == 2
        assert text == (
            f"tablebase: `tablebase {name}` is not part of this installation: "
            "install chess-tablebase again\n"
        )
