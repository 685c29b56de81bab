"""Values of moves out, and what can be captured at once, against python-chess and plain Python."""

import random

import chess
import numpy as np
import pytest
from support.captures import prey_of
from support.king_planes import PAIRS, STEPS, Given, legal_boards, men_board, words_of
from support.random_positions import random_board

from tablebase.core.rules.material import Material
from tablebase.solve.kernels.exits import (
    MATE,
    PAWN,
    POSITIONS,
    _enter_move,
    _write_proven,
    make_distances,
    write_prey,
)
from tablebase.solve.kernels.fields import How, Out, make_men
from tablebase.solve.kernels.keys import read_pieces
from tablebase.solve.kernels.king_planes import read_squares
from tablebase.solve.kernels.lists import ADD, list_moves_out, list_plane
from tablebase.solve.places import place_of
from tablebase.solve.region import Region


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KQPKRP", "KRKB", "KPPKPP", "KNKQ", "KBPKR", "KQKP"])
def test_what_can_be_captured(name):
    rng = random.Random(name)
    men = make_men()
    prey = np.empty(POSITIONS, dtype=np.int8)
    seen = set()
    for _ in range(100):
        board = random_board(rng, Material.from_name(name))
        board.ep_square = None
        place = place_of(board)
        region = Region(np.zeros(0, dtype=np.uint64))
        number = region.number_of(*place.structure)
        read_pieces(region.record, number, men)
        read_squares(men, place.plane)
        write_prey(region.record, men, number, place.turn, prey)
        found = prey[64 * place.white_king + place.black_king]
        assert found == prey_of(board), board.fen()
        seen.add(int(found))
    assert len(seen) > 1


def value_before(value):
    """Return the value for who moved there: of the other sign, one ply farther from mate."""
    nearness = MATE - (MATE - abs(value) + 1)
    return -nearness if value > 0 else nearness if value < 0 else 0


@pytest.mark.parametrize("how", How)
def test_moves_out_improve_values(how):
    rng = np.random.default_rng(how)
    after = rng.integers(-MATE, MATE, POSITIONS).astype(np.int16)
    values = rng.integers(-MATE, MATE, 2 * POSITIONS).astype(np.int16)
    mask = chess.SquareSet([chess.C3, chess.D4])
    out = np.zeros((1, len(Out)), dtype=np.int64)
    out[0, Out.HOW], out[0, Out.SQUARE] = how, chess.E4
    out[0, Out.MASK] = int(mask) if how == How.KINGS_STAY else 0
    expected = values.tolist()
    for white, black in PAIRS:
        there = [(white, black), (chess.E4, black), (white, chess.E4)][how]
        king = None if how == How.KINGS_STAY else [white, black][how - 1]
        may_move = king is None or king in STEPS[chess.E4]
        if may_move and not (how == How.KINGS_STAY and {white, black} & set(mask)):
            here = POSITIONS + 64 * white + black
            found = value_before(int(after[64 * there[0] + there[1]]))
            expected[here] = max(expected[here], found)
    _enter_move(values, POSITIONS, after, out, 0)
    assert values.tolist() == expected


@pytest.mark.slow
def test_values_of_a_capture():
    given = Given(pieces=1)
    number, plane = given.structure("Rb2 pb6")
    rows = list_moves_out(given.record, given.work, number, ADD)
    after, _ = given.structure("Rb6")
    given.solved(after, np.random.default_rng(0))
    for bound, attacker, turn in ((0, 0, 1), (1, 0, 1)):  # White wins wherever Black may be to move
        for one in range(64):
            legal = words_of(legal_boards(men_board("Rb6"), 1)) if one == chess.B6 else 0
            given.bound(after, bound, attacker, turn, one)[:] = legal
    values = np.zeros(2 * 64 * POSITIONS, dtype=np.int16)
    given.work.fields.valid[:] = 1
    count = list_plane(given.record, given.work, number, rows, plane, 0)
    out = given.work.fields.here.fields.out
    captures = [i for i in range(count) if out[i, Out.BY] == 0]
    assert len(captures) == 1
    distances = make_distances(values, 64)
    _write_proven(given.record, given.work, distances, captures[0], 0)
    found = distances.fields.after.reshape(64, 64)
    for (white, black), board in legal_boards(men_board("Rb6"), 1).items():
        lost = max(0, prey_of(board) - 1)  # a rook that can be captured, for a pawn
        assert found[white, black] == PAWN * lost - MATE, board
