"""A UCI engine that plays from tables: the fastest mate in time, the longest defence.

It speaks the Universal Chess Interface of Stefan Meyer-Kahlen (April 2006). Looking up a position
takes milliseconds, so each line is answered before the next one is read; after ``go infinite`` and
``go ponder`` the best move is held back until the GUI asks for it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import chess

from tablebase._version import __version__
from tablebase.board import DTZ, MAX_PLIES, Wdl50, fifty_move_warning, illegality, read_fen
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.locations import default_directories, split_path
from tablebase.probing import mainline, rank_move, rank_moves

if TYPE_CHECKING:
    from tablebase.probing import Tablebase
    from tablebase.solving import ProvenMove

Found = TypeVar("Found")

NO_MOVE = "(none)"  # as Stockfish says it; the null move 0000 would read like a move
DEFAULT_CACHE = 192  # MiB
MAX_CACHE = 65536  # MiB
UNKNOWN = (Wdl50.WIN + Wdl50.CURSED_WIN) / 2  # strength of a move of which nothing is known
MAX_LINES = 256  # more than the 218 moves of any position

# Each word is looked at once, however many blanks there are.
_VALUE = re.compile(r"(?<=\s)value(?!\S)")


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move and what is known of it.

    Attributes
    ----------
    move : chess.Move
        The move.
    dtm : int or None
        Distance to mate in plies, signed; None if no table has it.
    wdl50 : Wdl50 or None
        The result under the 50-move rule; None if the rule is not in force, or it is not known.
    wdl : int or None
        The result that a region has proven, where no table has a distance.
    """

    move: chess.Move
    dtm: int | None
    wdl50: Wdl50 | None = None
    wdl: int | None = None

    @property
    def strength(self) -> float:
        """A number that is larger for the better result.

        Known wins come first, and rather into the unknown than into a known draw or loss.
        """
        if self.wdl50 is not None:
            return self.wdl50
        if self.dtm is not None:
            return 2 * ((self.dtm > 0) - (self.dtm < 0))
        return UNKNOWN if self.wdl is None else 2 * self.wdl

    def plies(self, line: Sequence[chess.Move]) -> int | None:
        """Return how far away mate is by best play as it is known; 0 for a draw.

        Where the 50-move rule bars the shortest way, the line that it lets pass is longer.
        """
        if self.dtm is None:
            return 0 if self.wdl == 0 else None
        if not self.dtm or (self.wdl50 is not None and abs(self.wdl50) < Wdl50.WIN):
            return 0
        plies = max(abs(self.dtm), len(line))
        return plies if self.dtm > 0 else -plies


def score_of(dtm: int | None) -> str:
    """Return a signed distance in plies as UCI says it: in moves, nothing if it is not known.

    >>> score_of(31), score_of(-2), score_of(0)
    (' score mate 16', ' score mate -1', ' score cp 0')
    """
    if dtm is None:
        return ""
    return f" score mate {(dtm + 1) // 2}" if dtm else " score cp 0"


def read_position(text: str) -> chess.Board:
    """Return the board that the words after ``position`` describe.

    Castling rights without king and rook at home are dropped.

    Raises
    ------
    ValueError
        If they describe none, or an illegal position or move.
    """
    setup, _, moves = f" {text} ".partition(" moves ")
    kind, _, fen = setup.strip().partition(" ")
    if kind == "startpos":
        board = chess.Board()
    elif kind == "fen":
        board = read_fen(fen)
    else:
        raise ValueError(f"neither startpos nor fen: {text!r}")
    if reason := illegality(board):
        raise ValueError(f"{reason}: {fen}")
    for move in moves.split():
        if not board.push_uci(move):
            raise ValueError(f"a null move is not a move of a game: {text}")
    return board


def read_option(text: str) -> tuple[str, str]:
    """Return name (in lower case) and value of the option that the words after ``setoption`` set.

    >>> read_option("name TablebasePath value /my tables")
    ('tablebasepath', '/my tables')
    """
    word, _, rest = text.partition(" ")
    if word != "name":
        return "", ""
    found = _VALUE.search(f" {rest}")
    if found is None:
        return rest.strip().lower(), ""
    return rest[: found.start() - 1].strip().lower(), rest[found.end() - 1 :].strip()


