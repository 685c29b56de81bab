"""The files that `tablebase publish` would write, made when somebody asks for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import CorruptTableError, TablebaseError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import SUFFIX
from tablebase.publish.game_data import numbering_record
from tablebase.publish.listing import NUMBERING, SUMMARIES, laboratory
from tablebase.publish.materials import Version
from tablebase.publish.own_files import checked_text
from tablebase.publish.site import LABORATORY, MODULES
from tablebase.publish.table_index import index_record
from tablebase.publish.table_records import (
    exercises_record,
    game_entry,
    list_record,
    summary_record,
    survey_record,
)
from tablebase.serve.kept_records import kept_text, key_of, make_kept
from tablebase.serve.overview import describe_tables

KEPT = 512  # texts of each kind
MOST_WITHOUT_EXERCISES = 3  # men of a table in which there may be nothing to practise


class Wanted(NamedTuple):
    """A file of a publication."""

    make: Callable[[], str]  # gives its text
    key: str = ""  # what names the text, if it may take seconds
    doing: str = ""  # in words what is done meanwhile


def list_text(tables: Tablebase, games: dict[str, Rules], server: dict[str, Any]) -> str:
    """Return the list of the tables of a game that can be read.

    `games` are named beside them; `server` says what the server can do more than a host of files.
    """
    sound = [one for one in describe_tables(tables) if "metrics" in one]
    entries = [game_entry(rules) | {"name": name} for name, rules in games.items()]
    return checked_text(list_record(sound, tables.rules, games=entries, server=server))


def wanted_file(tables: Tablebase, name: str) -> Wanted | None:
    """Return the maker of a file like ``KRK.json``, None for lists and files that do not exist."""
    if name == NUMBERING:
        return Wanted(lambda: _numbering_text(tables.rules))
    if name == SUMMARIES:
        return Wanted(lambda: _summaries_text(tables))
    material, _, kind = name.removesuffix(".json").partition(".")
    paths = tables.available_tables
    path = paths.get(material)
    if path is None or not name.endswith(".json"):
        return None
    if kind == "summary":
        return Wanted(lambda: checked_text(summary_record(path)))
    if kind == "survey":
        make = partial(survey_record, path, tables.directories)
        return _kept(tables, name, f"looking through the table of {material}", make)
    if kind == "exercises":
        make = partial(exercises_record, tables, Material.from_name(material, tables.rules))
        return _kept(tables, name, f"drawing exercises of {material}", make)
    version = Version.of(path)
    return Wanted(lambda: _index_texts(path, version).get(name, ""))


def _summaries_text(tables: Tablebase) -> str:
    """Return the figures of all tables, of small ones with the levels of exercises once drawn.

    Only endings of few men can be without an exercise, so no others are looked for.
    """
    described = describe_tables(tables)
    for one in described:
        if one["men"] <= MOST_WITHOUT_EXERCISES:
            name = f"{one['material']}.exercises.json"
            if text := kept_text(key_of(name, tables, exercises_record)):
                one["levels"] = len(json.loads(text)["levels"])
    return checked_text({"tables": described})


@lru_cache(maxsize=KEPT)
def _numbering_text(rules: Rules) -> str:
    return checked_text(numbering_record(rules))


def _kept(tables: Tablebase, name: str, doing: str, make: partial[dict[str, Any]]) -> Wanted:
    key = key_of(name, tables, make.func)
    if text := kept_text(key):
        return Wanted(lambda: text)
    return Wanted(partial(make_kept, key, make), key, doing)


@lru_cache(maxsize=KEPT)
def _index_texts(path: Path, version: Version) -> dict[str, str]:
    """Return the index of a table file and its parts, by the names of their files.

    Raises `CorruptTableError` if the file was replaced while it was read.
    """
    with open_table(path) as file:
        index, parts = index_record(file, check=False)
    if Version.of(path) != version:
        message = f"{path} was replaced meanwhile"
        raise CorruptTableError(message)
    return {name: checked_text(part) for name, part in parts.items()} | {
        f"{path.stem}.json": checked_text(index)
    }


def table_file(tables: Tablebase, name: str) -> Path | None:
    """Return the path of a table file by its name, None if there is none."""
    return tables.available_tables.get(name.removesuffix(SUFFIX))


def laboratory_routes() -> list[Route]:
    """Return the addresses of what the laboratory of games reads; the first question makes it."""
    return [Route(f"/{one}/{{name}}", _of_laboratory) for one in (LABORATORY, MODULES.name)]


def _of_laboratory(request: Request) -> Response:
    try:
        content = laboratory().get(request.url.path.removeprefix("/"))
    except TablebaseError as error:  # the module is missing
        raise HTTPException(404, str(error)) from None
    if content is None:
        raise HTTPException(404, "the laboratory has no such file")
    return Response(content, headers={"cache-control": "no-cache"})
