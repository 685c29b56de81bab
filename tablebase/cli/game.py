"""A game against the tables: a verdict on every move of the person, and the best replies."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess
import numpy as np

from tablebase.cli.display import (
    board_text,
    line_words,
    move_table,
    moves_text,
    position_words,
    rule_warning,
    side_by_side,
    value_words,
)
from tablebase.cli.terminal import print_trimmed
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.outcomes import FIFTY_MOVES
from tablebase.positions import board_of, check_supported, material_of
from tablebase.probing import LONGEST_DEFENCE, PRACTICAL, best_line, look_up, practical_move
from tablebase.rules import Material, generation_order
from tablebase.words import winner_moves

if TYPE_CHECKING:
    import os

    from rich.console import Console, RenderableType

    from tablebase.probing import Known, KnownMove, Tablebase

BATCH, BATCHES = 20_000, 50  # random placements: wins of KNNK are one in some thousands
HELP = """\
a move   like Kd4, Rxb7, e8=Q, or by squares: c3d4, e7e8q
hint     the best moves
moves    all moves and what they lead to
line     the best moves of both sides up to mate
undo     take back your last move
board    show the position again
fen      the position for other programs
help, ?  this list
quit     end the game; so do exit and resign"""
NO_ZEROING = "a table has no distances to zeroing"
ENDINGS = {"quit", "exit", "q", "resign"}
PIECES = {
    word: chess.piece_symbol(kind).upper()
    for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
    for word in (chess.piece_symbol(kind), chess.piece_name(kind))
}
_NUMBER = re.compile(r"\d+\s*\.[\s.]*")  # of a move
_ENDS = {
    chess.Termination.STALEMATE: "Stalemate: a draw.",
    chess.Termination.INSUFFICIENT_MATERIAL: "A draw: neither side has enough to mate.",
    chess.Termination.SEVENTYFIVE_MOVES: "A draw: 75 moves without a capture or a pawn move.",
    chess.Termination.FIVEFOLD_REPETITION: "A draw: the same position for the fifth time.",
}


def keeps_result(one: KnownMove, other: KnownMove) -> bool:
    """Return whether two moves have the same result, also under the 50-move rule if known."""
    return (one.wdl, one.wdl50) == (other.wdl, other.wdl50)


def equally_good(one: KnownMove, other: KnownMove) -> bool:
    """Return whether two moves have the same result, distance and cost."""
    far = (one.dtm, one.dtz_without_rule50, one.given_up) == (
        other.dtm,
        other.dtz_without_rule50,
        other.given_up,
    )
    return far and keeps_result(one, other)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict on a move.

    Attributes
    ----------
    text : str
        The verdict in words.
    is_best : bool
        Whether no move is better.
    keeps_result : bool
        Whether a win is still a win, a draw still a draw.
    """

    text: str
    is_best: bool
    keeps_result: bool

    @property
    def color(self) -> str:
        """Its colour on a terminal."""
        if self.is_best:
            return "green"
        return "yellow" if self.keeps_result else "red"


def judge(board: chess.Board, ranked: Sequence[KnownMove], move: chess.Move) -> Verdict:
    """Compare a move with the best one.

    Parameters
    ----------
    board
        The position before the move.
    ranked
        All its moves, best first.
    move
        One of them.
    """
    best = ranked[0]
    played = next(one for one in ranked if one.move == move)
    san, value = board.san(move), value_words(played)
    if equally_good(played, best):
        text = f"{san}: mate." if played.mate else f"{san}: best, {value}."
        return Verdict(text, is_best=True, keeps_result=True)
    is_slower = keeps_result(played, best)
    before = str(winner_moves(best.dtm)) if is_slower and best.dtm else value_words(best)
    text = f"{san}: {value}, was {before}: best was {board.san(best.move)}."
    return Verdict(text, is_best=False, keeps_result=is_slower)


