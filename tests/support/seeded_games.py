"""Games of seeded players of limited sight, to try what reads games.

Each game begins at a random position of one of the materials. Both sides know the tables, but a
player of some sight takes each mistake that it does not see for a good move: it plays one of these
and the moves that keep the result, and the side that is worse defends by the move that is hardest
to answer, now and then.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import chess
import chess.pgn
from support.random_positions import random_board

from tablebase import Tablebase
from tablebase.core.rules.material import Material
from tablebase.practice.resistance import practical_move
from tablebase.practice.sight import SIGHT, moves_by_sight

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
        board = random_board(choice, choice.choice(materials))
        game = chess.pgn.Game()
        game.headers["Round"] = str(number)
        game.setup(board)
        node: chess.pgn.GameNode = game
        for _ in range(plies):
            if board.is_game_over() or board.can_claim_fifty_moves():
                break
            board.push(_move_of(choice, tables, board, sight))
            node = node.add_variation(board.peek())
        yield game


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
