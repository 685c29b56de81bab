"""Its rules, and its moves of single positions, played in Python."""

from tablebase.core.outcomes.metrics import DTM, MATED_OUTCOME, Outcome, preference
from tablebase.core.rules.rules import CHESS, Rules

CORNERS = (0, 7, 56, 63)


class SanctuaryRules(Rules):
    """Chess with another end, which files cannot state."""

    @property
    def ends(self):
        return frozenset({"corner"})

    @property
    def text(self):
        return f"{super().text} with sanctuaries"


SANCTUARY = SanctuaryRules("sanctuary", CHESS.kinds, CHESS.promotions)


def moves(position):
    """Return the legal moves of a `Setup` of chess's men."""
    return [
        move for move in position.moves() if move.captured is None or move.target not in CORNERS
    ]


def outcome_by_moves(position, outcome_of):
    """Return the outcome of a `Setup` from those one move later, which `outcome_of` returns."""
    if position.squares[position.color] in CORNERS:
        return MATED_OUTCOME
    outcomes = [
        Outcome(outcome_of(move.after)).before(DTM, zeroing=move.zeroing)
        for move in moves(position)
    ]
    if not outcomes:
        return MATED_OUTCOME if position.is_check() else 0
    return max(outcomes, key=preference)
