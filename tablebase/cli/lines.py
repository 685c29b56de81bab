"""Positions line by line: FENs and EPDs in, values as CSV or JSON lines out."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from tablebase.cli.choice import choose
from tablebase.cli.terminal import complain, explain
from tablebase.cli.texts import name_of, open_text
from tablebase.core.answers.known import rank_by_tables
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.words import counted
from tablebase.core.outcomes.metrics import FIFTY_MOVES, Wdl50, wdl50_array
from tablebase.core.positions.any_position import as_position, left_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.reading.given import Given

COLUMNS = ("fen", "wdl", "dtm", "dtz", "wdl50")
BEST, ERROR = "best_move", "error"
LEFT_OUT = "left_out"  # for standard error, while the others are written as columns
# Lines that are looked up together.
BLOCK = 1 << 16


def probe_file(arguments: argparse.Namespace) -> int:
    """Print a row for each position of a file; return 2 if any of them could not be looked up."""
    columns = [*COLUMNS, *[BEST] * arguments.best, ERROR]
    failed, lost = _Told(), _Told()
    with open_text(arguments.file) as file, choose(arguments).open_tables() as tables:
        lines = _positions_of(file)
        write = _writer(columns, as_json=arguments.json)
        while block := list(islice(lines, BLOCK)):
            texts = [text for _, text in block]
            values = look_up_lines(tables, texts, best=arguments.best)
            write(values)
            for told, name in ((lost, LEFT_OUT), (failed, ERROR)):
                told.add((number for number, _ in block), values[name])
    for told, what in ((lost, "with rights that do not count"), (failed, "could not be looked up")):
        if told.count:
            complain(f"{name_of(arguments.file)}: {told.words(what)}")
    return 2 if failed.count else 0


@dataclass
class _Told:
    """How many lines there is something to be told of, and what of the first one."""

    count: int = 0
    first: str = ""

    def add(self, numbers: Iterable[int], told: Iterable[str | None]) -> None:
        """Count lines by their numbers, with what is to be told of each, if anything."""
        for number, words in zip(numbers, told, strict=True):
            if words:
                self.first = self.first or f"line {number}: {words}"
                self.count += 1

    def words(self, what: str) -> str:
        first = f"{'the first in ' * (self.count > 1)}{self.first}"
        return f"{counted(self.count, 'position')} {what}, {first}"


def _positions_of(file: TextIO) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without empty ones and comments (``#``)."""
    for number, line in enumerate(file, 1):
        text = line.strip()
        if text and text[0] != "#":
            yield number, text


def _writer(columns: list[str], *, as_json: bool) -> Any:
    """Return a function that prints columns of values, row by row."""
    if as_json:

        def write_json(values: Mapping[str, Iterable[Any]]) -> None:
            for row in zip(*(values[name] for name in columns), strict=True):
                print(json.dumps(dict(zip(columns, row, strict=True))))

        return write_json
    output = csv.writer(sys.stdout, lineterminator="\n")
    output.writerow(columns)
    return lambda values: output.writerows(zip(*(values[name] for name in columns), strict=True))


def look_up_lines(tables: Tablebase, texts: list[str], *, best: bool) -> dict[str, list[Any]]:
    """Return the values of FENs and EPDs, and the `best` moves, in columns, None if unknown.

    `COLUMNS` has signed distances and results, `BEST` moves in UCI notation, `ERROR` the reason
    why there is no value, and `LEFT_OUT` which rights do not count, in words that may be empty. The
    halfmove clock counts, in EPDs as ``hmvc``.
    """
    given = tables.read_positions(texts)
    dtm, valid = tables.probe_dtm_many(given, skip_missing=True)
    wdl, proven = tables.probe_wdl_many(given, skip_missing=True)
    dtz, known = tables.probe_dtz_many(given, skip_missing=True)
    if tables.rules.distance_tells:
        known &= valid
    by_zeroing = known & ~(valid & (dtm == 0))
    plies = np.where(by_zeroing, np.abs(dtz), np.abs(dtm))  # 0 where the game is over
    wdl50 = wdl50_array(np.where(wdl < 0, ~plies, wdl * plies), given.clocks)
    wdl50[(wdl > 0) & (plies == 0)] = Wdl50.WIN  # who has won without a move is to move
    is_claimed = given.clocks >= FIFTY_MOVES
    certain = (valid | known) & (known | (np.abs(wdl50) > 1) | is_claimed)
    certain |= proven & (wdl == 0)
    certain &= tables.rules.fifty_moves
    values = {
        "fen": texts,
        "wdl": _listed(wdl, proven),
        "dtm": _listed(dtm, valid),
        "dtz": _listed(dtz, known),
        "wdl50": _listed(wdl50, certain),
        BEST: [None] * len(texts),
        ERROR: [None] * len(texts),
        LEFT_OUT: [
            "" if i in given.errors else left_out(text, tables.rules)
            for i, text in enumerate(texts)
        ],
    }
    for i in np.flatnonzero(~proven).tolist():
        values[ERROR][i] = given.errors.get(i) or _refusal(tables, given, i)
    if best:
        for i in np.flatnonzero(valid | known).tolist():
            try:
                moves = rank_by_tables(tables, as_position(given.board(i), tables.rules))
            except MissingTableError as error:  # of what a capture or promotion leads to
                values[ERROR][i] = explain(error)
            else:
                values[BEST][i] = moves[0].move.uci() if moves else None
    return values


def _listed(values: NDArray[Any], known: NDArray[np.bool_]) -> list[Any]:
    """Return values as a list, None for unknown ones."""
    return [value if there else None for value, there in zip(values.tolist(), known, strict=True)]


def _refusal(tables: Tablebase, given: Given, number: int) -> str:
    """Return the reason why a readable position has no value."""
    try:
        tables.probe_wdl(given.board(number))
    except (MissingTableError, UnsupportedPositionError) as error:
        return explain(error)
    return "the table was added during the look-up: try again"
