"""Results against complete tables and published ones, budgets, refusals."""

import hashlib
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import chess
import numpy as np
import pytest
from support.clock import Clock, set_clock
from support.few import slow
from support.kept import KEPT_FENS, Kept
from support.random_positions import random_board

import tablebase
from tablebase.core.ground.capacity import MEASURED_PIECES
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.rules.material import Material
from tablebase.solve import batches as batches_module
from tablebase.solve import growth as growth_module
from tablebase.solve import solver as solver_module
from tablebase.solve.answers import estimate, solve_position
from tablebase.solve.budget import PROGRAM, Budget, BudgetError, OutOfBudget, read_budget
from tablebase.solve.kernels.fields import LOWER, UPPER, Number, State
from tablebase.solve.region import Region
from tablebase.solve.region_file import RegionFile
from tablebase.solve.solver import Solver
from tablebase.solve.spaces import WorkSpaces

BUDGET = "10h,8GB"
VALUES = {
    "win": {1}, "draw": {0}, "loss": {-1},
    "at_least_draw": {0, 1}, "at_most_draw": {-1, 0}, "unknown": {-1, 0, 1},
}  # fmt: skip
# Positions with known results: those of the side to move, and the moves that keep them, if known.
QUICK = {
    "Fahrni-Alapin 1912": (
        "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1", "win", "Ke6 Kd6 Ke5 Kc5 Ke4 Kd4 Kc4"
    ),
    "trebuchet": ("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1", "loss", ""),
    "Réti 1921": ("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "draw", "Kg7"),
    "locked chain": ("8/8/3p2k1/p1pPp1p1/PpP1PpPp/1P3P1P/8/4K3 w - - 0 1", "draw", ""),
    "Lasker-Reichhelm 1901": ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "win", "Kb1"),
}  # fmt: skip
SLOW = {
    "Saavedra 1895": ("8/8/1KP5/3r4/8/8/8/k7 w - - 0 1", "win", "c7"),  # then c8=R
    "3 v 3 on one wing": ("8/5kpp/5p2/8/5P2/6PP/5K2/8 w - - 0 1", "draw", ""),
    "Fine, BCE 67": ("8/2p5/3k4/1p1p1K2/8/1P1P4/2P5/8 w - - 0 1", "win", "b4"),
    "3 v 2 on one wing": ("8/6p1/4k2p/8/5P2/6PP/6K1/8 w - - 0 1", "win", "Kf3 Kf2 g4"),
}


def test_bounds_close_in_as_documented():
    rounds = []

    def note(solver):
        open_positions = solver.region.fields.gap[0].tolist()
        rounds.append((solver.structures, solver.root_bounds(), open_positions))

    Solver(chess.Board(QUICK["trebuchet"][0]), Budget(60, 10**9), threads=1, progress=note).run()
    unasked = rounds[1][2][0]
    assert rounds == [
        (1, (-1, 1), [6094, 6094]), (10, (-1, 0), [1684, 1684]), (12, (-1, -1), [unasked, 0])
    ]  # fmt: skip
    page = Path(__file__).parents[2].joinpath("docs", "solve.md").read_text(encoding="utf-8")
    said = "one structure proves nothing of the trebuchet, ten prove that White does not win,"
    assert said in " ".join(page.split())


def check_against_table(tables, board):
    """Check a position and all its moves against complete tables.

    Only what needs four pieces at once may stay open.
    """
    solution = solve_position(board, BUDGET, moves=True)
    assert tables.probe_wdl(board) in VALUES[solution.result], board.fen()
    for move in solution.moves:
        after = board.copy(stack=False)
        after.push_uci(move.uci)
        assert -tables.probe_wdl(after) in VALUES[move.result], (board.fen(), move)
    if not all(one.proven for one in (solution, *solution.moves)):
        assert solution.stopped == "the rest needs more than 3 pieces on the board"
    if solution.proven:
        check_plan(board, solution)


