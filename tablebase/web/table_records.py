"""The JSON records of published tables: lists, figures, surveys and exercises.

`publication` writes them, and the server makes them on request, so nothing here writes or keeps
anything. `own_files.checked_text` makes their text; `table_index` has the index of a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from tablebase.core.board import Color
from tablebase.core.errors import CorruptTableError, MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes import DTM, DTZ, FIFTY_MOVES
from tablebase.core.positions import Setup, read_position
from tablebase.core.rules import Material, generation_key
from tablebase.practice import moves_by_sight
from tablebase.web.game_data import rules_record
from tablebase.web.materials import summary_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from tablebase.core.positions import Position
    from tablebase.core.probing import Tablebase
    from tablebase.core.rules import Rules

LIST_FORMAT, LIST_VERSION = "chess-tablebase-publication", 2
LEVELS, EXERCISES_OF_LEVEL = 10, 20
# Random positions of a table that its exercises are chosen from.
DRAWN = 1500
# Fields of a summary that the list of all leaves out, and the checksum of its file.
_DETAILS = {"crc32", "title", "symmetric", "histograms", "longest"}


def list_record(
    summaries: Iterable[Mapping[str, Any]],
    rules: Rules,
    *,
    checksums: Mapping[str, int] | None = None,
    base: str | None = None,
    games: Sequence[Mapping[str, str]] = (),
    server: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the list of the tables of a game, the content of ``tables.json``.

    `summaries` are of `summary_record`, `games` of `game_entry`. Without `checksums` (CRC-32 by
    material) readers do not check whole files; `base` is the address of table files that lie
    elsewhere; `server` has ``max_men``, ``location`` and ``solve`` of a server.
    """
    checksums = checksums or {}
    listed = {
        one["material"]: {
            "bytes": one["bytes"],
            "crc32": checksums.get(one["material"]),
            "metrics": one["metrics"],
        }
        for one in summaries
    }
    record = {"format": LIST_FORMAT, "version": LIST_VERSION, "tables": listed}
    if base is not None:
        record["base"] = base if base.endswith("/") else f"{base}/"
    record["rules"] = rules_record(rules)
    if games:
        record["games"] = list(games)
    if server is not None:
        record["server"] = dict(server)
    return record


def game_entry(rules: Rules) -> dict[str, str]:
    """Return the entry of another game in the list of chess: its name, folder and address.

    The address is that of the folder with its own list, relative to the list of chess.
    """
    return {"name": rules.name, "folder": rules.folder, "address": f"{rules.folder}/"}


def summary_record(path: Path) -> dict[str, Any]:
    """Return the figures of a table file without reading values; `CorruptTableError` if damaged."""
    return summary_of(path).figures


def summaries_record(summaries: Iterable[Mapping[str, Any]], rules: Rules) -> dict[str, Any]:
    """Return the short figures of all tables of a game, of `summary_record`, simplest first."""
    tables = [{name: one[name] for name in one if name not in _DETAILS} for one in summaries]
    tables.sort(key=lambda one: generation_key(Material.from_name(one["material"], rules)))
    return {"tables": tables}


def survey_record(path: Path, directories: Sequence[Path]) -> dict[str, Any]:
    """Return the figures that a pass over the values of a table file finds.

    Beside ``material`` they are ``survey``, with ``longest_wins`` and ``mutual_zugzwangs``, and
    ``difficult``, the hardest positions. They are None without distances, or for too many values.
    """
    table = summary_of(path, tuple(directories))
    record = {"material": table.figures["material"], "survey": table.survey}
    try:
        return record | {"difficult": table.difficult}
    except (MissingTableError, CorruptTableError):  # perhaps another table that moves lead to
        return record | {"difficult": None}


def exercises_record(tables: Tablebase, material: Material) -> dict[str, Any]:
    """Return random positions of a table to win or to hold, by difficulty; always the same.

    ``levels`` are tenths of difficulty from 0 to 9, with up to `EXERCISES_OF_LEVEL` positions:
    ``fen``, ``result``, ``dtm`` of a win in plies, ``difficulty``. They are empty without DTZ.
    """
    levels: list[list[dict[str, Any]]] = [[] for _ in range(LEVELS)]
    try:
        for position in _drawn(material):
            if (one := _exercise(tables, position)) is None:
                continue
            level = levels[min(round(one["difficulty"] * LEVELS), LEVELS - 1)]
            if len(level) < EXERCISES_OF_LEVEL:
                level.append(one)
            if all(len(one) == EXERCISES_OF_LEVEL for one in levels):
                break
    except (MissingTableError, CorruptTableError):  # of another table that moves lead to
        pass
    return {"material": material.name, "levels": levels}


def _drawn(material: Material) -> Iterator[Position[Any]]:
    """Yield random legal positions, for a material always the same."""
    rules = material.rules
    rng = np.random.default_rng(crc32(f"{material} {rules.digest}".encode()))
    squares = np.array(rules.board.squares)
    for _ in range(DRAWN):
        places = rng.choice(squares, material.piece_count, replace=False).tolist()
        setup = Setup(material, tuple(places), Color(int(rng.integers(2))))
        try:
            yield read_position(setup.fen, rules)
        except UnsupportedPositionError:
            continue


def _exercise(tables: Tablebase, position: Position[Any]) -> dict[str, Any] | None:
    """Return a position as an exercise, None if its player can give nothing away."""
    rule50 = tables.rules.fifty_moves
    try:
        keeping, hidden, plain = moves_by_sight(tables, position.board, rule50=rule50)
    except UnsupportedPositionError:  # it is illegal
        return None
    if not hidden and not plain:
        return None
    plies = tables.probe_outcome(position.board, DTZ)
    is_won = plies > 0 and not (rule50 and plies > FIFTY_MOVES)
    difficulty = len(hidden) / (len(keeping) + len(hidden))
    told: dict[str, Any] = {"fen": position.fen, "result": "win" if is_won else "draw"}
    if is_won and (dtm := _distance(tables, position)) is not None:
        told["dtm"] = dtm
    return told | {"difficulty": round(difficulty, 4)}


def _distance(tables: Tablebase, position: Position[Any]) -> int | None:
    """Return the plies of a win to the end, None if they are not known."""
    try:
        return int(tables.probe_outcome(position.board, DTM))
    except MissingTableError:
        return None
