"""``tablebase butterfly``: how often each from-to pair is a best move."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import (
    add_directory,
    add_json,
    add_table_names,
    add_threads,
    chosen_paths,
    directories_of,
    new_command,
)
from tablebase.cli.terminal import new_table, print_json, show

if TYPE_CHECKING:
    from tablebase.study import ButterflyBoards

_SHOWN = 10
_COLORS = ("White", "Black")


def add_parser(commands: Any) -> None:
    """Add the command to the parser's commands."""
    text = "count how often each from-to pair is a best move: an array and two pictures"
    examples = {
        "KRK KQK --out boards": "an array and a picture of each",
        "KPK --draws --no-pictures": "with moves that keep a draw, the array alone",
    }
    command = new_command(commands, "butterfly", run, text, examples)
    add_table_names(command, nargs="+", text="like KRK or KRvKN")
    add_directory(command)
    command.add_argument(
        "--out", metavar="DIR", default=".", help="where to write (default: this folder)"
    )
    command.add_argument(
        "--draws", action="store_true", help="count moves that keep a draw in drawn positions, too"
    )
    command.add_argument("--no-pictures", action="store_true", help="write the array only")
    add_threads(command)
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    import numpy as np

    from tablebase.storage import read_subtables, read_table
    from tablebase.study import count_best_moves

    described = []
    for path in chosen_paths(arguments):
        table = read_table(path)
        subtables = read_subtables(table.material, path.parent, *directories_of(arguments))
        boards = count_best_moves(
            table, subtables, draws=arguments.draws, threads=arguments.threads
        )
        folder = Path(arguments.out)
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{table.material.name}-butterfly.npz"]
        np.savez_compressed(files[0], **boards.arrays())  # type: ignore[arg-type]
        if not arguments.no_pictures:
            files += _draw(boards, folder)
        if arguments.json:
            described.append(_describe(boards, files))
        else:
            _show(boards, files)
    if arguments.json:
        print_json(described[0] if len(described) == 1 else described)
    return 0


def _draw(boards: ButterflyBoards, folder: Path) -> list[Path]:
    """Write both pictures and return their paths."""
    from tablebase.study import draw_counters, draw_sheet

    name = boards.material.name
    pictures = {
        folder / "butterfly-sheet.svg": draw_sheet(),
        folder / f"{name}-butterfly.svg": draw_counters(boards.whole_board, name),
    }
    for path, svg in pictures.items():
        path.write_text(svg, encoding="utf-8")
    return list(pictures)


def _describe(boards: ButterflyBoards, files: list[Path]) -> dict[str, Any]:
    from tablebase.board import SIDES
    from tablebase.study import WEIGHTING

    return {
        "material": boards.material.name,
        "weighting": WEIGHTING,
        "with_draws": boards.with_draws,
        "positions": dict(zip(SIDES, boards.positions, strict=True)),
        "inequivalent": boards.inequivalent.tolist(),
        "whole_board": boards.whole_board.tolist(),
        "files": [str(path) for path in files],
    }


def _show(boards: ButterflyBoards, files: list[Path]) -> None:
    for color, name in enumerate(_COLORS):
        table = new_table(f"{name}'s best moves", "times", "share")
        total = int(boards.whole_board[color].sum())
        for move, count in boards.commonest(color, _SHOWN):
            table.add_row(f"{move[:2]}-{move[2:]}", f"{count:,}", f"{count / total:.2%}")
        if total:
            show(table)
    for path in files:
        print(path)
