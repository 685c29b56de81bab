"""The value of a board in tables held in memory, by python-chess's rules for en passant."""

import chess
import numpy as np
from oracle import worth

from tablebase.boards import material_of, squares_of
from tablebase.index import table_index
from tablebase.table import Table
from tablebase.values import DRAW


def noise_table(material, seed):
    """Return a table whose codes mean nothing."""
    rng = np.random.default_rng(seed)
    codes = [*range(100), *[DRAW] * 20]
    white, black = (
        rng.choice(np.array(codes, dtype=np.uint8), table_index(material).size) for _ in range(2)
    )
    return Table(material, white, black)


def stored_code(tables, board):
    """Return the code of a board without its right to capture en passant."""
    present = material_of(board)
    material = present.normalized()
    if present != material:
        board = board.mirror()
    slot = table_index(material).encode(squares_of(board, material))
    return int(tables[material].codes[0 if board.turn == chess.WHITE else 1][slot])


def code_of(tables, board):
    """Return the code of a board; a right to capture en passant is worth its better half.

    If there is no other move, the stored code (a draw: stalemate) counts for nothing.
    """
    code = stored_code(tables, board)
    if not board.has_legal_en_passant():
        return code
    captures = []
    for move in list(board.generate_legal_ep()):
        board.push(move)
        answer = stored_code(tables, board)
        board.pop()
        captures.append(DRAW if answer == DRAW else answer + 1)
    best = max(captures, key=worth)
    moves = board.legal_moves.count()
    if moves == len(captures) and code == DRAW:
        return best
    return max(code, best, key=worth)
