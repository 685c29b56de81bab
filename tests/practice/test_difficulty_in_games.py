"""Difficulty in games other than chess: it follows from the results after the moves."""

import pytest
from support.few import few
from support.games import GAMES, LOST, random_setups, source_of

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import PieceType, square_file, square_rank
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.metrics import DTZ
from tablebase.practice.sight import difficulty, rank_by_difficulty

WITH_ZEROING = [name for name, game in GAMES.items() if DTZ in game.metrics and name != "chess"]


def opened(name, folder):
    return Tablebase([folder], rules=source_of(name, folder))


def is_evident(setup, move, outcome):
    """Return whether a move that keeps the result shows that within one ply."""
    if outcome == LOST or move.promotion or len(move.after.men) < len(setup.men):
        return True
    if move.man is not PieceType.PAWN:
        return False
    theirs = {man: at for at, (color, man) in move.after.men.items() if color is move.after.color}
    if not set(theirs) <= {PieceType.KING, PieceType.PAWN}:
        return False
    rules, king = setup.material.rules, theirs[PieceType.KING]
    goal = rules.promotion_ranks[setup.color]
    across = abs(square_file(king) - square_file(move.target))
    along = abs(square_rank(king) - goal)
    return max(across, along) > abs(square_rank(move.target) - goal) + 1


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(WITH_ZEROING, "gardner", "fairy"))
def test_difficulties_follow_from_results(made_games, name):
    """With a sight of one ply, mistakes that do not lose at once are hidden, stalemate aside.

    Whoever sees a good move makes none.
    """
    positive = 0
    with opened(name, made_games) as tables:
        materials = [one for one in (*GAMES[name].names, GAMES[name].passing) if one]
        for setup in (one for men in materials for one in random_setups(men, tables.rules, 12)):
            found = difficulty(tables, setup, sight=1, rule50=False)
            results, outcomes = {}, {}
            for move in setup.moves():
                outcomes[move] = outcome = tables.probe_outcome(move.after, DTZ)
                results[move] = (outcome < 0) - (outcome > 0)
            best = max(results.values(), default=0)
            keeping = [move for move, result in results.items() if result == best]
            hidden = [
                move
                for move, result in results.items()
                if result < best and (result < 0 or any(move.after.moves()))
            ]
            evident = any(is_evident(setup, move, outcomes[move]) for move in keeping)
            if best < 0 or not results or evident:
                assert found == 0
            else:
                assert found == len(hidden) / (len(keeping) + len(hidden)), setup
            positive += found > 0
            for one in rank_by_difficulty(tables, setup)[:3]:
                assert one.difficulty == difficulty(tables, one.move.after)
    assert positive


@pytest.mark.parametrize("name", ["shatranj", "makruk"])
def test_without_distances_to_zeroing_it_is_not_known(made_games, name):
    with opened(name, made_games) as tables:
        setup = next(one for one in random_setups("KPK", tables.rules, 9) if any(one.moves()))
        with pytest.raises(MissingTableError, match="no DTZ of KPK"):
            difficulty(tables, setup)
        assert {one.difficulty for one in rank_by_difficulty(tables, setup)} <= {None, 0.0}
