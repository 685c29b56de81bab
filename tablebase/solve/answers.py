"""What is known of a position once the budget is spent or nothing is left to prove."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Self

import chess
import numpy as np

from tablebase.core.answers.notebooks import beside, board_html, table_html
from tablebase.core.answers.proven import dtz_of_position
from tablebase.core.ground.argument_readers import (
    as_flag,
    as_path,
    require_function,
    require_tables,
)
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.positions.any_position import read_position
from tablebase.solve.budget import Budget, OutOfBudget, read_budget
from tablebase.solve.kernels.fields import make_work
from tablebase.solve.leaves import CompleteTables, OtherTables
from tablebase.solve.places import check_solvable, count_pieces, structure_of
from tablebase.solve.proof_file import write_proof
from tablebase.solve.proofs import ProofSize, proof_of
from tablebase.solve.region import Region
from tablebase.solve.region_file import RegionFile, prepare_writing
from tablebase.solve.saving import Saver
from tablebase.solve.solved import Solved
from tablebase.solve.solver import Solver
from tablebase.solve.strategies import NoStrategyError

_INTERRUPTED = "interrupted"
# Measured, one thread: planes solved in a second, and bytes of one whose bounds differ.
PLANES_A_SECOND = 100_000
BYTES_A_PLANE = 3000
# Structures that an estimate counts at most, and the time that this takes: well below a second.
MOST_COUNTED = 50_000


@dataclass(frozen=True)
class SolvedMove:
    """A legal move and its result for the side to move; its distance is as in `Solution`."""

    uci: str
    san: str
    result: str
    proven: bool
    dtz_without_rule50: int | None = None


@dataclass(frozen=True)
class Solution:
    """A position and its proven result or bounds, from the point of view of the side to move.

    Attributes
    ----------
    fen : str
        The position.
    result : str
        ``win``, ``draw``, ``loss``, ``at_least_draw``, ``at_most_draw`` or ``unknown``.
    proven : bool
        Whether `result` is final: one of the first three.
    moves : tuple of SolvedMove
        All legal moves, best first.
    plan : tuple of str
        A line that shows a proven result, as moves in UCI notation: the winner's plan, or the tries
        of both sides in a drawn position. Empty if the result is not proven.
    structures, planes : int
        Numbers of solved structures, and of placements of their pieces. A plane has 4,096
        placements of the kings.
    seconds : float
        Time of the solution.
    bytes : int
        Memory of the region.
    stopped : str
        Reason why it ended before everything requested was done, else empty: never if `result` is
        not proven.
    tables : tuple of str
        Materials of the complete tables that the result depends on.
    dtz_without_rule50 : int or None
        Distance to zeroing without the 50-move rule: plies to the next capture, pawn move or mate
        along the proven line, with the sign of the result; 0 for a draw or if the side to move is
        checkmated. None if it is not known.
    proof : ProofSize or None
        What was written into the file of a proof. None if there is none.
    """

    fen: str
    result: str
    proven: bool
    moves: tuple[SolvedMove, ...]
    plan: tuple[str, ...]
    structures: int
    planes: int
    seconds: float
    bytes: int
    stopped: str
    tables: tuple[str, ...]
    dtz_without_rule50: int | None = None
    proof: ProofSize | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it; `proof` only if there is one."""
        found = asdict(self)
        if self.proof is None:
            del found["proof"]
        return found

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = []
        for result, some in groupby(self.moves, key=lambda one: one.result):
            rows.append((_in_words(result),))
            far = ((one.san, one.dtz_without_rule50) for one in some)
            rows += [(name, f"DTZ {abs(plies)}" if plies else "") for name, plies in far]
        words = _in_words(self.result) + ", proven" * self.proven
        return beside(board_html(read_position(self.fen), words), table_html(rows))


def _in_words(result: str) -> str:
    return result.replace("_", " ").capitalize()


@dataclass(frozen=True)
class Estimate:
    """The size that a region may reach: the structures that can be reached with few pieces."""

    structures: int
    planes: int
    pieces: int  # the limit of pieces besides kings and pawns
    complete: bool  # these are all; else there are more

    @property
    def seconds(self) -> float:
        """Seconds that solving all structures takes, roughly, on one thread."""
        return self.planes / PLANES_A_SECOND

    @property
    def bytes(self) -> int:
        """Memory that they take, in bytes."""
        return self.planes * BYTES_A_PLANE


