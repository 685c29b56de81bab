"""Locations: the same numbers as the index, and legality by rule as python-chess has it."""

import itertools
import random
from types import SimpleNamespace

import chess
import numpy as np
import pytest
from support.random_positions import random_board

from tablebase.core.board.symmetry import D4, FLIP
from tablebase.core.index.numbering import table_index
from tablebase.core.positions.chess_board import board_of, board_words, words_of_boards
from tablebase.core.reading.board_reader import compiled_locate
from tablebase.core.reading.catalog import (
    empty_catalog,
    material_number,
    material_of_number,
    with_table,
)
from tablebase.core.reading.locate import (
    BARE_KINGS,
    IMPOSSIBLE,
    OPPONENT_IN_CHECK,
    PAGE_SIZE,
    TOO_MANY_MEN,
    UNKNOWN_TABLE,
    kings_can_move,
    locate,
)
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.storage.order import slot_order

WHITE_PAGE, BLACK_PAGE = 3, 100_003
THREE_MEN = [material.name for material in all_materials(3)]
MORE_MEN = [material.name for material in all_materials(4)]
MORE_MEN += ["KRBKN", "KQPKP", "KPPPK", "KPPKP", "KNNNK", "KBBKB", "KRRPK", "KBPKN"]


def located(catalog, board):
    return compiled_locate()(catalog, board_words(board))


def catalog_of(*names):
    catalog = empty_catalog()
    for name in names:
        index = table_index(Material.from_name(name))
        catalog = with_table(catalog, index, (WHITE_PAGE, BLACK_PAGE))
    return catalog


def indices_of(material):
    size = table_index(material).size
    if material.piece_count == 3:
        return np.arange(0, size, 7)
    return np.random.default_rng(5).integers(0, size, 60)


def slot_of(material, number):
    """Return the slot of an index by the formula that files state."""
    index = table_index(material)
    rest, pair = divmod(number, index.king_pairs)
    slice_number, rank = divmod(rest, index.ranks)
    groups = slot_order(material).first.tolist()
    first, end = next(both for both in itertools.pairwise(groups) if pair < both[1])
    base = (slice_number * index.king_pairs + first) * index.ranks
    return base + rank * (end - first) + pair - first


@pytest.mark.parametrize("name", THREE_MEN + MORE_MEN)
def test_locations_are_those_of_the_index(name):
    material = Material.from_name(name)
    index = table_index(material)
    catalog = catalog_of(name)
    numbers = indices_of(material)
    squares, valid = index.decode_many(numbers)
    rng = np.random.default_rng(6)
    checked = 0
    for row, slot in zip(squares[valid], numbers[valid].tolist(), strict=True):
        symmetry = rng.choice(index.symmetries)
        board = board_of(material, D4[symmetry][row].tolist(), bool(rng.integers(2)))
        if board.was_into_check():
            continue
        checked += 1
        number = slot
        if material.is_symmetric and board.turn == chess.BLACK:
            number = index.encode(D4[FLIP][row[[1, 0, *range(2, len(row))]]][_swap_sides(material)])
        first = WHITE_PAGE if board.turn or material.is_symmetric else BLACK_PAGE
        assert located(catalog, board) == first * PAGE_SIZE + slot_of(material, number)
        assert located(catalog, board.mirror()) == located(catalog, board)
    assert checked > 15


def _swap_sides(material):
    white = len(material.white)
    return [0, 1, *range(2 + white, 2 + 2 * white), *range(2, 2 + white)]


@pytest.mark.parametrize("name", ["KRBKN", "KQPKP", "KBNK", "KPKP", "KRK"])
def test_the_side_to_move_must_not_be_able_to_take_the_king(name):
    material = Material.from_name(name)
    catalog = catalog_of(name)
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(800):
        squares = rng.choice(64, material.piece_count, replace=False).tolist()
        board = board_of(material, squares, bool(rng.integers(2)))
        location = located(catalog, board)
        if board.pawns & chess.BB_BACKRANKS:
            assert location == IMPOSSIBLE
        else:
            assert (location == OPPONENT_IN_CHECK) == board.was_into_check(), board.fen()
        seen.add(min(location, 0))
    assert {0, OPPONENT_IN_CHECK} <= seen


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/8/8/8/2k5/8/K7 w - - 0 1", BARE_KINGS),
        ("8/8/8/8/8/8/1k6/K7 w - - 0 1", OPPONENT_IN_CHECK),
        ("8/8/8/8/8/2k5/8/KR1R4 b - - 0 1", UNKNOWN_TABLE),
        ("8/8/8/8/8/2k5/8/8 w - - 0 1", IMPOSSIBLE),
        ("8/8/8/8/8/2k5/8/K5K1 w - - 0 1", IMPOSSIBLE),
        ("8/8/8/8/8/2k5/8/K6P w - - 0 1", IMPOSSIBLE),
        ("8/8/8/8/8/8/8/8 w - - 0 1", IMPOSSIBLE),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", TOO_MANY_MEN),
    ],
)
def test_reasons(fen, reason):
    location = located(empty_catalog(), chess.Board(fen))
    assert max(location, UNKNOWN_TABLE) == reason


def test_an_unknown_table_is_named_by_its_number():
    location = located(empty_catalog(), chess.Board("8/8/8/8/8/2k1n3/8/K2R4 b - - 0 1"))
    assert material_of_number(UNKNOWN_TABLE - location).name == "KRKN"


def test_materials_have_different_numbers():
    materials = {m for men in (2, 3, 4, 5) for m in all_materials(men)}
    materials |= {material.swapped() for material in materials}
    assert {material_of_number(material_number(m)) for m in materials} == materials


def test_a_catalog_is_not_changed_by_one_more_table():
    catalog = catalog_of("KRK")
    before = catalog.copy()
    with_table(catalog, table_index(Material.from_name("KPK")), (0, 1))
    assert (catalog == before).all()


def test_whose_king_can_move():
    """By python-chess's rules; positions of more men than tables have, too."""
    rng = random.Random(27)
    names = ["KQQKQ", "KRRKBN", "KBBK", "KNK", "KBK", "KNNK", "KQKPPP", "KRRPPK", "KQRBNPKQRBNP"]
    boards = [random_board(rng, material_with(name)) for name in names for _ in range(60)]
    expected = []
    for board in boards:
        board.ep_square = None
        king = board.king(board.turn)
        moves = [move for move in board.legal_moves if move.from_square == king]
        expected.append(any(not board.is_castling(move) for move in moves))
    can_move = np.empty(len(boards), np.bool_)
    kings_can_move(words_of_boards(boards), can_move)
    assert can_move.tolist() == expected
    assert len(boards) / 2 < sum(expected) < len(boards) - 10


def material_with(name):
    """Return an object with the men of a name, of which there may be too many for a table."""
    kinds = [chess.PIECE_SYMBOLS.index(letter) for letter in name.lower()]
    black = name.rindex("K")
    return SimpleNamespace(men=[(int(i >= black), kind) for i, kind in enumerate(kinds)])


def test_the_kernel_says_the_same_as_python():
    rng = random.Random(73)
    names = ["KRK", "KPK", "KQPKP", "KBKB"]
    catalog = catalog_of(*names)
    fens = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "7R/8/8/8/8/2k5/8/K7 b - - 0 1", chess.STARTING_FEN]
    boards = [chess.Board(fen) for fen in fens]
    boards += [random_board(rng, Material.from_name(name)) for name in names for _ in range(10)]
    for board in boards:
        words = tuple(map(np.uint64, board_words(board)))
        assert locate.in_python(catalog, words) == located(catalog, board), board.fen()
