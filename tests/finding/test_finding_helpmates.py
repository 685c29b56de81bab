"""Positions in which a side can never mate, and helpmates as composers count them."""

import chess
import pytest

from tablebase import find, open_tablebase
from tablebase.finding.conditions import Conditions


def test_who_can_never_mate(helped_folder):
    found = find("KPK", helped_folder, never="white", turn=False)
    assert len(found) == 14
    with open_tablebase(helped_folder) as tables:
        assert all(tables.is_dead(one.board()) for one in found)
    assert len(find("KPK", helped_folder, never="both", turn=False)) == 14
    assert len(find("KQK", helped_folder, never="white", turn=False)) == 414


@pytest.mark.parametrize(("moves", "plies", "turn"), [(1, 2, False), (1.5, 3, True)])
def test_moves_count_as_for_composers(helped_folder, moves, plies, turn):
    found = find("KRK", helped_folder, helpmate=moves, limit=20)
    assert len(found) == 20
    with open_tablebase(helped_folder) as tables:
        for one in found:
            assert one.board().turn == turn
            assert tables.probe_helpmate(one.board(), chess.WHITE) == plies


def test_one_solution(helped_folder):
    found = find("KRK", helped_folder, helpmate=1, unique=True, limit=10)
    assert len(found) == 10
    with open_tablebase(helped_folder) as tables:
        assert {tables.count_helpmates(one.board(), chess.WHITE) for one in found} == {1}


def test_nobody_is_mated_by_a_bare_king(helped_folder):
    assert not len(find("KRK", helped_folder, helpmate=1, mated="white"))


@pytest.mark.parametrize("wrong", [0, 2.25, True, "3", 200])
def test_moves_of_a_helpmate_are_whole_or_half(wrong):
    with pytest.raises(ValueError, match=r"moves like 3 or 3\.5"):
        Conditions(helpmate=wrong)
    with pytest.raises(ValueError, match="unique needs a helpmate"):
        Conditions(unique=True)
