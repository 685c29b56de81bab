"""Measures, on a small package whose figures can be counted by hand."""

import pytest
from support.measures import folders_touched, lines_of_code, measures, modules_naming, reading_path

CAPABILITIES = ("solve", "study")
GEOMETRY = '''"""Squares.

They are numbered.
"""

FILES = 8  # one line of code


def square(file, rank):
    """Return a square."""
    # A comment is none.
    return (
        rank * FILES

        + file
    )


NAME = """two
lines"""
'''
LINES_OF_GEOMETRY = 8
FILES = {
    "docs/core.md": "# A day\n\n**1. `tablebase/core/board/geometry.py`** has squares.\n\n"
    "It is short, and so is `rules.py`.\n\n**2. `tablebase/core/rules/rules.py`** has games.\n",
    "tablebase/__init__.py": "from tablebase.solve import answer\n",
    "tablebase/core/board/geometry.py": GEOMETRY,
    "tablebase/core/rules/rules.py": "CHESS = 1\nGAMES = [CHESS]\n",
    "tablebase/core/storage/reading.py": "from tablebase.core.rules.rules import CHESS\n\n"
    "def is_chess(rules):\n    return rules == CHESS\n",
    "tablebase/cli/program.py": "COMMANDS = ['tablebase.solve.command']\n",
    "tablebase/solve/command.py": "answer = 42\n",
    "tablebase/solve/kernels/flood.py": "import tablebase.core\n",
    "tablebase/study/report.py": "from tablebase.solve.command import answer\n",
    "tablebase/web/static/solve.js": "export const answer = 42;\n// It is right.\n",
    "tablebase/web/static/index.html": "<title>Solved</title>\n",
    "tests/core/test_board.py": "def test_nothing():\n    pass\n",
    "tests/support/in_node.mjs": "console.log(42);\n",
    "tests/data/counts.json": "{}\n",
}


@pytest.fixture
def root(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_docstrings_comments_and_empty_lines_are_not_code(root):
    assert lines_of_code(root / "tablebase/core/board/geometry.py") == LINES_OF_GEOMETRY


def test_the_reading_path_is_in_the_order_of_the_page(root):
    page = root / "docs" / "core.md"
    names = ["tablebase/core/board/geometry.py", "tablebase/core/rules/rules.py"]
    assert reading_path(page) == names
    for text in ("**2. `rules.py`**", "**1. `rules.py`**\n\n**2. `rules.py`**", "no modules"):
        page.write_text(text, encoding="utf-8")
        with pytest.raises(AssertionError):
            reading_path(page)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("core/storage/solve_file.py", "x = 1\n"),
        ("core/storage/files.py", "import tablebase.solve.command\n"),
        ("core/storage/files.py", "from tablebase import solve\n"),
        ("core/storage/files.py", "def late():\n    from tablebase.solve.command import answer\n"),
    ],
)
def test_a_folder_is_touched_by_a_file_of_that_name_or_an_import(root, name, text):
    package = root / "tablebase"
    assert folders_touched(package, "solve", CAPABILITIES) == {"solve", "web/static"}
    assert folders_touched(package, "study", CAPABILITIES) == {"study"}
    (package / name).write_text(text, encoding="utf-8")
    touched = {"core/storage", "solve", "web/static"}
    assert folders_touched(package, "solve", CAPABILITIES) == touched


def test_names_are_found_where_they_are_used(root):
    found = modules_naming(root / "tablebase", "CHESS", outside="core/rules")
    assert found == {"core/storage/reading.py"}


def test_all_measures(root):
    assert measures(root, CAPABILITIES) == {
        "lines of code of core": LINES_OF_GEOMETRY + 2 + 3,
        "lines of code of core and cli": LINES_OF_GEOMETRY + 2 + 3 + 1,
        "lines of code to read in a day": LINES_OF_GEOMETRY + 2,
        "folders that a capability touches": 2,
        "modules that name CHESS": 1,
        "lines of Python": len(GEOMETRY.splitlines()) + 11,
        "lines of JavaScript, HTML and CSS": 3,
        "lines of tests": 3,
    }