class NotSavedError(TablebaseError, OSError):
    """A position was solved, see `solution`, but a file for it could not be written."""

    solution: Solution

    @classmethod
    def of(cls, solution: Solution, problem: OSError, what: str = "solution") -> Self:
        """Return the error for a solution, or another result, that could not be saved."""
        reason = f"{problem.filename}: {problem.strerror}" if problem.strerror else str(problem)
        error = cls(f"the {what} could not be saved ({reason}): make room, or save it elsewhere")
        error.solution = solution
        return error


class NoProofError(TablebaseError):
    """A position was solved, see `solution`, but there is no proof to write."""

    solution: Solution


def estimate(board: chess.Board) -> Estimate:
    """Count the structures that can be reached from a position, without solving any.

    Usually fewer are solved; where more pieces are needed than are counted here, more.
    """
    check_solvable(board)
    if not board.legal_moves:
        return Estimate(0, 0, 0, complete=True)
    pieces = max(1, count_pieces(board))
    region, work = Region(np.zeros(0, dtype=np.uint64), few=True), make_work(1)
    region.number_of(*structure_of(board))
    done, level = 0, np.zeros(1, dtype=np.int64)
    while len(level) and done + len(level) <= MOST_COUNTED:
        known = region.count
        region.expand(work, level)
        done += len(level)
        fresh = np.arange(known, region.count)
        level = fresh[region.fields.pieces[fresh] <= pieces]
    counts = region.fields.pieces[: region.count].astype(np.int64)
    counts = counts[counts <= pieces]
    return Estimate(len(counts), int((1 << (6 * counts)).sum()), pieces, not len(level))


def solve_position(
    board: chess.Board,
    budget: str | Budget | None = None,
    *,
    moves: bool = False,
    tables: CompleteTables | None = None,
    save: str | os.PathLike[str] | None = None,
    proof: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Solution], None] | None = None,
) -> Solution:
    """Prove the result, without the 50-move rule, of kings, pawns and up to three pieces.

    Parameters
    ----------
    board
        The position.
    budget
        Limit like ``"10m"`` or ``"10m,8GB"``, also for a proof; by default 10m, half of the memory.
    moves
        Whether to prove the result of every legal move as well.
    tables
        Complete tables, whose values are used. None is needed.
    save
        A file for the region, named like ``NAME.region``; one of any position is resumed.
    proof
        A file for a proof of the result. Positions of `tables` of other materials are its exits.
    threads
        Number of threads; by default one for each processor.
    progress
        Called now and then with the present solution; its `proof` has the size so far of a proof.

    Returns
    -------
    Solution
        The result if it is proven within the budget, else proven bounds, also after Ctrl-C.

    Raises
    ------
    UnsupportedPositionError
        If it is illegal, or neither mate nor stalemate with castling rights or too many pieces.
    BudgetError, CorruptTableError, NoProofError, OSError
        If the budget is not valid; if the file to resume is damaged; if the budget leaves no proof
        to write; if a file cannot be read or written, a `NotSavedError` if that failed in the end.

    Examples
    --------
    >>> import chess
    >>> from tablebase import solve_position
    >>> solution = solve_position(chess.Board("8/8/8/3pK3/2kP4/8/8/8 w - - 0 1"), "60s,1GB")
    >>> solution.result, solution.proven
    ('loss', True)
    """
    check_solvable(board)
    _check(tables, progress)
    given = budget if isinstance(budget, Budget) else read_budget(budget)
    tables = OtherTables(tables, board) if tables and proof else tables
    report = (lambda solver: progress(solution_of(solver))) if progress else None
    solver = Solver(board.copy(stack=False), given, threads=threads, tables=tables, progress=report)
    return _solved(solver, save, proof, tables, progress, moves=as_flag("moves", moves))


def _check(tables: CompleteTables | None, progress: Callable[[Solution], None] | None) -> None:
    """Refuse arguments that are no tables and no function."""
    require_function("progress", progress)
    if tables is not None:
        require_tables("tables", tables, "available_materials")


