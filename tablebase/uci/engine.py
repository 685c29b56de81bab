"""A UCI engine that plays from tables: the fastest mate in time, the longest defence.

It speaks the Universal Chess Interface (April 2006) and answers each line before it reads the next,
since a look-up takes milliseconds. After ``go infinite`` and ``go ponder`` it waits for the GUI.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import chess

from tablebase._version import __version__
from tablebase.core.answers.known import by_tables, look_up
from tablebase.core.answers.ranking import KnownMove, mainline, rank_move, rank_moves
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.locations import default_directories, split_path
from tablebase.core.ground.words import counted, quoted, winner_moves
from tablebase.core.outcomes.codes import MAX_PLIES, Wdl
from tablebase.core.outcomes.metrics import Metric, Wdl50
from tablebase.core.positions.any_position import left_out, read_position
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.chess_variants import boards_of_games, played_on
from tablebase.core.positions.fifty_moves import fifty_move_warning
from tablebase.practice.resistance import LONGEST_DEFENCE, PRACTICAL, RESISTANCES, practical_move
from tablebase.uci.gui_words import (
    read_option,
    read_position_command,
    read_searchmoves,
    without_castling,
)

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.positions.position import Board

NO_MOVE = "(none)"  # as in Stockfish; the null move 0000 would look like a move
DEFAULT_CACHE = 192  # MiB
MAX_CACHE = 65536  # MiB
# Strength of a move without a known result: known wins come before it, and known draws after it
# unless the position is drawn.
UNKNOWN, UNKNOWN_OF_DRAW = (Wdl50.WIN + Wdl50.CURSED_WIN) / 2, Wdl50.BLESSED_LOSS / 2
MAX_LINES = 256  # more than the 218 moves of any position
_RULE50, _CHESS960, _RESISTANCE = "syzygy50moverule", "uci_chess960", "resistance"
_VARIANT = "uci_variant"
# There is nothing to prepare for Ponder.
_CHOICES = dict.fromkeys((_RULE50, _CHESS960, "ponder"), ("true", "false")) | {
    _RESISTANCE: RESISTANCES
}


class CountedTables:
    """The tables, with counts of look-ups (`nodes`) and of known positions (`hits`)."""

    def __init__(self, tables: Tablebase) -> None:
        self._tables = tables
        self.probe_wdl, self.sources = tables.probe_wdl, tables.sources
        self.nodes = self.hits = 0

    def probe_outcome(self, board: Board, metric: Metric | None = None) -> int:
        """Return the outcome of a position. Only look-ups of results are counted."""
        self.nodes += metric is None
        outcome = self._tables.probe_outcome(board, metric)
        self.hits += metric is None
        return outcome


def plies_of(one: KnownMove[chess.Move], line: Sequence[chess.Move]) -> int | None:
    """Return the signed distance to mate in plies, 0 for a draw, None if it is not known.

    If the 50-move rule rules out the shortest mate, or a game has no such distances, the length of
    the line counts.
    """
    if one.wdl == Wdl.DRAW or (one.wdl50 is not None and abs(one.wdl50) < Wdl50.WIN):
        return 0
    if one.dtm is None:
        return None if one.wdl is None or one.dtz is None else one.wdl * len(line)
    plies = max(abs(one.dtm), len(line))
    return plies if one.dtm > 0 else -plies


def score_of(dtm: int | None) -> str:
    """Return a signed distance in plies as a score of UCI, in moves; empty if it is not known.

    >>> score_of(31), score_of(-2), score_of(0)
    (' score mate 16', ' score mate -1', ' score cp 0')
    """
    if dtm is None:
        return ""
    moves = winner_moves(dtm)
    return f" score mate {moves if dtm > 0 else -moves}" if dtm else " score cp 0"


class Engine:
    """The engine: lines of the GUI in, lines for the GUI out.

    Parameters
    ----------
    write
        Function that takes each line for the GUI, without the line break.
    path
        Folders of tables in the format of ``PATH``; if empty, those of
        `tablebase.core.ground.locations.default_directories`.
    """

    def __init__(self, write: Callable[[str], None], path: str) -> None:
        self._write = write
        self._path = self._default_path = path
        self._lines = 1
        self._cache = DEFAULT_CACHE
        self._debug = False
        self._chosen = {_RULE50: "true", _CHESS960: "false", _RESISTANCE: LONGEST_DEFENCE}
        self._rules = ChessPosition.rules
        self._opened: Tablebase | None = None
        self._announced = False
        self._board: chess.Board | None = chess.Board()
        self._answer = ""  # a best move held back
        self._release: frozenset[str] = frozenset()  # the commands it waits for
        self._commands: dict[str, Callable[[str], None]] = {
            "uci": self._uci,
            "debug": self._debug_mode,
            "isready": self._is_ready,
            "setoption": self._set_option,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponder_hit,
            "register": lambda _: None,
            "ucinewgame": lambda _: None,  # no game is remembered
        }

    def run(self, lines: Iterable[str]) -> None:
        """Answer lines until ``quit`` or the last one."""
        for line in lines:
            if not self.handle(line):
                break
        self._finish()
        self._close()

    def handle(self, line: str) -> bool:
        """Carry out one line and return whether to continue.

        Words before the first command are skipped, as UCI requires.
        """
        for word in re.finditer(r"\S+", line):
            if word[0] == "quit":
                return False
            command = self._commands.get(word[0])
            if command is not None:
                command(line[word.end() :].strip())
                return True
        if self._debug and line.strip():
            self._say(f"unknown command: {line}")
        return True

    def _say(self, what: object) -> None:
        self._write("info string " + " ".join(str(what).split()))

    # Setting up

    def _uci(self, _: str) -> None:
        path = self._default_path or "<empty>"
        for line in (
            f"id name chess-tablebase {__version__}",
            "id author the tablebase authors",
            f"option name TablebasePath type string default {path}",
            f"option name MultiPV type spin default 1 min 1 max {MAX_LINES}",
            f"option name Hash type spin default {DEFAULT_CACHE} min 1 max {MAX_CACHE}",
            "option name Ponder type check default false",
            "option name Syzygy50MoveRule type check default true",
            "option name UCI_Chess960 type check default false",
            "option name UCI_Variant type combo default chess "
            + " ".join(f"var {rules.name}" for rules in boards_of_games()),
            f"option name Resistance type combo default {LONGEST_DEFENCE} "
            + " ".join(f"var {one}" for one in RESISTANCES),
            "uciok",
        ):
            self._write(line)

    def _debug_mode(self, text: str) -> None:
        self._debug = text != "off"

    def _is_ready(self, _: str) -> None:
        # Kernels are loaded here, so that no clock runs meanwhile.
        tables = self._tables()
        with suppress(TablebaseError):
            tables.probe_wdl(read_position("8/8/8/8/8/2k5/8/K7 w - - 0 1", self._rules).board)
        if tables.directories and not self._announced:
            places = os.pathsep.join(map(str, tables.directories))
            self._say(f"{counted(len(tables.available_tables), 'table')} in {places}")
        self._announced = True
        self._write("readyok")

    def _set_option(self, text: str) -> None:
        name, value = read_option(text)
        known = name.lower()
        if known == "tablebasepath":
            self._path = "" if value == "<empty>" else value
            self._close()
        elif known == "multipv":
            self._lines = self._number(name, value, self._lines, MAX_LINES)
        elif known == "hash":
            self._cache = self._number(name, value, self._cache, MAX_CACHE)
            self._close()
        elif known == _VARIANT:
            self._set_variant(value)
        elif known in _CHOICES:
            if value in _CHOICES[known]:
                self._chosen[known] = value
            else:
                self._say(f"option {name} is {' or '.join(_CHOICES[known])}, not {quoted(value)}")
        else:
            self._say(f"no such option: {name or text}")

    def _set_variant(self, value: str) -> None:
        games = {rules.name: rules for rules in boards_of_games()}
        if value in games:
            self._rules = games[value]
            board = boards_of_games()[self._rules]()
            self._board = board if self._rules == ChessPosition.rules else without_castling(board)
            self._close()
        else:
            self._say(f"option UCI_Variant is {' or '.join(games)}, not {quoted(value)}")

    def _number(self, name: str, text: str, before: int, most: int) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
            self._say(f"option {name} is a number from 1 to {most}, not {quoted(text)}")
            return before
        return int(text)

    def _tables(self) -> Tablebase:
        if self._opened is None:
            # numba takes most of a second: too long before "uciok".
            from tablebase.core.answers.tablebase import Tablebase  # noqa: PLC0415

            self._opened = Tablebase(cache_size=self._cache * 2**20, rules=self._rules)
            for directory in split_path(self._path) or default_directories():
                try:
                    self._opened.add_directory(directory)
                except (OSError, ValueError) as error:
                    reason = getattr(error, "strerror", None) or error
                    self._say(f"no tables in {directory}: {reason}; set option TablebasePath")
        return self._opened

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened, self._announced = None, False

    def _position(self, text: str) -> None:
        chess960 = self._chosen[_CHESS960] == "true"
        try:
            board = read_position_command(text, chess960=chess960, rules=self._rules)
        except ValueError as error:
            self._board = None
            told = str(error)
            self._say(told if told.startswith("illegal position") else f"illegal position: {told}")
            return
        kind, *fields = re.split(r"\smoves\b", text)[0].split()
        if kind == "fen" and (words := left_out(" ".join(fields), self._rules, chess960=chess960)):
            self._say(words)
        self._board = board
        if board.castling_rights and self._rules != ChessPosition.rules:
            self._board = without_castling(board)
            if board.occupied.bit_count() <= self._rules.most_men:
                rights = board.fen().split()[2]
                self._say(
                    f"castling rights {rights} do not count, because tables of {self._rules.name} "
                    "have none: results and moves are those without them"
                )

    # Playing

    def _go(self, text: str) -> None:
        self._finish()  # every "go" gets its move, even if the GUI forgot to say "stop"
        words = text.split()
        self._answer = "bestmove " + self._think(words)
        if "infinite" in words:
            self._release = frozenset({"stop"})
        elif "ponder" in words:
            self._release = frozenset({"stop", "ponderhit"})
        else:
            self._finish()

    def _stop(self, _: str) -> None:
        if "stop" in self._release:
            self._finish()

    def _ponder_hit(self, _: str) -> None:
        if "ponderhit" in self._release:
            self._finish()

    def _finish(self) -> None:
        if self._answer:
            self._write(self._answer)
        self._answer, self._release = "", frozenset()

    def _think(self, words: Sequence[str]) -> str:
        """Send the best lines to the GUI; return the best move and the move to ponder on."""
        started = time.perf_counter()
        board = self._board
        if board is None:
            return NO_MOVE
        if played_on(board).end:
            outcome = played_on(board).final_outcome()
            # Mate 0 is that of who has lost; who has won, as by having no pieces, is to be told so.
            score = ("mate 1" if outcome > 0 else "mate 0") if outcome else "cp 0"
            self._write(f"info depth 0 score {score}")
            return NO_MOVE
        tables = CountedTables(self._tables())
        wanted = read_searchmoves(words, board)
        if not wanted:
            self._say("no move of searchmoves is legal here")
            return NO_MOVE
        moves = [one for one in self._moves(tables, board) if one.move in wanted]
        if self._chosen[_RESISTANCE] == PRACTICAL:
            moves = self._hardest_first(tables, board, moves)
        lines = []
        for number, one in enumerate(moves[: self._lines], 1):
            line = self._line(tables, board, one)
            lines.append(line)
            plies = plies_of(one, line)
            milliseconds = int(1000 * (time.perf_counter() - started))
            self._write(
                f"info depth {max(1, abs(plies or 0))} multipv {number}{score_of(plies)} "
                f"nodes {tables.nodes} tbhits {tables.hits} "
                f"time {milliseconds} pv {' '.join(move.uci() for move in line)}"
            )
        is_open = self._rule50 and moves[0].wdl50 is None
        if is_open and (warning := self._warning(board, moves[0].dtm, lines[0])):
            self._say(warning)
        return " ponder ".join(move.uci() for move in lines[0][:2])

    def _warning(self, board: chess.Board, plies: int | None, line: Sequence[chess.Move]) -> str:
        # Moves on a variant's board are not those of its tables; without a line it warns sooner.
        return fifty_move_warning(board, plies, line if self._rules == ChessPosition.rules else ())

    @property
    def _rule50(self) -> bool:
        return self._chosen[_RULE50] == "true"

    def _moves(self, tables: CountedTables, board: chess.Board) -> Sequence[KnownMove[chess.Move]]:
        """Return all legal moves, best first."""
        proven: Sequence[KnownMove[chess.Move]] = ()
        unknown = UNKNOWN
        try:
            known = look_up(tables, played_on(board), rule50=self._rule50)
        except (TablebaseError, OSError) as error:
            self._say(error)
        else:
            if not known.is_proven:
                return known.moves
            self._say(known.no_table)
            proven, unknown = known.moves, UNKNOWN if known.wdl else UNKNOWN_OF_DRAW
        plain = [
            KnownMove(move, None, None, mate=False, zeroing=board.is_zeroing(move))
            for move in board.legal_moves
        ]
        moves = [self._with_table(tables, board, one) for one in proven or plain]
        if any(one.dtm is None and one.wdl is not None for one in moves):
            missing = "distances to mate" if proven else "distances"
            self._say(f"`tablebase solve` proved results here, without {missing}")

        def order(one: KnownMove[chess.Move]) -> tuple[float, ...]:
            result = one.result
            strength = unknown if result is None else result
            # Where no distance tells wins apart, a capture or a pawn's move is progress for sure.
            slow = one.dtm is None and one.wdl == Wdl.WIN and not one.zeroing
            # Equal proven moves are in order.
            return (-strength,) if proven else (-strength, slow, one.dtm or 0)

        return sorted(moves, key=order)

    def _hardest_first(
        self, tables: CountedTables, board: chess.Board, moves: list[KnownMove[chess.Move]]
    ) -> list[KnownMove[chess.Move]]:
        """Return moves, best first, with the move that is hardest to answer before them."""
        with suppress(TablebaseError, OSError):
            if found := practical_move(tables, board, moves, rule50=self._rule50):
                return [found, *(one for one in moves if one is not found)]
        self._say(f"Resistance is {LONGEST_DEFENCE} here: it is not known how hard moves are")
        return moves

    def _with_table(
        self, tables: CountedTables, board: chess.Board, one: KnownMove[chess.Move]
    ) -> KnownMove[chess.Move]:
        """Return a move with its values in a table if possible, else with its result."""
        rank = partial(rank_move, played_on(board), one.move)
        with suppress(TablebaseError, OSError):
            return by_tables(tables, rank, rule50=self._rule50)
        after = board.copy(stack=False)
        after.push(one.move)
        with suppress(TablebaseError, OSError):
            wdl = Wdl(-tables.probe_wdl(after))
            one = replace(one, wdl=wdl, wdl50=None if wdl else Wdl50.DRAW)
            tables.hits += 1
        return one

    def _line(
        self, tables: CountedTables, board: chess.Board, one: KnownMove[chess.Move]
    ) -> list[chess.Move]:
        """Return a move and the best moves after it, to mate or to where no table has the position.

        If mate is very far, only one move follows.
        """
        if not one.wdl:
            return [one.move]
        after = played_on(board).after(one.move)
        try:
            if one.dtm is None and one.dtz is None:  # its result is proven
                return [one.move, *(reply.move for reply in tables.sources.rank(after.board)[:1])]
            if abs(one.dtm or 0) > MAX_PLIES:  # following it would take half a minute
                replies = by_tables(tables, partial(rank_moves, after), rule50=self._rule50)
                return [one.move, *(reply.move for reply in replies[:1])]
            return [one.move, *by_tables(tables, partial(mainline, after), rule50=self._rule50)]
        except (TablebaseError, OSError):
            return [one.move]
