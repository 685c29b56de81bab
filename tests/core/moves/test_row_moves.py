"""Moves of a row: those of python-chess on a board without kings."""

import chess
import numpy as np
import pytest

from tablebase.core.board.geometry import PieceType
from tablebase.core.moves.move_lists import make_row
from tablebase.core.moves.row_moves import find_attacks, list_moves
from tablebase.core.moves.successors import make_successors
from tablebase.core.rules.material import Material

MATERIALS = ["KRK", "KPK", "KBNK", "KQKP", "KPKP", "KRPKN", "KPPKB"]
AWAY = 255  # where no king stands


def random_rows(material, count):
    """Yield squares of the men besides the kings, and the board with them alone."""
    rng = np.random.default_rng(21)
    while count:
        squares = rng.choice(64, material.piece_count - 2, replace=False).astype(np.uint8)
        board = chess.Board(None)
        for (color, kind), square in zip(material.men[2:], squares.tolist(), strict=True):
            board.set_piece_at(square, chess.Piece(kind, not color))
        if not board.pawns & chess.BB_BACKRANKS:
            count -= 1
            yield squares, board


def listed(successors, row):
    """Return the moves of a row as (origin, target, new piece type or None)."""
    fields = row.fields
    kinds = successors.destinations.fields.kind
    pure = {int(kind): new for (_, _, _, new), kind in np.ndenumerate(kinds)}
    moves = []
    for man in range(len(successors.law.fields.colors)):
        for i in range(fields.bounds[man], fields.bounds[man + 1]):
            origin, target = int(fields.squares[man + 2]), int(fields.target[i])
            moves.append((origin, target, pure[int(fields.kind[i])] or None))
    return moves


@pytest.mark.thorough
@pytest.mark.parametrize("name", MATERIALS)
def test_moves_and_attacks(name):
    material = Material.from_name(name)
    successors = make_successors(material)
    row = make_row(material.piece_count - 2)
    promotions = 0
    for squares, board in random_rows(material, 150):
        row.fields.squares[:2], row.fields.squares[2:] = AWAY, squares
        list_moves(successors, row)
        expected = []
        for turn in chess.COLORS:
            board.turn = turn
            moves = board.generate_pseudo_legal_moves()
            expected += [(m.from_square, m.to_square, m.promotion) for m in moves]
        found = listed(successors.fields, row)
        assert sorted(found, key=str) == sorted(expected, key=str), board
        promotions += sum(new is not None for _, _, new in found)
        find_attacks(successors, row)
        for color, turn in enumerate((chess.WHITE, chess.BLACK)):
            attacked = chess.SquareSet(
                square for square in chess.SQUARES if board.is_attacked_by(turn, square)
            )
            assert int(row.fields.danger[color]) == int(attacked), board
    has_pawns = any(kind is PieceType.PAWN for _, kind in material.men)
    assert bool(promotions) == has_pawns
