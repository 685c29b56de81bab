"""Solving: values by other solvers, by python-chess, and figures known for decades."""

from threading import current_thread
from types import SimpleNamespace

import chess
import numpy as np
import pytest
from support.few import few
from support.lookup import code_of
from support.oracle import known_counts, minimax_code
from support.slow_rules import UNKNOWN, SlowEnding, assert_values_are

from tablebase.core.engine.driver import solve
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS
from tablebase.core.tables.census import take_census

# Longest wins in moves (Nalimov's tables; Syzygy's agree), with those of `known_counts`.
LONGEST_WINS = {"KBBK": 19, "KRKB": 29, "KRKN": 40, "KQKR": 35}
# The "krkopt" data set of the UCI repository: rook against king, black to move, positions that no
# symmetry turns into each other, by distance to mate in moves.
KRK_DRAWS = 2796
KRK_LOSSES = (
    *(27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712),
    *(1985, 2854, 3597, 4194, 4553, 2166, 390),
)


@pytest.mark.parametrize("man", few("RQ", "R"))
def test_every_value_is_that_of_a_slow_solver(solved, man):
    """With a pawn, too, in `tests/laws`, by the moves of python-chess."""
    slow = SlowEnding(CHESS.steps[CHESS.letters[man]])
    assert (slow.black != UNKNOWN).sum() > 200_000
    assert_values_are(solved[Material.from_name(f"K{man}K")], slow)


def test_rook_endings_by_depth_as_in_krkopt(solved):
    side = take_census(solved[Material.from_name("KRK")]).black_to_move.inequivalent
    assert side.draw == KRK_DRAWS
    assert side.losses == {2 * moves: count for moves, count in enumerate(KRK_LOSSES)}
    assert side.win == 0


@pytest.mark.parametrize("name", LONGEST_WINS)
def test_longest_wins(solved, name):
    longest = take_census(solved[Material.from_name(name)]).white_to_move.longest_win
    assert longest is not None
    assert (longest.plies + 1) // 2 == LONGEST_WINS[name]


def test_reference_counts(solved):
    materials = known_counts()
    assert len(materials) == 14
    for name in materials.keys() & {material.name for material in solved}:
        census = take_census(solved[Material.from_name(name)])
        for side in ("white_to_move", "black_to_move"):
            known, counted = materials[name][side], getattr(census, side)
            for result in ("win", "draw", "loss", "illegal", "checkmated"):
                assert getattr(counted.whole_board, result) == known[result]
            for extreme, field in (
                ("longest_win", "max_win_plies"),
                ("longest_loss", "max_loss_plies"),
            ):
                longest = getattr(counted, extreme)
                assert (longest and longest.plies) == known[field], (name, side)


def test_double_pushes_beside_an_enemy_pawn(solved):
    rng = np.random.default_rng(22)
    material = Material.from_name("KPKP")
    count = 0
    while count < 200:
        file = int(rng.integers(8))
        other = file + int(rng.choice([-1, 1]))
        kings = rng.choice(64, 2, replace=False).tolist()
        squares = [*kings, 8 + file, 24 + other]
        if other not in range(8) or len(set(squares)) < 4:
            continue
        board = board_of(material, squares, chess.WHITE)
        if not board.is_valid():
            continue
        count += 1
        for position in (board, board.mirror()):
            expected = minimax_code(position, lambda b: code_of(solved, b))
            assert code_of(solved, position) == expected, position.fen()


@pytest.mark.parametrize(
    "name", few(["KPK", "KQKR", "KPKP", "KRKP", "KNNK"], "KPK", "KQKR", "KPKP")
)
def test_threads_make_no_difference(solved, name):
    material = Material.from_name(name)
    for threads in (1, 2, 3):
        table = solve(material, solved, threads=threads)
        for codes, known in zip(table.codes, solved[material].codes, strict=True):
            assert np.array_equal(codes, known)


def test_bare_kings_draw(solved):
    table = solved[Material.from_name("KK")]
    assert all((codes == DRAW).all() for codes in table.codes)


def test_an_exception_of_the_report_stops_the_work(solved):
    class Stop(Exception):  # noqa: N818
        pass

    def stop(_progress):
        raise Stop

    def solve_often():  # fast machines may be done before the first report
        for _ in range(20):
            solve(Material.from_name("KQKP"), solved, report=stop)

    with pytest.raises(Stop):
        solve_often()


def test_materials_that_cannot_be_solved_are_refused(solved):
    with pytest.raises(UnsupportedPositionError, match="KQRBNPK has 7 pieces: tables have up to 6"):
        solve(Material.from_name("KQRBNPK"), solved)
    with pytest.raises(UnsupportedPositionError, match="KRPKNN has no room in memory"):
        solve(Material.from_name("KRPKNN"), solved)
    with pytest.raises(UnsupportedPositionError, match=r"ask for KRK$"):
        solve(Material.from_name("KKR"), solved)
    with pytest.raises(MissingTableError, match="KPK needs the sub-tables KBK KNK KQK KRK"):
        solve(Material.from_name("KPK"), {Material.from_name("KK"): solved})


@pytest.mark.slow
def test_a_table_of_five_men(solved):
    from tablebase.core.checking.verify import check_table

    material = Material.from_name("KRBKR")
    table = solve(material, solved)
    sides = take_census(table)
    longest = sides.white_to_move.longest_win
    assert longest is not None
    assert longest.plies == 129
    report = check_table(table, solved)
    assert report.passed
    counts = [side.inequivalent for side in (sides.white_to_move, sides.black_to_move)]
    assert report.checked >= sum(side.win + side.draw + side.loss for side in counts)


def test_an_interruption_before_all_threads_have_begun_ends_them(monkeypatch):
    from concurrent.futures import ThreadPoolExecutor

    submitted = []

    class Interrupted(ThreadPoolExecutor):
        def submit(self, function, *arguments):
            submitted.append(function)
            if len(submitted) == 2:
                raise KeyboardInterrupt
            return super().submit(function, *arguments)

    monkeypatch.setattr("tablebase.core.engine.running.ThreadPoolExecutor", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        solve(Material(), {}, threads=2)


def test_kernels_are_compiled_by_the_thread_that_can_be_interrupted(monkeypatch):
    compiling = []

    class Dispatcher:
        def compile(self, kinds):
            compiling.append((len(kinds), current_thread()))
            raise KeyboardInterrupt

    kernel = SimpleNamespace(dispatcher=Dispatcher())
    monkeypatch.setattr("tablebase.core.engine.running.solve_slices", kernel)
    with pytest.raises(KeyboardInterrupt):
        solve(Material(), {}, threads=2)
    assert compiling == [(3, current_thread())]
