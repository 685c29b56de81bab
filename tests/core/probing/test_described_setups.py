"""Positions of other games than chess, read with the square that a pawn has just passed."""

import pytest

from tablebase.core.errors import UnsupportedPositionError
from tablebase.core.probing import VariantTablebase, find_rules, read_passing

# White's pawn may make a double step, past a pawn that may capture it en passant.
BEFORE_PUSH = "4k3/8/8/8/3p4/8/4P3/4K3 w"


@pytest.mark.parametrize("passed", ["e3", "d3", "e6", "x9"])
def test_only_what_a_pawn_passed_can_be_captured_so(games_dir, passed):
    rules = next(one for one in find_rules([games_dir]).values() if one.name == "pawns")
    fen = BEFORE_PUSH.replace(" w", f" b - {passed}")
    with pytest.raises(UnsupportedPositionError, match=f"no pawn has just passed '{passed}'"):
        read_passing(fen, rules)


def test_values_of_positions_with_a_passing_capture_follow_from_the_moves(games_dir):
    rules = next(one for one in find_rules([games_dir]).values() if one.name == "pawns")
    with VariantTablebase(rules, directories=[games_dir]) as tables:
        for file in range(8):
            for black in {max(0, file - 1), min(7, file + 1)} - {file}:
                row = "".join("P" if at == file else "p" if at == black else "1" for at in range(8))
                fen = f"4k3/8/8/8/{row}/8/8/K7 b - {'abcdefgh'[file]}3"
                position, pushed = read_passing(fen, rules)
                ranked = tables.rank_moves(position, pushed=pushed)
                assert tables.probe_position(position, pushed=pushed) == ranked[0].outcome
                line = tables.mainline(position, pushed=pushed)
                assert len(line) == ranked[0].outcome.plies
