"""Bounds on a few structures against those of a slow solver by python-chess alone."""

import random

import chess
import numpy as np
import pytest
from support.few import few
from support.forward_bounds import bounds_of, pawn_positions

from tablebase.core.answers.opening import open_tablebase
from tablebase.solve.answers import solve_position
from tablebase.solve.bounds import UNKNOWN, bounds_in, with_queens
from tablebase.solve.budget import Budget
from tablebase.solve.kernels.fields import BOTH_ATTACKERS
from tablebase.solve.region_file import RegionFile
from tablebase.solve.solver import Solver

BLACK_ALONE = 2
SMALL = Budget(100, 1_000_000_000)
# Structures that are solved, each after those to which its moves lead, by white and black pawns.
REGIONS = {
    "blocked": [("e4", "e5")],
    "two blocked, one free": [("a4 c4", "a5"), ("a4 c5", "a5")],
    "en passant": [("e4", "d4"), ("e2", "d4"), ("", "e3"), ("e3", "d4")],
    "en passant, outside": [("e4", "d4"), ("e2", "d4")],
    "two en passant captures": [("c7 e7", ""), ("b5 d5", "c5"), ("b5 d5", "c7"), ("c6 d5", "")],
    "promotion": [("", ""), ("a7", "")],
    "a move and a promotion": [("", ""), ("a7", ""), ("a6", "")],
    "promotion with capture": [("", ""), ("h7", "g2"), ("", "g2"), ("h7", "")],
}


def pawns(names):
    return sum(1 << chess.parse_square(name) for name in names.split())


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(REGIONS, "en passant, outside"))
def test_bounds_of_structures_of_pawns(name):
    structures = [tuple(map(pawns, pair)) for pair in REGIONS[name]]
    solver = Solver(chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1"), SMALL, threads=1)
    numbers = np.array([solver.region.number_of(*pair, 0) for pair in structures])
    solver.region.fields.todo[numbers] = BOTH_ATTACKERS
    solver._solve()
    expected = bounds_of(structures)
    compared = 0
    for pair in structures:
        for board in pawn_positions(*pair):
            key = board.board_fen(), board.turn
            lower, upper = expected[key]
            found = solver.bounds(board)
            if "promotion" in name and found != (lower, upper):
                # Captures of the new piece are seen, which lead back to what is solved.
                assert lower <= found[0] <= found[1] <= upper, board
            else:
                assert found == (lower, upper), board
            compared += 1
    assert compared > 2000


@pytest.mark.slow
def test_structures_may_be_solved_for_one_attacker():
    structures = [tuple(map(pawns, pair)) for pair in REGIONS["en passant, outside"]]
    solver = Solver(chess.Board("8/8/8/8/8/k7/8/K7 w - - 0 1"), SMALL, threads=1)
    first, second = (solver.region.number_of(*pair, 0) for pair in structures)
    solver.region.fields.todo[[first, second]] = BLACK_ALONE, BOTH_ATTACKERS
    solver._solve()
    regions = {chess.WHITE: structures[1:], chess.BLACK: structures}
    expected = {attacker: bounds_of(solved) for attacker, solved in regions.items()}
    for board in pawn_positions(*structures[1]):
        key = board.board_fen(), board.turn
        (win, may_win), (loss, may_lose) = (
            _wins(expected[attacker][key], attacker == board.turn)
            for attacker in (board.turn, not board.turn)
        )
        least = 1 if win else -1 if may_lose else 0
        assert solver.bounds(board) == (least, -1 if loss else 1 if may_win else 0), board
    for board in pawn_positions(*structures[0]):
        key = board.board_fen(), board.turn
        loss, may_lose = _wins(expected[chess.BLACK][key], attacks=False)
        if board.turn == chess.WHITE:
            assert solver.bounds(board) == (-1 if may_lose else 0, -1 if loss else 1), board


def _wins(bounds, attacks):
    """Return whether an attacker, who may be to move, is sure to win, and whether he may win."""
    lower, upper = bounds
    return (lower == 1, upper == 1) if attacks else (upper == -1, lower == -1)


def random_boards(rng, keys):
    """Yield legal positions of structures of up to four men, some queens replaced by others."""
    while True:
        white, black, pieces = map(int, rng.choice(keys))
        board = chess.Board(None)
        for color, squares in ((chess.WHITE, white), (chess.BLACK, black)):
            for square in chess.SquareSet(squares):
                board.set_piece_at(square, chess.Piece(chess.PAWN, color))
        men = [chess.Piece(chess.KING, color) for color in chess.COLORS]
        for code, kind in enumerate((chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT) * 2):
            for _ in range(pieces >> 4 * code & 15):
                other = rng.choice((chess.ROOK, chess.BISHOP)) if kind == chess.QUEEN else kind
                men.append(chess.Piece(other, code < 4))
        free = [square for square in chess.SQUARES if not board.piece_at(square)]
        for man, square in zip(men, rng.sample(free, len(men)), strict=True):
            board.set_piece_at(square, man)
        board.turn = rng.choice(chess.COLORS)
        if board.is_valid() and chess.popcount(board.occupied) <= 4:
            yield board


@pytest.mark.parametrize(
    ("fen", "count"),
    [
        ("8/1P6/8/3k4/8/3K4/6p1/8 w - - 0 1", 300),
        pytest.param("8/8/1P6/3k4/8/4K3/6p1/8 w - - 0 1", 3000, marks=pytest.mark.slow),
    ],
)
def test_bounds_with_a_queen_in_the_place_of_a_rook_or_bishop(fen, count, tables_dir, tmp_path):
    """They contain the result that complete tables have, and often say more than nothing."""
    path = tmp_path / "a.region"
    solve_position(chess.Board(fen), SMALL, save=path)
    rng, said = random.Random(fen), 0
    with RegionFile(path) as file, open_tablebase(tables_dir) as tables:
        assert file.header.few
        boards = random_boards(rng, file.header.keys)
        for _ in range(count):
            board = next(boards)
            least, most = bounds_in(file, board) or UNKNOWN
            assert least <= tables.probe_wdl(board) <= most, board.fen()
            said += (least, most) != UNKNOWN
    assert said > count // 10


def test_many_pieces_are_in_no_region():
    """Hundreds of positions would have queens in the place of eight rooks and bishops."""
    board = chess.Board("7k/8/8/bbbbbrrr/BBBBBRRR/8/8/K7 w - - 0 1")
    assert not list(with_queens(board, chess.WHITE))
    assert not list(with_queens(board, chess.BLACK))
    few = chess.Board("8/7k/8/8/8/2R5/1BN5/K7 w - - 0 1")
    assert len(list(with_queens(few, chess.WHITE))) == 3
