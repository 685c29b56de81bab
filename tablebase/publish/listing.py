"""The lists of a published folder, and the places of its tables' files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from posixpath import normpath
from typing import Any, NamedTuple, Self
from zlib import crc32

from tablebase.core.building.page_modules import module_name, solver_of
from tablebase.core.building.problem_files import problems_of
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import HELPMATES, Metric, distances_named
from tablebase.core.reading.folders import find_rules
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import has_mates
from tablebase.core.rules.rules import CHESS, Rules
from tablebase.core.storage.table_names import SUFFIX
from tablebase.publish.game_data import numbering_record
from tablebase.publish.laboratory import laboratory_files, template
from tablebase.publish.own_files import OwnFiles, checked_text, read_checked
from tablebase.publish.site import MODULES, TABLES_FOLDER
from tablebase.publish.table_index import parts_of, read_index
from tablebase.publish.table_records import game_entry, list_record, summaries_record

# The lists of a game: its tables, their figures, and how its positions are numbered.
LISTS = LIST, SUMMARIES, NUMBERING = "tables.json", "summaries.json", "numbering.json"
# What records of a table must have, by the endings of their files.
_RECORDS = {
    ".summary.json": ("bytes", "metrics", "histograms"),
    ".survey.json": ("survey", "difficult"),
    ".exercises.json": ("levels",),
}
# Of more men they would take a page as much memory and time again.
MOST_MEN_OF_HELPMATES = 4
# What follows the material in the names of the files of a table.
_PART = r"\.\w+_to_move\.\w+\.\d+\.json"
FILE_OF_TABLE = re.compile(rf"\w+(?:\{SUFFIX}|(?:\.summary|\.survey|\.exercises)?\.json|{_PART})")


class Names(NamedTuple):
    """The addresses of the files of a table, but of the parts of its index."""

    table_file: str
    index_file: str
    summary_file: str
    survey_file: str
    exercises_file: str

    @classmethod
    def of(cls, material: Material) -> Self:
        """Return the addresses of a material."""
        place = address_of(material.rules, material.name)
        return cls(*(f"{place}{ending}" for ending in (SUFFIX, ".json", *_RECORDS)))


def games_in(folder: Path, *others: Rules) -> list[Rules]:
    """Return the games that a folder of publication has table files of, and others, chess first."""
    found = find_rules([folder / TABLES_FOLDER]).values()
    return list(dict.fromkeys([CHESS, *found, *others]))


def write_lists(
    own: OwnFiles, games: Sequence[Rules], bases: Mapping[Rules, str | None]
) -> tuple[set[str], int]:
    """Write the lists of all games; return the addresses of files to keep, and the tables' number.

    `games`, chess first, have table files in the folder or will have an index; `bases` are the
    addresses of table files outside of it. Other games keep theirs.
    """
    kept = {address for address in own.addresses if address.endswith(SUFFIX)}
    entries: list[dict[str, str]] = []
    lists: dict[str, dict[str, Any]] = {}  # by folder
    for entry, theirs in _elsewhere(own, games):
        entries.append(entry)
        lists[entry["folder"]] = theirs
        place = f"{TABLES_FOLDER}/{entry['folder']}/"
        kept |= {address for address in own.addresses if address.startswith(place)}
    for rules in [*games[1:], CHESS]:  # the list of chess names the other games
        base = bases.get(rules)
        if rules not in bases:
            base = (read_checked(own.folder / address_of(rules, LIST)) or {}).get("base")
        elif base:
            base = "/".join(filter(None, (base.rstrip("/"), rules.folder)))
        indexes = indexes_of(own.folder, rules)
        # In order, as a server lists them, whichever came last.
        others = [] if rules.folder else sorted(entries, key=itemgetter("folder"))
        listed = _write_list(own, rules, base, others, indexes)
        if listed is None:
            continue
        lists[rules.folder] = listed
        kept |= {address_of(rules, name) for name in LISTS}
        for index in indexes:
            names = Names.of(Material.from_name(index["material"], rules))
            kept |= {*names}
            if _is_solved(index):
                kept.discard(names.table_file)
            kept |= {address_of(rules, part) for part in parts_of(index)}
        if rules != CHESS:
            entries.append(game_entry(rules))
    for folder, listed in lists.items():
        if solver := listed.get("solver"):
            place = f"{TABLES_FOLDER}/{folder}"
            kept |= {normpath(f"{place}/{address}") for address in solver.values()}
            kept |= {*laboratory()}
    return kept, sum(len(listed["tables"]) for listed in lists.values())


def _elsewhere(
    own: OwnFiles, games: Sequence[Rules]
) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Yield the listed games whose table files are on other hosts, each with its list.

    Only a run that publishes their tables knows their rules.
    """
    known = {rules.folder for rules in games}
    before = read_checked(own.folder / address_of(CHESS, LIST)) or {}
    for entry in before.get("games", ()):
        theirs = read_checked(own.folder / TABLES_FOLDER / entry["folder"] / LIST)
        if theirs and entry["folder"] not in known:
            yield entry, theirs


