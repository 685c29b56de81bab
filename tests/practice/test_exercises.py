"""The course: the exercises of every ending, and what a pupil may expect of their levels."""

from itertools import pairwise

import chess
import numpy as np
import pytest
from support.few import few
from support.games import GAMES, OTHERS, source_of
from support.slow_difficulty import evident_moves, kinds_of_moves, slow_difficulty

import tablebase
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.positions.any_position import read_position
from tablebase.core.rules.material import Material, all_materials
from tablebase.practice import exercises
from tablebase.practice.exercises import Exercise, draw_exercises
from tablebase.practice.resistance import disarms
from tablebase.publish.table_records import summary_record

ENDINGS = [one.name for men in (3, 4) for one in all_materials(men)]
NOTHING_TO_PRACTISE = {"KBK", "KNK", "KNNK", "KBKB", "KBKN", "KNKN"}
MATES = {"KQK", "KRK", "KBBK", "KBNK", "KQQK", "KQRK", "KQBK", "KQNK", "KRRK", "KRBK", "KRNK"}


@pytest.fixture(scope="module")
def tables(zeroing_dir):
    with tablebase.open_tablebase(zeroing_dir) as tables:
        yield tables


def drawn(tables, name):
    return draw_exercises(tables, Material.from_name(name, tables.rules))


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(ENDINGS, "KRK", "KPK", "KNNK", "KRKN"))
def test_levels_climb(tables, zeroing_dir, name):
    """The whole course, ending by ending."""
    levels, why = drawn(tables, name)
    longest = summary_record(zeroing_dir / f"{name}.h5")["longest_win"]
    # The pages leave out lessons by this.
    assert (
        bool(levels) == bool(longest and longest["plies"] > 1) == (name not in NOTHING_TO_PRACTISE)
    )
    assert (why is None) == bool(levels)
    assert len(levels) <= exercises.MOST_LEVELS
    assert not levels or len(levels) > 1
    fens = [one.fen for level in levels for one in level]
    assert len(fens) == len(set(fens))
    for number, level in enumerate(levels, 1):
        assert 0 < len(level) <= exercises.OF_LEVEL
        for one in level:
            check(tables, one, number)
    for which in {(one.kind, one.side) for level in levels for one in level}:
        of_kind = [[one for one in level if (one.kind, one.side) == which] for level in levels]
        to_be_won = {one.moves for some in of_kind for one in some} == {None}
        assert (to_be_won and climbs(of_kind, lambda one: one.to_end)) or climbs(
            of_kind, lambda one: (not one.is_forced, hardness(tables, one))
        )
    kinds = {one.kind for level in levels for one in level}
    if name in MATES:
        assert kinds == {"mate"}
    else:
        assert "mate" not in kinds


def climbs(levels, key):
    """Return whether no exercise comes before an easier one of an earlier level."""
    ordered = [[*map(key, level)] for level in levels if level]
    return all(max(easier) <= min(harder) for easier, harder in pairwise(ordered))


def hardness(tables, one):
    """Return by what an exercise that is not played to the end is to be ordered."""
    if one.goal == "win":
        return one.difficulty + one.to_end / 50
    return tablebase.difficulty(tables, chess.Board(one.fen), moves=2)


def check(tables, one, level):
    """Check an exercise of a level by python-chess and single probes."""
    board = chess.Board(one.fen)
    assert board.is_valid()
    assert tables.probe_wdl50(board) == {"win": 2, "hold": 0}[one.goal]
    if one.kind != "mate":
        assert one.difficulty == pytest.approx(slow_difficulty(tables, board, 4), abs=1e-4)
    if one.goal == "win":
        assert one.dtm == one.to_end == tables.probe_dtm(board)
        is_promoted = any(board.pieces(chess.PAWN, board.turn))
        assert one.kind == ("promote" if is_promoted else "mate" if one.kind == "mate" else "win")
    else:
        assert (one.kind, one.dtm) == ("hold", None)
        assert not disarms(read_position(one.fen), 2) or level == 1
    keeping, hidden, plain = kinds_of_moves(tables, board, 4)
    is_near = one.dtm is not None and (one.dtm + 1) // 2 <= exercises.GOOD_MOVES
    if one.moves is None:
        assert one.goal == "win"
        assert one.dtm > 3 or level <= 2 or hidden or plain  # mates in one and two
    else:
        assert hidden or plain
        assert not (is_near and one.kind == "win")  # then the game is to be won
    is_short = one.moves is None and one.dtm <= 3
    if one.kind != "mate" and not is_short:  # what a good move shows is no exercise
        assert not evident_moves(tables, board, keeping, 4)


