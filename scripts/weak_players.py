"""Compare the difficulty of positions with the mistakes of engines of limited strength.

Engines without tables play both sides of random positions of some endings. Their moves in positions
in which a mistake is possible are sorted into classes by difficulty, and the share of mistakes in
each class stands beside the mean difficulty, which is what the model predicts. Engines are not
people: the table says only whether mistakes of players who know no tables rise with difficulty.

Usage: python scripts/weak_players.py --dir FOLDER [KPK ...] [--games 12] [--engine stockfish]
       [--seed 1] [--save]

``--save`` keeps the figures in benchmarks/results, for ``scripts/figures.py``.
"""

from __future__ import annotations

import argparse
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import chess
import chess.engine
import measurement
import numpy as np

from tablebase import Material, Tablebase
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.positions.chess_board import board_of
from tablebase.practice.sight import moves_by_sight

NAME = "difficulty"  # of the file of results
MATERIALS = (
    *("KPK", "KRK", "KBNK", "KQKR", "KRKN", "KRKP", "KQKP", "KPKP"),
    *("KBKP", "KNKP", "KBPK", "KNPK", "KRKB"),
)
# Options of the engine that make a player, and how many nodes it searches for a move.
PLAYERS: dict[str, tuple[dict[str, Any], int]] = {
    "Skill Level 0": ({"Skill Level": 0}, 60),
    "UCI_Elo 1350": ({"UCI_LimitStrength": True, "UCI_Elo": 1350}, 400),
    "1 node": ({}, 1),
}
PLIES = 40  # of a game at most
# Upper ends of the classes of difficulty; the first has positions that are not difficult at all.
CLASSES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class Judged(NamedTuple):
    """A move in a position in which a mistake was possible."""

    player: str
    material: str
    difficulty: float
    is_mistake: bool


def starts(tables: Tablebase, name: str, rng: np.random.Generator) -> Iterator[chess.Board]:
    """Yield random positions of a material that are legal, not over and not lost."""
    material = Material.from_name(name)
    while True:
        row = rng.choice(64, material.piece_count, replace=False).tolist()
        board = board_of(material, row, bool(rng.integers(2)))
        if board.is_valid() and any(board.legal_moves) and tables.probe_wdl50(board) > -2:
            yield board


def moves_played(
    tables: Tablebase, engine: chess.engine.SimpleEngine, name: str, number: int, seed: int
) -> Iterator[tuple[str, str, chess.Board, chess.Move]]:
    """Yield player, material, position and move of games; all players begin with the same."""
    for player, (options, nodes) in PLAYERS.items():
        found = starts(tables, name, np.random.default_rng([seed, *name.encode()]))
        for _ in range(number):
            board = next(found)
            for _ in range(PLIES):
                if board.is_game_over(claim_draw=True):
                    break
                move = engine.play(
                    board, chess.engine.Limit(nodes=nodes), game=object(), options=options
                ).move
                assert move is not None
                yield player, name, board.copy(stack=False), move
                board.push(move)


def judged(
    tables: Tablebase, played: Iterable[tuple[str, str, chess.Board, chess.Move]]
) -> Iterator[Judged]:
    """Yield the moves that could have been mistakes, judged by the tables."""
    for player, name, board, move in played:
        kinds = moves_by_sight(tables, board)
        if kinds.hidden or kinds.plain:
            hidden = set(kinds.hidden)
            hard = sum(one in hidden for one in kinds.likely) / len(kinds.likely)
            yield Judged(player, name, hard, move not in kinds.keeping)


def summed(moves: Iterable[Judged]) -> list[dict[str, Any]]:
    """Return a row for each player and class of difficulty."""
    classes: dict[tuple[str, float], list[Judged]] = defaultdict(list)
    for one in moves:
        upper = next(bound for bound in CLASSES if one.difficulty <= bound)
        classes[one.player, upper].append(one)
    return [
        {
            "player": player,
            "up_to": upper,
            "moves": len(some),
            "predicted": round(sum(one.difficulty for one in some) / len(some), 4),
            "mistakes": sum(one.is_mistake for one in some),
        }
        for (player, upper), some in sorted(classes.items())
    ]


def difficulty_classes() -> str:
    """Return the saved figures as a table, a row for each class of difficulty."""
    rows = measurement.load(NAME)["results"]["rows"]
    players = list(dict.fromkeys(row["player"] for row in rows))
    heads = [f"{one}: moves | mistakes" for one in players]
    lines = [
        f"| difficulty | predicted | {' | '.join(heads)} |",
        f"|---|---:|{'---:|---:|' * len(players)}",
    ]
    for lower, upper in zip((None, *CLASSES), CLASSES, strict=False):
        chosen = {row["player"]: row for row in rows if row["up_to"] == upper}
        moves = sum(row["moves"] for row in chosen.values())
        predicted = sum(row["moves"] * row["predicted"] for row in chosen.values()) / moves
        cells = ["0" if lower is None else f"over {lower:g} to {upper:g}", f"{predicted:.0%}"]
        for row in (chosen[player] for player in players):
            cells += [f"{row['moves']:,}", f"{row['mistakes'] / row['moves']:.1%}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("materials", nargs="*", metavar="MATERIAL", default=MATERIALS)
    parser.add_argument("--dir", required=True, help="folder of tables with both distances")
    parser.add_argument("--games", type=int, default=12, help="of each ending and player")
    parser.add_argument("--engine", default="stockfish", help="a UCI engine without tables")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    return parser.parse_args()


@reader_may_leave()
def main() -> None:
    """Print a line for each player and class of difficulty."""
    arguments = parse()
    # Stockfish prints an empty line if it has no variation, and python-chess warns of it.
    logging.getLogger("chess.engine").setLevel(logging.ERROR)
    moves: list[Judged] = []
    with (
        Tablebase([arguments.dir]) as tables,
        chess.engine.SimpleEngine.popen_uci(arguments.engine) as engine,
    ):
        engine.configure({"Hash": 1, "Threads": 1})
        for name in arguments.materials:
            played = moves_played(tables, engine, name, arguments.games, arguments.seed)
            moves += judged(tables, played)
        about = {"engine": " ".join(engine.id["name"].split()[:2]), "games": arguments.games}
    rows = summed(moves)
    for row in rows:
        print(*row.values())
    if arguments.save:
        materials = list(arguments.materials)
        print(measurement.save(NAME, about | {"materials": materials, "rows": rows}))


if __name__ == "__main__":
    main()
