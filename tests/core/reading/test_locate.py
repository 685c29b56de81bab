"""Locations: those of the index for positions of any game, and legality as python-chess has it."""

import random
from types import SimpleNamespace

import chess
import numpy as np
import pytest
from support.games import random_setups
from support.random_positions import random_board

from tablebase.core.answers.canonical import slot_of
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import position_of
from tablebase.core.positions.chess_board import board_of, board_words, words_of_boards
from tablebase.core.positions.setup import Setup, check_men, check_setup
from tablebase.core.reading.as_words import setup_words
from tablebase.core.reading.catalog import Catalog, material_numbered, number_of
from tablebase.core.reading.given import SquarePositions
from tablebase.core.reading.locate import (
    BARE_KINGS,
    ILLEGAL,
    OVER,
    PAGE_SIZE,
    TOO_MANY_MEN,
    UNKNOWN_TABLE,
    kings_can_move,
    locate,
    locate_rows,
    rows_of_words,
)
from tablebase.core.reading.reader import compiled_locate
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS

WHITE_PAGE, BLACK_PAGE = 3, 100_003
THREE_MEN = [material.name for material in all_materials(3)]
MORE_MEN = ["KRBKN", "KQPKP", "KPPPK", "KPPKP", "KNNNK", "KBBKB", "KRRPK", "KBPKN", "KQKQ"]
OTHERS = [
    ("atomic", "KRKP"),
    ("antichess", "QKvR"),
    ("antichess", "KKvPP"),
    ("antichess", "PPvP"),
    ("racingkings", "KQKR"),
    ("racingkings", "KNKQ"),
    ("3check", "KRKP"),
    ("3check", "KQK"),
    ("kingofthehill", "KPKP"),
    ("shatranj", "KQKB"),
    ("gardner", "KPKP"),
]


def catalog_of(rules, *names):
    catalog = Catalog(rules)
    for name in names:
        catalog.add(Material.from_name(name, rules).normalized(), (WHITE_PAGE, BLACK_PAGE))
    return catalog


def located(catalog, words):
    """Return the locations of positions given as words."""
    words = np.array(list(words), dtype=np.uint64)
    rows = np.empty(len(words), np.int64), np.empty((len(words), 6), np.uint8)
    sides, locations = np.empty(len(words), np.uint8), np.empty(len(words), np.int64)
    rows_of_words(words, *rows, sides)
    locate_rows(catalog.array, *rows, np.arange(6), sides, locations)
    return locations.tolist()


def page_and_slot(location):
    page, place = divmod(location, PAGE_SIZE)
    first = BLACK_PAGE if page >= BLACK_PAGE else WHITE_PAGE
    return first, (page - first) * PAGE_SIZE + place


@pytest.mark.parametrize(
    ("game", "name"), [*(("chess", name) for name in THREE_MEN + MORE_MEN), *OTHERS]
)
def test_locations_are_those_of_the_index(game, name):
    rules = built_in_rules()[game] if game != "chess" else CHESS
    catalog = catalog_of(rules, name)
    setups = list(random_setups(name, rules, 40))
    if not rules.one_sided:
        setups += [setup.swapped() for setup in setups[:20]]
    setups = [one for one in setups if one.squares[one.color] not in rules.goal_squares]
    for setup, location in zip(setups, located(catalog, map(setup_words, setups)), strict=True):
        _, dataset, slot = slot_of(position_of(setup).board if rules == CHESS else setup)
        is_white = dataset.startswith("white")
        expected = WHITE_PAGE if is_white else BLACK_PAGE
        assert page_and_slot(location) == (expected, slot), setup


@pytest.mark.parametrize("name", ["KRBKN", "KQPKP", "KBNK", "KPKP", "KRK"])
def test_the_side_to_move_must_not_be_able_to_take_the_king(name):
    material = Material.from_name(name)
    catalog = catalog_of(CHESS, name)
    rng = np.random.default_rng(7)
    rows = [rng.choice(64, material.piece_count, replace=False).tolist() for _ in range(800)]
    boards = [board_of(material, row, bool(rng.integers(2))) for row in rows]
    locations = located(catalog, words_of_boards(boards))
    for board, location in zip(boards, locations, strict=True):
        is_illegal = bool(board.pawns & chess.BB_BACKRANKS) or board.was_into_check()
        assert location == ILLEGAL if is_illegal else location >= 0, board.fen()
        assert compiled_locate()(catalog.array, board_words(board)) == location
    assert len({min(location, 0) for location in locations}) == 2


