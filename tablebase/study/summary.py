"""Games counted by ending and by position up to symmetry: what was played, what was given away."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import chess
import chess.pgn

from tablebase._version import __version__
from tablebase.core.errors import MissingTableError
from tablebase.core.extras import require_packages
from tablebase.core.outcomes import DTZ, Outcome, Wdl50, wdl50
from tablebase.core.positions import ChessPosition, material_of
from tablebase.core.probing import Tablebase, rank_move
from tablebase.practice import difficulty as difficulty_of
from tablebase.study.annotation import Annotations, each_position, told_by_tables
from tablebase.study.orbit_keys import orbit_image

if TYPE_CHECKING:
    from tablebase.core.rules import Material


@dataclass(slots=True, eq=False)
class EndingCount:
    """What games did in an ending."""

    material: Material  # normalized
    reached: int = 0  # how many times, variations included
    games: int = 0  # that reached it
    moves: int = 0
    mistakes: int = 0  # moves that changed the result
    rated: int = 0  # moves of which it is known how difficult their positions are
    difficulties: float = 0.0  # the sum over these

    @property
    def predicted(self) -> float | None:
        """The mean difficulty of the positions of the moves; None if it is not known."""
        return self.difficulties / self.rated if self.rated else None


@dataclass(slots=True, eq=False, kw_only=True)
class PositionCount(EndingCount):
    """What games did in a position up to symmetry, shown with the stronger side as White."""

    orbit: int  # the number of the position, as of `orbit`
    fen: str
    wdl50: Wdl50  # the result for the side to move, at a halfmove clock of 0
    difficulty: float | None  # at a clock of 0, as of `tablebase.difficulty`; None without DTZ
    played: Counter[str] = field(default_factory=Counter)  # moves in UCI notation, as in `fen`
    given_away: Counter[str] = field(default_factory=Counter)  # those that were mistakes

    def in_words(self, moves: Counter[str]) -> str:
        """Return moves of the position with their numbers, like ``Kd8 12, Kd7 3``."""
        board = chess.Board(self.fen)
        ordered = sorted(moves.items(), key=lambda one: (-one[1], one))
        return ", ".join(f"{board.san(chess.Move.from_uci(one))} {n}" for one, n in ordered)


class GameSummary:
    """Counts of games, by ending and by position up to symmetry and exchanged colours.

    A mistake is a move that changes the result, under the 50-move rule with the halfmove clock of
    the game if tables know of the rule. Positions with castling rights, or if a table of them or of
    a move played is missing, are not counted.

    Parameters
    ----------
    tables
        Where to look positions up. They must be open while games are added.

    Attributes
    ----------
    games : int
        How many games were added.
    seen : Annotations
        How many positions they have, how many of these were counted, and which tables are missing,
        of those with no more men than the largest table.

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
    >>> worst.fen, worst.in_words(worst.given_away), worst.difficulty
    ('8/3k4/3P4/3K4/8/8/8/8 b - - 0 1', 'Ke8 1', 0.0)
    """

    def __init__(self, tables: Tablebase) -> None:
        self.games, self.seen = 0, Annotations()
        self._tables = tables
        self._most = max((one.piece_count for one in tables.available_materials), default=0)
        self._positions: dict[int, PositionCount] = {}
        self._endings: dict[Material, EndingCount] = {}

    def add(self, game: chess.pgn.Game) -> None:
        """Count the positions and moves of a game, variations included.

        Raises `CorruptTableError` if a file is damaged.
        """
        self.games += 1
        reached: set[EndingCount] = set()
        for node, board in each_position(game):
            if board.castling_rights or board.occupied.bit_count() > self._most:
                self.seen.positions += 1
            else:
                judge = partial(_judged, self._tables, node, board)
                if (moves := told_by_tables(self.seen, judge)) is not None:
                    reached.update(self._count(board, moves))
        for one in reached:
            one.games += 1

    def endings(self) -> list[EndingCount]:
        """Return the counts by ending, those reached most often first."""
        return sorted(self._endings.values(), key=lambda one: (-one.reached, one.material.name))

    def positions(self) -> list[PositionCount]:
        """Return the counts by position, those given away most often first."""
        found = self._positions.values()
        return sorted(found, key=lambda one: (-one.mistakes, -one.moves, one.fen))

    def to_arrow(self) -> Any:
        """Return `positions` as an Arrow table, a row for each; docs/data.md has the columns.

        Raises `ImportError` if pyarrow is not installed.
        """
        require_packages("Arrow and Parquet need", "pyarrow")
        pyarrow = import_module("pyarrow")
        integer, text = pyarrow.int64(), pyarrow.string()
        move = pyarrow.struct({"move": text, "played": integer, "given_away": integer})
        types = {
            "orbit": pyarrow.uint64(), "material": text, "fen": text, "wdl50": pyarrow.int8(),
            "reached": integer, "games": integer, "moves": integer, "mistakes": integer,
            "worst_move": text, "worst_count": integer, "difficulty": pyarrow.float64(),
            "played": pyarrow.list_(move),
        }  # fmt: skip
        schema = pyarrow.schema(types.items(), metadata={"generator_version": __version__})
        return pyarrow.Table.from_pylist([*map(_row, self.positions())], schema)

    def _count(self, board: chess.Board, moves: list[tuple[chess.Move, bool]]) -> list[EndingCount]:
        """Count a position and the moves from it, each with whether it is a mistake."""
        orbit, places = orbit_image(board)
        if orbit not in self._positions:
            self._positions[orbit] = self._new(orbit, board, places.tolist())
        position = self._positions[orbit]
        material = position.material
        counts = [position, self._endings.setdefault(material, EndingCount(material))]
        for one in counts:
            one.reached += 1
        flip = 56 if " b " in position.fen else 0  # the image has White to move
        for move, is_mistake in moves:
            origin, target = (int(places[at]) ^ flip for at in (move.from_square, move.to_square))
            name = chess.Move(origin, target, move.promotion).uci()
            position.played[name] += 1
            if is_mistake:
                position.given_away[name] += 1
            for one in counts:
                one.moves += 1
                one.mistakes += is_mistake
                one.rated += position.difficulty is not None
                one.difficulties += position.difficulty or 0
        return counts

    def _new(self, orbit: int, board: chess.Board, places: list[int]) -> PositionCount:
        """Return a position that was not reached before, without counts."""
        shown, hard = chess.Board(None), None
        for at, man in board.piece_map().items():
            shown.set_piece_at(places[at], chess.Piece(man.piece_type, man.color == board.turn))
        if board.ep_square is not None:
            shown.ep_square = places[board.ep_square]
        material = material_of(shown)
        if not material.is_normalized:
            material = material.normalized()
            shown.apply_mirror()
        result = self._tables.get_wdl50(shown)
        if result is None:  # without distances to zeroing
            result = 2 * self._tables.probe_wdl(shown)
        with suppress(MissingTableError):  # of distances to zeroing, or after a move
            hard = difficulty_of(self._tables, shown)
        return PositionCount(
            material, orbit=orbit, fen=shown.fen(), wdl50=Wdl50(result), difficulty=hard
        )


def _judged(
    tables: Tablebase, node: chess.pgn.GameNode, board: chess.Board
) -> list[tuple[chess.Move, bool]]:
    """Return the moves from a position, and whether each changes the result, as `annotate` judges.

    That ranks all moves, while two positions tell it of one, which takes a third of the time.
    """
    position, dtm_of = ChessPosition(board), tables.probe_outcome
    dtz_of = partial(dtm_of, metric=DTZ)
    best = Outcome(dtm_of(board)).result
    # Null moves are no moves of a game.
    moves = [one.move for one in node.variations if one.move]
    try:
        best50 = wdl50(dtz_of(board), board.halfmove_clock)
        if best50 is Wdl50.LOSS:  # nothing is worse
            return [(one, False) for one in moves]
        return [(one, rank_move(position, one, dtm_of, dtz_of).result != best50) for one in moves]
    except MissingTableError:  # of distances to zeroing: as if there were no 50-move rule
        return [(one, rank_move(position, one, dtm_of).wdl != best) for one in moves]


def _row(one: PositionCount) -> dict[str, Any]:
    """Return the columns of a position."""
    worst, count = max(one.given_away.items(), key=lambda it: it[1], default=(None, None))
    played = [
        {"move": move, "played": times, "given_away": one.given_away[move]}
        for move, times in one.played.most_common()
    ]
    return {
        "orbit": one.orbit, "material": one.material.name, "fen": one.fen, "wdl50": one.wdl50,
        "reached": one.reached, "games": one.games, "moves": one.moves, "mistakes": one.mistakes,
        "worst_move": worst, "worst_count": count, "difficulty": one.difficulty, "played": played,
    }  # fmt: skip