def read_searchmoves(words: Sequence[str], board: chess.Board) -> set[chess.Move]:
    """Return the legal ones of the moves after ``searchmoves``, all legal moves if there is none.

    Parameters
    ----------
    words
        The words after ``go``.
    board
        The position.
    """
    legal = set(board.legal_moves)
    if "searchmoves" not in words:
        return legal
    named = words[words.index("searchmoves") :]
    return {move for move in legal if move.uci() in named} or legal


class Engine:
    """The engine: lines of the GUI in, lines for the GUI out.

    Parameters
    ----------
    write
        Takes each line for the GUI, without its end.
    path
        Folders of tables, separated as in ``PATH``; if empty, those of
        `tablebase.locations.default_directories`.
    """

    def __init__(self, write: Callable[[str], None], path: str) -> None:
        self._write = write
        self._path = self._default_path = path
        self._lines = 1
        self._cache = DEFAULT_CACHE
        self._debug = False
        self._rule50 = True
        self._opened: Tablebase | None = None
        self._announced = False
        self._nodes = self._hits = 0
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
        """Answer lines until one says ``quit`` or there are no more."""
        for line in lines:
            if not self.handle(line):
                break
        self._finish()
        self._close()

    def handle(self, line: str) -> bool:
        """Carry out one line and return whether to continue after it.

        Words before the first command are skipped, as UCI wants it.
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
            "uciok",
        ):
            self._write(line)

    def _debug_mode(self, text: str) -> None:
        self._debug = text != "off"

    def _is_ready(self, _: str) -> None:
        # Kernels are loaded here, so that no clock runs meanwhile.
        tables = self._tables()
        tables.probe_wdl(chess.Board("8/8/8/8/8/2k5/8/K7 w - - 0 1"))
        if tables.directories and not self._announced:
            places = os.pathsep.join(map(str, tables.directories))
            self._say(f"{len(tables.available_tables)} tables in {places}")
        self._announced = True
        self._write("readyok")

    def _set_option(self, text: str) -> None:
        name, value = read_option(text)
        if name == "tablebasepath":
            self._path = "" if value == "<empty>" else value
            self._close()
        elif name == "multipv":
            self._lines = self._number(name, value, self._lines, MAX_LINES)
        elif name == "hash":
            self._cache = self._number(name, value, self._cache, MAX_CACHE)
            self._close()
        elif name == "syzygy50moverule":
            if value not in {"true", "false"}:
                self._say(f"option {name} is true or false, not {value!r}")
            else:
                self._rule50 = value == "true"
        elif name != "ponder":  # there is nothing to prepare for it
            self._say(f"no such option: {name or text}")

    def _number(self, name: str, text: str, before: int, most: int) -> int:
        if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
            self._say(f"option {name} is a number from 1 to {most}, not {text!r}")
            return before
        return int(text)

    def _tables(self) -> Tablebase:
        if self._opened is None:
            # numba takes most of a second: too long before "uciok".
            from tablebase.probing import Tablebase  # noqa: PLC0415

            self._opened = Tablebase(cache_size=self._cache * 2**20)
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
        try:
            self._board = read_position(text)
        except ValueError as error:
            self._board = None
            self._say(f"illegal position: {error}")

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
        """Tell the GUI about the best lines; return the best move and the one to ponder on."""
        started = time.perf_counter()
        self._nodes = self._hits = 0
        board = self._board
        if board is None:
            return NO_MOVE
        if not any(board.legal_moves):
            self._write("info depth 0 score " + ("mate 0" if board.is_check() else "cp 0"))
            return NO_MOVE
        wanted = read_searchmoves(words, board)
        choices = [choice for choice in self._choices(board) if choice.move in wanted]
        lines = []
        for number, choice in enumerate(choices[: self._lines], 1):
            line = self._line(board, choice)
            lines.append(line)
            plies = choice.plies(line)
            milliseconds = int(1000 * (time.perf_counter() - started))
            self._write(
                f"info depth {max(1, abs(plies or 0))} multipv {number}{score_of(plies)} "
                f"nodes {self._nodes} tbhits {self._hits} "
                f"time {milliseconds} pv {' '.join(move.uci() for move in line)}"
            )
        is_open = self._rule50 and choices[0].wdl50 is None
        if is_open and (warning := fifty_move_warning(board, choices[0].dtm, lines[0])):
            self._say(warning)
        return " ponder ".join(move.uci() for move in lines[0][:2])

    def _choices(self, board: chess.Board) -> list[Choice]:
        """Return all legal moves, best first."""
        try:
            self._probe(board)
            ranked = self._ask(partial(rank_moves, board))
            return [Choice(one.move, one.dtm, one.wdl50) for one in ranked]
        except (TablebaseError, OSError) as error:
            self._say(error)
        return self._choices_beyond_the_tables(board)

    def _choices_beyond_the_tables(self, board: chess.Board) -> list[Choice]:
        """Return all legal moves of a position that no table has, best first."""
        try:
            proven = {one.move: one for one in self._tables().rank_proven(board)}
        except (TablebaseError, OSError):
            proven = {}
        choices = [self._choice(board, move, proven.get(move)) for move in board.legal_moves]
        if any(one.wdl is not None for one in choices):
            told = "no distance to mate" if proven else "nothing that tells of progress"
            self._say(f"results proven by `tablebase solve` are kept; there is {told}")
        places = {move: place for place, move in enumerate(proven)}
        is_drawn = bool(proven) and next(iter(proven.values())).wdl == 0

        def order(one: Choice) -> tuple[float, ...]:
            strength = -0.5 if is_drawn and one.strength == UNKNOWN else one.strength
            # Where no distance tells wins apart, a capture or a pawn's move is progress for sure.
            slow = not proven and one.wdl == 1 and not board.is_zeroing(one.move)
            return -strength, places.get(one.move, 0), slow, one.dtm or 0

        return sorted(choices, key=order)

    def _choice(self, board: chess.Board, move: chess.Move, proven: ProvenMove | None) -> Choice:
        """Return a move of which a table may be missing."""
        try:
            one = self._ask(partial(rank_move, board, move))
        except (TablebaseError, OSError):
            board.push(move)
            mates, wdl = board.is_checkmate(), self._proven(board)
            board.pop()
            if mates:
                return Choice(move, 1, Wdl50.WIN)
            told = proven.wdl if proven else None
            return Choice(move, None, wdl=told if wdl is None else -wdl)
        return Choice(move, one.dtm, one.wdl50)

    def _proven(self, board: chess.Board) -> int | None:
        """Return the result that a region has proven of a position, None if there is none."""
        try:
            wdl = self._tables().get_wdl(board)
        except (TablebaseError, OSError):
            return None
        self._hits += wdl is not None
        return wdl

    def _ask(self, about: Callable[..., Found]) -> Found:
        """Return what functions of `probing` find by the 50-move rule, if tables know of it."""
        if self._rule50:
            with suppress(MissingTableError):
                return about(self._probe, self._probe_zeroing)
        return about(self._probe)

    def _probe(self, board: chess.Board) -> int:
        """Return the outcome of a position, and count it."""
        self._nodes += 1
        outcome = self._tables().probe_outcome(board)
        self._hits += 1
        return outcome

    def _probe_zeroing(self, board: chess.Board) -> int:
        """Return the outcome by distance to zeroing; the position was counted before."""
        return self._tables().probe_outcome(board, DTZ)

    def _line(self, board: chess.Board, choice: Choice) -> list[chess.Move]:
        """Return a move and the best ones after it, up to mate as far as there are tables.

        Only the first of these if mate is very far.
        """
        if not choice.dtm and not choice.wdl:
            return [choice.move]
        board.push(choice.move)
        try:
            if not choice.dtm:
                replies = self._tables().rank_proven(board)
                return [choice.move, *(one.move for one in replies[:1])]
            if abs(choice.dtm) > MAX_PLIES:  # following it would take half a minute
                return [
                    choice.move,
                    *(one.move for one in self._ask(partial(rank_moves, board))[:1]),
                ]
            return [choice.move, *self._ask(partial(mainline, board))]
        except (TablebaseError, OSError):
            return [choice.move]
        finally:
            board.pop()
