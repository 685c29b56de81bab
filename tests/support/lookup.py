"""The value of a board in tables held in memory, by python-chess's rules for en passant."""

from functools import cache

import chess
import numpy as np
from support.oracle import outcome_before, outcome_worth

from tablebase.board.chess_board import material_of, squares_of
from tablebase.board.geometry import PieceType
from tablebase.board.metrics import DTM, DTZ, make_outcomes, plies_of
from tablebase.board.values import DRAW
from tablebase.index.numbering import table_index
from tablebase.tables.table import Table


@cache
def redundant_slots(material):
    """Return the slots of mirrored copies, and the slots of what they are copies of."""
    index = table_index(material)
    pawns = [count for _, man, count in material.groups if man is PieceType.PAWN]
    if any(count % 2 for count in pawns):  # no placement of the pawns is its own mirror image
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    squares, valid = index.decode_many(np.arange(index.size))
    in_order = np.sort(squares, axis=1)
    apart = (in_order[:, 1:] != in_order[:, :-1]).all(axis=1)
    copies = np.flatnonzero(apart & ~valid)
    return copies, index.encode_many(squares[copies])


def noise_outcomes(rng):
    """Return outcomes in no order, both sides of the 50-move rule, and how many there are."""
    plies = [*range(1, 12), *range(95, 108)]
    outcomes = rng.permutation([0, ~0, *plies, *[~n for n in plies]])
    return make_outcomes(outcomes.tolist()), len(outcomes)


def noise_table(material, seed, metric=DTM):
    """Return a table whose codes mean nothing, but are the same for mirrored copies."""
    rng = np.random.default_rng(seed)
    # Short distances: wins that take moves of their own first must not grow beyond a byte.
    known = np.array([*range(60), *[DRAW] * 12], dtype=np.uint8)
    outcomes = ()
    if metric == DTZ:
        outcomes, counts = zip(*(noise_outcomes(rng) for _ in range(2)), strict=True)
        known = np.array([*range(counts[0]), *[DRAW] * 8], dtype=np.uint8)
    sides = [rng.choice(known, table_index(material).size) for _ in range(2)]
    copies, originals = redundant_slots(material)
    for codes in sides:
        codes[copies] = codes[originals]
    return Table(material, *sides, metric, outcomes)


def _stored(tables, board):
    """Return the table, the side to move there and the slot of a board."""
    present = material_of(board)
    material = present.normalized()
    if present != material:
        board = board.mirror()
    slot = table_index(material).encode(squares_of(board, material))
    return tables[material], 0 if board.turn == chess.WHITE else 1, slot


def stored_code(tables, board):
    """Return the code of a board without its right to capture en passant."""
    table, color, slot = _stored(tables, board)
    return int(table.codes[color][slot])


def stored_outcome(tables, board):
    """Return the outcome of a board without its right to capture en passant."""
    table, color, slot = _stored(tables, board)
    return int(table.outcomes[color][table.codes[color][slot]])


def outcome_of(tables, board):
    """Return the outcome of a board; a right to capture en passant is worth its better half.

    If there is no other move, the stored outcome (a draw: stalemate) counts for nothing.
    """
    stored = stored_outcome(tables, board)
    if not board.has_legal_en_passant():
        return stored
    metric = next(iter(tables.values())).metric
    captures = []
    for move in list(board.generate_legal_ep()):
        board.push(move)
        captures.append(outcome_before(metric, stored_outcome(tables, board), zeroing=True))
        board.pop()
    best = max(captures, key=outcome_worth)
    moves = board.legal_moves.count()
    if moves == len(captures) and stored == 0:
        return best
    return max(stored, best, key=outcome_worth)


def code_of(tables, board):
    """Return the code of a distance to mate as `outcome_of` finds it."""
    outcome = outcome_of(tables, board)
    return plies_of(outcome) if outcome else DRAW
