"""``tablebase audit``: check the tables of other programs, with our tables and without."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_json, add_threads, positive_number, whole_number
from tablebase.cli.choice import add_directory, add_materials, add_rules, choose
from tablebase.cli.commands.verify import each_file, exit_code
from tablebase.cli.terminal import complain, explain, print_json, showing_progress
from tablebase.core.ground.errors import InvalidMaterialError, MissingTableError, TablebaseError
from tablebase.core.ground.words import counted
from tablebase.export.command import (
    add_formats,
    refuse_games_without_files,
    tell_what_readers_miss,
)

if TYPE_CHECKING:
    from tablebase.cli.choice import Choice
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rules import Rules
    from tablebase.export.reports import Audit

_USAGE = """tablebase audit [-h] [MATERIAL ...] [--dir DIR] [--rules NAME|FILE]
           [--threads N] [--json] (--syzygy DIR | --gaviota DIR)
       tablebase audit [-h] MATERIAL ... [--dir DIR] [--rules NAME|FILE]
           [--json] [--sample N] [--seed N] [--exact]
           (--prober MODULE:NAME ARGUMENT | --server URL)"""


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "--syzygy syzygy": "all Syzygy files of a folder",
        "--syzygy syzygy --rules atomic": "those of atomic chess",
        "KRK KPK --gaviota gaviota": "two Gaviota files",
        "KRK --prober chess.syzygy:open_tablebase syzygy": "what python-chess reads from a folder",
        "KRPKNP --server https://tablebase.lichess.ovh": "a server's answers for 100 positions",
    }
    command.set_up(run, examples, "checking tables of others")
    command.usage = _USAGE
    add_materials(command, nargs="*", text="like KRK (default: all files of the folder)")
    sources = command.add_argument_group("what to check (one of them)")
    choice = add_formats(sources, "read")
    choice.add_argument(
        "--prober",
        nargs=2,
        metavar=("MODULE:NAME", "ARGUMENT"),
        help="ask NAME(ARGUMENT), which has probe_wdl, probe_dtz or probe_dtm; MODULE may be a "
        "file that ends in .py",
    )
    choice.add_argument("--server", metavar="URL", help="ask a server with lichess's HTTP API")
    add_directory(command)
    add_rules(command)
    asked = command.add_argument_group("with --prober and --server")
    asked.add_argument(
        "--sample",
        type=positive_number,
        metavar="N",
        help="positions of each material (default: 1000, or 100 from a server)",
    )
    asked.add_argument(
        "--seed",
        type=whole_number,
        metavar="N",
        help="seed of the random sample (default: 0)",
    )
    asked.add_argument(
        "--exact",
        action="store_true",
        help="expect exact distances to zeroing, none of them rounded",
    )
    add_threads(command)
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.prober or arguments.server:
        from tablebase.audit.probers import audit_answers

        return audit_answers(arguments)
    if arguments.exact or arguments.sample is not None or arguments.seed is not None:
        raise TablebaseError(
            "--sample, --seed and --exact need --prober or --server: of files, every value is read"
        )
    return _audit_files(arguments)


def _audit_files(arguments: argparse.Namespace) -> int:
    from tablebase.export.gaviota_audit import audit_gaviota
    from tablebase.export.gaviota_reading import gaviota_material
    from tablebase.export.syzygy_audit import audit_syzygy

    choice, threads = choose(arguments), arguments.threads
    refuse_games_without_files(arguments, choice)

    def audit(path: Path) -> Audit:
        with showing_progress(f"checking {path.name}") as progress:
            if arguments.syzygy:
                return audit_syzygy(path, choice.directories, threads=threads, progress=progress)
            source = choice.table_of(gaviota_material(path))
            return audit_gaviota(path, source, threads=threads, progress=progress)

    described: list[dict[str, Any]] = []
    found = []
    paths = _chosen_files(arguments, choice)
    missing = _without_tables(paths, choice)
    if missing:
        reason = explain(MissingTableError.of(dict.fromkeys(missing.values()), choice.directories))
        complain(reason)
        described = [_describe(path, None, reason) for path in missing]
    for path, one, reason in each_file([path for path in paths if path not in missing], audit):
        described.append(_describe(path, one, reason))
        if one is not None:
            found.append(one)
            if not arguments.json:
                _show(one)
    if arguments.json:
        print_json(described)
    tell_what_readers_miss(arguments, choice, [one.path for one in found])
    # A file may hold no value that readers use, as that of a material that is always drawn.
    nothing = bool(found) and not any(one.compared for one in found)
    if nothing:
        complain(f"no value of {', '.join(one.path.name for one in found)} can be compared")
    return exit_code(found, unchecked=len(paths) - len(found) + nothing)


def _chosen_files(arguments: argparse.Namespace, choice: Choice) -> list[Path]:
    """Return the files to audit."""
    from tablebase.export.gaviota_index import gaviota_name
    from tablebase.export.syzygy_games import syzygy_names

    folder: Path = arguments.syzygy or arguments.gaviota
    if choice.names:
        materials = [material.normalized() for material in choice.materials]
        names = [
            name
            for material in materials
            for name in (syzygy_names(material) if arguments.syzygy else [gaviota_name(material)])
        ]
        return [folder / name for name in names]
    suffixes = _suffixes(choice.rules) if arguments.syzygy else (".gtb.cp4",)
    paths = _files_in(folder, suffixes)
    if not paths:
        raise MissingTableError(_why_none(folder, suffixes))
    return sorted(paths, key=lambda path: (len(path.name), path.name))


def _suffixes(rules: Rules) -> tuple[str, ...]:
    from tablebase.export.syzygy_games import syzygy_game

    return tuple(kind.suffix for kind in syzygy_game(rules).kinds)


def _files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    return [path for path in folder.glob("[!.]*") if path.name.endswith(suffixes)]


def _why_none(folder: Path, suffixes: tuple[str, ...]) -> str:
    """Return the reason why a folder has no files, and the option for files of another game."""
    from tablebase.export.syzygy_games import syzygy_games

    if not folder.is_dir():
        return f"there is no folder {folder}"
    games = [one.rules for one in syzygy_games() if _files_in(folder, _suffixes(one.rules))]
    hint = f", but some of {games[0].name}: write --rules {games[0].name}" if games else ""
    return f"there are no {' or '.join(suffixes)} files in {folder}{hint}"


def _without_tables(paths: Sequence[Path], choice: Choice) -> dict[Path, Material]:
    """Return the files without a table in any folder, with their materials."""
    from tablebase.core.rules.material import Material
    from tablebase.core.storage.table_names import find_table

    missing = {}
    for path in filter(os.path.exists, paths):
        with suppress(InvalidMaterialError):  # reading the file tells what is wrong with it
            name = path.name.partition(".")[0]
            material = Material.from_name(name, choice.rules).normalized()
            if find_table(material, choice.directories) is None:
                missing[path] = material
    return missing


def _describe(path: Path, audit: Audit | None, reason: str) -> dict[str, Any]:
    """Return the audit of a file as JSON types."""
    first = None if audit is None or audit.first is None else audit.first
    return {
        "path": str(path),
        "material": None if audit is None else audit.material.name,
        "passed": False if audit is None else audit.passed if audit.compared else None,
        "problem": reason or None,
        "compared": 0 if audit is None else audit.compared,
        "different": 0 if audit is None else audit.different,
        "first": first and {"fen": first.fen, "found": first.found, "expected": first.expected},
    }


def _show(audit: Audit) -> None:
    differences = counted(audit.different, "difference")
    values = (
        f"{audit.compared:,} values compared" if audit.compared else "it has no value to compare"
    )
    print(f"{audit.path.name}: {audit.verdict}, {values}, {differences}")
    if audit.first is not None:
        print(f"  {audit.first}")
