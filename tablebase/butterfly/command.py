"""``tablebase butterfly``: how often each from-to pair is a best move."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_json, add_threads
from tablebase.cli.choice import add_directory, add_table_names, choose
from tablebase.cli.terminal import new_table, print_json, show
from tablebase.core.ground.extras import require_packages
from tablebase.core.ground.words import quoted

if TYPE_CHECKING:
    from tablebase.butterfly.boards import ButterflyBoards
    from tablebase.butterfly.countermoves import CountermoveBoards

_SHOWN = 10
_COLORS = ("White", "Black")


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "KRK KQK --out boards": "write an array and pictures for each",
        "KPK --draws --no-pictures": "also count drawing moves; no pictures",
        "KRK --countermoves": "the best answer to each last move",
        "KQKR --threats": "four boards, by whether from and to are attacked",
        "--sheet d1-e3": "print the pairs of a range of squares",
    }
    command.set_up(run, examples, "counting best moves")
    add_table_names(command, text="like KRK or KRvKN")
    command.add_argument(
        "--sheet",
        nargs="*",
        type=_squares,
        metavar="FROM TO",
        help="print the from-to pairs that are moves of a piece: all of them, those within a range "
        "of squares like d1-e3, or those from one range to another",
    )
    add_directory(command)
    command.add_argument(
        "--out", metavar="DIR", default=".", help="folder to write to (default: this folder)"
    )
    command.add_argument(
        "--draws", action="store_true", help="also count the moves that hold a draw"
    )
    command.add_argument(
        "--countermoves",
        action="store_true",
        help="also find the best answer to each last move of the opponent",
    )
    command.add_argument(
        "--threats",
        action="store_true",
        help="also count by whether the other side attacks the from- and the to-square",
    )
    command.add_argument("--no-pictures", action="store_true", help="write only the array")
    add_threads(command)
    add_json(command)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if arguments.sheet is not None:
        if arguments.names or len(arguments.sheet) > 2:
            arguments.refuse("--sheet takes one or two ranges of squares, and no MATERIAL")
        _show_sheet(arguments.sheet or [range(64)], as_json=arguments.json)
        return 0
    if not arguments.names:
        arguments.refuse("give a MATERIAL, or --sheet")
    if not arguments.no_pictures:
        require_packages("pictures need", "matplotlib")
    from tablebase.butterfly.boards import count_best_moves
    from tablebase.butterfly.countermoves import count_countermoves
    from tablebase.core.storage.reading import read_table
    from tablebase.core.storage.subtables import read_subtables

    described, choice = [], choose(arguments)
    for path in choice.paths:
        table = read_table(path)
        subtables = read_subtables(table.material, path.parent, *choice.directories)
        options = {"draws": arguments.draws, "threads": arguments.threads}
        boards = count_best_moves(table, subtables, threats=arguments.threats, **options)
        answers = None
        if arguments.countermoves:
            answers = count_countermoves(table, subtables, **options)
        files = _write(boards, answers, arguments)
        if arguments.json:
            described.append(_describe(boards, answers, files))
        else:
            _show(boards, answers, files)
    if arguments.json:
        print_json(described[0] if len(described) == 1 else described)
    return 0


def _show_sheet(ranges: list[range], *, as_json: bool) -> None:
    from tablebase.butterfly.boards import text_sheet
    from tablebase.core.board.geometry import square_name

    origins, targets = ranges[0], ranges[-1]
    rows = text_sheet(origins, targets)
    if as_json:
        names = [[square_name(square) for square in squares] for squares in (origins, targets)]
        print_json({"from": names[0], "to": names[1], "rows": rows})
        return
    for origin, row in reversed([*zip(origins, rows, strict=True)]):
        print(square_name(origin), row)
    for part in (0, 1):
        print("  ", "".join(square_name(target)[part] for target in targets))
    signs = "".join(rows)
    counts = {
        name: sum(map(signs.count, kinds))
        for name, kinds in (("rook", "-|"), ("bishop", "/\\"), ("knight", "N"), ("none", "#"))
    }
    print(", ".join(f"{name} {number:,}" for name, number in counts.items()))


def _write(
    boards: ButterflyBoards, answers: CountermoveBoards | None, arguments: argparse.Namespace
) -> list[Path]:
    """Write the array and the pictures, and return their paths."""
    from io import BytesIO

    import numpy as np

    from tablebase.core.storage.atomic import complete_or_absent

    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{boards.material.name}-butterfly.npz"]
    arrays = boards.arrays() | (answers.arrays() if answers else {})
    packed = BytesIO()  # zipfile complains after a disk that was full
    np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]
    with complete_or_absent(files[0]) as partial:
        partial.write_bytes(packed.getbuffer())
    return files if arguments.no_pictures else files + _draw(boards, folder)


def _draw(boards: ButterflyBoards, folder: Path) -> list[Path]:
    """Write both pictures and return their paths."""
    from tablebase.butterfly.drawing import draw_counters, draw_sheet
    from tablebase.core.storage.atomic import write_text

    name = boards.material.name
    pictures = {
        folder / "butterfly-sheet.svg": draw_sheet(),
        folder / f"{name}-butterfly.svg": draw_counters(boards.whole_board, name),
    }
    for path, svg in pictures.items():
        write_text(path, svg)
    return list(pictures)


def _describe(
    boards: ButterflyBoards, answers: CountermoveBoards | None, files: list[Path]
) -> dict[str, Any]:
    from tablebase.butterfly.boards import WEIGHTING
    from tablebase.core.board.geometry import SIDES

    return {
        "material": boards.material.name,
        "weighting": WEIGHTING,
        "with_draws": boards.with_draws,
        "positions": dict(zip(SIDES, boards.positions, strict=True)),
        "inequivalent": boards.inequivalent.tolist(),
        "whole_board": boards.whole_board.tolist(),
        **({} if boards.threats is None else {"threats": boards.threats.tolist()}),
        **({name: array.tolist() for name, array in answers.arrays().items()} if answers else {}),
        "files": [str(path) for path in files],
    }


def _show(boards: ButterflyBoards, answers: CountermoveBoards | None, files: list[Path]) -> None:
    for color, name in enumerate(_COLORS):
        table = new_table(f"{name}'s best moves", "times", "share")
        total = int(boards.whole_board[color].sum())
        for move, count in boards.commonest(color, _SHOWN):
            table.add_row(_dashed(move), f"{count:,}", f"{count / total:.2%}")
        if total:
            show(table)
        if boards.threats is not None and total:
            table = new_table(f"{name} moves from", "to", "times", "share", left=2)
            for ends, count in boards.by_threats(color).items():
                table.add_row(*ends, f"{count:,}", f"{count / total:.2%}")
            show(table)
        if answers and total:
            table = new_table(f"{_COLORS[1 - color]}'s last move", "answer", "times", "of", left=2)
            for last, answer, times, count in answers.commonest(color, _SHOWN):
                table.add_row(_dashed(last), _dashed(answer), f"{times:,}", f"{count:,}")
            show(table)
    for path in files:
        print(path)


def _dashed(move: str) -> str:
    return f"{move[:2]}-{move[2:]}"


def _squares(text: str) -> range:
    """Return the squares of a range like d1-e3, by their numbers."""
    import chess

    first, _, last = text.partition("-")
    try:
        squares = range(chess.parse_square(first), chess.parse_square(last or first) + 1)
    except ValueError:
        squares = range(0)
    if not squares:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a range of squares: write it like d1-e3, the lower square first"
        )
    return squares
