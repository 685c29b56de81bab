"""Measure what the resistance `practical` gains against players who make mistakes.

The tables play one side of random positions, by the resistance `longest` (the first move of
`rank_moves`) and `practical`, against the same player:

- *drawn* positions, White for the tables: the game counts as won if the player makes a mistake;
- *lost* positions, Black for the tables, mate in at least ten moves: it counts as saved.

The player is the model of `tablebase.difficulty`, which makes a move that it sees to be good, or
else chooses at random among the moves that keep the result and the mistakes that it does not see;
or a UCI engine without tables. A game has 15 moves of the player. The standard error is that of the
mean of the differences by position.

Usage: python scripts/resistance.py [KRKN ...] [--dir FOLDER] [--positions 200] [--sights 2 6]
       [--engine PROGRAM --nodes 1 50] [--seed 1] [--save]

``--save`` keeps the figures in benchmarks/results, for ``scripts/figures.py``; rows of other
materials and players stay. Each material has random numbers of its own, so several runs may share
the work.
"""

from __future__ import annotations

import argparse
import logging
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import chess
import chess.engine
import measurement
import numpy as np

from tablebase import Material, Tablebase, Wdl50
from tablebase.core.ground.locations import default_directories
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.positions.chess_board import board_of
from tablebase.practice.resistance import LONGEST_DEFENCE, RESISTANCES, practical_move
from tablebase.practice.sight import moves_by_sight

MATERIALS = (
    *("KRKN", "KPKP", "KRPKR", "KQPKQ", "KPPKP"),
    *("KBPKN", "KNPKN", "KRPKB", "KRBKR", "KRNKR"),
)
NAME = "resistance"  # of the file of results
KINDS = DRAWN, LOST = ("drawn", "lost")
MOVES = 15
LEAST_PLIES = 20  # of a lost position, to mate
BATCH = 4096
CACHE = 2**30  # bytes: most of a five-man table

# From a position to the player's move.
Player = Callable[[chess.Board, random.Random], chess.Move]


def model(tables: Tablebase, sight: int) -> Player:
    """Return the player of some sight."""

    def move(board: chess.Board, rng: random.Random) -> chess.Move:
        return rng.choice(moves_by_sight(tables, board, sight=sight).likely)

    return move


def program(engine: chess.engine.SimpleEngine, nodes: int) -> Player:
    """Return an engine that searches some nodes."""

    def move(board: chess.Board, _: random.Random) -> chess.Move:
        found = engine.play(board, chess.engine.Limit(nodes=nodes)).move
        assert found is not None
        return found

    return move


def positions(
    tables: Tablebase, material: Material, kind: str, rng: np.random.Generator
) -> Iterator[chess.Board]:
    """Yield random positions for the tables to play, without a capture."""
    white = kind == DRAWN
    while True:
        squares = rng.integers(64, size=(BATCH, material.piece_count), dtype=np.uint8)
        results, valid = tables.probe_wdl50_many(squares, material, white)
        plies, _ = tables.probe_dtm_many(squares, material, white)
        fit = results == Wdl50.DRAW if white else plies <= -LEAST_PLIES
        fit &= (results == Wdl50.DRAW) | (results == Wdl50.LOSS)
        for row in squares[valid & fit]:
            board = board_of(material, row.tolist(), white)
            after = board.copy()
            after.turn = not after.turn
            captures = [one for each in (board, after) for one in each.generate_legal_captures()]
            if any(board.legal_moves) and not captures:
                yield board


def tables_move(tables: Tablebase, board: chess.Board, resistance: str) -> chess.Move:
    """Return the move of the tables."""
    ranked = tables.rank_moves(board)
    best = ranked[0]
    if resistance != LONGEST_DEFENCE:
        best = practical_move(tables, board, ranked) or best
    return best.move


def makes_mistake(
    tables: Tablebase, start: chess.Board, resistance: str, player: Player, rng: random.Random
) -> bool:
    """Return whether the player changes the result within `MOVES` moves."""
    board = start.copy()
    for _ in range(MOVES):
        board.push(tables_move(tables, board, resistance))
        if board.is_game_over():
            return False
        move = player(board, rng)
        if move not in moves_by_sight(tables, board).keeping:
            return True
        board.push(move)
        if board.is_game_over():
            return False
    return False


