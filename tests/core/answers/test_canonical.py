"""Canonical positions: one for all images, and the way to it."""

import chess
import h5py
import pytest
from support.oracle import random_boards

from tablebase.core.answers.canonical import canonical_position, slot_of
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.board.symmetry import D4
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table

NAMES = ("KRK", "KPK", "KNNK", "KQKP", "KPKP", "KRBKN", "KK")


@pytest.mark.parametrize("name", NAMES)
def test_a_canonical_position_tells_how_it_came_about(name):
    for board in random_boards(Material.from_name(name), 10, seed=3):
        for position in (board, board.mirror()):
            found = canonical_position(position)
            image = position.mirror() if found.colors_swapped else position.copy()
            to = D4[found.symmetry]
            image.apply_transform(
                lambda bits, to=to: sum(1 << int(to[one]) for one in chess.scan_forward(bits))
            )
            assert image.board_fen() == found.board.board_fen()
            assert image.turn == found.board.turn
            assert found.symmetry_name


def test_the_weaker_side_is_black():
    board = chess.Board("8/8/8/8/8/2K5/8/k2r4 w - - 0 1")
    found = canonical_position(board)
    assert found.material.name == "KRK"
    assert found.colors_swapped
    assert found.board.turn == chess.BLACK


def test_canonical_positions_are_legal():
    with pytest.raises(UnsupportedPositionError, match="take the king"):
        canonical_position(chess.Board("4k2R/8/8/8/8/8/8/4K3 w - - 0 1"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KPK", "KNNK", "KRKN", "KPKP", "KQKP", "KRKR", "KBPK"])
def test_slots_are_where_files_hold_values(tables_dir, name):
    boards = list(random_boards(Material.from_name(name), 100, seed=4))
    boards += [board.mirror() for board in boards]
    with open_tablebase(tables_dir) as tablebase:
        expected = [tablebase.probe_outcome(board) for board in boards]
    with h5py.File(tables_dir / f"{name}.h5") as file:
        for board, outcome in zip(boards, expected, strict=True):
            material, dataset, slot = slot_of(board)
            assert material.name == name
            assert DTM.outcomes[file[dataset][slot]] == outcome, board.fen()


def test_slots_of_distances_to_zeroing(folders_by_metric):
    with open_tablebase(folders_by_metric["both"]) as tablebase:
        boards = list(random_boards(Material.from_name("KPK"), 50, seed=6))
        expected = [tablebase.probe_outcome(board, DTZ) for board in boards]
    with open_table(folders_by_metric["both"] / "KPK.h5") as table:
        outcomes = dict(zip(("white", "black"), table.outcomes(DTZ), strict=True))
    with h5py.File(folders_by_metric["both"] / "KPK.h5") as file:
        for board, outcome in zip(boards, expected, strict=True):
            _, dataset, slot = slot_of(board, DTZ)
            assert dataset.endswith("_to_move/dtz")
            assert outcomes[dataset[:5]][file[dataset][slot]] == outcome
