"""Butterfly boards: the sheet's shapes, and counters against counting one by one."""

import chess
import numpy as np
import pytest

from tablebase.butterfly.boards import (
    add_moves,
    add_threats,
    butterflies,
    count_best_moves,
    empty_sums,
    text_sheet,
)
from tablebase.core.board.geometry import PieceType
from tablebase.core.board.movement import from_to_pairs
from tablebase.core.board.symmetry import ALL_SYMMETRIES, D4, DIAGONAL, PAWN_SYMMETRIES
from tablebase.core.moves.legal_moves import iter_moves
from tablebase.core.positions.chess_board import board_of
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables


def boards_of(name, **options):
    table = read_table(f"data/{name}.h5")
    return count_best_moves(table, read_subtables(table.material, "data"), **options)


@pytest.fixture(scope="module")
def krk():
    return boards_of("KRK")


def test_the_sheet_is_the_same_with_squares_numbered_file_by_file():
    pairs, file_by_file = from_to_pairs(), D4[DIAGONAL]
    assert (pairs[np.ix_(file_by_file, file_by_file)] == pairs).all()


def test_butterflies_follow_each_other_every_eight_squares():
    spans = [np.flatnonzero(shape.any(axis=0) | shape.any(axis=1)) for shape in butterflies()]
    assert all(span.tolist() == list(range(span[0], span[0] + 10)) for span in spans)
    assert [span[0] for span in spans] == [chess.D1 + 8 * n for n in range(7)]
    assert spans[-1][-1] == chess.E8


def test_there_are_seven_butterflies():
    shapes = butterflies()
    assert [int(shape.sum()) for shape in shapes] == [32] * 7
    for number, shape in enumerate(shapes):
        assert not (shape & from_to_pairs()).any()
        assert (shape == shape.T).all()
        # One between every rank and the next, all alike.
        assert (shape == np.roll(shapes[0], (8 * number, 8 * number), axis=(0, 1))).all()


def test_the_sheet_as_text_marks_each_kind_of_move():
    kinds = {"-|": PieceType.ROOK, "/\\": PieceType.BISHOP, "N": PieceType.KNIGHT}
    sheet = np.array([list(row) for row in text_sheet()])
    for signs, kind in kinds.items():
        assert (np.isin(sheet, list(signs)) == from_to_pairs((kind,))).all()
    assert ((sheet == "#") == ~from_to_pairs()).all()
    assert sheet[chess.A1, chess.A8] == "|"
    assert sheet[chess.A1, chess.H8] == "/"
    assert sheet[chess.H1, chess.A8] == "\\"


def test_the_sheet_of_a_range():
    # What the program on the wiki's page counts for its butterflyBoard(3, 20).
    signs = "".join(text_sheet(range(3, 21), range(3, 21)))
    numbers = [sum(map(signs.count, kinds)) for kinds in ("-|", "/\\", "N", "#")]
    assert numbers == [120, 44, 40, 324 - 204]
    assert text_sheet(range(3), range(8, 11)) == ["|/N", "\\|/", "N\\|"]


def test_a_butterfly_as_text():
    """The first of the seven, and what hangs on to it by corners."""
    assert text_sheet(range(chess.D1, chess.E2 + 1), range(chess.D1, chess.E2 + 1)) == [
        "#----#N\\|/",
        "-#---##N\\|",
        "--#--###N\\",
        "---#-####N",
        "----######",
        "######----",
        "N####-#---",
        "\\N###--#--",
        "|\\N##---#-",
        "/|\\N#----#",
    ]


@pytest.mark.thorough
def test_only_possible_pairs_are_counted(krk):
    assert not krk.inequivalent[:, ~from_to_pairs()].any()
    assert not krk.whole_board[:, ~from_to_pairs()].any()


@pytest.mark.parametrize(
    ("name", "symmetries"), [("KRK", ALL_SYMMETRIES), ("KPK", PAWN_SYMMETRIES)]
)
def test_the_whole_board_has_its_symmetries(name, symmetries):
    boards = boards_of(name).whole_board
    for symmetry in symmetries:
        assert (boards[:, D4[symmetry]][:, :, D4[symmetry]] == boards).all()