def read_move(board: chess.Board, text: str) -> chess.Move:
    """Return the legal move of a text, in SAN (pieces in either case) or by squares.

    Raises
    ------
    ValueError
        If there is none, or several.
    """
    text = _NUMBER.sub("", text, count=1)
    for form in (text, text[:1].upper() + text[1:]):
        for parse in (board.parse_san, board.parse_uci):
            try:
                move = parse(form)
            except chess.AmbiguousMoveError:
                raise ValueError(
                    f"{text} could be several moves: add the square it starts from, like Rb2d2"
                ) from None
            except ValueError:
                continue
            if move:
                return move
    raise ValueError(f"{text} is not a legal move here: type moves to list them, or help")


def lacks_piece(board: chess.Board, text: str) -> bool:
    """Return whether a text is a promotion without the piece."""
    queens = False
    with suppress(ValueError):
        queens = read_move(board, f"{text}=Q").promotion is not None
    with suppress(ValueError):
        queens = queens and not read_move(board, text)
    return queens


def random_won_position(
    tables: Tablebase, material: Material, generator: np.random.Generator
) -> chess.Board:
    """Return a random position that the side to move wins; any legal one if wins are not found.

    Parameters
    ----------
    tables
        The tables that give results.
    material
        The men; the stronger side is to move.
    generator
        The random generator.

    Raises
    ------
    MissingTableError
        If the table is not available.
    """
    turn = material.is_normalized
    fallback = None
    for _ in range(BATCHES):
        squares = generator.integers(64, size=(BATCH, len(material.men)), dtype=np.uint8)
        plies, valid = tables.probe_dtm_many(squares, material, turn)
        won = np.flatnonzero(valid & (plies > 0))
        if len(won):
            return board_of(material, squares[won[0]].tolist(), turn)
        if fallback is None and valid.any():
            fallback = squares[valid.argmax()]
    assert fallback is not None, f"{material} has legal positions"
    return board_of(material, fallback.tolist(), turn)


def check_playable(
    tables: Tablebase, board: chess.Board, directories: Sequence[str | os.PathLike[str]]
) -> None:
    """Raise an error unless a game can be played to its end from a position.

    Parameters
    ----------
    tables
        The available tables.
    board
        The position.
    directories
        The folders that were searched, for the message.

    Raises
    ------
    UnsupportedPositionError
        If the position is illegal, or no table can have it.
    MissingTableError
        If its table or a sub-table is not available, and no region proves its result.
    """
    with suppress(MissingTableError, UnsupportedPositionError):
        if look_up(tables, board).is_proven:
            return
    check_supported(board)
    material = material_of(board).normalized()
    needed = [one for one in generation_order([material]) if one.piece_count > 2]
    missing = [one for one in needed if one not in tables.available_materials]
    if missing:
        raise MissingTableError.of(missing, directories)