@pytest.mark.parametrize(("game", "name"), OTHERS)
def test_legality_of_other_games_is_that_of_setups(game, name):
    rules = built_in_rules()[game]
    material, rng = Material.from_name(name, rules), np.random.default_rng(8)
    catalog, seen = catalog_of(rules, name), set()
    for _ in range(400):
        row = rng.integers(0, 64, len(material.men)).tolist()
        checks = tuple(rng.integers(0, 4, 2).tolist()) if rules.check_counting else (3, 3)
        setup = Setup(material, tuple(row), Color(int(rng.integers(2))), checks=checks)
        words = setup_words(setup)
        if words is None:
            continue
        (location,) = located(catalog, [words])
        try:
            check_setup(setup)
        except UnsupportedPositionError:
            assert location == ILLEGAL, setup
        else:
            try:
                check_men(setup)
            except UnsupportedPositionError:
                assert np.sign(setup.final_outcome()) == OVER - location
            else:
                assert location >= 0 or location == BARE_KINGS
        seen.add(location == ILLEGAL)
    assert False in seen


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/8/8/8/2k5/8/K7 w - - 0 1", BARE_KINGS),
        ("8/8/8/8/8/8/1k6/K7 w - - 0 1", ILLEGAL),
        ("8/8/8/8/8/2k5/8/KR1R4 b - - 0 1", UNKNOWN_TABLE),
        ("8/8/8/8/8/2k5/8/8 w - - 0 1", ILLEGAL),
        ("8/8/8/8/8/2k5/8/K5K1 w - - 0 1", ILLEGAL),
        ("8/8/8/8/8/2k5/8/K6P w - - 0 1", ILLEGAL),
        ("8/8/8/8/8/8/8/8 w - - 0 1", ILLEGAL),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", TOO_MANY_MEN),
    ],
)
def test_reasons(fen, reason):
    words = board_words(chess.Board(fen))
    assert max(located(Catalog(CHESS), [words])[0], UNKNOWN_TABLE) == reason


def test_numbers_that_are_no_squares_are_no_positions():
    squares = np.array([[0, 10, wrong] for wrong in (64, 255, 256, -1, -(2**40))])
    rows = SquarePositions(squares, "KRK", turn=True).rows(slice(None))
    locations = np.empty(len(squares), np.int64)
    locate_rows(catalog_of(CHESS, "KRK").array, *rows, locations)
    assert (locations == ILLEGAL).all()


def test_an_unknown_table_is_named_by_its_number():
    board = chess.Board("8/8/8/8/8/2k1n3/8/K2R4 b - - 0 1")
    (location,) = located(Catalog(CHESS), [board_words(board)])
    assert material_numbered(UNKNOWN_TABLE - location, CHESS).name == "KRKN"


def test_materials_have_different_numbers():
    materials = {m for men in (2, 3, 4, 5) for m in all_materials(men)}
    materials |= {material.swapped() for material in materials}
    assert {material_numbered(number_of(m), CHESS) for m in materials} == materials
    assert not number_of(Material.from_name("KQQQQKQ"))


def test_an_array_is_not_changed_by_one_more_table():
    catalog = catalog_of(CHESS, "KRK")
    array, before = catalog.array, catalog.array.copy()
    catalog.add(Material.from_name("KPK"), (0, 1))
    catalog.forget(Material.from_name("KRK"))
    assert (array == before).all()
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    assert compiled_locate()(array, board_words(board)) >= 0  # its records are still there
    assert compiled_locate()(catalog.array, board_words(board)) <= UNKNOWN_TABLE


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
    kings_can_move(Catalog(CHESS).array, words_of_boards(boards), can_move)
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
    catalog = catalog_of(CHESS, *names).array
    fens = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "7R/8/8/8/8/2k5/8/K7 b - - 0 1", chess.STARTING_FEN]
    boards = [chess.Board(fen) for fen in fens]
    boards += [random_board(rng, Material.from_name(name)) for name in names for _ in range(10)]
    for board in boards:
        words = board_words(board)
        found = compiled_locate()(catalog, words)
        assert locate.in_python(catalog, tuple(map(np.uint64, words))) == found, board.fen()
