"""``tablebase play``: a game against the tables."""

from __future__ import annotations

import argparse
import importlib
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_directory, directories_of, whole_number
from tablebase.cli.chosen import directory_options, open_tables, read_material
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.probing import LONGEST_DEFENCE, PRACTICAL, RESISTANCES

if TYPE_CHECKING:
    import chess

    from tablebase.probing import Tablebase


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        '"8/8/8/8/8/2k5/1R6/K7 w - - 0 1"': "play White",
        "--random KPK": "win a random won position",
        "--random KRK --side black": "defend a random lost one",
        '"8/8/3k4/8/2p5/8/8/4K3 b" --resistance longest': "no tricks: the longest defence",
    }
    command.set_up(run, examples, speaks=True)
    command.add_argument(
        "fen", metavar="FEN", nargs="*", help="the position, in one word or several"
    )
    command.add_argument("--random", metavar="MATERIAL", help="a random won position, like KRK")
    command.add_argument(
        "--seed",
        type=whole_number,
        metavar="N",
        help="seed of --random; the same seed gives the same position",
    )
    command.add_argument(
        "--side", choices=("white", "black"), help="your side (default: the side to move)"
    )
    command.add_argument(
        "--resistance",
        choices=RESISTANCES,
        default=PRACTICAL,
        help="how the tables choose among moves that keep the result: longest by distance to mate, "
        "practical by how hard the answer is (default: practical)",
    )
    add_directory(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    if bool(arguments.fen) == bool(arguments.random):
        raise TablebaseError("no position: give a FEN, or --random MATERIAL like KRK")
    from tablebase.cli.display import new_console
    from tablebase.cli.game import Game, check_playable

    directories = directories_of(arguments)
    with open_tables(directories) as tablebase:
        board = _first_position(arguments, tablebase)
        check_playable(tablebase, board, directories)
        person = arguments.side == "white" if arguments.side else board.turn
        console = new_console()
        game = Game(
            tablebase, board, person, console, _prepare_input(), resistance=arguments.resistance
        )
        try:
            is_over = game.run()
        except (EOFError, KeyboardInterrupt):
            console.print()
            is_over = False
    if not is_over:
        side = "white" if person else "black"
        chosen = f" --resistance {LONGEST_DEFENCE}" * (arguments.resistance == LONGEST_DEFENCE)
        options = f"--side {side}{chosen}{directory_options(directories)}"
        print(f'To resume: tablebase play "{board.fen()}" {options}')
    return 0


def _first_position(arguments: argparse.Namespace, tablebase: Tablebase) -> chess.Board:
    if arguments.fen:
        from tablebase.positions import read_fen

        return read_fen(" ".join(arguments.fen))
    import numpy as np

    from tablebase.cli.game import random_won_position

    material = read_material(arguments.random)
    table = material.normalized()
    if table.piece_count > 2 and table not in tablebase.available_materials:
        raise MissingTableError.of([table], directories_of(arguments))
    return random_won_position(tablebase, material, np.random.default_rng(arguments.seed))


def _prepare_input() -> Any:
    """Return a function that asks for a line, with history and editing on a terminal."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        with suppress(ImportError):  # Windows edits lines by itself
            importlib.import_module("readline")
        return input

    def read_and_echo(prompt: str) -> str:
        text = input(prompt)
        print(text)
        return text

    return read_and_echo
