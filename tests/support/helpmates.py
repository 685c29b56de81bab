"""Helpmates of tables in memory, and by python-chess's moves one ply ahead."""

import chess
import numpy as np
from support.lookup import locate, redundant_slots

from tablebase.core.engine.driver import solve
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import HELPMATES
from tablebase.core.positions.chess_board import material_of
from tablebase.core.rules.material import Material, generation_order
from tablebase.core.tables.table import Table

NEVER = DRAW


def solve_helpmates(names, known=None, **how):
    """Return the tables of some materials and all that they need, by metric and material."""
    tables = known or {metric: {} for metric in HELPMATES}
    materials = [one if isinstance(one, Material) else Material.from_name(one) for one in names]
    for material in generation_order(materials):
        for metric in HELPMATES:
            if material not in tables[metric]:
                tables[metric][material] = solve(
                    material,
                    tables[metric],
                    if_swapped=tables[metric.swapped],
                    metric=metric,
                    **how,
                )
    return tables


def noise_helpmates(material, seed):
    """Return tables of both metrics whose plies mean nothing but have the right parity."""
    rng = np.random.default_rng(seed)
    copies, originals = redundant_slots(material)
    found = {}
    for metric in HELPMATES:
        sides = []
        for color in range(2):
            first = 1 if color == metric.mating else 0
            plies = np.array([*range(first, 60, 2), *[NEVER] * 4], dtype=np.uint8)
            codes = rng.choice(plies, table_index(material).size)
            codes[copies] = codes[originals]
            sides.append(codes)
        found[metric] = sides
    if material.is_symmetric:  # what Black does is what White does, the colours exchanged
        from tablebase.core.tables.table import swap_colors

        white, black = HELPMATES
        for one, other in ((white, black), (black, white)):
            found[one][1] = swap_colors(material, found[other][0])
    return {metric: Table(material, *sides, metric) for metric, sides in found.items()}


def stored_plies(tables, board, color):
    """Return what a table has for a board without its en passant right, and a colour that mates."""
    present = material_of(board)
    mates = 0 if color == chess.WHITE else 1
    if present != present.normalized():
        mates = 1 - mates
    table, side, slot = locate(tables[HELPMATES[mates]], board)
    return int(table.codes[side][slot])


def plies_of(tables, board, color):
    """Return the plies of a helpmate, rights to capture en passant included."""
    if not board.has_legal_en_passant():
        return stored_plies(tables, board, color)
    return forward_plies(board, color, lambda after: stored_plies(tables, after, color))


def forward_plies(board, color, plies_after):
    """Return the plies of a helpmate by those of the positions after each legal move."""
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        found.append(plies_after(board))
        board.pop()
    if not found:
        return 0 if board.is_checkmate() and board.turn != color else NEVER
    return min((plies + 1 for plies in found if plies != NEVER), default=NEVER)
