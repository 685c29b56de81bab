"""``tablebase publish``: write a folder of tables that any web host can serve."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli.arguments import Parser, men_count
from tablebase.cli.choice import add_directory, add_materials, add_rules, choose
from tablebase.cli.terminal import complain, explain, new_table, show, showing_progress
from tablebase.core.ground.errors import InvalidMaterialError, MissingTableError
from tablebase.core.ground.words import counted, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablebase.core.rules.material import Material
    from tablebase.publish.publication import Published

_NOT_PUBLISHED = 2


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "site": "all tables",
        "site KRPKR --dir tables": "a table and its sub-tables",
        "site --men 4": "all materials of up to four pieces",
        "site --rules shatranj": "all tables of another game, next to those of chess",
        "site --men 4 --no-tables": "a small site, whose pages solve the tables",
        "site --base https://host.example/tables/": "only indexes of tables on another host",
    }
    command.set_up(run, examples, "preparing tables", resumes=True)
    command.add_argument("folder", metavar="FOLDER", type=Path, help="folder to write")
    add_materials(command, nargs="*", text="like KRK, with its sub-tables (default: all tables)")
    command.add_argument(
        "--men", type=men_count, metavar="N", help="all materials of up to N pieces"
    )
    add_directory(command)
    add_rules(command)
    where = command.add_mutually_exclusive_group()
    where.add_argument(
        "--no-tables",
        action="store_true",
        help="leave the tables out: pages solve them; they are built for a while, to describe them",
    )
    where.add_argument(
        "--base",
        metavar="URL",
        type=_web_address,
        help="address of the folder with the table files, which are then not put into FOLDER",
    )
    command.add_argument(
        "--force",
        action="store_true",
        help="overwrite files that are not from publish or were edited, and write tables again",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if not arguments.no_tables:
        return _publish(arguments, _sources(arguments))
    with tempfile.TemporaryDirectory(prefix="tablebase-") as scratch:
        return _publish(arguments, _build(arguments, Path(scratch)))


def _publish(arguments: argparse.Namespace, sources: Sequence[Path]) -> int:
    from tablebase.publish.publication import publish_tables

    folder: Path = arguments.folder
    failures = 0

    def failed(_: Path, error: Exception) -> None:
        nonlocal failures
        failures += 1
        complain(explain(error))

    with showing_progress(f"preparing {counted(len(sources), 'table')} for {folder}") as progress:
        rows, listed = publish_tables(
            sources,
            folder,
            base=arguments.base,
            solved=arguments.no_tables,
            force=arguments.force,
            progress=progress or (lambda _, __: None),
            failed=failed,
        )
    if rows:
        _show(rows)
    print(f"{folder}: {counted(listed, 'table')} in all")
    return _NOT_PUBLISHED if failures else 0


def _sources(arguments: argparse.Namespace) -> list[Path]:
    """Return the files to publish, sub-tables first; bare kings need none, unless they can win.

    Raises `InvalidMaterialError` for bare kings only, `MissingTableError` for a missing table.
    """
    from tablebase.core.rules.material import Material

    choice = choose(arguments)
    found = choice.tables
    chosen = choice.materials or [Material.from_name(name, choice.rules) for name in found]
    needed = _needed(chosen)
    missing = [one for one in needed if one.name not in found]
    if missing:
        raise MissingTableError.of(missing, choice.directories)
    return [found[one.name] for one in needed]


def _needed(chosen: Sequence[Material]) -> list[Material]:
    """Return some materials and their sub-tables, but bare kings where they cannot win."""
    from tablebase.core.rules.material import generation_order

    order: list[Material] = generation_order(chosen)
    needed = [one for one in order if not one.is_bare or one.rules.goal]
    if not needed:
        raise InvalidMaterialError(
            "bare kings are a draw and need no table: name other materials, like KRK"
        )
    return needed


def _build(arguments: argparse.Namespace, folder: Path) -> list[Path]:
    """Build the chosen tables in a folder, and return their files, sub-tables first."""
    from tablebase.core.building.generator import generate
    from tablebase.core.storage.table_names import table_path
    from tablebase.publish.listing import module_path

    choice = choose(arguments)
    if not choice.materials:
        raise InvalidMaterialError("--no-tables needs materials, like KRK, or --men 4")
    needed = _needed(choice.materials)
    module_path(choice.rules)  # before the work
    with showing_progress(f"solving {counted(len(needed), 'table')}") as progress:
        generate(
            needed,
            folder,
            report=progress and (lambda event: progress(event.number, event.total)),
        )
    return [table_path(folder, one) for one in needed]


def _show(rows: list[Published]) -> None:
    """Show what was published, and the sums."""
    table = new_table("table", "bytes", "index", "")
    for one in rows:
        state = "" if one.is_new else "exists"
        table.add_row(one.material.name, f"{one.size:,}", f"{one.index_size:,}", state)
    table.add_section()
    table.add_row(
        counted(len(rows), "table"),
        f"{sum(one.size for one in rows):,}",
        f"{sum(one.index_size for one in rows):,}",
        "",
    )
    show(table)


def _web_address(text: str) -> str:
    if not text.startswith(("https://", "http://")):
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not the address of a web host: write it like https://host.example/tables/"
        )
    return text