@pytest.mark.parametrize("name", few(["KRK", "KQK", "KBBK", "KBNK"], "KRK"))
def test_mates_are_ordered_by_their_moves_and_played_to_the_end(tables, name):
    levels, _ = drawn(tables, name)
    assert {one.moves for level in levels for one in level} == {None}
    moves = [[(one.dtm + 1) // 2 for one in level] for level in levels]
    for easier, harder in pairwise(moves):
        assert max(easier) < min(harder)
    assert len(levels) > 5


def test_a_pawn_is_promoted_and_held(tables):
    levels, _ = drawn(tables, "KPK")
    kinds = [{one.kind for one in level} for level in levels]
    assert all("promote" in some for some in kinds)
    assert kinds.count({"promote", "hold"}) >= len(levels) - 1


@pytest.mark.parametrize("name", few(["KRKN", "KRKB", "KQKR", "KQKB", "KRKP"], "KRKN"))
def test_what_a_side_can_rarely_do_is_no_exercise(tables, name):
    """The weaker side wins only where the other one has left a piece to be taken."""
    found = [one for level in drawn(tables, name).levels for one in level]
    assert {(one.goal, one.side) for one in found} == {
        ("win", Color.WHITE),
        ("hold", Color.BLACK),
    }
    assert all(chess.Board(one.fen).turn == (one.side is Color.WHITE) for one in found)


@pytest.mark.parametrize(
    ("plies", "sizes"),
    [
        ([1, 1, 1], []),  # mates in one
        ([1, 3, 3], [3]),  # few, but there is nothing else
        ([2 * moves + 1 for moves in range(9)] * 6, [6] * 9),
        ([2 * moves + 1 for moves in range(9)] * 3, [6, 6, 6, 9]),  # few go with those before
    ],
)
def test_levels_of_mates(plies, sizes):
    found = [mate_in(number, n) for n, number in enumerate(plies)]
    levels = exercises._levels(found, np.random.default_rng(1), by_number)
    assert [len(level) for level in levels] == sizes


def test_few_of_a_kind_are_left_out_beside_others():
    found = [mate_in(number, number) for number in range(1, 25, 2)]
    others = [mate_in(number, number)._replace(side=Color.BLACK) for number in (1, 3, 5)]
    levels = exercises._levels(found + others, np.random.default_rng(1), by_number)
    assert {one.side for level in levels for one in level} == {Color.WHITE}


@pytest.mark.parametrize(
    ("free", "forced", "sizes"), [(12, 6, [6, 6]), (3, 4, [4, 3]), (0, 5, [5])]
)
def test_a_draw_by_a_forced_capture_is_a_warm_up_where_there_is_little_else(free, forced, sizes):
    draw = mate_in(0, 0)._replace(goal="hold", kind="hold", moves=6, difficulty=0.9)
    found = [
        draw._replace(fen=str(number), is_forced=number < forced) for number in range(free + forced)
    ]
    levels = exercises._levels(found, np.random.default_rng(1), by_number)
    assert [len(level) for level in levels] == sizes
    is_first = {one.is_forced for one in levels[0]}
    assert is_first == {free < 12}
    assert not any(one.is_forced for level in levels[1:] for one in level)


def by_number(one):
    return int(one.fen)


def mate_in(plies, number):
    """Return an exercise to mate in some plies, one of several."""
    return Exercise(
        str(number), "win", "mate", Color.WHITE, None, plies, None, plies, is_seen=False
    )


@pytest.mark.thorough
def test_exercises_are_always_the_same(tables):
    assert drawn(tables, "KPK") == drawn(tables, "KPK")


def test_without_distances_to_zeroing_there_is_no_exercise(folders_by_metric):
    with tablebase.open_tablebase(folders_by_metric["dtm"]) as tables:
        levels, why = drawn(tables, "KRK")
    assert levels == []
    assert (
        why == "There are no exercises of KRK here, because its table lacks distances to zeroing."
    )


def test_without_distances_to_mate_those_to_zeroing_do(folders_by_metric):
    with tablebase.open_tablebase(folders_by_metric["dtz"]) as tables:
        found = [one for level in drawn(tables, "KRK").levels for one in level]
    assert {one.goal for one in found} == {"win"}
    assert {one.dtm for one in found} == {None}
    assert "dtm" not in found[0].record


@pytest.mark.thorough
@pytest.mark.parametrize("game", OTHERS)
def test_exercises_of_other_games(made_games, game, monkeypatch):
    """By distances to zeroing where a game has the 50-move rule, else by those to mate."""
    monkeypatch.setattr(exercises, "DRAWN", 300)
    with Tablebase([made_games], rules=source_of(game, made_games)) as tables:
        for name in GAMES[game].names:
            stored = Material.from_name(name, tables.rules).normalized().name
            summary = summary_record(tables.available_tables[stored])
            longest = summary.get("longest_win") or summary.get("dtz_longest_win")
            levels, why = drawn(tables, name)
            assert (why is None) == bool(levels)
            if levels:
                assert longest["plies"] > 1
            for one in (one for level in levels for one in level[:3]):
                position = read_position(one.fen, tables.rules)
                assert position.fen == one.fen
                if one.dtm is not None:
                    assert one.dtm == tables.probe_outcome(position.board, DTM) > 0


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KRK", "KKR", "KKN"], "KKN"))
def test_a_race_is_to_be_won_by_its_side_or_to_be_held(racing_dir, name):
    """No king is to be mated, and each order of the sides has exercises of its own."""
    with tablebase.open_tablebase(racing_dir, rules="racingkings") as tables:
        levels, why = drawn(tables, name)
        assert why is None
        found = [one for level in levels for one in level]
        for one in found:
            position = read_position(one.fen, tables.rules)
            assert position.material.name == name
            assert position.end is None
            assert one.kind == one.goal
            assert tables.probe_wdl(position.board) == (one.goal == "win")
            assert one.dtm is None or one.dtm == tables.probe_dtm(position.board)
        assert {one.goal for one in found} == {"win"} | ({"hold"} if name == "KKN" else set())


@pytest.mark.thorough
def test_exercises_have_any_number_of_checks_left(checks_dir):
    """No task asks only for mate, because the third check wins as well."""
    with tablebase.open_tablebase(checks_dir, rules="3check") as tables:
        levels, why = drawn(tables, "KNK")
        assert why is None
        found = [one for level in levels for one in level]
        setups = [read_position(one.fen, tables.rules).board for one in found]
        assert {one.checks for one in setups} == {(1, 3), (2, 3), (3, 3)}
        for one, setup in zip(found, setups, strict=True):
            assert setup.end is None
            assert one.kind == one.goal
            assert tables.probe_wdl(setup) == (one.goal == "win")
            assert one.dtm is None or one.dtm == tables.probe_dtm(setup)
        assert {one.goal for one in found} == {"win", "hold"}