@pytest.mark.thorough
def test_counters_agree_with_counting_every_image(krk):
    table = read_table("data/KRK.h5")
    inequivalent = np.zeros((2, 64, 64), dtype=np.uint64)
    whole = np.zeros((2, 64, 64), dtype=np.uint64)
    for moves in iter_moves(table, read_subtables(table.material, "data")):
        side = 0 if moves.white_to_move else 1
        for i, slot in enumerate(moves.slots.tolist()):
            if table.codes[side][slot] == 255:
                continue
            best = slice(moves.starts[i], moves.starts[i + 1])
            pairs = [
                (int(origin), int(target))
                for origin, target, good in zip(
                    moves.origin[best], moves.target[best], moves.best[best], strict=True
                )
                if good
            ]
            for origin, target in pairs:
                inequivalent[side, origin, target] += 1
            squares = table.index.decode(slot)
            images = {tuple(D4[t, squares].tolist()): t for t in ALL_SYMMETRIES}
            for t in images.values():
                for origin, target in pairs:
                    whole[side, D4[t, origin], D4[t, target]] += 1
    assert (krk.inequivalent == inequivalent).all()
    assert (krk.whole_board == whole).all()
    assert krk.positions == (21_959, 25_260 - 27)  # all but the checkmates


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_boards_with_threats_are_the_plain_boards_taken_apart(name):
    plain, apart = boards_of(name), boards_of(name, threats=True)
    assert (apart.threats.sum(axis=(1, 2)) == plain.whole_board).all()
    assert (apart.inequivalent == plain.inequivalent).all()
    assert apart.arrays()["threats"].shape == (2, 2, 2, 64, 64)
    assert "threats" not in plain.arrays()
    for color in (0, 1):
        assert sum(apart.by_threats(color).values()) == plain.whole_board[color].sum()


@pytest.mark.thorough
def test_threats_are_attacks_of_the_other_side():
    """By python-chess, before the move; in a twentieth of the positions."""
    table = read_table("data/KRNK.h5")
    counted = np.zeros((2, 2, 2, 64, 64), dtype=np.int64)
    sums = np.zeros((2, *counted.shape), dtype=np.int64)
    subtables = read_subtables(table.material, "data")
    for number, moves in enumerate(iter_moves(table, subtables)):
        if number % 400 > 1:
            continue
        some = np.arange(len(moves)) % 8 == 0
        add_threats(sums, moves, some, table.index)
        side = 0 if moves.white_to_move else 1
        for i in np.flatnonzero(some).tolist():
            squares = table.index.decode(int(moves.slots[i])).tolist()
            board = board_of(table.material, squares, moves.white_to_move)
            part = slice(moves.starts[i], moves.starts[i + 1])
            for origin, target, best in zip(
                moves.origin[part], moves.target[part], moves.best[part], strict=True
            ):
                ends = (board.is_attacked_by(not board.turn, int(at)) for at in (origin, target))
                counted[(side, *map(int, ends), origin, target)] += best
    assert counted.sum() > 1000
    assert (counted.sum(axis=(3, 4)) > 0).sum() >= 6
    assert (sums.sum(axis=0) == counted).all()


def test_promotions_to_several_pieces_count_once():
    # In KPK a queen and a rook may mate equally fast; the pair is one.
    table = read_table("data/KPK.h5")
    doubled = 0
    for moves in iter_moves(table, read_subtables(table.material, "data")):
        sums = empty_sums()
        add_moves(sums, moves, np.ones(len(moves), dtype=np.bool_))
        pairs = set()
        for i in range(len(moves)):
            part = slice(moves.starts[i], moves.starts[i + 1])
            columns = moves.origin[part], moves.target[part], moves.best[part]
            chosen = [(i, o, t) for o, t, best in zip(*columns, strict=True) if best]
            doubled += len(chosen) - len(set(chosen))
            pairs |= set(chosen)
        assert sums.sum() == len(pairs)
    assert doubled > 0


def test_draws_count_only_if_asked_for(krk):
    every = boards_of("KRK", draws=True)
    assert sum(krk.positions) < sum(every.positions)
    assert (krk.inequivalent <= every.inequivalent).all()


def test_commonest_moves(krk):
    moves = krk.commonest(1, 4)
    counts = [count for _, count in moves]
    assert counts == sorted(counts, reverse=True)
    for name, count in moves:
        move = chess.Move.from_uci(name)
        assert krk.whole_board[1, move.from_square, move.to_square] == count
    assert counts[0] == krk.whole_board[1].max()


def test_arrays_tell_what_they_are(krk):
    arrays = krk.arrays()
    assert arrays["inequivalent"].dtype == np.uint64
    assert arrays["inequivalent"].shape == (2, 64, 64)
    assert arrays["possible"].sum() == 1792
    assert "once" in str(arrays["weighting"])
