"""How Sphinx builds the documentation: ``python -m sphinx -W docs FOLDER``, without a network."""

import re
from pathlib import Path

from numpydoc.xref import DEFAULT_LINKS
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import tablebase
from tablebase.cli.program import main

DOCS = Path(__file__).parent

project = "chess-tablebase"
version = release = tablebase.__version__

extensions = [
    "myst_nb",  # pages in Markdown; notebooks are run in every build
    "numpydoc",  # docstrings in the style of NumPy
    "sphinx.ext.autodoc",
    "sphinx_argparse_cli",  # commands from their own parser
]

html_theme = "furo"  # brings its scripts along, and asks for no fonts
html_title = f"{project} {version}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_show_copyright = False
html_show_sphinx = False

default_role = "py:obj"  # a name in a docstring is a link where it can be one
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"NDArray": "NDArray"}
python_use_unqualified_type_names = True
numpydoc_show_class_members = False  # autodoc does
numpydoc_xref_aliases = {name: name for name in DEFAULT_LINKS}  # they lead into Python's pages
numpydoc_xref_param_type = True

myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_timeout = 300
nb_merge_streams = True


BOARD = r"""On a web server this board is live: move a piece.

<script type="module" src="explorer/ending.js"></script>
<chess-ending fen="8/8/8/8/8/2k5/1R6/K7 w - - 0 1">

\g<0>

This is a picture, because browsers do not run the board from a file.

</chess-ending>

The site also has <a href="explorer/index.html">the whole explorer</a>, which solves all endings of
up to four pieces in your browser."""


def with_contents(section: str) -> str:
    """Return a section of the first page with a table of contents of its links, for the sidebar."""
    caption = section.partition("\n")[0]
    pages = re.findall(r"\]\(([\w/-]+)\.\w+\)", section)
    contents = ["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```"]
    return "\n".join([section.rstrip(), "", *contents, ""])


def complete_first_page(_: Sphinx, name: str, source: list[str]) -> None:
    """Put a live board and the sidebar into the first page, which is plain in the repository."""
    if name == "index":
        beginning, *sections = source[0].split("\n## ")
        beginning = re.sub(r"^!\[.*\)$", BOARD, beginning, flags=re.MULTILINE)
        source[0] = "\n## ".join([beginning, *map(with_contents, sections)])


FIRST_COMMAND = re.compile(r"```(?:console|sh)\n(?:[^`]*\n)?(?:\$ )?tablebase ")
BOX = """```{tip}
Type commands in the folder of the source, with its [environment active](%stutorial.md#install).
```"""


def add_box(_: Sphinx, name: str, source: list[str]) -> None:
    """Put below the title of a page with commands how the shell finds the program."""
    first = FIRST_COMMAND.search(source[0])
    if first and "tutorial.md#install)" not in source[0][: first.end()] and name != "tutorial":
        title, rest = source[0].split("\n", maxsplit=1)
        source[0] = f"{title}\n\n{BOX % ('../' * name.count('/'))}\n{rest}"


MOST_LINES = 40


def show_tables(_: Sphinx, name: str, source: list[str]) -> None:
    """Show the files of figures that a page links, unless they are long, below the paragraph."""

    def shown(paragraph: str) -> str:
        tables = re.findall(r"\]\((tables/[\w-]+\.csv)\)", paragraph)
        short = [one for one in tables if len((DOCS / one).read_text().splitlines()) <= MOST_LINES]
        blocks = [f"```{{csv-table}}\n:file: {one}\n:header-rows: 1\n```" for one in short]
        return "\n\n".join([paragraph, *blocks])

    if "/" not in name:
        source[0] = "\n\n".join(map(shown, source[0].split("\n\n")))


def publish_explorer(app: Sphinx, problem: Exception | None) -> None:
    """Publish the explorer, whose pages solve all endings of up to four pieces."""
    if problem is not None or app.builder.format != "html":
        return
    command = ["publish", str(Path(app.outdir) / "explorer"), "--men", "4", "--no-tables"]
    if main(command):
        raise ExtensionError("the explorer could not be published")


def setup(app: Sphinx) -> None:
    """Complete pages as they are read, and publish the explorer when they are written."""
    app.connect("source-read", complete_first_page)
    app.connect("source-read", add_box)
    app.connect("source-read", show_tables)
    app.connect("build-finished", publish_explorer)
