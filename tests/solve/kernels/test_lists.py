"""Moves out of structures and of planes against the moves of python-chess."""

import random

import chess
import numpy as np
import pytest
from support.king_planes import STEPS, Given
from support.random_positions import random_board

from tablebase.core.rules.material import Material
from tablebase.solve.kernels.fields import NONE, How, Move, Out
from tablebase.solve.kernels.lists import ADD, LOOK, list_moves_out, list_plane
from tablebase.solve.places import place_of, structure_of

NAMES = ["KQPPKRPP", "KPPPKPPP", "KRBPKNP", "KBPKPPP", "KNKRR"]


def listed(board, *, few=False):
    """Return what the lists of a position's structure are written to."""
    given, place = Given(words=0, few=few), place_of(board)
    number = given.region.number_of(*place.structure)
    rows = list_moves_out(given.record, given.work, number, ADD)
    return given, number, rows


def key(given, number):
    return tuple(map(int, given.fields.keys[number]))


def places_after(given, number, rows, board):
    """Return the places to which the moves of a position out of its structure lead, by lists."""
    place, work = place_of(board), given.work.fields
    kings = (place.white_king, place.black_king)
    found = []
    count = list_plane(given.record, given.work, number, rows, place.plane, place.turn)
    for one in work.here.fields.out[:count]:
        child = key(given, work.moves[one[Out.ROW], Move.CHILD])
        mask, square = int(one[Out.MASK]) % 2**64, int(one[Out.SQUARE])
        after = list(kings)
        if one[Out.HOW] != How.KINGS_STAY:
            mover = 0 if one[Out.HOW] == How.WHITE_KING else 1
            if square not in STEPS[kings[mover]]:
                continue
            after[mover] = square
        elif any(mask >> king & 1 for king in kings):
            continue
        found.append((*child[:2], men_of(child[2], int(one[Out.PLANE])), *after))
    return sorted(found)


def men_of(pieces, plane):
    """Return the pieces of a placement, codes and squares, whichever order equal ones are in."""
    codes = [code for code in range(8) for _ in range(pieces >> 4 * code & 15)]
    return sorted((code, plane >> 6 * i & 63) for i, code in enumerate(codes))


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("few", [False, True])
def test_moves_out_of_a_position(name, few):
    rng, seen = random.Random(name), 0
    left_out = (chess.ROOK, chess.BISHOP) if few else ()
    for _ in range(40):
        board = random_board(rng, Material.from_name(name))
        board.ep_square = None
        given, number, rows = listed(board, few=few)
        expected = []
        for move in board.pseudo_legal_moves:
            if board.is_zeroing(move) and move.promotion not in left_out:
                after = board.copy(stack=False)
                after.push(move)
                (*pawns, pieces), plane, _, white, black = place_of(after)
                expected.append((*pawns, men_of(pieces, plane), white, black))
        assert places_after(given, number, rows, board) == sorted(expected), board.fen()
        seen += len(expected)
    assert seen >= 20


@pytest.mark.parametrize("name", NAMES[:3])
def test_structures_after_double_pushes_and_promotions(name):
    rng, seen = random.Random(name), set()
    for _ in range(40):
        board = random_board(rng, Material.from_name(name))
        given, _, rows = listed(board)
        for row in given.work.fields.moves[:rows]:
            start, target = int(row[Move.FROM]), int(row[Move.TO])
            found = {int(row[c]) for c in (Move.EN_PASSANT, Move.EN_PASSANT_TOO)} - {NONE}
            expected = set()
            if start >= 0 and abs(start - target) == 16:
                expected = structures_en_passant(board, start, target, bool(row[Move.MOVER] == 0))
                seen |= {len(expected)}
            assert {key(given, one) for one in found} == expected
            if row[Move.PROMOTED] >= 0:
                white, black, pieces = key(given, row[Move.CHILD])
                taken = white, black, pieces - (1 << 4 * int(row[Move.PROMOTED]))
                assert key(given, row[Move.BACK]) == taken
                seen.add("promotion")
            else:
                assert row[Move.BACK] == row[Move.NEW] == NONE
    assert {0, "promotion"} <= seen


def structures_en_passant(board, start, target, color):
    """Return the structures after en passant captures of a double push that is just made."""
    after = chess.Board(None)
    for square in chess.SquareSet(board.pawns):
        after.set_piece_at(square, board.piece_at(square))
    after.remove_piece_at(start)
    after.set_piece_at(target, chess.Piece(chess.PAWN, color))
    after.turn, after.ep_square = not color, (start + target) // 2
    found = set()
    for move in list(after.generate_pseudo_legal_ep()):
        after.push(move)
        white, black = (after.pawns & after.occupied_co[one] for one in (chess.WHITE, chess.BLACK))
        found.add((white, black, structure_of(board)[2]))
        after.pop()
    return found


def test_two_captures_en_passant():
    board = chess.Board("4k3/8/8/8/2p1p3/8/3P4/4K3 w - - 0 1")
    given, _, rows = listed(board)
    moves = given.work.fields.moves[:rows]
    double = moves[(moves[:, Move.FROM] == chess.D2) & (moves[:, Move.TO] == chess.D4)][0]
    found = {key(given, double[c]) for c in (Move.EN_PASSANT, Move.EN_PASSANT_TOO)}
    assert found == structures_en_passant(board, chess.D2, chess.D4, chess.WHITE)
    assert len(found) == 2


def test_looking_adds_nothing():
    board = chess.Board("4k3/8/8/8/2p1p3/8/3P4/4K3 w - - 0 1")
    given, number, rows = listed(board)
    moves, known = given.work.fields.moves[:rows].copy(), given.region.count
    assert list_moves_out(given.record, given.work, number, LOOK) == rows
    np.testing.assert_array_equal(given.work.fields.moves[:rows], moves)
    other = Given(words=0)
    number = other.region.number_of(*structure_of(board))
    list_moves_out(other.record, other.work, number, LOOK)
    assert other.region.count == 1 < known
    assert (other.work.fields.moves[:rows, Move.CHILD] == NONE).all()
