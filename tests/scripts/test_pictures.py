"""The script that makes the pictures of the documentation still finds what it shows."""

import pytest

pytest.importorskip("selenium")

from support.browsing import ROOT, needs_browser
from support.commands import python
from support.pages import FINISHED_PICTURES

pytestmark = [*needs_browser, pytest.mark.slow]
PICTURES = ROOT / "docs" / "images"


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*"))


def test_all_pictures_are_made_by_one_command(tmp_path, page_modules):  # noqa: ARG001
    made = python(ROOT / "scripts" / "pictures.py", tmp_path)
    assert made.returncode == 0, made.stderr
    finished = {f"{name}.svg" for name in FINISHED_PICTURES}
    assert names_in(tmp_path) == sorted({*names_in(PICTURES)} - finished)
    assert sum(path.stat().st_size for path in tmp_path.glob("*.png")) < 1_500_000
