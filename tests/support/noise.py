"""Tables of noise of any metric, and the outcome of a board in tables of any."""

import numpy as np
from support.lookup import redundant_slots, stored_outcome
from support.oracle import outcome_before, preference

from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, DTZ, make_outcomes
from tablebase.core.tables.table import Table


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
    best = max(captures, key=preference)
    moves = board.legal_moves.count()
    if moves == len(captures) and stored == 0:
        return best
    return max(stored, best, key=preference)
