"""What pages show: commands, what is typed into them, and what they print and install."""

import re
import shlex
from pathlib import Path

from tablebase.extras import PACKAGES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# In this order they say what else is to be installed.
FOLLOWED = [
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("tutorial", "players", "engines", "composers", "data")),
]


def sessions_on(page):
    """Return the commands of a page with what is typed into them and what they show."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for session in re.split(r"^\$ tablebase ", block, flags=re.MULTILINE)[1:]:
            command, *lines = session.splitlines()
            typed = [line.partition("> ")[2] for line in lines if line.startswith("> ")]
            typed += [line.partition(": ")[2] for line in lines if line.startswith("Your move: ")]
            shown = [line for line in lines if not line.startswith("> ")]
            found.append((shlex.split(command, comments=True), typed, shown))
    return found


def pattern_of(lines):
    """Return what output fits lines of a page: ``...`` is any text.

    How many spaces there are does not count, nor how long a rule is; nor how many seconds and bytes
    a build takes.
    """
    text = re.sub(r"\d\.\d\d +[\d,]+$", "...", "\n".join(lines), flags=re.MULTILINE)
    parts = re.sub("─+", "─", text).split("...")
    pattern = ".*".join(r"\s+".join(map(re.escape, part.split())) for part in parts)
    return pattern.replace("─", "─+")


def installed_by(text):
    """Return the packages that the commands of a text install beside what the program needs."""
    extras = set(re.findall(r"^tables: \$\(HAS\)-(\w+)$", text, re.MULTILINE))
    found = set()
    for names, others in re.findall(r"--editable ['\"]\.\[([\w,]+)\]['\"]((?: \w+)*)", text):
        extras |= set(names.split(","))
        found |= set(others.split())
    return found.union(*(PACKAGES[extra] for extra in extras))
