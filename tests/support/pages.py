"""What pages show: commands, what is typed into them, and what they print and install."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

from tablebase.core.ground.extras import PACKAGES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# In this order they say what else is to be installed.
FOLLOWED = [
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("tutorial", "players", "engines", "teachers", "data")),
]
# Of finished experiments: their pages name the commit whose scripts drew them.
FINISHED_PICTURES = {"leapers", "makruk", "pairs", "races_and_checks", "shatranj"}
# Commands that wait for people, ask other machines, show measurements, or need tables that take
# minutes.
NOT_RUN = re.compile(
    r"serve|.*(--server|--workers|--scheduler|--memory|--estimate|KPPKP|KRPKR|site --men 4)"
)


class Session(NamedTuple):
    """A command of a page.

    Attributes
    ----------
    arguments : list[str]
        What follows ``tablebase``, without a redirection.
    typed : str
        What is typed into it.
    shown : list[str]
        The lines that it prints.
    target, stream : str
        The file that the shell writes, and ``>`` or ``2>``; both empty if there is none.
    """

    arguments: list[str]
    typed: str
    shown: list[str]
    target: str
    stream: str


def session_of(line, lines=()):
    """Return a command line with the lines that a page shows below."""
    command = shlex.split(line, comments=True)
    signs = [place for place, one in enumerate(command) if one in {">", "2>"}]
    place = signs[0] if signs else len(command)
    stream, target = command[place : place + 2] or ("", "")
    typed = [line.partition("> ")[2] for line in lines if line.startswith("> ")]
    shown = [line for line in lines if not line.startswith("> ")]
    text = "".join(f"{one}\n" for one in typed)
    return Session(command[:place], text, shown, target, stream)


def sessions_on(page):
    """Return the commands of a page that can be run."""
    text = page.read_text(encoding="utf-8")
    found = []
    for kind, block in re.findall(r"```(console|sh)\n(.*?)```", text, re.DOTALL):
        # A command goes on behind a backslash; what is printed may end in one as well.
        command = r"^(\$ .*)\\\n" if kind == "console" else r"^(.*)\\\n"
        while re.search(command, block, re.MULTILINE):
            block = re.sub(command, r"\1", block, flags=re.MULTILINE)  # noqa: PLW2901
        # A session also shows what other programs print of its files.
        shell = re.sub(r"^\$ (?!tablebase ).*\n", "", block, flags=re.MULTILINE)
        start = r"^\$ tablebase " if kind == "console" else r"^tablebase "
        for session in re.split(start, shell, flags=re.MULTILINE)[1:]:
            command, *lines = session.splitlines()
            found.append(session_of(command, lines if kind == "console" else ()))
    return [one for one in found if not NOT_RUN.match(shlex.join(one.arguments))]


def files_on(page):
    """Return the files of rules that a page shows, by their names."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```ini\n(.*?)```", text, re.DOTALL)
    return dict(zip(["fairy.ini"], blocks, strict=bool(blocks)))


def pattern_of(lines):
    """Return what output fits lines of a page: ``...`` is any text.

    How many spaces there are does not count, nor how long a rule is, nor a number of seconds and
    the bytes after it, which differ from one machine to another.
    """
    text = re.sub("─+", "─", "\n".join(lines))
    text = re.sub(r"\b\d+\.\d\d(\s+[\d,]+$| s\b)", "┄", text, flags=re.MULTILINE)
    pattern = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in text.split("..."))
    return pattern.replace("─", "─+").replace("┄", r"[\d,.]+(\s+[\d,]+| s| min \d+ s)")


def installed_by(text):
    """Return the packages that the commands of a text install beside what the program needs."""
    extras = set(re.findall(r"^tables: \$\(HAS\)-(\w+)$", text, re.MULTILINE))
    found = set()
    for names, others in re.findall(r"--editable\s+['\"]\.\[([\w,]+)\]['\"]((?: \w+)*)", text):
        extras |= set(names.split(","))
        found |= set(others.split())
    return found.union(*(PACKAGES.get(extra, ()) for extra in extras))
