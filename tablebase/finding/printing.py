"""Positions found in tables, as FEN, EPD, CSV, JSON lines or PGN."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import chess.pgn

from tablebase.cli.arguments import refuse_existing
from tablebase.cli.lines import COLUMNS
from tablebase.core.answers.known import best_line, rank_by_tables
from tablebase.core.board.geometry import Color
from tablebase.core.ground.words import counted, moves_in_words, winner_moves
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.any_position import position_of
from tablebase.core.positions.chess_position import ChessPosition

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.positions.position import Board
    from tablebase.finding.conditions import Conditions
    from tablebase.finding.positions import FoundPosition, Positions


# What helpmates add to rows: their plies, and the moves of one in UCI notation.
OF_HELPMATES = ("helpmate", "help_line")


class Printer:
    """Prints positions in a format: with best moves by tables, or with what was asked for."""

    def __init__(self, form: str, tables: Tablebase, conditions: Conditions) -> None:
        self._show = getattr(self, f"_show_{form}")
        self._tables = tables
        self._mating = conditions.mating  # who gives the helpmate that was asked for
        self._exercises = 0
        further = ["difficulty"] * conditions.need_difficulty
        further += [*OF_HELPMATES] * (self._mating is not None)
        self._columns = (*COLUMNS, *further)
        if form == "csv":
            csv.writer(sys.stdout, lineterminator="\n").writerow(self._columns)

    def show(self, positions: Positions) -> None:
        """Print some positions."""
        self._show(positions)

    def _show_fen(self, positions: Positions) -> None:
        if len(positions):
            print("\n".join(positions.fens()))

    def _show_epd(self, positions: Positions) -> None:
        for position in positions:
            board = position.board()
            operations: dict[str, Any] = {}
            if self._mating is not None:
                line = self._help_line(board)
                operations = {"pv": line, "c0": helpmate_words(len(line))}
            else:
                if position.wdl is Wdl.WIN:
                    operations["dm"] = winner_moves(position.dtm)
                if best := self._best_moves(board):
                    operations["bm"] = best
            print(board.epd(**operations))

    def _help_line(self, board: Board) -> list[Any]:
        """Return the moves of a shortest helpmate by the side that mates."""
        return self._tables.help_line(board, self._mating is Color.WHITE)

    def _best_moves(self, board: chess.Board) -> list[chess.Move]:
        """Return all moves as good as the best move."""
        ranked = self._tables.rank_moves(board, rule50=False)
        return [one.move for one in ranked if (one.wdl, one.dtm) == (ranked[0].wdl, ranked[0].dtm)]

    def _show_csv(self, positions: Positions) -> None:
        csv.writer(sys.stdout, lineterminator="\n").writerows(self._rows(positions))

    def _show_jsonl(self, positions: Positions) -> None:
        for row in self._rows(positions):
            print(json.dumps(dict(zip(self._columns, row, strict=True))))

    def _rows(self, positions: Positions) -> Iterator[tuple[Any, ...]]:
        """Yield rows of the columns, None for unknown values."""
        columns = [
            [None] * len(positions) if column is None else column.tolist()
            for column in (positions.wdl, positions.dtm, positions.dtz, positions.wdl50)
        ]
        if positions.difficulty is not None:
            columns.append([round(one, 4) for one in positions.difficulty.tolist()])
        if self._mating is not None:
            lines = [self._help_line(position_of(one.setup()).board) for one in positions]
            columns.append([len(line) for line in lines])
            columns.append([" ".join(move.uci() for move in line) for line in lines])
        return zip(positions.fens(), *columns, strict=True)

    def _show_pgn(self, positions: Positions) -> None:
        for position in positions:
            self._exercises += 1
            print(self._exercise(position), end="\n\n")

    def _exercise(self, position: FoundPosition) -> chess.pgn.Game:
        """Return a position as a game whose moves are the solution."""
        board = position.board()
        game = chess.pgn.Game()
        game.setup(board)
        game.headers["Round"] = str(self._exercises)
        if self._mating is not None:
            line = self._help_line(board)
            game.add_line(line)
            game.headers["Event"] = f"{position.material}: {helpmate_words(len(line))}"
            game.headers["Result"] = "1-0" if self._mating is Color.WHITE else "0-1"
            return game
        start = ChessPosition(board)
        mover = "White" if board.turn else "Black"
        verb = {Wdl.WIN: "win", Wdl.DRAW: "draw", Wdl.LOSS: "lose"}[position.wdl]
        distance = f" in {moves_in_words(position.dtm)}" if position.dtm else ""
        task = f"{verb}s{distance}"
        if _is_drawn_by_rule(position):
            task = f"would {verb}{distance}, but the 50-move rule draws"
        game.headers["Event"] = f"{position.material}: {mover} to move {task}"
        game.headers["Result"] = _score(position)
        if position.wdl is Wdl.DRAW:
            kept = [one for one in rank_by_tables(self._tables, start) if one.wdl is Wdl.DRAW]
            for one in kept:
                game.add_variation(one.move)
        else:
            game.add_line(best_line(self._tables, start))
        return game


def helpmate_words(plies: int) -> str:
    """Return a helpmate as composers write it: in moves of which the last one mates.

    >>> helpmate_words(5)
    'h#2.5'
    """
    return f"h#{plies / 2:g}"


def _score(position: FoundPosition) -> str:
    if position.wdl is Wdl.DRAW or _is_drawn_by_rule(position):
        return "1/2-1/2"
    return "1-0" if (position.wdl is Wdl.WIN) == position.white_to_move else "0-1"


def _is_drawn_by_rule(position: FoundPosition) -> bool:
    return position.wdl50 in {Wdl50.CURSED_WIN, Wdl50.BLESSED_LOSS}


def save_parquet(arguments: argparse.Namespace, blocks: Iterable[Positions]) -> int:
    """Write positions to a Parquet file with a data card, and return the number of positions.

    An existing file, which may be anything, is overwritten only with ``--force``.
    """
    from tablebase.finding.data_card import card_path, write_card
    from tablebase.finding.parquet import write_parquet

    path: Path = arguments.parquet
    for each in (path, card_path(path)):
        refuse_existing(each, force=arguments.force)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = write_parquet(path, blocks, squares=arguments.squares, fens=arguments.fen)
    write_card(path, rows)
    print(f"{path}: {counted(rows, 'position')}, {path.stat().st_size:,} bytes", file=sys.stderr)
    return rows
