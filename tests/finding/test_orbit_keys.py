"""The number of a position up to symmetry, against the definition in plain Python."""

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.few import few

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.rule_files import read_rules
from tablebase.finding.dataset import load_table
from tablebase.finding.orbit_keys import orbit, orbit_image, orbits, splits
from tablebase.finding.positions import Positions

WORD = 2**64 - 1


def mixed(number):
    number = (number + 0x9E3779B97F4A7C15) & WORD
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & WORD
    return number ^ (number >> 31)


def slow_orbit(board):
    """The definition: White to move, the least of the sums over images, mixed twice."""
    board = board if board.turn else board.mirror()
    men = [(at, man.symbol()) for at, man in board.piece_map().items()]
    if board.has_legal_en_passant():
        men.append((board.ep_square, "-"))
    turns = [lambda f, r: (f, r), lambda f, r: (7 - f, r)]
    if not board.pawns:
        turns += [lambda f, r: (f, 7 - r), lambda f, r: (7 - f, 7 - r)]
        turns += [lambda f, r, turn=turn: turn(r, f) for turn in turns[:4]]
    sums = []
    for turn in turns:
        total = 0
        for at, letter in men:
            file, rank = turn(at % 8, at // 8)
            total += mixed(64 * ord(letter) + 8 * rank + file)
        sums.append(mixed(total & WORD))
    return mixed(min(sums))


@pytest.mark.parametrize("name", few(["KRK", "KPK", "KNNK", "KRNK"], "KRK", "KPK"))
def test_all_images_have_a_number_and_different_positions_have_different_ones(name):
    table = load_table(name, "data")
    one_of_each, every = (table.positions(images=images) for images in ("canonical", "all"))
    if len(every) > 500_000:
        every = every[:: len(every) // 500_000]
    found = numbers_of(one_of_each)
    assert len(set(found.tolist())) == len(one_of_each)
    assert set(numbers_of(every).tolist()) <= set(found.tolist())
    for one in np.random.default_rng(1).choice(len(every), 50):
        board = every[int(one)].board()
        assert slow_orbit(board) == orbit(board) == numbers_of(every[[one] * np.array([1])])[0]


def numbers_of(positions: Positions):
    return orbits(positions.material, positions.squares, positions.white_to_move)


FENS = [
    "8/8/8/8/3pP3/8/6k1/K7 b - e3 0 1",
    "8/8/8/8/3pP3/8/6k1/K7 b - - 0 1",
    "8/8/8/8/4P3/8/3p2k1/K7 b - e3 0 1",  # no pawn can capture
    "k7/8/8/3pP3/8/8/8/K7 w - d6 0 1",
    "4k3/8/8/8/8/8/8/QRBN1K2 w - - 0 1",
    "4k3/8/8/8/8/8/8/QRBN1K2 b - - 7 9",
    "8/8/8/8/8/8/p6P/k6K w - - 0 1",
]


@pytest.mark.parametrize("fen", FENS)
def test_colours_left_and_right_and_the_definition(fen):
    board = chess.Board(fen)
    images = [board, board.mirror(), board.transform(chess.flip_horizontal)]
    assert {orbit(one) for one in images} == {slow_orbit(board)}


def test_a_capture_en_passant_makes_another_position():
    with_right, without, useless = (orbit(chess.Board(fen)) for fen in FENS[:3])
    assert with_right != without
    assert useless == orbit(chess.Board(FENS[2].replace("e3", "-")))


@given(st.permutations(range(64)), st.booleans())
@settings(max_examples=50)
def test_the_image_is_the_position_with_white_to_move(squares, turn):
    board = chess.Board(None)
    board.turn = turn
    for at, symbol in zip(squares, "KkRn", strict=False):
        board.set_piece_at(at, chess.Piece.from_symbol(symbol))
    if not board.is_valid():
        with pytest.raises(UnsupportedPositionError):
            orbit(board)
        return
    found = orbit_image(board)
    seen = set()
    for places in found.places:
        image = chess.Board(None)
        for at, man in board.piece_map().items():
            man.color = man.color == turn
            image.set_piece_at(int(places[at]), man)
        seen.add(image.board_fen())
    assert len(seen) == 1
    assert found.orbit == orbit(image) == orbit(board)
    assert {orbit_image(one).orbit for one in (image, board)} == {found.orbit}


@pytest.mark.parametrize(
    ("fen", "ways"),
    [("8/8/8/8/3K4/8/1R6/k7 w - - 0 1", 2), ("8/8/8/8/3K4/8/2R5/k7 w - - 0 1", 1),
     ("8/8/3k4/8/3K4/8/8/8 w - - 0 1", 1), ("8/7k/8/8/8/8/1R6/K7 b - - 0 1", 1)],
)  # fmt: skip
def test_a_position_that_is_its_own_mirror_image_has_two_ways_to_it(fen, ways):
    assert len(orbit_image(chess.Board(fen)).places) == ways


def test_other_games_have_other_numbers():
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    setup = read_setup(board.fen(), read_rules("shatranj"))
    assert orbit(setup) == orbit(setup.swapped()) != orbit(board)


def test_castling_rights_are_refused():
    with pytest.raises(UnsupportedPositionError):
        orbit(chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))


def test_splits_depend_on_the_orbit_and_the_seed_alone():
    numbers = numbers_of(load_table("KPK", "data").positions())
    parts = np.bincount(splits(numbers)) / len(numbers)
    assert parts == pytest.approx([0.8, 0.1, 0.1], abs=0.005)
    assert (splits(numbers) == splits(numbers, seed=0)).all()
    other = splits(numbers, seed=1)
    assert 0.6 < (splits(numbers) == other).mean() < 0.7  # 0.66 by chance
