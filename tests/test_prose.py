"""README and documentation are in plain English, and one finds every page."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")]
PAGES += sorted(DOCS.rglob("*.md"))
NEWS = ROOT / "CHANGELOG.md"
FIRST = [ROOT / "README.md"]
FIRST += [
    DOCS / f"{name}.md"
    for name in (
        *("index", "tutorial", "values", "players", "teachers", "engines", "data"),
        *("compare", "limits"),
    )
]
# Phrases that read like a translation. Better: a subject that is named, and the usual term.
BANNED = (
    *("is said", "are said", "is told", "are told", "so many", "whoever", "goes on", "gone on"),
    *("by now", "at hand", "of its own accord", "what becomes of", "brings along", "brought along"),
    *("that are there", "that is there", "is looked at", "is made use of"),
    *("made use of", "which first", "by chance", "on the proven way", "below this stand", "anew"),
    *("for who", "who moved there", r"\d+ or so"),
    *("makes? these tables again", "for exchanged colours", "for ever", "it matters not"),
    *("positions of both sides to move", "several symmetric ones", "are a gift", "stands where"),
    *("are the least", "holds all of this", "puts to it"),
    *("of the first of which", "such a one", "but for its", "are others", "as of", "tells? of"),
    *("goes? where", "what does not know", "who has no", "in [a-z-]+ who"),
    *("who asks", "so often, in"),
)
# Better: *also*, *only* before what it is about, *as well*.
MISPLACED = (r", too[.;:)]", r"(?<!-)\balone\b", r"\bbesides[.,;:)]")
# In the first line of a docstring nothing stands before it that these could refer to.
DANGLING = re.compile(r"\b(those|that) of\b")
MOST_WORDS = 40


def name_of(page):
    return str(page.relative_to(ROOT))


def prose_of(page):
    """Return the text of a page without blocks of code, pictures and targets of links."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|^    .*?$|<!--.*?-->", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


@pytest.mark.parametrize("page", [*PAGES, NEWS], ids=name_of)
def test_no_phrase_reads_like_a_translation(page):
    prose = re.sub(r"`[^`]*`", "X", prose_of(page))
    words = re.sub(r"\s+", " ", prose)
    found = [phrase for phrase in BANNED if re.search(rf"\b{phrase}\b", words, re.IGNORECASE)]
    assert not found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_words_stand_where_they_belong(page):
    words = re.sub(r"\s+", " ", re.sub(r"`[^`]*`", "", prose_of(page)))
    found = [one[0] for sign in MISPLACED for one in re.finditer(f".{{,40}}{sign}", words)]
    assert not found


# Where *man* is a word of the code: king, pawn or piece.
OF_THE_CODE = {"algorithm", "another-game", "core", "format", "glossary", "CONTRIBUTING"}


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent != DOCS / "reference" and page.stem not in OF_THE_CODE],
    ids=name_of,
)
def test_pages_for_players_speak_of_pieces(page):
    words = re.sub(r"`[^`]*`|Ronald de Man", "", prose_of(page))
    assert not re.findall(r".{,30}\b[Mm][ae]n\b.{,30}", words)


ALL_PAGES = [
    *PAGES,
    NEWS,
    *(
        one
        for name in ("benchmarks", "data", "examples", "tests")
        for one in (ROOT / name).rglob("*.md")
    ),
]
RULE = re.compile(r"\|(\s*:?-{3,}:?\s*\|)+")


def cells_of(row):
    """Return the cells of a table's row, in which a backslash escapes a pipe."""
    return re.split(r"(?<!\\)\|", row.strip().removeprefix("|").removesuffix("|"))


