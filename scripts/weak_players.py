"""Compare the difficulty of positions with the mistakes of engines of limited strength.

Engines without tables play both sides of random positions of some endings. Their moves in positions
in which a mistake is possible are sorted into classes by difficulty, and the share of mistakes in
each class stands beside the mean difficulty, which is what the model predicts. Engines are not
people: the table says only whether mistakes of players who know no tables rise with difficulty.

With ``--levels`` the weakest of them plays the exercises of the course instead, each as many times
as there are games, six moves at most against the hardest replies: the table has the share of
successes in each level, to win and to hold apart. With ``--levels other-games`` the exercises are
those of other games, and the player, who needs no engine, knows the best move half of the time and
else looks two plies ahead.

Usage: python scripts/weak_players.py --dir FOLDER [KPK ...] [--games 12] [--engine stockfish]
       [--seed 1] [--levels [other-games]] [--save]

``--save`` keeps the figures in benchmarks/results, for ``scripts/figures.py``.
"""

from __future__ import annotations

import argparse
import logging
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import chess
import chess.engine
import measurement
import numpy as np

from tablebase import Material, Tablebase
from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.positions.any_position import read_position
from tablebase.core.positions.chess_board import board_of
from tablebase.core.positions.position import Position
from tablebase.practice.exercises import GOOD_MOVES, draw_exercises
from tablebase.practice.resistance import practical_move
from tablebase.practice.sight import moves_by_sight

# Of the files of results.
NAME, LEVELS, LEVELS_OF_GAMES = "difficulty", "levels", "levels_of_games"
# Endings whose exercises are in levels by hardness, three each.
OF_COURSE = ("KPK", "KRKP", "KPKP", "KNKP", "KBKP", "KRKN", "KRKB")
# The same of other games.
OF_GAMES = {
    "atomic": ("KPKP", "KNKP", "KRKP", "KRKN"),
    "antichess": ("RNvK", "KRvK", "KPvP", "BPvN"),
    "3check": ("KPK", "KPKP", "KBKP", "KNKP"),
    "racingkings": ("KK", "KKB", "KKN", "KRKN", "KRKB"),
    "shatranj": ("KPKP", "KRKN", "KQKP", "KQKQ"),
}
# Endings in which there is perhaps nothing to practise.
EASY = {"shatranj": ("KNK", "KPK", "KQK"), "makruk": ("KNK", "KPK", "KMK", "KPKP", "KMKP", "KMKM")}
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
# Who chooses a legal move of a position.
Player = Callable[[Position[Any]], Any]
PLIES = 40  # of a game at most
# Upper ends of the classes of difficulty; the first has positions that are not difficult at all.
CLASSES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_DECIDED = 1000  # more than any number of men
_KNOWN = 0.5  # of the moves


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


def weakest(engine: chess.engine.SimpleEngine) -> Player:
    """Return the weakest of the players that are engines."""
    options, nodes = next(iter(PLAYERS.values()))

    def play(position: Position[Any]) -> chess.Move:
        limit = chess.engine.Limit(nodes=nodes)
        move = engine.play(position.board, limit, game=object(), options=options).move
        assert move is not None
        return move

    return play


def half_knowing(tables: Tablebase, seed: int) -> Player:
    """Return a player of any game who knows every other move, and sees two plies ahead.

    One who only sees two plies and counts men fails in nearly all exercises of the last two levels.
    """
    rng = random.Random(seed)
    best: dict[str, list[Any]] = {}

    def play(position: Position[Any]) -> Any:
        if rng.random() < _KNOWN:
            return tables.rank_moves(position.board)[0].move
        if position.fen not in best:
            worths = {step.move: -after_reply(step.after) for step in position.moves()}
            most = max(worths.values())
            best[position.fen] = [move for move, worth in worths.items() if worth == most]
        return rng.choice(best[position.fen])

    return play


def after_reply(position: Position[Any]) -> int:
    """Return what the best move is worth to a side by the men that it leads to."""
    if position.end:
        return worth_of(position)
    return max(-worth_of(step.after) for step in position.moves())


def worth_of(position: Position[Any]) -> int:
    """Return by how much the side to move is ahead in men, or that the game is over."""
    final = position.final_outcome()
    if final is not None:
        return _DECIDED * ((final > 0) - (final < 0))
    men = position.men.values()
    ahead = sum(
        (1 if man is PieceType.PAWN else 3) * (1 if color is position.color else -1)
        for color, man in men
    )
    return ahead if position.rules.royal else -ahead  # where the fewest men win


def succeeds(tables: Tablebase, play: Player, position: Position[Any]) -> bool:
    """Return whether a player makes no mistake in an exercise."""
    for _ in range(GOOD_MOVES):
        ranked = tables.rank_moves(position.board)
        move = play(position)
        made = next(one for one in ranked if one.move == move)
        if made.result < ranked[0].result:
            return False
        position = position.after(move)
        if move.promotion or position.end:
            return True
        replies = tables.rank_moves(position.board)
        reply = practical_move(tables, position.board, replies) or replies[0]
        position = position.after(reply.move)
        if position.end:
            return True
    return True


