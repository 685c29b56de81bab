"""Survey: where men stand, mutual zugzwangs and orbits, against other ways to count them."""

import random

import chess
import numpy as np
import pytest
from support.made_up import much_later

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table, read_table
from tablebase.count.counting import count_positions
from tablebase.report.survey import RESULTS, ZUGZWANGS, kinds_of, survey_table

# White draws and Black loses, White loses and Black draws, whoever moves loses: the counts in
# Scid's tablebase window (tcl/tb.tcl of https://github.com/benini/scid), made from Nalimov's
# tables. Of KPKP it counts the 30 of the last kind as 15, exchanging the colours, too.
PUBLISHED = {
    "KBBK": (0, 0, 0),
    "KBKN": (0, 0, 0),
    "KBKP": (0, 1, 0),
    "KBNK": (0, 0, 0),
    "KBPK": (6, 0, 0),
    "KNKP": (22, 7, 0),
    "KNNK": (0, 0, 0),
    "KNPK": (75, 0, 0),
    "KPK": (80, 0, 0),
    "KPKP": (106, 106, 30),
    "KPPK": (43, 0, 0),
    "KQKP": (0, 0, 0),
    "KQKQ": (0, 0, 0),
    "KQKR": (0, 0, 0),
    "KRK": (0, 0, 0),
    "KRKB": (5, 0, 0),
    "KRKN": (18, 0, 0),
    "KRKP": (12, 0, 0),
    "KRKR": (0, 0, 0),
}


@pytest.fixture(scope="module", params=["KK", "KRK", "KPK", "KNNK"])
def surveyed(request):
    path = f"data/{request.param}.h5"
    with open_table(path) as file:
        counts = file.attributes["counts"]
    table = read_table(path)
    return table, counts, survey_table(table, threads=2)


def number_of(table, kind):
    """Return how many men of a kind there are."""
    names = [f"{color.name} {man.name}".lower() for color, man in table.material.men]
    return names.count(kind)


def test_every_man_stands_somewhere_in_every_position(surveyed):
    table, counts, survey = surveyed
    numbers = [number_of(table, kind) for kind in kinds_of(table.material)]
    for side, counted in zip(counts, survey.squares, strict=True):
        for result, by_man in zip(RESULTS, counted, strict=True):
            assert (by_man.sum(axis=1) == np.multiply(numbers, counts[side][result])).all()


def test_plies_add_up_to_the_histogram(surveyed):
    table, counts, survey = surveyed
    numbers = [number_of(table, kind) for kind in kinds_of(table.material)]
    for side, plies in zip(counts, survey.plies, strict=True):
        for result in ("win", "loss"):
            histogram = counts[side]["dtm_histogram"][result]
            total = sum(int(n) * count for n, count in histogram.items())
            assert (plies[RESULTS.index(result)].sum(axis=1) == np.multiply(numbers, total)).all()
        assert not plies[RESULTS.index("draw")].any()


def test_orbits_are_those_of_burnside(surveyed):
    table, _, survey = surveyed
    counted = count_positions(table.material).all_placements
    assert sum(survey.orbits.values()) == counted.inequivalent
    assert sum(size * n for size, n in survey.orbits.items()) == counted.placements


def test_maps_have_the_symmetries_of_the_board(surveyed):
    table, _, survey = surveyed
    maps = survey.squares.reshape(*survey.squares.shape[:-1], 8, 8)
    assert (maps == maps[..., ::-1]).all()
    if not table.material.has_pawns:
        assert (maps == maps[..., ::-1, :]).all()
        assert (maps == maps.swapaxes(-1, -2)).all()


def test_squares_agree_with_positions_made_one_by_one():
    survey = survey_table(read_table("data/KRK.h5"))
    counted = np.zeros((2, 3, 64), dtype=np.int64)
    rook, corner = chess.Piece(chess.ROOK, chess.WHITE), chess.A1
    with open_tablebase("data") as tables:
        for white in range(64):
            for black in range(64):
                if corner in {white, black} or chess.square_distance(white, black) < 2:
                    continue
                board = chess.Board(None)
                board.set_piece_at(corner, rook)
                board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
                for side, turn in enumerate(chess.COLORS):
                    board.turn = turn
                    if not board.was_into_check():
                        counted[side, 1 - tables.probe_wdl(board), black] += 1
    # With the rook on a1, by the square of the black king: the same as the sum over both.
    assert (survey.squares[:, :, 1, corner] == counted.sum(axis=2)).all()
    shares = survey.shares_by_square(1, "loss", 1)
    assert shares[corner] == counted[1, 2].sum() / counted[1].sum()


def test_mean_distance_by_square():
    survey = survey_table(read_table("data/KRK.h5"))
    moves = survey.moves_by_square(1, "loss", 2)
    # A king in the centre holds out longest.
    assert moves.argmax() in {chess.D4, chess.E4, chess.D5, chess.E5}
    assert moves.argmin() in {chess.A1, chess.H1, chess.A8, chess.H8}
    assert np.isnan(survey.moves_by_square(1, "win", 2)).all()


@pytest.mark.parametrize("name", ["KRK", "KPK", "KNNK"])
def test_zugzwangs_are_as_many_as_published(name):
    counts = survey_table(read_table(f"data/{name}.h5")).zugzwang_counts()
    assert tuple(counts.values()) == PUBLISHED[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_zugzwangs_of_four_men_are_as_many_as_published(solved, name):
    counts = survey_table(solved[Material.from_name(name)]).zugzwang_counts()
    assert tuple(counts.values()) == PUBLISHED[name]


def test_zugzwangs_are_those_that_probing_finds():
    table = read_table("data/KPK.h5")
    found = {one.slot for one in survey_table(table).zugzwangs}
    chosen = random.Random(1).sample(range(table.index.size), 1000)
    with open_tablebase("data") as tables:
        for slot in {*chosen, *found}:
            squares = table.index.decode(slot)
            if squares is None:
                continue
            results = []
            for turn in chess.COLORS:
                board = chess.Board(None)
                board.turn = turn
                for (color, man), square in zip(table.material.men, squares, strict=True):
                    board.set_piece_at(int(square), chess.Piece(int(man), color == 0))
                result = tables.get_wdl(board)
                results.append(result if turn or result is None else -result)
            is_zugzwang = None not in results and results[0] < results[1]
            assert (slot in found) == is_zugzwang, board.fen()


def test_a_zugzwang_knows_its_longer_distance():
    deepest = max(survey_table(read_table("data/KPK.h5")).zugzwangs, key=lambda one: one.plies)
    assert deepest.kind == ZUGZWANGS[0]
    assert deepest.plies == deepest.black == 54  # 27 moves


@pytest.mark.thorough
def test_long_distances_are_surveyed(solved):
    table = solved[Material.from_name("KRKN")]
    short, long = survey_table(table), survey_table(much_later(table))
    assert np.array_equal(short.squares, long.squares)
    assert [one.slot for one in short.zugzwangs] == [one.slot for one in long.zugzwangs]
    assert long.plies.sum() > short.plies.sum()