def compare(
    tables: Tablebase, boards: Sequence[chess.Board], player: Player, seed: str
) -> dict[str, Any]:
    """Return the games that each resistance wins or saves, and the error of the difference."""
    games = {
        resistance: np.array(
            [
                makes_mistake(tables, board, resistance, player, random.Random(f"{seed} {number}"))
                for number, board in enumerate(boards)
            ]
        )
        for resistance in RESISTANCES
    }
    longest, practical = (games[one].astype(int) for one in RESISTANCES)
    gains = practical - longest
    return {
        "positions": len(boards),
        "longest": int(longest.sum()),
        "practical": int(practical.sum()),
        "error": float(math.sqrt(len(boards)) * gains.std(ddof=1)),
    }


def measure(
    tables: Tablebase, name: str, players: dict[str, Player], number: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for each kind of position and each player."""
    material = Material.from_name(name)
    for kind in KINDS:
        rng = np.random.default_rng([seed, *name.encode(), *kind.encode()])
        found = positions(tables, material, kind, rng)
        boards = [next(found) for _ in range(number)]
        for opponent, player in players.items():
            row = {"material": name, "kind": kind, "player": opponent, "seed": seed}
            yield row | compare(tables, boards, player, f"{seed} {name} {kind} {opponent}")


def open_tables(directory: str | None) -> Tablebase:
    """Return the tables of a folder, or of the default ones, with a large cache."""
    directories = default_directories() if directory is None else [Path(directory)]
    return Tablebase(cache_size=CACHE, directories=directories)


def parse() -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("materials", nargs="*", metavar="MATERIAL", default=MATERIALS)
    parser.add_argument("--dir", help="folder of tables with both distances, and of their needs")
    parser.add_argument("--positions", type=int, default=200, help="of each kind")
    parser.add_argument("--sights", type=int, nargs="*", default=[2, 6], help="of models, or none")
    parser.add_argument("--engine", help="a UCI engine without tables, like stockfish")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 50])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    return parser.parse_args()


def resistance() -> str:
    """Return the saved games of all materials as a table, a row for each kind and player."""
    lines = ["| games | opponent | longest | practical | gain |", "|---|---|---:|---:|---:|"]
    rows = kept_rows()
    for kind, player in sorted({(row["kind"], row["player"]) for row in rows}):
        chosen = [row for row in rows if (row["kind"], row["player"]) == (kind, player)]
        sums = [sum(row[key] for row in chosen) for key in ("longest", "practical")]
        more, error = gain(chosen)
        cells = (kind, player, *(f"{one:,}" for one in sums), f"{more:+d} ± {error:.0f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def gain(rows: Sequence[dict[str, Any]]) -> tuple[int, float]:
    """Return the games that practical resistance wins or saves more, and the standard error."""
    more = sum(row["practical"] - row["longest"] for row in rows)
    return more, math.sqrt(sum(row["error"] ** 2 for row in rows))


@reader_may_leave()
def main() -> None:
    """Print a line for each material, kind of position and player."""
    arguments = parse()
    rows = []
    with ExitStack() as stack:
        tables = stack.enter_context(open_tables(arguments.dir))
        players = {f"sight {sight}": model(tables, sight) for sight in arguments.sights}
        if arguments.engine:
            # Stockfish prints an empty line if it has no variation, and python-chess warns of it.
            logging.getLogger("chess.engine").setLevel(logging.ERROR)
            engine = chess.engine.SimpleEngine.popen_uci(arguments.engine)
            stack.callback(engine.quit)
            name = " ".join(engine.id["name"].split()[:2])  # and version, but no processor
            players |= {
                f"{name}, {n} node{'s' * (n > 1)}": program(engine, n) for n in arguments.nodes
            }
        for material in arguments.materials:
            for row in measure(tables, material, players, arguments.positions, arguments.seed):
                print(*row.values(), flush=True)
                rows.append(row)
    if arguments.save:
        print(measurement.save(NAME, {"moves": MOVES, "rows": merged(kept_rows(), rows)}))


def kept_rows() -> list[dict[str, Any]]:
    """Return the rows that were saved before."""
    with suppress(FileNotFoundError):
        return list(measurement.load(NAME)["results"]["rows"])
    return []


def merged(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return all rows, new ones in place of old ones of the same material, kind and player."""
    rows = {tuple(row[name] for name in ("material", "kind", "player")): row for row in old}
    rows |= {tuple(row[name] for name in ("material", "kind", "player")): row for row in new}
    return [rows[key] for key in sorted(rows)]


if __name__ == "__main__":
    main()