def solution_of(solver: Solver, stopped: str = "") -> Solution:
    """Return the present results of a solver."""
    board = solver.root
    moves = []
    for move in board.legal_moves:
        bounds = solver.root_bounds(move)
        solved = SolvedMove(move.uci(), board.san(move), bounds.name, bounds.result is not None)
        moves.append((bounds, solved))
    moves.sort(key=lambda one: (-one[0].least, -one[0].most))
    bounds = solver.root_bounds()
    return Solution(
        fen=board.fen(),
        result=bounds.name,
        proven=bounds.result is not None,
        moves=tuple(solved for _, solved in moves),
        plan=(),
        structures=solver.structures,
        planes=solver.planes,
        seconds=solver.seconds,
        bytes=solver.bytes,
        stopped=stopped,
        tables=solver.tables,
    )


def _solved(
    solver: Solver,
    save: str | os.PathLike[str] | None,
    proof: str | os.PathLike[str] | None,
    tables: CompleteTables | None,
    progress: Callable[[Solution], None] | None,
    *,
    moves: bool,
) -> Solution:
    """Let a solver run, save what it has solved, and return what it has found."""
    problem = None
    solver.keeps_all = save is not None or proof is not None
    if save is not None:
        solver.saver = Saver(as_path("save", save), solver.root.fen())
    if proof is not None:
        prepare_writing(as_path("proof", proof))
    stopped = _run(solver, moves=moves)
    if solver.saver is not None:
        problem, solver.saver = _save(solver, solver.saver), None
    solution = solution_of(solver, stopped)
    try:
        solution = _finished(solver, solution)
        if problem is not None:
            raise NotSavedError.of(solution, problem) from problem
        if proof is not None and stopped != _INTERRUPTED:
            size = _write_proof(Path(proof), solver, tables, solution, progress)
            solution = replace(solution, proof=size)
    except KeyboardInterrupt:
        return replace(solution, stopped=_INTERRUPTED)
    return solution


def _run(solver: Solver, *, moves: bool) -> str:
    """Let a solver run; return why it ended before all was proven, nothing if it did not.

    It resumes a file, if there is one.
    """
    try:
        if solver.saver is not None and solver.saver.path.exists():
            with RegionFile(solver.saver.path) as file:
                solver.load(file)
        solver.run(moves=moves)
    except OutOfBudget as error:
        return str(error)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return ""


def _save(solver: Solver, saver: Saver) -> OSError | None:
    """Keep what was solved in a file; return why that could not be done.

    The file stays as it is if it could not be read in, or if there is nothing new.
    """
    if solver.structures and solver.is_new:
        try:
            saver.save(solver.region, solver.tables)
        except OSError as error:
            return error
    return None


def _finished(solver: Solver, solution: Solution) -> Solution:
    """Return the results of a solver; if they are proven, with a plan and ranked moves."""
    if not solution.moves:  # checkmate or stalemate
        return replace(solution, dtz_without_rule50=0)
    if solution.stopped == _INTERRUPTED or not solution.proven:
        return solution
    solved = Solved(solver)
    ranked = solved.rank(solver.root)
    by_uci = {move.uci: move for move in solution.moves}
    moves = []
    for one in ranked:
        move = replace(by_uci[one.move.uci()], dtz_without_rule50=one.dtz_without_rule50)
        if solution.result == "loss":  # each move loses, whether it was looked at or not
            move = replace(move, result="loss", proven=True)
        moves.append(move)
    return replace(
        solution,
        moves=tuple(moves) or solution.moves,
        plan=tuple(move.uci() for move in solved.plan()),
        dtz_without_rule50=dtz_of_position(ranked),
        seconds=solver.seconds,
    )


def _write_proof(
    path: Path,
    solver: Solver,
    tables: CompleteTables | None,
    solution: Solution,
    progress: Callable[[Solution], None] | None,
) -> ProofSize:
    """Write what proves a solution into a file, and report how far that is."""

    def report(size: ProofSize) -> None:
        if progress:
            seconds, memory = solver.seconds, solver.bytes
            progress(replace(solution, seconds=seconds, bytes=memory, proof=size))

    try:
        found = proof_of(solver, tables, report)
        write_proof(path, found)
    except NoStrategyError as error:
        failure = NoProofError(str(error))
        failure.solution = solution
        raise failure from error
    except OSError as error:
        raise NotSavedError.of(solution, error, "proof") from error
    return ProofSize(found.claim, found.positions, len(found.exits), tuple(found.tables))
