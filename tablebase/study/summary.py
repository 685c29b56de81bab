"""Games counted by ending and by position up to symmetry: what was played, what was given away."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import chess.pgn

from tablebase._version import __version__
from tablebase.core.board import D4, Color
from tablebase.core.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes import DTZ, Outcome, Wdl50, wdl50
from tablebase.core.positions import ChessPosition
from tablebase.core.probing import Tablebase, rank_move
from tablebase.practice import difficulty as difficulty_of
from tablebase.study.annotation import each_position
from tablebase.study.orbit_keys import as_setup, image_of
from tablebase.study.positions import import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablebase.core.positions import Setup
    from tablebase.core.rules import Material

_EMPTY = "/".join(["." * 8] * 8)
_SYMMETRIES: list[list[int]] = D4.tolist()


@dataclass(slots=True)
class PositionCount:
    """What games did in a position up to symmetry, shown with the stronger side as White.

    Moves are counted in UCI notation, as they are in ``fen``; those that a symmetry of the position
    makes of each other are one move.
    """

    orbit: int  # the number of the position, as of `orbit`
    material: Material  # normalized
    fen: str
    result: Wdl50  # for the side to move, at a halfmove clock of 0
    difficulty: float | None  # at a clock of 0, as of `tablebase.difficulty`; None without DTZ
    times: int = 0  # that it was reached, variations included
    games: int = 0  # that reached it
    moves: Counter[str] = field(default_factory=Counter)
    mistakes: Counter[str] = field(default_factory=Counter)  # moves that changed the result

    @property
    def result_name(self) -> str:
        """The result in words, such as ``cursed win``."""
        return self.result.name.lower().replace("_", " ")

    def in_words(self, moves: Counter[str]) -> str:
        """Return moves of the position with their numbers, like ``Kd8 12, Kd7 3``."""
        board = chess.Board(self.fen)
        names = ((board.san(chess.Move.from_uci(one)), count) for one, count in moves.items())
        return ", ".join(f"{san} {n}" for san, n in sorted(names, key=lambda one: (-one[1], one)))


@dataclass(slots=True)
class EndingCount:
    """What games did in an ending."""

    material: Material  # normalized
    reached: int = 0  # positions, variations included
    games: int = 0
    moves: int = 0
    mistakes: int = 0  # moves that changed the result
    difficulty: float = 0.0  # the sum over the moves where it is known
    rated: int = 0  # how many these are

    @property
    def predicted(self) -> float | None:
        """The mean difficulty of the positions of the moves; None if it is not known."""
        return self.difficulty / self.rated if self.rated else None


class _Kept(NamedTuple):
    """A position, its ending, and how to carry moves over to the board that is shown."""

    position: PositionCount
    ending: EndingCount
    flip: int  # 56 if the side to move is Black there, to turn ranks around, else 0
    turns: list[list[int]]  # the symmetries of the position, each a square for each square


class GameSummary:
    """Counts of games, by ending and by position up to symmetry and exchanged colours.

    A mistake is a move that changes the result, under the 50-move rule with the halfmove clock of
    the game if tables know of the rule. Positions that tables do not have, or with castling rights,
    are not counted.

    Parameters
    ----------
    tables
        Where to look positions up. They must be open while games are added.

    Attributes
    ----------
    games, reached, known : int
        How many games were added, with how many positions, and how many of these were counted.
    missing : set of str
        Materials without a table that have no more men than the largest table.

    Examples
    --------
    >>> from tablebase import open_tablebase
    >>> from tablebase.study import GameSummary, read_game, split_games
    >>> with open("examples/game.pgn") as file, open_tablebase("data") as tables:
    ...     summary = GameSummary(tables)
    ...     for text in split_games(file):
    ...         summary.add(read_game(text))
    >>> [(str(one.material), one.moves, one.mistakes) for one in summary.endings()]
    [('KPK', 15, 1)]
    >>> worst = summary.positions()[0]
    >>> worst.fen, worst.in_words(worst.mistakes), worst.difficulty
    ('8/3k4/3P4/3K4/8/8/8/8 b - - 0 1', 'Ke8 1', 0.0)
    """

    def __init__(self, tables: Tablebase) -> None:
        self.games = self.reached = self.known = 0
        self.missing: set[str] = set()
        self._tables = tables
        self._most = max((one.piece_count for one in tables.available_materials), default=0)
        self._found: dict[int, _Kept] = {}
        self._endings: dict[Material, EndingCount] = {}

    def add(self, game: chess.pgn.Game) -> None:
        """Count the positions and moves of a game, variations included.

        Raises `CorruptTableError` if a file is damaged.
        """
        self.games += 1
        reached: dict[int, PositionCount | EndingCount] = {}
        for node, board in each_position(game):
            self.reached += 1
            if board.occupied.bit_count() > self._most:  # most positions of most games
                continue
            try:
                kept = self._count(node, board)
            except MissingTableError as error:
                self.missing.update(error.materials)
            except UnsupportedPositionError:
                pass
            else:
                reached |= {id(one): one for one in kept[:2]}
        for one in reached.values():
            one.games += 1

    def endings(self) -> list[EndingCount]:
        """Return the counts by ending, those reached most often first."""
        return sorted(self._endings.values(), key=lambda one: (-one.reached, one.material.name))

    def positions(self) -> list[PositionCount]:
        """Return the counts by position, those given away most often first."""

        def order(one: PositionCount) -> tuple[int, int, str]:
            return -one.mistakes.total(), -one.moves.total(), one.fen

        return sorted((kept.position for kept in self._found.values()), key=order)

    def given_away(self, limit: int) -> list[PositionCount]:
        """Return the first of `positions` that have mistakes."""
        return [one for one in self.positions()[:limit] if one.mistakes]

    def to_arrow(self) -> Any:
        """Return `positions` as an Arrow table, a row for each; docs/data.md has the columns.

        Raises `ImportError` if pyarrow is not installed.
        """
        pyarrow = import_extra("pyarrow", "Arrow and Parquet", extra="arrow")
        integer, text = pyarrow.int64(), pyarrow.string()
        move = pyarrow.struct({"move": text, "played": integer, "given_away": integer})
        types = {
            "orbit": pyarrow.uint64(), "material": text, "fen": text, "wdl50": pyarrow.int8(),
            "times": integer, "games": integer, "moves": integer, "mistakes": integer,
            "worst_move": text, "worst_count": integer, "difficulty": pyarrow.float64(),
            "played": pyarrow.list_(move),
        }  # fmt: skip
        columns = (
            zip(*map(_row, self.positions()), strict=True) if self._found else [()] * len(types)
        )
        schema = pyarrow.schema(types.items(), metadata={"generator_version": __version__})
        return pyarrow.table(dict(zip(types, columns, strict=True)), schema=schema)

    def _count(self, node: chess.pgn.GameNode, board: chess.Board) -> _Kept:
        """Count a position and the moves from it."""
        setup = as_setup(board)
        number, places = image_of(setup)
        kept = self._found.get(number)
        if kept is None:
            kept = self._found[number] = self._new(number, board, setup, places)
        position, ending, flip, turns = kept
        self.known += 1
        position.times += 1
        ending.reached += 1
        for move in filter(None, (child.move for child in node.variations)):  # no null moves
            try:
                is_mistake = _changes(self._tables, board, move)
            except MissingTableError as error:  # of the table that a capture or promotion leads to
                self.missing.update(error.materials)
                continue
            origin, target = (int(places[at]) ^ flip for at in (move.from_square, move.to_square))
            images = (chess.Move(one[origin], one[target], move.promotion) for one in turns)
            name = min(one.uci() for one in images)
            position.moves[name] += 1
            ending.moves += 1
            if position.difficulty is not None:
                ending.difficulty += position.difficulty
                ending.rated += 1
            if is_mistake:
                position.mistakes[name] += 1
                ending.mistakes += 1
        return kept

    def _new(
        self, number: int, board: chess.Board, setup: Setup, places: NDArray[np.uint8]
    ) -> _Kept:
        """Return a position that was not reached before, without counts."""
        at_start = board.copy(stack=False)
        at_start.halfmove_clock = 0
        hard = None
        with suppress(MissingTableError):  # of distances to zeroing, or after a move
            hard = difficulty_of(self._tables, at_start)
        try:
            result = self._tables.probe_wdl50(at_start)
        except MissingTableError:
            result = Wdl50(2 * Outcome(self._tables.probe_outcome(at_start)).result)
        material, letters, turns, flip = _shown(setup.material, setup.color)
        squares = [at ^ flip for at in places[list(setup.squares)].tolist()]
        men = dict(zip(squares, letters, strict=True))
        at = setup.passed
        passed = "-" if at is None else chess.square_name(int(places[at]) ^ flip)
        fen = f"{_placement(men)} {'b' if flip else 'w'} - {passed} 0 1"
        position = PositionCount(number, material, fen, result, hard)
        ending = self._endings.setdefault(material, EndingCount(material))
        kept = [one for one in turns if all(men.get(one[at]) == men[at] for at in men)]
        return _Kept(position, ending, flip, kept)


@lru_cache(maxsize=1024)  # as many materials as a large file of games has
def _shown(material: Material, color: Color) -> tuple[Material, str, list[list[int]], int]:
    """Return a material normalized, its letters as they are shown, symmetries and `_Kept.flip`."""
    is_stronger = (material if color is Color.WHITE else material.swapped()).is_normalized
    men = [(owner is color, material.rules.letter_of(man)) for owner, man in material.men]
    letters = "".join(one if own == is_stronger else one.lower() for own, one in men)
    normalized = material.normalized()
    symmetries = [_SYMMETRIES[one] for one in normalized.symmetries]
    return normalized, letters, symmetries, 0 if is_stronger else 56


def _placement(men: dict[int, str]) -> str:
    """Return letters by square as a FEN has them; a board would take five times as long."""
    signs = [*_EMPTY]
    for at, letter in men.items():
        signs[(7 - at // 8) * 9 + at % 8] = letter
    text = "".join(signs)
    for empty in range(8, 0, -1):
        text = text.replace("." * empty, str(empty))
    return text


def _changes(tables: Tablebase, board: chess.Board, move: chess.Move) -> bool:
    """Return whether a move changes the result, as `annotate` judges it by ranking all moves."""
    position, dtm_of = ChessPosition(board), tables.probe_outcome
    dtz_of = partial(dtm_of, metric=DTZ)
    try:
        best = wdl50(dtz_of(board), board.halfmove_clock)
        if best is Wdl50.LOSS:  # nothing is worse
            return False
        return rank_move(position, move, dtz_of, dtz_of).result != best
    except MissingTableError:  # of distances to zeroing: as if there were no 50-move rule
        return rank_move(position, move, dtm_of).wdl != Outcome(dtm_of(board)).result


def _row(one: PositionCount) -> tuple[Any, ...]:
    """Return the columns of a position."""
    worst = min(one.mistakes, key=lambda move: (-one.mistakes[move], move), default=None)
    played = [
        {"move": move, "played": count, "given_away": one.mistakes[move]}
        for move, count in one.moves.most_common()
    ]
    return (
        one.orbit, one.material.name, one.fen, int(one.result), one.times, one.games,
        one.moves.total(), one.mistakes.total(), worst, worst and one.mistakes[worst],
        one.difficulty, played,
    )  # fmt: skip
