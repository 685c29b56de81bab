"""``tablebase export``: write tables as other programs read them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import (
    ONE_MATERIAL,
    add_directory,
    add_materials,
    add_parquet,
    add_rules,
    add_threads,
    directories_of,
    new_command,
)
from tablebase.cli.chosen import path_of, read_material, refuse_other_games, rules_of, tables_of
from tablebase.cli.terminal import complain, explain, new_table, show, showing_progress
from tablebase.errors import InvalidMaterialError, TablebaseError

if TYPE_CHECKING:
    from tablebase.export import Exported
    from tablebase.rules import Material

_NOT_WRITTEN = 2
# A table of six would have to be read and written in parts; Gaviota has no numbering of six.
MAX_MEN_EXPORTED = 5


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "write tables as Syzygy, Gaviota or Parquet files, for other programs"
    examples = {
        "--syzygy syzygy": "all tables, for most engines",
        "KRK KPK --gaviota gaviota": "two tables as Gaviota files",
        "KPK --parquet KPK.parquet": "columns for polars or pandas",
        "--syzygy syzygy --rounded": "smaller, with rounded distances",
    }
    command = new_command(commands, "export", run, text, examples, resumes=True)
    add_materials(command, nargs="*", text="like KRK (default: all tables)")
    add_directory(command)
    add_rules(command)
    add_parquet(add_formats(command, "write"), command)
    command.add_argument(
        "--rounded",
        action="store_true",
        help="with --syzygy: write smaller files, in which DTZ may be a ply too short",
    )
    add_threads(command)


def add_formats(command: argparse.ArgumentParser, verb: str) -> Any:
    """Add the choice of a format and the folder of its files, and return the choice."""
    formats = command.add_mutually_exclusive_group(required=True)
    formats.add_argument(
        "--syzygy", metavar="DIR", type=Path, help=f"{verb} .rtbw and .rtbz files in DIR"
    )
    formats.add_argument(
        "--gaviota", metavar="DIR", type=Path, help=f"{verb} .gtb.cp4 files in DIR"
    )
    return formats


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.storage import remove_leftovers

    if arguments.rounded and not arguments.syzygy:
        raise TablebaseError("--rounded needs --syzygy: other formats hold only exact distances")
    if arguments.parquet:
        return _write_parquet(arguments)
    if arguments.fen or arguments.images != "canonical" or arguments.squares != "name":
        raise TablebaseError(
            "--fen, --images and --squares need --parquet: other formats have fixed contents"
        )
    refuse_other_games(rules_of(arguments), "Syzygy and Gaviota files", "write --parquet FILE")
    materials = _chosen(arguments)
    remove_leftovers(arguments.syzygy or arguments.gaviota)
    rows: list[tuple[Exported, int]] = []
    refused = 0
    for number, material in enumerate(materials, 1):
        try:
            found, stored = _export(arguments, material)
        except (TablebaseError, OSError) as error:
            complain(explain(error))
            refused += 1
            continue
        rows += [(one, stored if one is found[-1] else 0) for one in found]
        line = ", ".join(f"{one.path.name} {one.size:,} bytes" for one in found)
        print(f"[{number}/{len(materials)}]  {line}", file=sys.stderr, flush=True)
    if rows:
        _show(rows)
    return _NOT_WRITTEN if refused else 0


def _write_parquet(arguments: argparse.Namespace) -> int:
    """Write the positions of one table."""
    from tablebase.cli.found import save_parquet
    from tablebase.study import load_first

    if len(arguments.materials) != 1:
        raise TablebaseError(ONE_MATERIAL)
    material = read_material(arguments.materials[0], rules_of(arguments)).normalized()
    data = load_first(material, directories_of(arguments))
    with showing_progress(material.name) as progress:
        blocks = data.iter_blocks(images=arguments.images, progress=progress)
        save_parquet(arguments, blocks)
    return 0


def _chosen(arguments: argparse.Namespace) -> list[Material]:
    """Return the materials to export, without bare kings."""
    from tablebase.rules import Material

    if arguments.materials:
        chosen = [read_material(name).normalized() for name in arguments.materials]
        if not all(material.groups for material in chosen):
            raise InvalidMaterialError("bare kings have no file in these formats: leave KK out")
        return list(dict.fromkeys(chosen))
    names = tables_of(directories_of(arguments))
    return [material for material in map(Material.from_name, names) if material.groups]


def _export(arguments: argparse.Namespace, material: Material) -> tuple[list[Exported], int]:
    """Write the files of a material; return them, and the bytes of the same distances in ours."""
    from tablebase.export import Exported, gaviota_name, syzygy_names, write_gaviota, write_syzygy
    from tablebase.outcomes import DTM, DTZ
    from tablebase.storage import open_table
    from tablebase.tables import stored_sides

    if material.piece_count > MAX_MEN_EXPORTED:
        raise TablebaseError(
            f"{material} has {material.piece_count} men: these formats hold up to "
            f"{MAX_MEN_EXPORTED}, leave it out"
        )
    folders = directories_of(arguments)
    target: Path = arguments.syzygy or arguments.gaviota
    names = syzygy_names(material) if arguments.syzygy else [gaviota_name(material)]
    paths = [target / name for name in names]
    metric = DTZ if arguments.syzygy else DTM
    source = path_of(material.name, folders)
    options = {"threads": arguments.threads}
    if not arguments.force and all(path.exists() for path in paths):
        written = [Exported(path, path.stat().st_size, 0.0) for path in paths]
    else:
        target.mkdir(parents=True, exist_ok=True)
        with showing_progress(material.name) as progress:
            if arguments.syzygy:
                rounded = arguments.rounded
                written = write_syzygy(
                    material, folders, target, rounded=rounded, progress=progress, **options
                )
            else:
                written = [write_gaviota(material, source, target, progress=progress, **options)]
    with open_table(source) as file:
        stored = [
            len(c) for side in stored_sides(material) for c in file.chunks.stored(side, metric.name)
        ]
    return written, sum(stored)


def _show(rows: Sequence[tuple[Exported, int]]) -> None:
    """Show what was written, and what it adds up to."""
    table = new_table("file", "bytes", "seconds", "bytes in HDF5")
    for one, stored in rows:
        seconds = f"{one.seconds:.1f}" if one.seconds else "exists"
        table.add_row(one.path.name, f"{one.size:,}", seconds, f"{stored:,}" if stored else "")
    table.add_section()
    table.add_row(
        f"{len(rows)} files",
        f"{sum(one.size for one, _ in rows):,}",
        f"{sum(one.seconds for one, _ in rows):.1f}",
        f"{sum(stored for _, stored in rows):,}",
    )
    show(table)
