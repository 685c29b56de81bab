"""The tables of all games in some folders."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

from tablebase.core.errors import MissingTableError
from tablebase.core.probing import Tablebase, find_rules
from tablebase.core.words import quoted

if TYPE_CHECKING:
    from tablebase.core.rules import Rules

# What lichess's server calls chess.
STANDARD = "standard"


class Collection:
    """The tables of chess and of other games, also of games that are added later; thread-safe.

    The caller closes the tables of chess, in whose folders the others lie.
    """

    def __init__(self, chess: Tablebase) -> None:
        self._chess = chess
        self._open: dict[str, Tablebase] = {}
        self._lock = threading.Lock()

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
