"""The JSON records of published tables: lists, figures, surveys and exercises.

`publication` writes them, and the server makes them on request, so nothing here writes or keeps
anything. `own_files.checked_text` makes their text; `table_index` has the index of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.rules.material import Material, generation_key
from tablebase.core.rules.rules import Rules
from tablebase.practice.exercises import draw_exercises
from tablebase.publish.game_data import rules_record
from tablebase.publish.materials import summary_of

LIST_FORMAT, LIST_VERSION = "chess-tablebase-publication", 2
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
    solver: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the list of the tables of a game, the content of ``tables.json``.

    `summaries` are of `summary_record`, `games` of `game_entry`. Without `checksums` (CRC-32 by
    material) readers do not check whole files; `base` is the address of table files that lie
    elsewhere; `server` has ``max_men``, ``location`` and ``solve`` of a server. Tables of 0 bytes
    pages solve themselves, by a `solver` with the addresses of its ``module`` and ``problems``.
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
    if solver is not None:
        record["solver"] = dict(solver)
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
    """Return the exercises of an ending as of `tablebase.practice.exercises.draw_exercises`.

    ``levels``, the easiest first and none empty, have records with ``fen``; ``goal``, which is
    ``win`` or ``hold``; ``kind``, ``mate``, ``promote``, ``win`` or ``hold``; ``moves``, how many
    without a mistake suffice, None if the game is to be won; ``dtm`` of a win in plies, if known;
    ``difficulty``. If there are none, ``why`` is a sentence for visitors.
    """
    levels, why = draw_exercises(tables, material)
    records = [[one.record for one in level] for level in levels]
    return {"material": material.name, "levels": records, "why": why}
