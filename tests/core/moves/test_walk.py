"""The walk: what visitors see of each legal move, as python-chess has it."""

import chess
import numpy as np
import pytest
from support.few import few
from support.variants import ATOMIC, material_board

from tablebase.core.index.numbering import table_index
from tablebase.core.jit.kernels import entry, inlined_kernel
from tablebase.core.moves.move_lists import MAX_MOVES, NO_MAN, make_row
from tablebase.core.moves.successors import make_successors
from tablebase.core.moves.walk import make_walk, place_kings, place_men
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS


@inlined_kernel
def note(seen, count, origin, target, captured, promotion, zeroing, _preference):
    seen[count, 0], seen[count, 1], seen[count, 2] = origin, target, promotion
    seen[count, 3], seen[count, 4] = captured, zeroing
    return count + 1


every_move, zeroing_moves = make_walk(note), make_walk(note, only_zeroing=True)


@entry
def moves_of(successors, row, own, side, board, pair, zeroing, seen):
    """Return how many moves are seen, -1 if the position is not legal."""
    occupied = place_kings(successors, row, side, place_men(successors, row, board), pair)
    if not occupied:
        return np.int64(-1)
    if zeroing:
        return zeroing_moves(successors, row, own, side, occupied, seen, np.int64(0))
    return every_move(successors, row, own, side, occupied, seen, np.int64(0))


def expected(board):
    return {
        (move.from_square, move.to_square, move.promotion or 0, board.is_capture(move),
         board.is_zeroing(move))
        for move in board.legal_moves
    }  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("rules", [CHESS, ATOMIC], ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", few(["KNKP", "KQKB", "KRPK", "KPKP", "KQRKN"], "KNKP"))
def test_every_legal_move_is_seen_once(name, rules):
    material = Material.from_name(name, rules)
    index, successors = table_index(material), make_successors(material)
    row, own = make_row(material.piece_count - 2), np.zeros(index.size, dtype=np.uint8)
    seen = np.empty((MAX_MOVES, 5), dtype=np.int64)
    slots = np.random.default_rng(4).integers(index.size, size=300)
    for slot, squares in zip(slots.tolist(), index.decode_many(slots)[0], strict=True):
        for side, turn in enumerate((chess.WHITE, chess.BLACK)):
            board = material_board(material, squares, turn)
            legal = board.occupied.bit_count() == material.piece_count
            legal = legal and not board.was_into_check()
            moves = expected(board) if legal else set()
            for zeroing in (False, True):
                pair = slot % index.king_pairs
                count = moves_of(successors, row, own, side, squares, pair, zeroing, seen)
                assert (count >= 0) == legal, board.fen()
                kept = {one for one in moves if one[-1] or not zeroing}
                found = {
                    (*one[:3], one[3] != NO_MAN, bool(one[4]))
                    for one in seen[: max(count, 0)].tolist()
                }
                assert found == kept, board.fen()
                assert max(count, 0) == len(kept)
