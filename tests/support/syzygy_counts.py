"""The counting of the official statistics of Syzygy tables.

They tell identical men apart and count one of each set of symmetric positions: with pawns half of
the whole board. Without pawns, eight symmetries let a position be its own image only if all its men
stand on a long diagonal.
"""

from collections import Counter
from itertools import permutations
from math import factorial

import numpy as np

from tablebase.core.index.legality import MAY_MOVE, NO_POSITION, mark_slots
from tablebase.core.outcomes.metrics import Outcome
from tablebase.core.tables.census import take_census

DIAGONAL = range(0, 64, 9)
SIDES = ("white_to_move", "black_to_move")


def _placements_on_the_diagonal(material):
    """Return all placements of the men, told apart, on the diagonal from a1 to h8."""
    men = np.array(list(permutations(DIAGONAL, material.piece_count)), dtype=np.uint8)
    kings = men[:, :2].astype(int) // 9
    return men[abs(kings[:, 0] - kings[:, 1]) > (0 if material.rules.blast else 1)]


def _outcomes_on_the_diagonal(table, side):
    """Count the outcomes of the legal positions with all men on the diagonal."""
    slots = table.index.encode_many(_placements_on_the_diagonal(table.material))
    marks = mark_slots(table.index)[slots]
    legal = slots[(marks != NO_POSITION) & (marks & MAY_MOVE[side] != 0)]
    return Counter(table.outcomes[side][table.codes[side][legal]].tolist())


def count_as_syzygy(table):
    """Return by side to move the numbers of wins and of losses by plies, and the five results."""
    material = table.material
    alike = np.prod([factorial(count) for _, _, count in material.groups], dtype=int).item()
    census = take_census(table)
    counts = {}
    for side, name in enumerate(SIDES):
        whole = getattr(census, name).whole_board
        numbers = Counter({plies: count * alike for plies, count in whole.wins.items()})
        numbers |= {~plies: count * alike for plies, count in whole.losses.items()}
        numbers[0] = whole.draw * alike
        images = 2
        if not material.has_pawns:
            images = 8
            for outcome, count in _outcomes_on_the_diagonal(table, side).items():
                numbers[outcome] += 2 * count
        assert not any(count % images for count in numbers.values())
        numbers = {outcome: count // images for outcome, count in sorted(numbers.items()) if count}
        win = {str(n): count for n, count in numbers.items() if n > 0}
        loss = {str(Outcome(n).plies): count for n, count in numbers.items() if n < 0}
        counts[name] = {
            "win": win,
            "loss": loss,
            "wins": sum(count for n, count in win.items() if int(n) <= 100),
            "cursed_wins": sum(count for n, count in win.items() if int(n) > 100),
            "draws": numbers.get(0, 0),
            "cursed_losses": sum(count for n, count in loss.items() if int(n) > 100),
            "losses": sum(count for n, count in loss.items() if int(n) <= 100),
        }
    return counts
