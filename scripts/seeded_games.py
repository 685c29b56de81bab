"""Games of seeded players of limited sight, as PGN, to try what reads games.

Usage: python scripts/seeded_games.py [--dir DIR] [--seed N] [--games N] [--sight N]
           [--material KPK ... | --whole]

Each game begins at a random position of one of the materials. Both sides know the tables, but a
player of some sight takes each mistake that it does not see for a good move: it plays one of these
and the moves that keep the result, and the side that is worse defends by the move that is hardest
to answer, now and then. With --whole, games begin at the initial position: of their 80 plies, those
before the last ten are random and leave more than five men.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence

import chess
import chess.pgn

from tablebase import Tablebase, open_tablebase
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.rules.material import Material
from tablebase.practice.resistance import practical_move
from tablebase.practice.sight import SIGHT, moves_by_sight

PLIES, IN_TABLES, MEN = 80, 10, 5  # of a whole game: all, the last ones, and the most men in these
_MEN_AT_START = 32
_FIGHTS = 0.3  # how often a player looks for the move that is hardest to answer


def seeded_games(
    tables: Tablebase,
    materials: Sequence[Material],
    *,
    seed: int,
    games: int,
    sight: int = SIGHT,
    plies: int = 40,
) -> Iterator[chess.pgn.Game]:
    """Yield games from random positions of some materials, of up to some plies."""
    choice = random.Random(seed)
    for number in range(1, games + 1):
        board = random_position(choice, choice.choice(materials))
        game = _new_game(number, board)
        node: chess.pgn.GameNode = game
        for _ in range(plies):
            if board.is_game_over() or board.can_claim_fifty_moves():
                break
            board.push(_move_of(choice, tables, board, sight))
            node = node.add_variation(board.peek())
        yield game


def whole_games(tables: Tablebase, *, seed: int, games: int) -> Iterator[chess.pgn.Game]:
    """Yield games of `PLIES` plies from the initial position; the tables have the last ones."""
    choice = random.Random(seed)
    number = 0
    while number < games:
        board = _played_down(choice)
        while board and len(board.move_stack) < PLIES and not board.is_game_over():
            board.push(_move_of(choice, tables, board, SIGHT))
        if board and len(board.move_stack) == PLIES:
            number += 1
            game = _new_game(number, chess.Board())
            game.add_line(board.move_stack)
            yield game


def random_position(choice: random.Random, material: Material) -> chess.Board:
    """Return a random legal position of a material, with either side to move, that has a move."""
    while True:
        board = chess.Board(None)
        squares = choice.sample(chess.SQUARES, material.piece_count)
        for (color, man), square in zip(material.men, squares, strict=True):
            letter = material.rules.letter_of(man)
            board.set_piece_at(
                square, chess.Piece.from_symbol(letter.lower() if int(color) else letter)
            )
        board.turn = choice.random() < 1 / 2
        if board.is_valid() and not board.is_game_over():
            return board


def _move_of(
    choice: random.Random, tables: Tablebase, board: chess.Board, sight: int
) -> chess.Move:
    """Return the move of a player of some sight."""
    if choice.random() < _FIGHTS:
        fighting = practical_move(tables, board, tables.rank_moves(board), sight=sight)
        if fighting is not None:
            return fighting.move
    found: chess.Move = choice.choice(moves_by_sight(tables, board, sight=sight).likely)
    return found


def _played_down(choice: random.Random) -> chess.Board | None:
    """Return a game of random moves with few men from its last move on; None if they got stuck."""
    board = chess.Board()
    last = PLIES - IN_TABLES
    for ply in range(1, last + 2):
        men = len(board.piece_map())
        moves = list(board.legal_moves)
        captures = [move for move in moves if board.is_capture(move)]
        wanted = _MEN_AT_START - (_MEN_AT_START - MEN - 1) * ply // last if ply <= last else MEN
        chosen = captures if men > wanted else [move for move in moves if move not in captures]
        if not (chosen or (moves and ply <= last)):
            return None
        board.push(choice.choice(chosen or moves))
        if ply <= last and len(board.piece_map()) <= MEN:
            return None
    return board if len(board.piece_map()) <= MEN else None


def _new_game(number: int, board: chess.Board) -> chess.pgn.Game:
    """Return a game without moves."""
    game = chess.pgn.Game()
    game.headers["Round"] = str(number)
    if board != chess.Board():
        game.setup(board)
    return game


@reader_may_leave()
def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", default="data", help="folder of tables (default: data)")
    parser.add_argument("--seed", type=int, default=0, help="of the random choices (default: 0)")
    parser.add_argument("--games", type=int, default=10, help="how many (default: 10)")
    parser.add_argument("--sight", type=int, default=SIGHT, help="in plies (default: 4)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--material", nargs="+", default=["KPK"], help="(default: KPK)")
    kind.add_argument("--whole", action="store_true", help="from the initial position on")
    arguments = parser.parse_args()
    seed, games = arguments.seed, arguments.games
    try:
        materials = [Material.from_name(name) for name in arguments.material]
        with open_tablebase(arguments.dir) as tables:
            if arguments.whole:
                made = whole_games(tables, seed=seed, games=games)
            else:
                made = seeded_games(
                    tables, materials, seed=seed, games=games, sight=arguments.sight
                )
            for game in made:
                print(game, end="\n\n")
    except (TablebaseError, ValueError) as error:
        sys.stderr.write(f"seeded_games: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
