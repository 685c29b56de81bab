"""Messages about missing tables, with a command to paste."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from tablebase.core.ground.capacity import MAX_MEN, MAX_MEN_OF_DTZ
from tablebase.core.ground.locations import (
    build_directory,
    default_directories,
    provided_directory,
)

HELPED = "_mates"  # how the names of helpmates end, of White and of Black


def of_missing_tables(
    materials: Sequence[str],
    directories: Sequence[str],
    needed_by: str,
    metric: str,
    rules: str = "",
    most_men: int = MAX_MEN,
) -> str:
    """Return a message about the missing tables of some materials, with a remedy.

    See `tablebase.MissingTableError` for the parameters.
    """
    for name in materials:
        if _men_in(name) > most_men:
            has = f"it has {_men_in(name)} pieces, but tables have up to {most_men}"
            return f"no table of {name}: {has}"
    names, several = " ".join(materials), len(materials) > 1
    if not directories:
        return f"no table of {names}: no folder of tables is open"
    folders = [Path(directory) for directory in directories]
    if folders == default_directories() and provided_directory() in folders:
        folders.remove(provided_directory())  # nobody builds there
    places = ", ".join(map(str, folders))
    if not folders or any(folder.exists() for folder in folders):
        if folders and not any(folder.is_dir() for folder in folders):
            return f"no table of {names}: {places} is not a folder"
        kind = (
            "helpmates"
            if metric.endswith(HELPED)
            else metric.upper() or ("tables" if several else "table")
        )
        reason = f", which {needed_by} needs," if needed_by else ""
        found = f"no {kind} of {names}{reason}" + f" in {places}" * bool(folders)
        if metric == "dtz" and any(_men_in(name) > MAX_MEN_OF_DTZ for name in materials):
            return f"{found}: it is not available for six pieces yet"
        remedy = "build them" if several and not metric else "build it"
    else:
        found, remedy = f"there is no folder {places}", "make it"
    first = folders[0] if folders else build_directory()
    folder = next((folder for folder in folders if folder.is_dir()), first)
    asked = "help" if metric.endswith(HELPED) else metric
    chosen = f"--metric {asked} " if metric else ""
    options = options_to_build(rules, folder)
    message = f"{found}: {remedy} with `tablebase build {chosen}{names}{options}`"
    if max(map(_men_in, materials)) == MAX_MEN:
        message += " (`--estimate` tells what that takes)"
    return message


def _men_in(name: str) -> int:
    """Return the number of men of a material, whose sides a small ``v`` may divide."""
    return len(name.replace("v", ""))


def options_to_build(rules: str, folder: Path) -> str:
    """Return the options to build in a folder by rules, given by their source, after a blank."""
    option = "" if folder == build_directory() else f" --dir {shlex.quote(str(folder))}"
    return option_of(rules) + option


def option_of(rules: str) -> str:
    """Return the option that means rules by their source, with a blank before it."""
    return f" --rules {shlex.quote(rules)}" if rules else ""
