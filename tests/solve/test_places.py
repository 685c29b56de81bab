"""Positions that cannot be solved."""

import chess
import pytest
from support.refused import REFUSED

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.solve.places import check_solvable


@pytest.mark.parametrize(("fen", "meant"), REFUSED)
def test_a_refusal_ends_in_a_fen_to_paste(fen, meant):
    with pytest.raises(UnsupportedPositionError) as raised:
        check_solvable(chess.Board(fen))
    assert str(raised.value).endswith(meant)


def test_castling_rights_are_refused_without_advice():
    """Without them the value is another one: here mate in 7 instead of 11 moves."""
    fen = "r3k3/8/4K3/8/8/8/8/4Q3 w q - 0 1"
    with pytest.raises(UnsupportedPositionError) as raised:
        check_solvable(chess.Board(fen))
    assert str(raised.value) == f"positions with castling rights are not covered: {fen}"
