"""Tables of other games than chess, their rules and positions, as plain dictionaries."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board import Color
from tablebase.core.errors import MissingTableError
from tablebase.core.index import table_index
from tablebase.core.outcomes import DTM, Outcome
from tablebase.core.positions import Setup, SetupMove, read_setup
from tablebase.core.probing import Known, Tablebase, best_line, find_rules, look_up
from tablebase.core.rules import Material, Rules
from tablebase.core.storage import TableFile, indices_of, open_table, slot_order
from tablebase.core.words import quoted, winner_moves
from tablebase.study import MOST_VALUES
from tablebase.web.game_data import rules_record
from tablebase.web.materials import summary_of
from tablebase.web.overview import SEARCH_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


# What `GameTables.position_of` can be asked for.
RANDOM, WON, LONGEST = CHOICES = ("random", "won", "longest")
LEAST_PLIES = 3  # of a won position, if the table has one: shorter ones are no exercise


class GameTables:
    """The tables of all games but chess in some folders, also of games that are added later.

    Several threads may use it; one at a time reads tables.

    Parameters
    ----------
    directories : iterable of path
        Folders of tables.
    """

    def __init__(self, directories: Iterable[Path]) -> None:
        self._directories = list(directories)
        self._open: dict[str, Tablebase] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            for tables in self._open.values():
                tables.close()
            self._open.clear()

    def games(self) -> dict[str, Rules]:
        """Return the rules that there are tables of, by their names.

        Where several rules have one name, that of the folder of their tables counts.
        """
        found = find_rules(self._directories)
        count = Counter(rules.name for rules in found.values())
        return {
            rules.name if count[rules.name] == 1 else folder: rules
            for folder, rules in found.items()
        }

    @contextmanager
    def tables_of(self, game: str) -> Iterator[Tablebase]:
        """Give the tables of a game to one thread.

        Raises
        ------
        MissingTableError
            If there are none.
        """
        games = self.games()
        rules = games.get(game) or {one.folder: one for one in games.values()}.get(game)
        if rules is None:
            known = ", ".join(games) or "chess alone"
            raise MissingTableError(
                f"no tables of {quoted(game)} here; there are tables of {known}"
            )
        with self._lock:
            tables = self._open.get(rules.folder)
            if tables is None:
                there = [one for one in self._directories if one.is_dir()]
                tables = self._open[rules.folder] = Tablebase(there, rules=rules)
            yield tables

    def describe(self) -> list[dict[str, Any]]:
        """Return the games, their pieces and tables, as `game_schemas.GameRules` each."""
        described = []
        for name, rules in self.games().items():
            with self.tables_of(name) as tables:
                listed = {"rules": name, **rules_record(rules)}
                described.append(listed | {"tables": _describe_all(tables)})
        return described

    def probe(self, game: str, fen: str) -> dict[str, Any]:
        """Return a position with its moves: the fields of `game_schemas.GamePosition`.

        Raises
        ------
        MissingTableError
            If there is no such game, or no table of the men or of those after a move.
        UnsupportedPositionError
            If the text is no FEN of the game, or its position is not legal.
        """
        with self.tables_of(game) as tables:
            position = _read(fen, tables.rules)
            with _naming_missing(tables.rules):
                known = look_up(tables, position, rule50=False)
        return _describe_position(position, known)

    def line(self, game: str, fen: str) -> dict[str, Any]:
        """Return the best moves of both sides to the end; errors as `probe`."""
        with self.tables_of(game) as tables:
            position = _read(fen, tables.rules)
            with _naming_missing(tables.rules):
                line = best_line(tables, position, rule50=False)
        steps = [_describe_move(move) for move in line]
        return {"rules": tables.rules.name, "fen": position.fen, "line": steps}

    def position_of(
        self, game: str, name: str, choice: str, rng: np.random.Generator
    ) -> dict[str, Any] | None:
        """Return a position of a material by one of `CHOICES`; None if none was found in time.

        Parameters
        ----------
        game, name
            The game and the material, whichever side is the stronger one.
        choice
            ``random`` for any position, ``won`` for one that the side to move wins, ``longest`` for
            one of the longest win: with more than four men always the same.
        rng
            Chooses the position.

        Raises
        ------
        InvalidMaterialError
            If the name is not one of a material.
        MissingTableError
            If the table is not available.
        """
        with self.tables_of(game) as tables:
            material = Material.from_name(name, tables.rules).normalized()
            path = tables.available_tables.get(material.name)
            if path is None:
                raise MissingTableError(f"no table of {material} of {tables.rules.name}")
            with open_table(path) as file:
                is_known = choice == LONGEST and file.size > MOST_VALUES
                found = _longest_known(file) if is_known else _search(file, choice, rng)
        if found is None:
            return None
        position, outcome = found
        return {"rules": tables.rules.name, "material": material.name, "fen": position.fen} | {
            "wdl": int(outcome.result),
            "dtm_plies": outcome.plies * int(outcome.result),
        }


def _read(fen: str, rules: Rules) -> Setup:
    """Return a position whose clock is at the start: the pages of games do not know the rule."""
    return read_setup(fen, rules)._replace(clock=0)


def _describe_position(position: Setup, known: Known[SetupMove]) -> dict[str, Any]:
    rules = position.rules
    return {
        "rules": rules.name,
        "rules_sha256": rules.digest,
        "fen": position.fen,
        "result": known.wdl.name.lower(),
        "wdl": known.wdl,
        "dtm_plies": known.dtm,
        "check": position.is_check(),
        "end": position.end,
        "moves": [
            _describe_move(one.move) | {"wdl": one.wdl, "dtm_plies": one.dtm} for one in known.moves
        ],
    }


def _describe_move(move: SetupMove) -> dict[str, Any]:
    return {
        "move": str(move),
        "uci": move.uci(),
        "fen": move.after._replace(clock=0).fen,
        "zeroing": move.zeroing,
    }


@contextmanager
def _naming_missing(rules: Rules) -> Iterator[None]:
    """Name missing tables without the folders of this machine."""
    try:
        yield
    except MissingTableError as error:
        names = ", ".join(error.materials) or "these pieces"
        raise MissingTableError(f"no table of {names} of {rules.name} here") from error


def _longest_known(file: TableFile) -> tuple[Setup, Outcome] | None:
    """Return the position of the longest win that a file names, None if nothing is won."""
    wins = [win for win in file.attributes["longest_wins"].values() if win]
    if not wins:
        return None
    longest = max(wins, key=lambda win: int(win["plies"]))
    return read_setup(longest["fen"], file.material.rules), Outcome(int(longest["plies"]))


def _search(file: TableFile, choice: str, rng: np.random.Generator) -> tuple[Setup, Outcome] | None:
    """Return a position of a choice with its outcome, of chunks in random order."""
    material = file.material
    outcomes = {color: file.outcomes(DTM)[color] for color in Color if file.side_stored(color)}
    wanted = {color: _wanted(values, choice, file) for color, values in outcomes.items()}
    places = [
        (color, number)
        for color, values in wanted.items()
        if values.any()
        for number in range(file.chunk_count)
    ]
    give_up = time.monotonic() + SEARCH_LIMIT
    for place in rng.permutation(len(places)).tolist():
        color, number = places[place]
        codes = file.chunk(color, number)
        slots = rng.permutation(np.flatnonzero(wanted[color][codes]))
        indices = indices_of(slot_order(material), number * file.chunk_size + slots)
        for slot, index in zip(slots.tolist(), indices.tolist(), strict=True):
            squares = table_index(material).decode(index)
            if squares is None:
                continue
            position = Setup(material, tuple(squares.tolist()), color)
            if position.is_legal():
                return position, Outcome(int(outcomes[color][codes[slot]]))
        if time.monotonic() > give_up:
            break
    return None


def _wanted(outcomes: NDArray[np.int16], choice: str, file: TableFile) -> NDArray[np.bool_]:
    """Return for each code of a side to move whether it is one of a choice."""
    if choice == RANDOM:
        return np.ones(len(outcomes), dtype=bool)
    wins = [win for win in file.attributes["longest_wins"].values() if win]
    longest = max((int(win["plies"]) for win in wins), default=0)
    least = longest if choice == LONGEST else min(LEAST_PLIES, longest)
    return outcomes >= max(1, least)


def _describe_all(tables: Tablebase) -> list[dict[str, Any]]:
    """Return the figures of tables, simpler materials first; damaged ones are left out."""
    described = []
    for name, path in tables.available_tables.items():
        material = Material.from_name(name, tables.rules)
        try:
            table = summary_of(path).contents
        except OSError:
            continue
        counts = [table[f"{color.name.lower()}_to_move"] for color in Color]
        longest = table.get("longest_win")
        described.append(
            {
                "material": name,
                "men": material.piece_count,
                "positions": table["positions"],
                "white_wins": counts[0]["win"] + counts[1]["loss"],
                "draws": counts[0]["draw"] + counts[1]["draw"],
                "black_wins": counts[0]["loss"] + counts[1]["win"],
                "longest_win": longest
                and {
                    "plies": longest["plies"],
                    "moves": winner_moves(longest["plies"]),
                    "fen": longest["fen"],
                },
            }
        )
    return described
