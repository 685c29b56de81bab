"""``tablebase export``: write tables as other programs read them."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_threads
from tablebase.cli.choice import add_directory, add_materials, add_rules, choose
from tablebase.cli.terminal import complain, explain, new_table, show, showing_progress
from tablebase.core.ground.errors import InvalidMaterialError, MissingTableError, TablebaseError
from tablebase.core.ground.remedies import option_of
from tablebase.core.ground.words import counted
from tablebase.finding.parquet_options import ONE_MATERIAL, add_parquet

if TYPE_CHECKING:
    from tablebase.cli.choice import Choice
    from tablebase.core.rules.material import Material
    from tablebase.export.reports import Exported

_NOT_WRITTEN = 2
# A table of six would have to be read and written in parts; Gaviota has no numbering of six.
MAX_MEN_EXPORTED = 5


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "--syzygy syzygy": "all tables, for most engines",
        "KQKR --gaviota gaviota": "a table and its sub-tables as Gaviota files",
        "KPK --parquet KPK.parquet": "columns for polars or pandas",
        "KPK --parquet learn.parquet --columns split best": "with training and test data apart",
        "--syzygy syzygy --rounded": "smaller, with rounded distances",
        "--syzygy syzygy --rules atomic": "all tables of atomic chess",
    }
    command.set_up(run, examples, "writing positions", resumes=True)
    add_materials(command, nargs="*", text="like KRK, with its sub-tables (default: all tables)")
    add_directory(command)
    add_rules(command)
    formats = command.add_argument_group("formats (one of them)")
    details = command.add_argument_group("contents")
    add_parquet(add_formats(formats, "write"), details)
    details.add_argument(
        "--rounded",
        action="store_true",
        help="with --syzygy: write smaller files, in which DTZ may be a ply too short",
    )
    details.add_argument(
        "--only",
        action="store_true",
        help="with --syzygy, --gaviota: leave sub-tables out, although readers need them",
    )
    add_threads(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.core.storage.atomic import remove_leftovers

    if arguments.rounded and not arguments.syzygy:
        raise TablebaseError("--rounded needs --syzygy: other formats hold only exact distances")
    if arguments.only and arguments.parquet:
        raise TablebaseError("--only needs --syzygy or --gaviota: Parquet files have one table")
    if arguments.parquet:
        return _write_parquet(arguments)
    usual = arguments.images == "canonical" and arguments.squares == "name"
    if arguments.fen or arguments.columns or not usual:
        raise TablebaseError(
            "--columns, --fen, --images and --squares need --parquet: "
            "other formats have fixed contents"
        )
    choice = choose(arguments)
    refuse_games_without_files(arguments, choice, "write --parquet FILE")
    named = _chosen(choice)
    materials, is_whole = _possible(arguments, choice, named)
    remove_leftovers(arguments.syzygy or arguments.gaviota)
    rows: list[tuple[Exported, int]] = []
    for number, material in enumerate(materials, 1):
        is_new = arguments.force and material in named
        try:
            found, stored = _export(arguments, choice, material, force=is_new)
        except (TablebaseError, OSError) as error:
            complain(explain(error))
            is_whole = False
            continue
        rows += [(one, stored if one is found[-1] else 0) for one in found]
        line = ", ".join(f"{one.path.name} {one.size:,} bytes" for one in found)
        print(f"[{number}/{len(materials)}]  {line}", file=sys.stderr, flush=True)
    if rows:
        _show(rows)
    if arguments.only:
        tell_what_readers_miss(arguments, choice, [one.path for one, _ in rows])
    return 0 if is_whole else _NOT_WRITTEN


def refuse_games_without_files(
    arguments: argparse.Namespace, choice: Choice, remedy: str = "leave --rules out"
) -> None:
    """Raise an `InvalidRulesError` with a remedy if the chosen format has no files of the game."""
    from tablebase.export.syzygy_games import syzygy_games

    if arguments.syzygy:
        known = [one.rules for one in syzygy_games()]
        choice.refuse_other_games("Syzygy files", remedy, known)
    else:
        choice.refuse_other_games("Gaviota files", remedy)


def _write_parquet(arguments: argparse.Namespace) -> int:
    """Write the positions of one table."""
    from tablebase.finding.dataset import load_first
    from tablebase.finding.printing import save_parquet

    if len(arguments.names) != 1:
        raise TablebaseError(ONE_MATERIAL)
    choice = choose(arguments)
    material = choice.materials[0].normalized()
    data = load_first(material, choice.directories)
    with showing_progress(f"writing the positions of {material}") as progress:
        blocks = data.iter_blocks(
            images=arguments.images,
            columns=arguments.columns,
            split_seed=arguments.split_seed,
            progress=progress,
        )
        save_parquet(arguments, blocks)
    return 0


def _chosen(choice: Choice) -> list[Material]:
    """Return the materials to export, without bare kings."""
    from tablebase.core.rules.material import Material

    if choice.names:
        chosen = [material.normalized() for material in choice.materials]
        if any(material.is_bare for material in chosen):
            raise InvalidMaterialError("bare kings have no file in these formats: leave KK out")
        return list(dict.fromkeys(chosen))
    chosen = [Material.from_name(name, choice.rules) for name in choice.tables]
    return [material for material in chosen if not material.is_bare]


def _possible(
    arguments: argparse.Namespace, choice: Choice, named: Sequence[Material]
) -> tuple[list[Material], bool]:
    """Return the materials that can be written, and whether all can; tell why not."""
    from tablebase.core.storage.table_names import table_path

    large = [material for material in named if material.piece_count > MAX_MEN_EXPORTED]
    for material in large:
        complain(
            f"{material} has {material.piece_count} pieces: these formats hold up to "
            f"{MAX_MEN_EXPORTED}, leave it out"
        )

    def is_missing(material: Material) -> bool:
        return not any(table_path(folder, material).exists() for folder in choice.directories)

    missing = [one for one in named if one not in large and is_missing(one)]
    chosen = [one for one in named if one not in large and one not in missing]
    needed_by = chosen[0] if len(named) == len(chosen) == 1 else None
    if not arguments.only:
        chosen = _with_subtables(chosen)
        missing += filter(is_missing, chosen)
    if missing:
        complain(explain(MissingTableError.of(missing, choice.directories, needed_by=needed_by)))
    # What a Syzygy file holds of a position depends on what its captures reach.
    unread = missing if arguments.syzygy else []
    possible = [
        one for one in chosen if one not in missing and not {*one.dependencies()} & {*unread}
    ]
    return possible, not large and not missing


def _with_subtables(materials: Iterable[Material]) -> list[Material]:
    """Return materials with all that they lead to but bare kings, sub-tables first."""
    from tablebase.core.rules.material import generation_order

    return [one for one in generation_order(materials) if not one.is_bare]


def _export(
    arguments: argparse.Namespace, choice: Choice, material: Material, *, force: bool
) -> tuple[list[Exported], int]:
    """Write the files of a material; return them, and the bytes of their distances in our files."""
    from tablebase.core.outcomes.metrics import DTM, DTZ
    from tablebase.core.storage.reading import open_table
    from tablebase.core.tables.table import stored_sides
    from tablebase.export.gaviota_writing import write_gaviota
    from tablebase.export.reports import Exported
    from tablebase.export.syzygy_writing import write_syzygy

    folders = choice.directories
    target: Path = arguments.syzygy or arguments.gaviota
    paths = [target / name for name in _names(arguments, material)]
    metric = DTZ if arguments.syzygy else DTM
    source = choice.table_of(material)
    options = {"threads": arguments.threads}
    if not force and all(path.exists() for path in paths):
        written = [Exported(path, path.stat().st_size, 0.0) for path in paths]
    else:
        target.mkdir(parents=True, exist_ok=True)
        with showing_progress(f"writing {' and '.join(path.name for path in paths)}") as progress:
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


def _names(arguments: argparse.Namespace, material: Material) -> list[str]:
    """Return the names of the files of a material in the format that arguments choose."""
    from tablebase.export.gaviota_index import gaviota_name
    from tablebase.export.syzygy_games import syzygy_names

    return syzygy_names(material) if arguments.syzygy else [gaviota_name(material)]


def _show(rows: Sequence[tuple[Exported, int]]) -> None:
    """Show what was written, and the sums."""
    table = new_table("file", "bytes", "seconds", "bytes in HDF5")
    for one, stored in rows:
        seconds = f"{one.seconds:.1f}" if one.seconds else "exists"
        table.add_row(one.path.name, f"{one.size:,}", seconds, f"{stored:,}" if stored else "")
    table.add_section()
    table.add_row(
        counted(len(rows), "file"),
        f"{sum(one.size for one, _ in rows):,}",
        f"{sum(one.seconds for one, _ in rows):.1f}",
        f"{sum(stored for _, stored in rows):,}",
    )
    show(table)


def tell_what_readers_miss(
    arguments: argparse.Namespace, choice: Choice, paths: Iterable[Path]
) -> None:
    """Print which sub-tables readers of some files need but do not find beside them, if any."""
    from tablebase.core.rules.material import Material

    folder: Path = arguments.syzygy or arguments.gaviota
    missing = []
    for path in paths:
        name, _, suffix = path.name.partition(".")
        material = Material.from_name(name, choice.rules).normalized()
        for one in _with_subtables([material]) if len(name) <= MAX_MEN_EXPORTED + 1 else ():
            files = [file for file in _names(arguments, one) if file.endswith(f".{suffix}")]
            if not all((folder / file).exists() for file in files):
                missing.append(one)
    if not missing:
        return
    names = " ".join(one.name for one in _widest(list(dict.fromkeys(missing))))
    form = "--syzygy" if arguments.syzygy else "--gaviota"
    game = option_of(choice.rules.source)
    options = f"{form} {shlex.quote(str(folder))}{game}{choice.directory_options}"
    print(
        f"readers of these files also need {names}, which {folder} lacks: "
        f"add them with `tablebase export {names} {options}`",
        file=sys.stderr,
    )


def _widest(materials: Sequence[Material]) -> list[Material]:
    """Return the fewest materials whose builds and exports include all of them."""
    below = {sub for one in materials for sub in _with_subtables([one]) if sub != one}
    return [one for one in materials if one not in below]


def add_formats(command: Any, verb: str) -> Any:
    """Add the choice of a format and the folder of its files, and return the choice."""
    formats = command.add_mutually_exclusive_group(required=True)
    formats.add_argument(
        "--syzygy",
        metavar="DIR",
        type=Path,
        help=f"{verb} .rtbw and .rtbz files in DIR (atomic .atb?, antichess .gtb?, suicide .stb?)",
    )
    formats.add_argument(
        "--gaviota", metavar="DIR", type=Path, help=f"{verb} .gtb.cp4 files in DIR"
    )
    return formats
