"""The tables of all games in some folders."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from typing import Any

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import MissingTableError, TablebaseError
from tablebase.core.ground.words import quoted
from tablebase.core.jit.kernels import compile_at_once
from tablebase.core.reading.folders import find_rules
from tablebase.core.rules.rules import Rules
from tablebase.serve.lichess import describe_standard, read_legal
from tablebase.serve.overview import describe_tables

# What lichess's server calls chess.
STANDARD = "standard"


_BARE_KINGS = "8/8/8/8/8/1k6/8/1K6 w - - 0 1"


def _fen_in(table: dict[str, Any]) -> str | None:
    """Return a position of a table, by its description; None if that has none."""
    found = table.get("longest_win") or table.get("dtz_longest_win")
    return found["fen"] if found else None


class Collection:
    """The tables of chess and of other games, also of games that are added later; thread-safe.

    The caller closes the tables of chess, in whose folders the others lie.
    """

    def __init__(self, chess: Tablebase) -> None:
        self._chess = chess
        self._open: dict[str, Tablebase] = {}
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Look up a position of each game.

        What reading tables needs is compiled then, and no request ever waits for the compiler.
        """
        compile_at_once()
        for game in (STANDARD, *self.other_games()):
            with suppress(TablebaseError, OSError):  # told when somebody asks for it
                tables = self.tables_of(game)
                fens = map(_fen_in, describe_tables(tables))
                fen = next(filter(None, fens), _BARE_KINGS if game == STANDARD else None)
                if fen is not None:
                    describe_standard(tables, read_legal(fen, tables.rules), difficulty=True)

    def close(self) -> None:
        """Close all files of other games."""
        with self._lock:
            for tables in self._open.values():
                tables.close()
            self._open.clear()

    def other_games(self) -> dict[str, Rules]:
        """Return the rules that there are tables of besides chess, by their names.

        Where several rules have one name, that of the folder of their tables counts.
        """
        found = find_rules(self._chess.directories)
        count = Counter(rules.name for rules in found.values())
        return {
            rules.name if count[rules.name] == 1 else folder: rules
            for folder, rules in found.items()
        }

    def tables_of(self, game: str) -> Tablebase:
        """Return the tables of a game by its name, or by the name of their folder.

        Raises `MissingTableError` if there are none.
        """
        if game == STANDARD:
            return self._chess
        games = self.other_games()
        rules = games.get(game) or {one.folder: one for one in games.values()}.get(game)
        if rules is None:
            known = ", ".join((STANDARD, *games))
            raise MissingTableError(
                f"no tables of {quoted(game)} here; there are tables of {known}"
            )
        with self._lock:
            tables = self._open.get(rules.folder)
            if tables is None:
                there = [one for one in self._chess.directories if one.is_dir()]
                tables = self._open[rules.folder] = Tablebase(there, rules=rules)
            return tables