def check_plan(board, solution):
    """Check that the line of a win ends in checkmate, and that of a draw as a draw does.

    Where there are more pieces than distances are measured with, that of a win ends early.
    """
    board = board.copy(stack=False)
    seen = [board.epd()]
    for uci in solution.plan:
        move = chess.Move.from_uci(uci)
        assert board.is_legal(move)
        board.push(move)
        seen.append(board.epd())
    if solution.result == "draw":
        repeats = len(set(seen)) < len(seen)
        assert len(set(seen[:-1])) == len(seen) - 1
        assert repeats or board.is_game_over() or len(seen) == 21, (board.fen(), solution.plan)
    else:
        pieces = sum(map(board.fen().split()[0].lower().count, "qrbn"))
        assert board.is_checkmate() or pieces > MEASURED_PIECES, (board.fen(), solution.plan)
        assert len(set(seen)) == len(seen)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "count"), [("KPKP", 6), ("KRKP", 3), ("KPPK", 10)])
def test_random_positions_of_four_men(tables_dir, name, count):
    rng = random.Random(name)
    with tablebase.open_tablebase(tables_dir) as tables:
        for _ in range(count):
            check_against_table(tables, random_board(rng, Material.from_name(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRPKP", "KPPKP", "KRPKR", "KBPKN"])
def test_random_positions_of_five_men(five_men, name):
    rng = random.Random(name)
    with tablebase.open_tablebase(five_men) as tables:
        for _ in range(200):
            check_against_table(tables, random_board(rng, Material.from_name(name)))


def test_all_promotions_give_the_same(tables_dir, monkeypatch):
    monkeypatch.setattr(solver_module, "FEW_PROMOTIONS", (False,))
    rng = random.Random(1)
    with tablebase.open_tablebase(tables_dir) as tables:
        for _ in range(3):
            check_against_table(tables, random_board(rng, Material.from_name("KPKP")))


@pytest.mark.parametrize(
    ("fen", "result", "best"),
    [*QUICK.values(), *(pytest.param(*row, marks=pytest.mark.slow) for row in SLOW.values())],
    ids=[*QUICK, *SLOW],
)
def test_positions_with_published_results(fen, result, best):
    board = chess.Board(fen)
    quick = fen in [row[0] for row in QUICK.values()]
    solution = solve_position(board, BUDGET, moves=quick)
    assert (solution.result, solution.proven) == (result, True)
    assert all(move.proven for move in solution.moves) or not quick
    if best:
        assert {move.san for move in solution.moves if move.result == result} == set(best.split())
    check_plan(board, solution)


@pytest.mark.parametrize("fen", [
    "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1",
    "8/8/8/2kpP3/8/4K3/8/8 w - d6 0 2",
    "8/5k2/8/8/4Pp2/8/3K4/8 b - e3 0 2",
])  # fmt: skip
def test_colours_and_wings_may_be_exchanged(fen):
    board = chess.Board(fen)
    results = []
    for image in (board, board.mirror(), board.transform(chess.flip_horizontal)):
        solution = solve_position(image, BUDGET, moves=True)
        moves = sorted(move.result for move in solution.moves)
        results.append((solution.result, moves))
    assert results[0] == results[1] == results[2]


def test_few_rounds_and_little_memory():
    rounds = []
    board = chess.Board(QUICK["Lasker-Reichhelm 1901"][0])
    solution = solve_position(board, BUDGET, threads=2, progress=rounds.append)
    assert solution.proven
    assert len(rounds) <= 12  # they were 16 when each took what the flood asked for alone
    # Of 2,048 for both bounds of White; whether Black wins is soon known, and not asked any more.
    assert solution.bytes < 2300 * solution.planes


@pytest.mark.thorough
@pytest.mark.parametrize(("fen", "megabytes"), [
    slow("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1", 2.5),
    ("8/2p5/8/1P1k4/8/8/8/3K4 b - - 0 1", 1.8),  # en passant captures
])  # fmt: skip
def test_little_memory_changes_no_result(tmp_path, monkeypatch, fen, megabytes):
    """Bounds are packed then: what they say, and what is made of them, stays the same."""
    packed = []
    monkeypatch.setattr(Region, "squeeze", lambda self: packed.append(squeeze(self)))
    monkeypatch.setattr(Solver, "check", lambda *_: None)  # the proof itself does not count
    board, found, files = chess.Board(fen), [], []
    for memory in (2 * 10**9, PROGRAM + int(megabytes * 10**6)):
        packed.clear()
        region, proof = tmp_path / f"{memory}.region", tmp_path / f"{memory}.proof"
        solution = solve_position(board, Budget(36_000, memory), threads=1, save=region)
        assert solution.bytes < memory - PROGRAM
        solve_position(board, Budget(36_000, memory), threads=1, proof=proof)
        found.append((solution.result, solution.proven, solution.moves, solution.plan))
        with RegionFile(region) as file:
            words = file.words(0, int(file.starts[-1])).tobytes()
            files.append((file.header.states.tobytes(), words, proof.read_bytes()))
    assert found[0] == found[1]
    assert found[0][1]
    assert files[0] == files[1]
    assert len(packed) > 1


squeeze = Region.squeeze
forget = Region.forget


@pytest.mark.parametrize(("fen", "megabytes"), [
    ("8/2p5/8/1P1k4/8/8/8/3K4 b - - 0 1", 1.9),
    slow("8/5kpp/5p2/8/5P2/6PP/5K2/8 w - - 0 1", 11),  # a draw: the line needs them again
])  # fmt: skip
def test_bounds_on_which_nothing_depends_go_if_memory_is_short(monkeypatch, fen, megabytes):
    """They stay for a file or a proof: `test_little_memory_changes_no_result`."""
    forgotten = []
    monkeypatch.setattr(Region, "forget", lambda *given: forgotten.append(forget(*given)))
    board, found = chess.Board(fen), []
    for memory in (2 * 10**9, PROGRAM + int(megabytes * 10**6)):
        solution = solve_position(board, Budget(36_000, memory), threads=1)
        found.append(solution)
        assert (len(forgotten) > 0) is (memory < 2 * 10**9)
    one, other = found
    assert one.proven
    assert (one.result, one.plan) == (other.result, other.plan)
    results = [{move.uci: move.result for move in each.moves if move.proven} for each in found]
    for uci in results[0].keys() & results[1].keys():
        assert results[0][uci] == results[1][uci]


def test_bounds_stay_true_when_time_runs_out_after_packing(monkeypatch):
    """Structures that were given memory, and not solved again, keep what is known of them."""
    board = chess.Board("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1")
    packed, interrupted = [], 0
    monkeypatch.setattr(Region, "squeeze", lambda self: packed.append(squeeze(self)))
    monkeypatch.setattr(batches_module, "CHUNK", 8)
    for last in range(1, 400, 12):
        solver, checks = Solver(board, Budget(36_000, PROGRAM + 2_500_000), threads=1), []

        def check(checks=checks, last=last):
            checks.append(None)
            if len(checks) > last:
                raise OutOfBudget("the time is used up")

        packed.clear()
        solver._check_time = check
        with suppress(OutOfBudget):
            solver.run()
        interrupted += len(checks) > last and len(packed) > 0
        assert solver.root_bounds().most == 1  # White wins
        fields, region = solver.region.fields, solver.region
        for number, attacker in np.argwhere(fields.state[: region.count] == State.OPEN).tolist():
            lower, upper = (region.bound(number, attacker, bound) for bound in (LOWER, UPPER))
            assert not (lower & ~upper).any()
    assert interrupted > 3


def test_there_may_be_no_move():
    mate = solve_position(chess.Board("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"), BUDGET)
    assert (mate.result, mate.moves, mate.plan) == ("loss", (), ())
    stale = solve_position(chess.Board("k7/P7/K7/8/8/8/8/8 b - - 0 1"), BUDGET)
    assert (stale.result, stale.proven, stale.stopped) == ("draw", True, "")


def test_the_time_is_used_up(monkeypatch):
    """What is proven by then is kept; the rest is given up as soon as the clock is looked at."""
    clock, rounds = Clock(rate=0), []
    set_clock(clock, monkeypatch.setattr)

    def progress(solution):
        rounds.append(solution)
        clock.skip(250)

    board = chess.Board("8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1")
    solution = solve_position(board, "600s,1GB", threads=1, progress=progress)
    assert [one.seconds for one in rounds] == [0, 250, 500]
    assert (solution.stopped, solution.seconds) == ("the time is used up", 750)
    assert not solution.proven
    assert solution.result == rounds[-1].result
    assert solution.structures == rounds[-1].structures


def test_memory_runs_out():
    board = chess.Board("8/1p3kpp/8/8/8/1P6/P4KPP/8 w - - 0 1")
    solver = Solver(board, Budget(36_000, PROGRAM + 5_000_000), threads=1)
    with pytest.raises(solver_module.OutOfBudget, match="memory"):
        solver.run()
    assert solver.bytes <= 5_500_000
    lower, upper = solver.root_bounds()
    assert lower < upper


@pytest.mark.thorough
@pytest.mark.parametrize("is_enough", [pytest.param(True, marks=pytest.mark.slow), False])
def test_work_spaces_take_no_memory_of_bounds(is_enough):
    """A large structure may come when bounds have the memory: they are packed, and stay."""
    board = chess.Board(QUICK["Lasker-Reichhelm 1901"][0])
    solver = Solver(board, Budget(36_000, 10**9), threads=1)
    solver.run()
    solver.keeps_all = True
    solver._works = WorkSpaces(1, 10**9)
    before = _digest_by_structure(solver)
    unpacked, needed = solver.region.bytes, solver._works.growth(1 << 12)
    solver.memory = unpacked if is_enough else needed
    if is_enough:
        solver._reserve(1 << 12)
        assert solver.bytes == solver.region.bytes + needed <= solver.memory
    else:
        with pytest.raises(OutOfBudget, match="memory"):
            solver._reserve(1 << 12)
    assert solver._set_room() >= solver.region.fields.numbers[Number.TOP]
    assert solver.region.bytes < unpacked
    assert _digest_by_structure(solver) == before


def test_threads_change_nothing():
    board = chess.Board(QUICK["Fahrni-Alapin 1912"][0])
    one, two = (solve_position(board, BUDGET, moves=True, threads=n) for n in (1, 2))
    assert one.moves == two.moves
    assert (one.structures, one.planes, one.plan) == (two.structures, two.planes, two.plan)


def _digest_by_structure(solver):
    """Return a digest of the bounds of each structure, by its key."""
    region = solver.region
    found = {}
    for number in range(region.count):
        digest = hashlib.sha256(region.fields.state[number].tobytes())
        for attacker in range(2):
            if region.fields.state[number, attacker] != State.CLOSED:
                for bound in (LOWER, UPPER):
                    digest.update(region.bound(number, attacker, bound).tobytes())
        found[region.fields.keys[number].tobytes()] = digest.hexdigest()
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("fen", [
    slow("8/8/3k4/1r6/8/4P3/3K4/4R3 w"),
    "8/1k6/8/3p4/8/8/3PK3/2B5 w",
    slow("8/8/3k4/3p4/8/8/3K4/4BN2 w"),
])  # fmt: skip
def test_threads_solve_a_structure_together(monkeypatch, fen):
    board = chess.Board(fen + " - - 0 1")
    found = []
    for pieces in (4, 0):  # none is large; all are
        monkeypatch.setattr(batches_module, "LARGE", pieces)
        monkeypatch.setattr(solver_module, "FEW_PROMOTIONS", (True,))
        monkeypatch.setattr(growth_module, "SOLVED_PIECES", 2)
        solver = Solver(board, Budget(36_000, 4 * 10**9), threads=3)
        with suppress(OutOfBudget):
            solver.run()
        found.append(_digest_by_structure(solver))
    assert found[0] == found[1]
    assert len(set(found[0].values())) > 2


def test_a_thread_that_cannot_be_started_leaves_none_waiting(monkeypatch):
    def refuse(_pool, _function, *_given):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(batches_module, "LARGE", 0)
    submit, calls = ThreadPoolExecutor.submit, []

    def first_only(pool, *given):
        calls.append(given)
        return (submit if len(calls) == 1 else refuse)(pool, *given)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", first_only)
    board = chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1")
    with pytest.raises(RuntimeError, match="can't start"):
        Solver(board, Budget(36_000, 10**9), threads=2).run()


def test_an_interruption_leaves_bounds():
    def interrupt(_solution):
        raise KeyboardInterrupt

    board = chess.Board(QUICK["Lasker-Reichhelm 1901"][0])
    solution = solve_position(board, BUDGET, progress=interrupt)
    assert solution.stopped == "interrupted"
    assert solution.result == "at_least_draw"  # whoever is to move at the gate
    assert solution.structures == 1


@pytest.mark.parametrize(("fen", "reason"), [
    ("8/8/8/8/8/8/8/K7 w - - 0 1", "Black has 0 kings"),
    ("8/8/8/8/8/8/1k6/K7 w - - 0 1", "the kings stand next to each other"),
    ("P7/8/8/8/8/k7/8/K7 w - - 0 1", "first or last rank"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "castling"),
    ("4k3/pp6/8/8/8/8/QR6/KBN5 w - - 0 1", "4 pieces besides kings and pawns"),
    ("rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", "14 pieces"),
    ("4k3/8/8/3Pp3/8/8/8/4K3 w - d6 0 1", "")
])  # fmt: skip
def test_what_cannot_be_solved_is_refused(fen, reason):
    board = chess.Board(fen)
    if not reason:
        board.ep_square = chess.E6  # no double push could have been made with a pawn on e7
        board.set_piece_at(chess.E7, chess.Piece(chess.PAWN, chess.BLACK))
        reason = "en-passant"
    with pytest.raises(UnsupportedPositionError, match=reason):
        solve_position(board, BUDGET)


@pytest.mark.parametrize("text", ["10", "x", "10x", "0s", "-1m", "100MB", "1m,x"])
def test_budgets_that_are_none(text):
    with pytest.raises(BudgetError):
        read_budget(text)


def test_budgets():
    assert read_budget("10m,8GB") == (600, 8_000_000_000)
    assert read_budget("2h 1500M") == (7200, 1_500_000_000)
    assert read_budget("1.5G").memory == 1_500_000_000
    assert read_budget(None).seconds == 600


@pytest.mark.parametrize("text", ["900TB", f"{'9' * 400}GB", f"{'9' * 400}h"])
def test_a_budget_beyond_the_machine_is_as_good_as_none(text):
    budget = read_budget(text)
    assert threading.TIMEOUT_MAX > budget.seconds > 0
    assert solve_position(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"), budget).result == "win"


def test_estimates():
    small = estimate(chess.Board(QUICK["Fahrni-Alapin 1912"][0]))
    assert small.complete
    assert small.structures >= 60
    large = estimate(chess.Board("8/pppppppp/4k3/8/8/4K3/PPPPPPPP/8 w - - 0 1"))
    assert not large.complete


@pytest.mark.parametrize("fen", KEPT_FENS)
def test_the_callers_board_is_never_changed(fen, tables_dir):
    board = Kept(fen)
    board.belongs_to_others = True
    with tablebase.open_tablebase(tables_dir) as tables:
        assert solve_position(board, "600s,1GB", tables=tables, moves=True).moves
