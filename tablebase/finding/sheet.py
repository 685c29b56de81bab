"""Exercises as a page to print: boards with their tasks, and their solutions at the end."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import chess
import chess.svg
import numpy as np

from tablebase.core.answers.known import best_line, rank_by_tables
from tablebase.core.ground.seams import find_measure
from tablebase.core.ground.words import counted, moves_in_words
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.practice.exercises import Exercise, draw_exercises

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.rules.material import Material

_TASKS = {"mate": "mates", "promote": "promotes and wins", "win": "wins", "hold": "holds the draw"}
_COLORS = {
    "square light": "#ffffff",
    "square dark": "#cccccc",
    "margin": "#ffffff",
    "coord": "#333",
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>
@page {{ margin: 15mm }}
body {{ font: 12pt/1.35 Georgia, serif; margin: 1em auto; max-width: 46em; padding: 0 1em }}
.boards {{ display: grid; gap: 1.2em; grid-template-columns: repeat(auto-fill, minmax(13em, 1fr)) }}
figure, li {{ break-inside: avoid; margin: 0 0 .5em }}
svg {{ height: auto; width: 100% }}
.solutions {{ break-before: page }}
</style>
<h1>{title}</h1>
<div class="boards">
{boards}
</div>
<section class="solutions">
<h2>Solutions</h2>
<ol>
{solutions}
</ol>
</section>
</html>
"""


def choose_exercises(
    tables: Tablebase, material: Material, level: int, sample: int | None, seed: int
) -> list[Exercise]:
    """Return exercises of a level of the course, counted from 1: all, or some by a seed.

    Raises `ValueError` without such a level.
    """
    levels, why = draw_exercises(tables, material)
    if not 0 < level <= len(levels):
        raise ValueError(why or f"{material} has {counted(len(levels), 'level')}, and no {level}")
    found = levels[level - 1]
    if sample is None or sample >= len(found):
        return found
    chosen = np.random.default_rng(seed).choice(len(found), sample, replace=False)
    return [found[one] for one in sorted(chosen.tolist())]


def sheet(tables: Tablebase, material: Material, level: int, exercises: list[Exercise]) -> str:
    """Return a page of HTML that needs nothing else, with exercises of chess."""
    boards = "\n".join(
        f"<figure>{_board(one)}<figcaption>{number}. {_task(one)}</figcaption></figure>"
        for number, one in enumerate(exercises, 1)
    )
    solutions = "\n".join(f"<li>{_solution(tables, one)}</li>" for one in exercises)
    return _PAGE.format(title=f"{material.name}, level {level}", boards=boards, solutions=solutions)


def _board(exercise: Exercise) -> str:
    board = chess.Board(exercise.fen)
    return str(chess.svg.board(board, orientation=board.turn, size=260, colors=_COLORS))


def _task(exercise: Exercise) -> str:
    mover = "White" if chess.Board(exercise.fen).turn else "Black"
    task = f"{mover} to move {_TASKS[exercise.kind]}"
    if exercise.kind == "mate" and exercise.dtm is not None:
        task += f" in {moves_in_words(exercise.dtm)}"
    return f"{task}."


def _solution(tables: Tablebase, exercise: Exercise) -> str:
    """Return the moves that keep the result, the rule of a method, and a line of best play."""
    position = ChessPosition(chess.Board(exercise.fen))
    texts = []
    if exercise.kind != "mate":  # which hardly any move gives away
        ranked = rank_by_tables(tables, position)
        kept = [position.name_of(one.move) for one in ranked if one.result == ranked[0].result]
        verb = "wins" if exercise.goal == "win" else "holds"
        texts = [f"{', '.join(kept)} {verb[:-1]}." if kept[1:] else f"Only {kept[0]} {verb}."]
    rule_of = find_measure("rule")
    if rule_of is not None and (found := rule_of(tables, position.board)) is not None:
        sentence, moves = found
        texts.append(f"Rule: {sentence} ({', '.join(map(position.name_of, moves))})")
    line = best_line(tables, position)
    if exercise.kind == "promote":
        line = line[: next((n for n, move in enumerate(line, 1) if move.promotion), None)]
    if line:
        texts.append(f"Best play: {position.board.variation_san(line)}")
    return escape(" ".join(texts), quote=False)
