"""Workflows run what was read: actions by the hash of a commit, and rights apart from our code."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in WORKFLOWS}
USES = [
    (name, use.strip())
    for name, text in TEXTS.items()
    for use in re.findall(r"^ *(?:- )?uses: *(.*)$", text, re.MULTILINE)
]
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
OURS = "./.github/workflows/ci.yml"


def jobs_of(text):
    """Return the text of each job of a workflow by its name."""
    _, *parts = re.split(r"^  (\w+):\n", text.partition("\njobs:\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize(("name", "use"), USES)
def test_actions_are_pinned(name, use):
    assert use == OURS or PINNED.fullmatch(use), name


def test_all_workflows_were_read():
    assert set(TEXTS) == {"certificate.yml", "ci.yml", "docs.yml", "release.yml"}
    assert sum("uses:" in line for text in TEXTS.values() for line in text.splitlines()) == len(
        USES
    )
    hashes = {}
    for _, use in USES:
        action, _, commit = use.partition("@")
        hashes.setdefault(action, set()).add(commit)
    assert {action for action, commits in hashes.items() if len(commits) > 1} == set()


def test_rights_are_apart_from_our_code():
    """A job that may write runs no command of the project, and has no copy of it."""
    with_rights = set()
    for name, text in TEXTS.items():
        before, _, _ = text.partition("\njobs:\n")
        assert "\npermissions:\n  contents: read\n" in before
        assert ": write" not in before
        for job, lines in jobs_of(text).items():
            if ": write" in lines:
                with_rights.add((name, job))
                assert "checkout" not in lines
                assert "make" not in lines
                assert lines.count("run:") == lines.count("run: gh release create ")
    assert with_rights == {("docs.yml", "deploy"), ("release.yml", "pypi"), ("release.yml", "page")}
    rights = re.findall(
        r"^      ([\w-]+: write)", jobs_of(TEXTS["release.yml"])["pypi"], re.MULTILINE
    )
    assert rights == ["id-token: write"]


def test_programs_of_others_have_a_version():
    for text in TEXTS.values():
        for command in re.findall(r"pipx run (\S+)", text):
            assert re.fullmatch(r"\w+==\d+\.\d+\.\d+", command)


def test_somebody_asks_for_newer_actions():
    text = (FOLDER / "dependabot.yml").read_text(encoding="utf-8")
    assert "package-ecosystem: github-actions" in text
    assert "interval: weekly" in text
