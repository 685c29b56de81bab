"""``tablebase prove``: try whether a strategy always reaches its goal."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_json, add_threads
from tablebase.cli.choice import add_directory, add_materials, add_rules, choose
from tablebase.cli.terminal import print_json, showing_progress
from tablebase.core.ground.words import quoted

if TYPE_CHECKING:
    from tablebase.strategies.proving import StrategyProof
    from tablebase.strategies.refuting import PlayedLine

_EXPLORER = "http://127.0.0.1:8080/"


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "KRK --method": "the method that lessons teach",
        "KRK examples/strategies/krk_bratko.toml": "a list of rules by Bratko",
        "KPK mine.py:push --goal promotion --pgn out.pgn": "a function, and the lines as PGN",
        "KPK mine.toml --start 'white_pawn.rank < 6'": "only from some positions",
    }
    command.set_up(run, examples, "trying the method against every reply")
    add_materials(command, nargs=1, text="like KRK; White is the stronger side")
    command.add_argument(
        "strategy",
        nargs="?",
        metavar="FILE",
        help="TOML file of a method; or a Python file, which is run like any program, as "
        "FILE.py:NAME with the function in it (default: strategy)",
    )
    command.add_argument(
        "--method", action="store_true", help="try the method that comes with the program"
    )
    command.add_argument(
        "--goal",
        choices=("mate", "win", "promotion", "hold"),
        help="mate; win, or leave the table for a won position; promotion to a won position; hold, "
        "for the weaker side (default: that of the method, or mate)",
    )
    command.add_argument(
        "--side",
        choices=("white", "black"),
        help="who follows it (default: that of the method, or White, or Black to hold)",
    )
    command.add_argument(
        "--any-of", action="store_true", help="it is enough if one of the allowed moves works"
    )
    command.add_argument(
        "--start",
        metavar="EXPRESSION",
        help="begin only in positions that meet a condition like that of `tablebase find --where`",
    )
    command.add_argument("--pgn", metavar="FILE", help="write the lines as PGN to a new file")
    add_directory(command)
    add_rules(command)
    add_threads(command)
    add_json(command)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out: 0 if the strategy is proven, 1 if it is refuted."""
    from tablebase.core.board.geometry import Color
    from tablebase.strategies.methods import method_for
    from tablebase.strategies.proving import prove

    choice = choose(arguments)
    (material,) = choice.materials
    if arguments.method:
        choice.refuse_other_games("methods of the program", "name a FILE")
    if arguments.pgn:
        choice.refuse_other_games("--pgn", "leave it out")
        if Path(arguments.pgn).exists():
            arguments.refuse(f"{arguments.pgn} exists: give --pgn the name of a new file")
    try:
        if arguments.method == (arguments.strategy is not None):
            arguments.refuse("name a FILE, or give --method for the program's own one")
        strategy = (
            method_for(material.normalized().name)
            if arguments.method
            else _read(arguments.strategy)
        )
        with showing_progress(str(material)) as progress:
            proof = prove(
                material,
                strategy,
                choice.directories,
                goal=arguments.goal,
                any_of=arguments.any_of,
                start=arguments.start,
                side=None if arguments.side is None else Color[arguments.side.upper()],
                threads=arguments.threads,
                progress=progress,
            )
    except (TypeError, ValueError) as error:
        arguments.refuse(str(error))
    if arguments.json:
        print_json(_describe(proof))
    else:
        print(proof)
        for kind, line in _lines(proof):
            print(f"see {kind}: {_EXPLORER}{line.query}")
    if arguments.pgn:
        _write(Path(arguments.pgn), proof)
    return 0 if proof.is_proven else 1


def _read(named: str) -> Any:
    """Return the method of a file, or what a file of Python defines."""
    import runpy

    from tablebase.strategies.methods import read_method

    path, colon, name = named.rpartition(":")
    if not colon or not path.endswith(".py"):
        path, name = named, "strategy"
    if not Path(path).is_file():
        message = f"there is no file {path}"
        raise ValueError(message)
    if path.endswith(".toml"):
        return read_method(path)
    try:
        known = runpy.run_path(path)
    except Exception as error:
        message = f"{path} ends with {type(error).__name__}: {error}"
        raise ValueError(message) from error
    if name not in known:
        message = f"{path} has no {quoted(name)}: write {path}:NAME"
        raise ValueError(message)
    return known[name]


def _describe(proof: StrategyProof) -> dict[str, Any]:
    lines = {
        kind: {"fen": line.fen, "moves": line.moves, "line": line.text, "end": line.end}
        for kind, line in _lines(proof)
    }
    return {
        "material": proof.material.name,
        "goal": proof.goal,
        "side": proof.side.name.lower(),
        "any_of": proof.any_of,
        "proven": proof.is_proven,
        "positions": proof.positions,
        "positions_proven": proof.proven,
        "failures": proof.failures,
        "rules": [rule._asdict() for rule in proof.rules],
        "longest": proof.longest,
        "excess": proof.excess,
        "mean_excess": proof.mean_excess,
        "lines": lines,
    }


def _lines(proof: StrategyProof) -> list[tuple[str, PlayedLine]]:
    """Return the lines to play through, with their names."""
    if proof.is_proven:
        return [("longest", proof.longest_game)] if proof.longest_game else []
    return [*proof.refutations.items()]


def _write(path: Path, proof: StrategyProof) -> None:
    """Write the lines as games."""
    import chess.pgn

    from tablebase.core.storage.atomic import write_text

    games = []
    for kind, line in _lines(proof):
        game = chess.pgn.Game({"Event": f"{proof.material}: {kind}"})
        game.setup(line.fen)
        node: Any = game
        for move in line.moves:
            node = node.add_variation(chess.Move.from_uci(move))
        node.comment = line.end
        games.append(str(game))
    write_text(path, "\n\n".join(games) + "\n")