def successes(
    tables: Tablebase, play: Player, names: Iterable[str], tries: int
) -> list[dict[str, Any]]:
    """Return a row for each goal and level: how many exercises, tries and successes."""
    rows: dict[tuple[str, int], list[list[bool]]] = defaultdict(list)
    for name in names:
        levels = draw_exercises(tables, Material.from_name(name, tables.rules)).levels
        for number, level in enumerate(levels, 1):
            for one in level:
                start = read_position(one.fen, tables.rules)
                found = [succeeds(tables, play, start) for _ in range(tries)]
                rows[one.goal, number].append(found)
    return [
        {
            "goal": goal,
            "level": level,
            "exercises": len(some),
            "tries": tries * len(some),
            "successes": sum(map(sum, some)),
            # The standard error of the share, by exercises.
            "error": round(float(np.std([sum(one) / tries for one in some])) / len(some) ** 0.5, 4),
        }
        for (goal, level), some in sorted(rows.items())
    ]


def successes_in_games(folder: str, tries: int, seed: int) -> list[dict[str, Any]]:
    """Return the rows of `successes` of the other games."""
    rows = []
    for game, names in OF_GAMES.items():
        with Tablebase([folder], rules=game) as tables:
            found = successes(tables, half_knowing(tables, seed), names, tries)
            rows += [{"game": game, **row} for row in found]
    return rows


def without_exercises(folder: str) -> dict[str, list[str]]:
    """Return the easy endings of other games that have no exercises."""
    found: dict[str, list[str]] = {}
    for game, names in EASY.items():
        with Tablebase([folder], rules=game) as tables:
            materials = [Material.from_name(name, tables.rules) for name in names]
            found[game] = [str(one) for one in materials if not draw_exercises(tables, one).levels]
    return found


def success_by_level() -> str:
    """Return the saved successes as a table, a row for each level."""
    rows = measurement.load(LEVELS)["results"]["rows"]
    shares = {(row["goal"], row["level"]): row["successes"] / row["tries"] for row in rows}
    levels = sorted({row["level"] for row in rows})
    lines = ["| level | to win | to hold |", "|---:|---:|---:|"]
    lines += [
        f"| {level} | {shares['win', level]:.0%} | {shares['hold', level]:.0%} |"
        for level in levels
    ]
    return "\n".join(lines)


def success_in_games() -> str:
    """Return the saved successes in other games as a table, a row for each game and goal."""
    results = measurement.load(LEVELS_OF_GAMES)["results"]
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in results["rows"]:
        share = row["successes"] / row["tries"]
        cells[row["game"], row["goal"]].append(
            f"{share:.0%} \N{PLUS-MINUS SIGN} {row['error']:.0%}"
        )
    lines = [
        "| game | goal | level 1 | level 2 | level 3 | endings |",
        "|---|---|---:|---:|---:|---|",
    ]
    for (game, goal), some in cells.items():
        endings = ", ".join(results["materials"][game])
        lines.append(f"| {game} | {goal} | {' | '.join(some)} | {endings} |")
    return "\n".join(lines)


def difficulty_classes() -> str:
    """Return the saved figures as a table, a row for each class of difficulty."""
    rows = measurement.load(NAME)["results"]["rows"]
    players = list(dict.fromkeys(row["player"] for row in rows))
    heads = [f"{one}: moves | {one}: mistakes" for one in players]
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
    parser.add_argument("materials", nargs="*", metavar="MATERIAL")
    parser.add_argument("--dir", required=True, help="folder of tables with both distances")
    parser.add_argument("--games", type=int, default=12, help="of each ending and player")
    parser.add_argument("--engine", default="stockfish", help="a UCI engine without tables")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--levels",
        nargs="?",
        choices=("chess", "other-games"),
        const="chess",
        help="play the exercises of the course",
    )
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    return parser.parse_args()


def measured(arguments: argparse.Namespace) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
    """Return the name of a file of results, what was measured, and its rows."""
    if arguments.levels == "other-games":
        rows = successes_in_games(arguments.dir, arguments.games, arguments.seed)
        without = without_exercises(arguments.dir)
        return LEVELS_OF_GAMES, {"materials": OF_GAMES, "without": without}, rows
    with (
        Tablebase([arguments.dir]) as tables,
        chess.engine.SimpleEngine.popen_uci(arguments.engine) as engine,
    ):
        engine.configure({"Hash": 1, "Threads": 1})
        materials = arguments.materials or list(OF_COURSE if arguments.levels else MATERIALS)
        about = {"engine": " ".join(engine.id["name"].split()[:2]), "materials": materials}
        if arguments.levels:
            return LEVELS, about, successes(tables, weakest(engine), materials, arguments.games)
        moves: list[Judged] = []
        for name in materials:
            played = moves_played(tables, engine, name, arguments.games, arguments.seed)
            moves += judged(tables, played)
    return NAME, about, summed(moves)


@reader_may_leave()
def main() -> None:
    """Print a line for each player and class of difficulty."""
    arguments = parse()
    # Stockfish prints an empty line if it has no variation, and python-chess warns of it.
    logging.getLogger("chess.engine").setLevel(logging.ERROR)
    name, about, rows = measured(arguments)
    for row in rows:
        print(*row.values())
    if arguments.save:
        print(measurement.save(name, about | {"games": arguments.games, "rows": rows}))


if __name__ == "__main__":
    main()
