"""Output on a terminal: tables whose digits are never cut, errors in one line."""

from __future__ import annotations

import errno
import json
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.notice import COMPILES, NOTICE
from tablebase.core.ground.compiling import compilation
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import moves_in_words, shortened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# Columns of characters where there is no terminal: nothing is broken.
UNLIMITED = 100_000


def explain(error: BaseException) -> str:
    """Return an error in one line."""
    if isinstance(error, FileExistsError):  # where a folder was to be made
        return f"{error.filename} is a file, not a folder: name another"
    if isinstance(error, FileNotFoundError) and not error.filename and _is_nowhere():
        return "the working directory was deleted: change to another"
    if isinstance(error, OSError) and error.strerror and not isinstance(error, TablebaseError):
        name = str(error.filename or "")
        name = shortened(name) if error.errno == errno.ENAMETOOLONG else name
        if isinstance(error, FileNotFoundError) and name:
            folder = Path(name).parent
            return f"there is no {f'file {name}' if folder.is_dir() else f'folder {folder}'}"
        where = f"{name}: " if name else ""
        return f"{where}{error.strerror}"
    name = "out of memory" if isinstance(error, MemoryError) else type(error).__name__
    return " ".join(str(error).split()) or name


def _is_nowhere() -> bool:
    """Return whether the working directory was deleted, for which whatever asks for it fails."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


@contextmanager
def telling_warnings() -> Iterator[None]:
    """Print each warning once as other problems, in one line without the place in the program."""
    told: set[str] = set()

    def tell(message: Warning | str, *_: object, **__: object) -> None:
        # Python forgets what it has told when numba compiles.
        if (text := str(message)) not in told:
            told.add(text)
            complain(text)

    with warnings.catch_warnings():
        warnings.showwarning = tell
        yield


def complain(text: str) -> None:
    """Print a problem on the standard error."""
    with suppress(OSError):  # nobody is there to be told
        print(f"tablebase: {printable(text)}", file=sys.stderr, flush=True)


def printable(text: str) -> str:
    r"""Return a text from a file with all invisible characters escaped.

    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    signs = (one if one.isprintable() else ascii(one)[1:-1] for one in text)
    return "".join(signs)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=1))


@contextmanager
def showing_progress(task: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that shows the progress of a task, like ``checking KRK.h5``, on a terminal.

    Elsewhere it gives None, and `NOTICE` names the task.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.text import Text

    class Task(TextColumn):
        """The task, or that kernels are being compiled for it."""

        def render(self, task: Any) -> Any:
            return Text(COMPILES) if compilation.is_running else super().render(task)

    console = Console(stderr=True)
    NOTICE.task = task
    if not console.is_terminal:
        yield None
        return
    NOTICE.is_needed = False
    columns = Task("{task.description}"), BarColumn(), TaskProgressColumn()
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        number = bar.add_task(task, total=None)
        yield lambda done, total: bar.update(number, completed=done, total=total)


def new_table(*columns: str, left: int = 1) -> Table:
    """Return an empty table for `show`; all but the first columns are numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right")
    return table


def show(table: Table, width: int | None = None) -> None:
    """Print a table of `new_table`; columns that do not fit follow below the first, repeated.

    A line is as wide as the terminal by default, without a limit elsewhere.
    """
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if width is None:
        width = console.width if console.is_terminal else UNLIMITED
    protect(table)
    for part in _parts(table, width):
        least, most = _measure(part)
        console.width = max(width, least)  # rather broken by the terminal than cut
        if most > console.width:
            _narrow(part)
        print_trimmed(console, part)


def protect(table: Table) -> None:
    """Keep the words of a table and its cells of numbers from being cut or broken."""
    from rich.cells import cell_len

    for column in table.columns:
        cells = [str(cell) for cell in column.cells]
        words = str(column.header).split()
        words += cells if column.justify == "right" else " ".join(cells).split()
        column.min_width = max(map(cell_len, words), default=1)


def _parts(table: Table, width: int) -> list[Table]:
    """Return a table in parts that fit a width, where possible."""
    groups = [[0]]
    for number in range(1, len(table.columns)):
        wider = [*groups[-1], number]
        if len(wider) > 2 and _measure(_part(table, wider))[0] > width:
            groups.append([0, number])
        else:
            groups[-1] = wider
    return [_part(table, group) for group in groups]


def _measure(table: Table) -> tuple[int, int]:
    """Return the least and the most characters that a table can use."""
    from rich.console import Console

    measured = Console(width=UNLIMITED).measure(table)
    return measured.minimum, measured.maximum


def _part(table: Table, numbers: Sequence[int]) -> Table:
    """Return some columns of a table."""
    from rich.table import Table

    part = Table(box=table.box, pad_edge=table.pad_edge, collapse_padding=table.collapse_padding)
    columns = [table.columns[number] for number in numbers]
    for column in columns:
        part.add_column(column.header, justify=column.justify, min_width=column.min_width)
    rows = zip(*(column.cells for column in columns), strict=True)
    for row, cells in zip(table.rows, rows, strict=True):
        part.add_row(*cells, end_section=row.end_section)
    return part


def _narrow(table: Table) -> None:
    """Make columns of numbers as narrow as possible, to leave room for text."""
    for column in table.columns:
        if column.justify == "right":
            column.width = column.min_width


def print_trimmed(console: Console, *things: object) -> None:
    """Print things one below the other, without trailing blanks except on a terminal."""
    if console.is_terminal:
        console.print(*things, sep="\n")
        return
    with console.capture() as captured:
        console.print(*things, sep="\n")
    for row in captured.get().splitlines():
        console.out(row.rstrip(), highlight=False)


def longest_win(counts: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the longest distance to mate in the counts of a file."""
    if any("longest_win" not in side for side in counts.values()):
        return "not known"
    wins = [side["longest_win"] for side in counts.values() if side["longest_win"]]
    if not wins:
        return "none"
    return moves_in_words(max(win["plies"] for win in wins))


def legal_positions(counts: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the number of inequivalent legal positions of both sides to move."""
    sides = [side["inequivalent"] for side in counts.values()]
    return sum(side["win"] + side["draw"] + side["loss"] for side in sides)
