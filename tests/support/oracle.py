"""Independent answers: python-chess's rules, and tables made by others."""

import csv
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import numpy as np

from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTZ, Metric
from tablebase.core.positions.chess_board import board_of, material_of
from tablebase.core.rules.material import Material

DATA = Path(__file__).parents[1] / "data"
GAVIOTA = DATA / "gaviota"
SYZYGY = os.environ.get("CHESS_SYZYGY", "")
NO_SYZYGY = "CHESS_SYZYGY names no folder of Syzygy's tables of three and four men"

LOST, WON = -1000, 1000


def known_positions(name: str = "probe_dtm") -> list[dict[str, str]]:
    """Return the rows of a file of positions whose distance is known."""
    with (DATA / f"{name}.csv").open() as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def cases_of(name: str, value: Callable[[dict[str, str]], Any]) -> dict[Material, list[Any]]:
    """Return boards of a file with their values, by normalized material."""
    cases: dict[Material, list[Any]] = {}
    for row in known_positions(name):
        board = chess.Board(row["fen"])
        cases.setdefault(material_of(board).normalized(), []).append((board, value(row)))
    return cases


def known_counts() -> dict[str, dict[str, dict[str, int]]]:
    """Return chesstb's numbers of positions of 14 materials by side to move."""
    counts: dict[str, dict[str, dict[str, int]]]
    counts = json.loads((DATA / "counts_3_4men.json").read_text(encoding="utf-8"))["materials"]
    return counts


def preference_of_code(code: int) -> int:
    """Return a number that is larger for the better of two codes."""
    if code == DRAW:
        return 0
    return WON - code if code % 2 else LOST + code


def minimax_code(board: chess.Board, code_of: Callable[[chess.Board], int]) -> int:
    """Return the code that follows from those of the positions after every legal move."""
    codes = []
    for move in board.legal_moves:
        board.push(move)
        code = code_of(board)
        board.pop()
        codes.append(DRAW if code == DRAW else code + 1)
    if not codes:
        return 0 if board.is_check() else DRAW
    return max(codes, key=preference_of_code)


def preference(outcome: int) -> int:
    """Return a number that is larger for the better of two outcomes of `outcomes.metrics`."""
    if outcome == 0:
        return 0
    return WON - outcome if outcome > 0 else LOST + ~outcome


def outcome_before(metric: Metric, outcome: int, *, zeroing: bool) -> int:
    """Return the outcome of a move that leads to a position of this outcome."""
    if outcome == 0:
        return 0
    plies = outcome if outcome > 0 else ~outcome
    if metric == DTZ and zeroing:
        plies = 0 if plies <= 100 else 100
    return ~(plies + 1) if outcome > 0 else plies + 1


def minimax_outcome(
    metric: Metric, board: chess.Board, outcome_of: Callable[[chess.Board], int]
) -> int:
    """Return the outcome that follows from those of the positions after every legal move."""
    outcomes = []
    for move in board.legal_moves:
        zeroing = board.is_zeroing(move)
        board.push(move)
        outcomes.append(outcome_before(metric, outcome_of(board), zeroing=zeroing))
        board.pop()
    if not outcomes:
        return ~0 if board.is_check() else 0
    return max(outcomes, key=preference)


def random_boards(material: Material, count: int, seed: int) -> Iterator[chess.Board]:
    """Yield legal positions of a material at random, en-passant rights left out."""
    rng = np.random.default_rng(seed)
    while count:
        squares = rng.choice(64, material.piece_count, replace=False)
        board = board_of(material, squares.tolist(), bool(rng.integers(2)))
        if board.is_valid():
            count -= 1
            yield board