def faults_of_tables(text):
    """Return the lines at which a table is not one, or has another number of cells."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    faults = []
    for block in re.findall(r"^\|.*\n(?:\|.*(?:\n|\Z))*", text, re.MULTILINE):
        head, *rest = block.splitlines()
        if not rest or not RULE.fullmatch(rest[0]):
            faults.append(head)
        faults += [row for row in rest if len(cells_of(row)) != len(cells_of(head))]
        faults += [row for row in block.splitlines() if not row.rstrip().endswith("|")]
    return faults


@pytest.mark.parametrize("page", ALL_PAGES, ids=name_of)
def test_tables_are_tables(page):
    assert not faults_of_tables(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("| a | b |\n|---|---|\n| `x\\|y` | z |\n", 0),
        ("| a | b |\n|---|---|\n| x | y |\n\n| z | w |\n", 1),  # the last row is text with pipes
        ("| a | b |\n|---|---|\n| `x|y` | z |\n", 1),
        ("| a | b |\n|---|---|\n| x |\n", 1),
        ("| a | b |\n|---|---|\n| x | y\n", 1),
        ("| a | b |\n|---|\n| x | y |\n", 1),
        ("```\n| no table\n```\n", 0),
    ],
)
def test_what_is_no_table(text, faults):
    assert len(faults_of_tables(text)) == faults


def docstrings_of(path):
    """Return the docstrings of a module, its classes and its functions."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [ast.get_docstring(one) or "" for one in nodes if isinstance(one, documented)]


def test_first_lines_of_docstrings_name_their_nouns():
    modules = sorted((ROOT / "tablebase").rglob("*.py"))
    lines = [text.partition("\n")[0] for path in modules for text in docstrings_of(path)]
    assert not [line for line in lines if DANGLING.search(line)]


def sentences_of(page):
    """Return the sentences of a page's paragraphs: no headings, lists or tables."""
    paragraphs = re.split(r"\n\s*\n", prose_of(page))
    plain = [one.strip() for one in paragraphs if not re.match(r"\s*(#|\||[-*] |\d+\. )", one)]
    return [
        sentence
        for paragraph in plain
        for sentence in re.split(r"(?<=[.:;?!])\s+", re.sub(r"\s+", " ", paragraph))
    ]


@pytest.mark.parametrize("page", FIRST, ids=name_of)
def test_sentences_of_first_pages_are_short(page):
    sentences = sentences_of(page)
    assert len(sentences) > 3
    assert not [one for one in sentences if len(one.split()) > MOST_WORDS]


def test_readme_is_short_and_begins_with_what_one_types():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    assert any("endgame tablebase generator" in line for line in lines[:5])
    beginning = "\n".join(lines[:50])
    for typed in ("make tables", "make test", "tablebase serve --open", "py -m venv .venv"):
        assert typed in beginning


def targets_of(page):
    """Return the pages that a page leads to by links and tables of contents."""
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"\]\(([^)#\s]+\.(?:md|ipynb))[^)]*\)", text)
    for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
        names += [f"{line}.md" for line in block.splitlines() if line and line[0] != ":"]
    return {(page.parent / name).resolve() for name in names}


@pytest.mark.parametrize("start", [ROOT / "README.md", DOCS / "index.md"], ids=name_of)
def test_every_page_is_reached(start):
    reached, waiting = set(), [start]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += targets_of(page)
    assert not set(DOCS.rglob("*.md")) - reached


@pytest.mark.parametrize(
    ("message", "is_good"),
    [
        ("board: name squares\n\nNumbers say nothing.\n", True),
        ("Merge branch 'main'\n", True),
        ("board: name squares\n", False),  # no reason
        ("board: name squares\n\n# Please enter the commit message\n", False),
        ("board: name squares\nNumbers say nothing.\n", False),
        ("name squares\n\nNumbers say nothing.\n", False),
        (f"board: name {'s' * 61}\n\nNumbers say nothing.\n", False),
    ],
)
def test_a_commit_says_why(message, is_good):
    """As pre-commit's pygrep looks: in bytes, a dot being any of them."""
    yaml = pytest.importorskip("yaml")
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = {hook["id"]: hook for repository in config["repos"] for hook in repository["hooks"]}
    pattern = hooks["commit-message"]["entry"].encode()
    flags = re.MULTILINE | re.DOTALL
    assert bool(re.search(pattern, message.encode(), flags)) == is_good