def address_of(rules: Rules, name: str = "") -> str:
    """Return the address of a file among the tables of a game, by default of their folder."""
    return "/".join(filter(None, (TABLES_FOLDER, rules.folder, name)))


def _write_list(
    own: OwnFiles,
    rules: Rules,
    base: str | None,
    games: Sequence[dict[str, str]],
    indexes: Iterable[Mapping[str, Any]],
) -> dict[str, Any] | None:
    """Write the lists of a game if it has tables, or is chess; return the list of tables."""
    summaries, checksums, solved = [], {}, []
    for index in indexes:
        material = Material.from_name(index["material"], rules)
        summary = records_of(own.folder, material)
        is_file = (own.folder / Names.of(material).table_file).is_file()
        if summary and (base or is_file or _is_solved(index)):
            summaries.append(summary)
            # By it, pages tell that a table was replaced by one of the same size.
            checksums[material.name] = index["file_crc32"]
            if _is_solved(index):
                solved += [(material, distances_named(name)[0]) for name in index["metrics"]]
                if has_mates(rules) and material.piece_count <= MOST_MEN_OF_HELPMATES:
                    solved += [(material, metric) for metric in HELPMATES]
    if not summaries and rules != CHESS:
        return None
    solver = _write_solver(own, rules, solved) if solved else None
    listed = list_record(
        summaries, rules, checksums=checksums, base=base, games=games, solver=solver
    )
    records = {
        NUMBERING: numbering_record(rules),
        SUMMARIES: summaries_record(summaries, rules),
        LIST: listed,
    }
    own.write({address_of(rules, name): checked_text(one) for name, one in records.items()})
    return listed


def _is_solved(index: Mapping[str, Any]) -> bool:
    """Return whether pages solve a table, so that it has no file."""
    return bool(index["file_size"] == 0)


def _write_solver(
    own: OwnFiles, rules: Rules, tables: Sequence[tuple[Material, Metric]]
) -> dict[str, str]:
    """Write that by which pages solve tables, a module and problems; return their addresses.

    They are relative to the folder of the game. `TablebaseError` if the module is missing.
    """
    module = module_path(rules)
    place = f"{MODULES.name}/{module.name}"
    problems = problems_of(tables)
    name = f"problems-{crc32(problems):08x}.bin"  # others never take its place in a cache
    own.write({place: module.read_bytes(), address_of(rules, name): problems, **laboratory()})
    up = "../" * (address_of(rules).count("/") + 1)
    return {"module": f"{up}{place}", "problems": name}


def laboratory() -> Mapping[str, bytes]:
    """Return the files of the laboratory of games, as `laboratory_files`."""
    return laboratory_files(module_path(template("all")))


def module_path(rules: Rules) -> Path:
    """Return the module by which pages solve a game; `TablebaseError` if it is missing."""
    path = MODULES / module_name(solver_of(rules))
    if not path.is_file():
        raise TablebaseError(
            f"{path} is missing, by which pages solve tables: make it in the folder of the source "
            "by python scripts/make_modules.py"
        )
    return path


def indexes_of(folder: Path, rules: Rules) -> list[dict[str, Any]]:
    """Return all whole indexes of a game in a folder of publication."""
    paths = sorted((folder / address_of(rules)).glob("[A-Z]*.json"))
    return [index for path in paths if (index := read_index(path, rules))]


def records_of(folder: Path, material: Material) -> dict[str, Any] | None:
    """Return the summary of a table, None unless it and all other records are whole.

    Its ``levels`` are how many its exercises have, so that a course offers none without any.
    """
    found = {}
    for ending, required in _RECORDS.items():
        path = folder / address_of(material.rules, f"{material}{ending}")
        found[ending] = record = read_checked(path) or {}
        if record.get("material") != material.name or not record.keys() >= set(required):
            return None
    return found[".summary.json"] | {"levels": len(found[".exercises.json"]["levels"])}
