"""The value of a board in tables held in memory, by python-chess's rules for en passant."""

from functools import cache

import chess
import numpy as np
from support.oracle import preference_of_code
from support.zeroing import with_en_passant

from tablebase.core.board.geometry import PieceType
from tablebase.core.engine.driver import solve
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTZ, make_outcomes
from tablebase.core.positions.chess_board import material_of, squares_of
from tablebase.core.rules.material import Material, generation_order
from tablebase.core.tables.table import Table


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


# Distances of three epochs of 254 plies, most of them near where one ends; a few are draws.
_NEAR_THE_END = np.array([*range(6), *range(246, 255)])
LONG_CODES = np.array(
    [*_NEAR_THE_END, *(_NEAR_THE_END + 256), *(_NEAR_THE_END + 512), *[DRAW] * 5], dtype=np.uint16
)


def noise_table(material, seed, outcomes=None, known=None):
    """Return a table whose codes mean nothing, but are the same for mirrored copies.

    With `outcomes` it is one of distances to zeroing: any of these. With `known` these are the
    codes of distances to mate, by default short ones.
    """
    rng = np.random.default_rng(seed)
    if known is None:
        # Wins that take moves of their own first must not grow beyond a byte.
        known = np.array([*range(60), *[DRAW] * 12], dtype=np.uint8)
    if outcomes is not None:
        known = np.arange(len(outcomes), dtype=np.uint8)
    sides = [rng.choice(known, table_index(material).size) for _ in range(2)]
    copies, originals = redundant_slots(material)
    for codes in sides:
        codes[copies] = codes[originals]
    if outcomes is None:
        return Table(material, *sides)
    return Table(material, *sides, DTZ, (make_outcomes(outcomes),) * 2)


def solve_with_subtables(name, up_to_four_men):
    """Return the distances to zeroing of a five-man material and all that it needs."""
    tables = dict(up_to_four_men)
    for material in generation_order([Material.from_name(name)]):
        if material not in tables:
            tables[material] = solve(material, tables, metric=DTZ)
    return tables


def locate(tables, board):
    """Return the table, side and slot of a board without its right to capture en passant."""
    present = material_of(board)
    material = present.normalized()
    if present != material:
        board = board.mirror()
    slot = table_index(material).encode(squares_of(board, material))
    return tables[material], 0 if board.turn == chess.WHITE else 1, slot


def stored_code(tables, board):
    """Return the code of a board without its right to capture en passant."""
    table, side, slot = locate(tables, board)
    return int(table.codes[side][slot])


def stored_outcome(tables, board):
    """Return the outcome of a board without its right to capture en passant."""
    table, side, slot = locate(tables, board)
    return int(table.outcomes[side][table.codes[side][slot]])


def outcome_of(tables, board):
    """Return the outcome of a board in tables of distances to zeroing."""
    outcome = stored_outcome(tables, board)
    return with_en_passant(board, outcome, lambda b: stored_outcome(tables, b))


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
    best = max(captures, key=preference_of_code)
    moves = board.legal_moves.count()
    if moves == len(captures) and code == DRAW:
        return best
    return max(code, best, key=preference_of_code)
