"""One move forwards: who has a move."""

import chess
import numpy as np
import pytest
from support.variants import ATOMIC, material_board

from tablebase.core.moves import forward
from tablebase.core.moves.move_lists import make_row
from tablebase.core.moves.successors import make_successors
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS


@pytest.mark.parametrize("rules", [CHESS, ATOMIC], ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", ["KQQKP", "KQRKP", "KPPKP", "KRRKN", "KQPKB"])
def test_a_side_has_a_move_or_not_as_in_python_chess(name, rules):
    material = Material.from_name(name, rules)
    successors, row = make_successors(material), make_row(material.piece_count - 2)
    rng = np.random.default_rng(9)
    stuck = 0
    for _ in range(1000):
        squares = rng.choice(64, material.piece_count, replace=False).astype(np.uint8)
        squares[1] = rng.choice([0, 7, 8, 15, 56, 63])  # where Black's king has few moves
        board = material_board(material, squares, chess.BLACK)
        if board.occupied.bit_count() < material.piece_count or board.was_into_check():
            continue
        apart = chess.square_distance(*squares[:2].tolist()) > 1
        if board.pawns & chess.BB_BACKRANKS or not (apart or rules.blast):
            continue
        occupied = np.uint64(board.occupied)
        row.fields.squares[:] = squares
        found = forward.has_move(successors, row, np.int64(1), occupied)
        assert found == any(board.legal_moves), board.fen()
        stuck += not found
    assert stuck or "Q" not in name
