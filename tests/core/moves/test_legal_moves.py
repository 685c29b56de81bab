"""Moves: all legal moves and which are best, against probing with python-chess."""

import random

import chess
import numpy as np
import pytest
from support.few import thorough

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.moves.legal_moves import (
    PROMOTION,
    PROMOTIONS_TO,
    UNDERPROMOTION,
    MoveCounter,
    iter_moves,
)
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.tables.search import setup_at


def board_of(table, moves, i):
    """Return position `i` of a chunk of moves."""
    board = chess.Board(None)
    board.turn = moves.white_to_move
    squares = table.index.decode(int(moves.slots[i]))
    for (color, man), square in zip(table.material.men, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece(int(man), color == 0))
    return board


def listed(moves, part):
    columns = moves.origin[part], moves.target[part], moves.promotion[part], moves.best[part]
    return {
        (int(origin), int(target), int(promotion) or None): bool(best)
        for origin, target, promotion, best in zip(*columns, strict=True)
    }


def expected(tables, board):
    ranked = tables.rank_moves(board)
    return {
        (one.move.from_square, one.move.to_square, one.move.promotion): (one.dtm, one.wdl)
        == (ranked[0].dtm, ranked[0].wdl)
        for one in ranked
    }


def check(table, subtables, directory, *, chunks, positions, wanted=lambda _: True):
    """Compare some positions of some chunks whose first position is wanted; return how many."""
    choice = random.Random(2)
    compared = 0
    every = [
        moves
        for moves in iter_moves(table, subtables)
        if len(moves) and wanted(board_of(table, moves, 0))
    ]
    with open_tablebase(directory) as tables:
        for moves in choice.sample(every, min(chunks, len(every))):
            for i in choice.sample(range(len(moves)), min(positions, len(moves))):
                board = board_of(table, moves, i)
                part = slice(moves.starts[i], moves.starts[i + 1])
                assert listed(moves, part) == expected(tables, board), board.fen()
                compared += 1
    return compared


@pytest.mark.parametrize("name", ["KK", "KRK", "KPK", thorough("KNNK")])
def test_moves_are_those_of_python_chess(name):
    table = read_table(f"data/{name}.h5")
    subtables = read_subtables(table.material, "data")
    assert check(table, subtables, "data", chunks=40, positions=5) >= 2


def allows_en_passant(board):
    """Return whether the side to move may push a pawn past one of the other side."""
    own, other = (
        next(iter(board.pieces(chess.PAWN, color))) for color in (board.turn, not board.turn)
    )
    landing = own + 16 if board.turn else own - 16
    start = chess.square_rank(own) == (1 if board.turn else 6)
    return start and chess.square_distance(landing, other) == 1 and landing // 8 == other // 8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPKP", "KQKR", "KRKP"])
def test_moves_of_four_men_are_those_of_python_chess(solved, tables_dir, name):
    table = solved[Material.from_name(name)]
    assert check(table, solved, tables_dir, chunks=60, positions=5) == 300


@pytest.mark.slow
def test_double_pushes_are_valued_with_the_answer_en_passant(solved, tables_dir):
    table = solved[Material.from_name("KPKP")]
    compared = check(table, solved, tables_dir, chunks=20, positions=40, wanted=allows_en_passant)
    # Up to the mirror a pawn on ranks 2 or 7, and one of 14 pairs of files: 7 for each side.
    assert compared == 2 * 7 * 40


def test_every_legal_position_is_listed_once():
    table = read_table("data/KRK.h5")
    slots = {True: [], False: []}
    for moves in iter_moves(table, read_subtables(table.material, "data"), threads=2):
        slots[moves.white_to_move] += moves.slots.tolist()
    assert len(slots[True]) == len(set(slots[True])) == 21_959
    assert len(slots[False]) == len(set(slots[False])) == 28_056
    assert slots[True] == sorted(slots[True])


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_counts_are_those_of_the_moves(name):
    table = read_table(f"data/{name}.h5")
    subtables = read_subtables(table.material, "data")
    counter = MoveCounter(table, subtables)
    listed = list(iter_moves(table, subtables))
    for white in (True, False):
        some = [moves for moves in listed if moves.white_to_move is white][::7]
        counts = counter.counts(np.concatenate([moves.slots for moves in some]), 0 if white else 1)
        lengths = np.concatenate([np.diff(moves.starts) for moves in some])
        assert (counts["moves"] == lengths).all()
        assert (counts["winning"] <= lengths).all()
        best, promoting, *to_piece = (
            np.concatenate(
                [np.add.reduceat(np.append(marks(moves), 0), moves.starts[:-1]) for moves in some]
            )
            for marks in (
                lambda moves: moves.best,
                lambda moves: moves.best & (moves.promotion > 0),
                *(
                    lambda moves, piece=piece: moves.best & (moves.promotion == piece)
                    for piece in PROMOTIONS_TO
                ),
            )
        )
        movable = lengths > 0
        assert (counts["keeping"] >= best)[movable].all()
        all_promote = (promoting == best)[movable]
        assert ((counts["best_kinds"][movable] & PROMOTION > 0) == all_promote).all()
        for kind, promotions in zip(PROMOTIONS_TO.values(), to_piece, strict=True):
            assert ((counts["best_kinds"] & kind > 0) == (promotions == best))[movable].all()
        queens = to_piece[list(PROMOTIONS_TO).index(chess.QUEEN)]
        under = all_promote & (queens[movable] == 0)
        assert ((counts["best_kinds"][movable] & UNDERPROMOTION > 0) == under).all()
        assert not counts["best_kinds"][~movable].any()


@pytest.mark.parametrize(("game", "name"), [("shatranj", "KPK"), ("kingofthehill", "KRK")])
def test_no_move_is_listed_after_a_game_is_over(made_games, game, name):
    """By a bare king, which can only bare the other one at once, or by a king on its goal."""
    with Tablebase([made_games], rules=game) as tables:
        path = tables.available_tables[name]
    table, over = read_table(path), 0
    subtables = read_subtables(table.material, made_games)
    counter = MoveCounter(table, subtables)
    for moves in iter_moves(table, subtables):
        color = Color.WHITE if moves.white_to_move else Color.BLACK
        counts = counter.counts(moves.slots, color)["moves"]
        assert (counts == np.diff(moves.starts)).all()
        for i in range(0, len(moves), 97):
            setup = setup_at(table, int(moves.slots[i]), color)
            part = slice(moves.starts[i], moves.starts[i + 1])
            made = {(one.move.origin, one.move.target) for one in setup.moves()}
            assert {(origin, target) for origin, target, _ in listed(moves, part)} == made, (
                setup.fen
            )
            over += not made and not setup.is_check()
    assert over > 10


def test_a_missing_sub_table_is_named():
    table = read_table("data/KPK.h5")
    with pytest.raises(MissingTableError, match="KBK KNK KQK KRK"):
        next(iter_moves(table, {}))