class Game:
    """A game between a person and the tables.

    Parameters
    ----------
    tables
        All tables that the game can need; see `check_playable`.
    board
        The first position. The moves are made on it.
    person
        The person's side.
    console
        The console for output.
    read
        Function that asks for a line of input.
    resistance
        How the tables choose among moves that keep the result, one of `RESISTANCES`.
    """

    def __init__(
        self,
        tables: Tablebase,
        board: chess.Board,
        person: chess.Color,
        console: Console,
        read: Callable[[str], str],
        *,
        resistance: str = PRACTICAL,
    ) -> None:
        self.board = board
        self._tables = tables
        self._person = person
        self._console = console
        self._read = read
        self._resistance = resistance
        self._commands: dict[str, Callable[[], None]] = {
            "hint": self._hint,
            "moves": self._moves,
            "line": self._line,
            "undo": self._undo,
            "board": self._show_position,
            "fen": lambda: self._say(self.board.fen()),
            "help": lambda: self._say(HELP),
            "?": lambda: self._say(HELP),
        }

    def run(self) -> bool:
        """Play until the game is over or the person quits; return whether it is over."""
        side = chess.COLOR_NAMES[self._person].capitalize()
        self._say(f"You play {side} against the tables. Type a move, or help.\n")
        try:
            return self._play_on()
        except MissingTableError as error:
            self._say(f"The game cannot continue: {error}")
            return False

    def _play_on(self) -> bool:
        self._show_position()
        while not (outcome := self.board.outcome()):
            if not self._is_known():
                self._say(
                    "The result of this position is not proven. To continue the game, prove it:\n"
                    f'tablebase solve "{self.board.fen()}" --save NAME'
                )
                return False
            if self.board.turn != self._person:
                self._reply()
                continue
            if not self._obey(self._read("Your move: ").strip()):
                return False
        self._say(_end_words(outcome), "bold")
        return True

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    def _show(self, *things: RenderableType) -> None:
        print_trimmed(self._console, *things)

    def _obey(self, text: str) -> bool:
        """Carry out a line of input; return whether the game continues."""
        while lacks_piece(self.board, text):
            answer = self._read("Promote to Q, R, B or N? ").strip()
            piece = PIECES.get(answer.lower())
            text = f"{text}={piece}" if piece else answer
        if text.lower() in ENDINGS:
            return False
        command = self._commands.get(text.lower())
        if command is not None:
            command()
        elif text:
            try:
                move = read_move(self.board, text)
            except ValueError as error:
                self._say(str(error))
            else:
                self._play(move)
        return True

    def _is_known(self) -> bool:
        """Return whether a table has the position or a region proves it."""
        return self._tables.get_wdl(self.board) is not None

    def _look_up(self) -> Known:
        """Look up the position."""
        return look_up(self._tables, self.board)

    def _play(self, move: chess.Move) -> None:
        verdict = judge(self.board, self._look_up().moves, move)
        self._say(verdict.text, verdict.color)
        self.board.push(move)
        if self.board.is_game_over():
            self._show_position()

    def _reply(self) -> None:
        move = self._choose()
        side = chess.COLOR_NAMES[self.board.turn].capitalize()
        self._say(f"{side} plays {self.board.san(move)}.\n")
        self.board.push(move)
        self._show_position()

    def _choose(self) -> chess.Move:
        """Return the move of the tables."""
        known = self._look_up()
        if self._resistance == PRACTICAL:
            if found := practical_move(self._tables, self.board, known.moves):
                return found.move
            lacking = "the result is proven by a region" if known.is_proven else NO_ZEROING
            self._say(f"From here the tables play by --resistance {LONGEST_DEFENCE}: {lacking}.")
            self._resistance = LONGEST_DEFENCE
        return known.moves[0].move

    def _show_position(self) -> None:
        board = board_text(self.board, black_below=not self._person)
        words, warning = self._words()
        self._show(side_by_side(self._console, board, words), "")
        if self.board.halfmove_clock >= FIFTY_MOVES:
            self._say("50 moves without a capture or a pawn move: a draw could be claimed.")
        elif warning:
            self._say(warning)

    def _words(self) -> tuple[RenderableType, str]:
        """Return the position's result in words, and a warning about the 50-move rule."""
        if not self._is_known():
            return f"{'White' if self.board.turn else 'Black'} to move", ""
        known = self._look_up()
        return position_words(self.board, known), rule_warning(self._tables, self.board, known)

    # Commands

    def _hint(self) -> None:
        ranked = self._look_up().moves
        if ranked[0].wdl is None:
            side = "White" if self.board.turn else "Black"
            self._say(f"{side} wins, but no winning move is proven.")
            return
        best = [self.board.san(one.move) for one in ranked if equally_good(one, ranked[0])]
        words = value_words(ranked[0])
        self._say(f"{words[0].upper()}{words[1:]} by {' '.join(best)}")

    def _moves(self) -> None:
        known = self._look_up()
        if known.is_proven:
            self._say(moves_text(self.board, known.moves))
        else:
            self._show(move_table(self.board, known.moves, self._console.width))

    def _line(self) -> None:
        known = self._look_up()
        if not known.wdl:
            self._say("The game is a draw: there is no line to mate.")
            return
        line = best_line(self._tables, self.board)
        if line or known.is_proven:
            self._say(line_words(self.board, known, line, self._console.width))

    def _undo(self) -> None:
        if len(self.board.move_stack) < 2:
            self._say("You have not moved yet.")
            return
        self.board.pop()
        self.board.pop()
        self._show_position()


def _end_words(outcome: chess.Outcome) -> str:
    if outcome.winner is None:
        return _ENDS[outcome.termination]
    return f"Checkmate: {chess.COLOR_NAMES[outcome.winner].capitalize()} wins."
