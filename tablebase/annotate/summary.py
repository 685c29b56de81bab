"""Games counted by ending, player and position up to symmetry: what was played and given away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import chess
import chess.pgn

from tablebase._version import __version__
from tablebase.annotate.annotation import Annotations, compared, each_position, told_by_tables
from tablebase.core.answers.known import rank_by_tables
from tablebase.core.answers.ranking import rank_move
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.ground.extras import require_packages
from tablebase.core.ground.words import counted
from tablebase.core.outcomes.metrics import DTZ, Outcome, Wdl50, wdl50
from tablebase.core.positions.chess_variants import boards_of_games, played_on
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.finding.orbit_keys import orbit_image
from tablebase.practice.sight import difficulty as difficulty_of

UNKNOWN = "unknown"  # a player whom the tags do not name
_MOST_NAMED = 3  # of several right moves
_NO_NAMES = {"", "?", "-", "????.??.??"}


@dataclass(slots=True, eq=False, kw_only=True)
class MoveCount:
    """Counts of moves of some positions."""

    reached: int = 0  # how many times
    games: int = 0  # that reached one
    moves: int = 0
    mistakes: int = 0  # moves that changed the result
    rated: int = 0  # moves of which it is known how difficult their positions are
    difficulties: float = 0.0  # the sum over these

    @property
    def predicted(self) -> float | None:
        """The mean difficulty of the positions of the moves; None if it is not known."""
        return self.difficulties / self.rated if self.rated else None

    @property
    def given_away_in_words(self) -> str:
        """How often the result was given away, like ``2 of 5 moves gave it away``."""
        if self.moves == self.mistakes:
            every = "the only move" if self.moves == 1 else f"all {self.moves:,} moves"
            return f"{every} gave it away"
        return f"{self.mistakes:,} of {counted(self.moves, 'move')} gave it away"

    def add(self, moves: Sequence[tuple[chess.Move, bool]], difficulty: float | None) -> None:
        """Count a position of known difficulty or none, and moves, each with whether it is bad."""
        self.reached += 1
        self.moves += len(moves)
        self.mistakes += sum(is_mistake for _, is_mistake in moves)
        if difficulty is not None:
            self.rated += len(moves)
            self.difficulties += difficulty * len(moves)


@dataclass(slots=True, eq=False, kw_only=True)
class EndingCount(MoveCount):
    """What games did in an ending, variations included."""

    material: Material  # normalized

    @property
    def name(self) -> str:
        """The material, like ``KQK``, or ``KQK of atomic``."""
        rules = self.material.rules
        return f"{self.material} of {rules.name}" if rules.mark else str(self.material)


@dataclass(slots=True, eq=False, kw_only=True)
class PlayerCount(MoveCount):
    """What a player did, by the name in the games; variations do not count."""

    name: str
    given_away: list[Mistake] = field(default_factory=list)


@dataclass(slots=True, eq=False, kw_only=True)
class PositionCount(EndingCount):
    """What games did in a position up to symmetry."""

    orbit: int  # the number of the position, as in `orbit`
    fen: str  # with the stronger side as White
    first: str  # the same position as it was played first
    at: dict[int, int]  # the squares there, by those of `fen`
    flip: int  # from squares of the image of the orbit to those of `fen`
    wdl50: Wdl50  # the result for the side to move, at a halfmove clock of 0
    difficulty: float | None  # at a clock of 0, as in `tablebase.difficulty`; None without DTZ
    # Moves in UCI notation, as in `fen`; of moves that are mirror images there, one stands for all.
    played: Counter[str] = field(default_factory=Counter)
    given_away: Counter[str] = field(default_factory=Counter)  # those that were mistakes
    examples: list[Mistake] = field(default_factory=list)  # the same, as they were played

    def in_words(self, moves: Counter[str]) -> str:
        """Return moves in `first` with their numbers, like ``Kd8 12, Kd7 3``."""
        board, words = _board_of(self.first, self.material.rules), []
        for uci, number in sorted(moves.items(), key=lambda one: (-one[1], one)):
            move = chess.Move.from_uci(uci)
            there = chess.Move(self.at[move.from_square], self.at[move.to_square], move.promotion)
            words.append(f"{board.san(there)} {number}")
        return ", ".join(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A move of a game that changed the result, in the position as it was played."""

    game: str  # in words, such as ``Anna - Ben, 2024.03.01``
    address: str  # of the game on the web; empty if its tag Site has none
    player: str
    fen: str
    rules: Rules
    move: chess.Move
    right: tuple[chess.Move, ...]  # the moves that keep the result, best first; none if unknown
    comment: str  # as in `annotate`, like ``Loses in 10 moves (20 plies); Ke8 draws.``
    is_variation: bool

    def board(self) -> chess.Board:
        """Return the position, of the class of its game."""
        return _board_of(self.fen, self.rules)

    @property
    def played(self) -> str:
        """The move with its number, like ``6... Kd8``."""
        board = self.board()
        dots = "." if board.turn else "..."
        return f"{board.fullmove_number}{dots} {board.san(self.move)}"

    @property
    def better(self) -> str:
        """The best moves that keep the result, like ``Ke8``; empty if they are not known."""
        board = self.board()
        words = [board.san(move) for move in self.right[:_MOST_NAMED]]
        more = len(self.right) - len(words)
        return ", ".join(words) + f" and {more} more" * (more > 0)


def _board_of(fen: str, rules: Rules) -> chess.Board:
    return boards_of_games()[rules](fen)


class GameSummary:
    """Counts of games, by ending, by player, and by position up to symmetry and exchanged colours.

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
    >>> from tablebase.annotate.pgn import read_game, split_games
    >>> from tablebase.annotate.summary import GameSummary
    >>> with open("examples/game.pgn") as file, open_tablebase("data") as tables:
    ...     summary = GameSummary(tables)
    ...     for text in split_games(file):
    ...         _ = summary.add(read_game(text))
    >>> [(str(one.material), one.moves, one.mistakes) for one in summary.endings()]
    [('KPK', 15, 1)]
    >>> worst = summary.positions()[0]
    >>> worst.first, worst.in_words(worst.given_away), worst.difficulty
    ('8/4k3/4P3/4K3/8/8/8/8 b - - 0 1', 'Kd8 1', 0.0)
    """

    def __init__(self, tables: Tablebase) -> None:
        self.games, self.seen = 0, Annotations()
        self._tables = tables
        self._positions: dict[int, PositionCount] = {}
        self._endings: dict[Material, EndingCount] = {}
        self._players: dict[str, PlayerCount] = {}

    def add(
        self, game: chess.pgn.Game, source: str = "", tables: Tablebase | None = None
    ) -> Annotations:
        """Count the positions and moves of a game, variations included.

        `source` is what the game is called if its tags name no players. `tables` are those of its
        rules, if not all games have the same.

        Raises `CorruptTableError` if a file is damaged.
        """
        self.games += 1
        tables, seen = tables or self._tables, Annotations()
        most = max((one.piece_count for one in tables.available_materials), default=0)
        reached: set[MoveCount] = set()
        for node, board in each_position(game):
            if board.castling_rights or board.occupied.bit_count() > most:
                seen.positions += 1
            else:
                judge = partial(_judged, tables, node, board)
                moves = told_by_tables(seen, judge)
                if moves is not None:
                    with suppress(UnsupportedPositionError):  # of an end that no table has
                        reached.update(self._count(tables, node, board, moves, source))
        for one in reached:
            one.games += 1
        self.seen += seen
        return seen

    def endings(self) -> list[EndingCount]:
        """Return the counts by ending, those reached most often first."""
        return sorted(self._endings.values(), key=lambda one: (-one.reached, one.name))

    def players(self) -> list[PlayerCount]:
        """Return the counts by player, those with the most mistakes first."""
        return sorted(self._players.values(), key=lambda one: (-one.mistakes, one.name))

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
        words = dict.fromkeys(("game", "player", "fen", "move"), text)
        example = pyarrow.struct({**words, "right": pyarrow.list_(text)})
        types = {
            "orbit": pyarrow.uint64(), "rules": text, "material": text, "fen": text,
            "wdl50": pyarrow.int8(),
            "reached": integer, "games": integer, "moves": integer, "mistakes": integer,
            "worst_move": text, "worst_count": integer, "difficulty": pyarrow.float64(),
            "played": pyarrow.list_(move), "examples": pyarrow.list_(example),
        }  # fmt: skip
        schema = pyarrow.schema(types.items(), metadata={"generator_version": __version__})
        return pyarrow.Table.from_pylist([*map(_row, self.positions())], schema)

    def _count(
        self,
        tables: Tablebase,
        node: chess.pgn.GameNode,
        board: chess.Board,
        moves: list[tuple[chess.Move, bool]],
        source: str,
    ) -> list[MoveCount]:
        """Count a position and the moves from it, each with whether it is a mistake."""
        orbit, twins = orbit_image(board)
        if orbit not in self._positions:
            self._positions[orbit] = _new_position(tables, orbit, board, twins[0].tolist())
        position = self._positions[orbit]
        material, hard = position.material, position.difficulty
        ending = self._endings.setdefault(material, EndingCount(material=material))
        mistakes: dict[chess.Move, Mistake] = {}
        for move, is_mistake in moves:
            ends = twins[:, [move.from_square, move.to_square]] ^ position.flip
            images = (chess.Move(one, other, move.promotion) for one, other in ends.tolist())
            name = min(image.uci() for image in images)
            position.played[name] += 1
            if is_mistake:
                position.given_away[name] += 1
                mistakes[move] = _mistake(tables, node, board, move, source)
        position.examples += mistakes.values()
        for count in (position, ending):
            count.add(moves, hard)
        if not node.is_mainline():
            return [position, ending]
        player = self._player(node, board)
        main = [one for one in moves if one[0] == node.variations[0].move]
        player.add(main, hard)
        player.given_away += (mistakes[move] for move, is_mistake in main if is_mistake)
        return [position, ending, player]

    def _player(self, node: chess.pgn.GameNode, board: chess.Board) -> PlayerCount:
        """Return the counts of the player to move."""
        name = _player_of(node, board.turn)
        return self._players.setdefault(name, PlayerCount(name=name))


def _mistake(
    tables: Tablebase,
    node: chess.pgn.GameNode,
    board: chess.Board,
    move: chess.Move,
    source: str,
) -> Mistake:
    """Return a move that is a mistake with the better ones."""
    right: tuple[chess.Move, ...] = ()
    comment = ""
    with suppress(MissingTableError):  # after a move that was not played
        ranked = rank_by_tables(tables, played_on(board))
        played = next(one for one in ranked if one.move == move)
        right = tuple(one.move for one in ranked if one.result == ranked[0].result)
        comment = compared(played, ranked[0], board.san(right[0]))
    headers = node.game().headers
    site = headers.get("Site", "")
    child = node.variation(move)
    return Mistake(
        game=_game_in_words(headers) or source,
        address=site if site.startswith(("https://", "http://")) else "",
        player=_player_of(node, board.turn),
        fen=board.fen(),
        rules=tables.rules,
        move=move,
        right=right,
        comment=comment,
        is_variation=not child.is_mainline(),
    )


def _new_position(
    tables: Tablebase, orbit: int, board: chess.Board, places: list[int]
) -> PositionCount:
    """Return a position that was not reached before, without counts."""
    is_swapped = board.turn == chess.BLACK and not tables.rules.one_sided
    # Both keep the checks left, which `mirror` exchanges with the colours.
    shown, hard = board.mirror() if is_swapped else board.copy(stack=False), None
    shown.set_piece_map(
        {
            places[at]: chess.Piece(man.piece_type, man.color != is_swapped)
            for at, man in board.piece_map().items()
        }
    )
    shown.ep_square = None if board.ep_square is None else places[board.ep_square]
    shown.halfmove_clock, shown.fullmove_number = 0, 1
    material = played_on(shown).setup().material
    if not material.is_normalized:
        material = material.normalized()
        shown = shown.mirror()
    result = tables.get_wdl50(shown)
    if result is None:  # without distances to zeroing
        result = 2 * tables.probe_wdl(shown)
    with suppress(MissingTableError):  # of distances to zeroing, or after a move
        hard = difficulty_of(tables, shown)
    first = board.copy(stack=False)
    first.halfmove_clock, first.fullmove_number = 0, 1
    # Where colours are exchanged, the image has White to move.
    flip = 56 if shown.turn == chess.BLACK and not tables.rules.one_sided else 0
    return PositionCount(
        material=material,
        orbit=orbit,
        fen=shown.fen(),
        first=first.fen(),
        at={place ^ flip: square for square, place in enumerate(places)},
        flip=flip,
        wdl50=Wdl50(result),
        difficulty=hard,
    )


def _player_of(node: chess.pgn.GameNode, turn: chess.Color) -> str:
    """Return the name of a player by the tags of a game."""
    name = node.game().headers.get("White" if turn else "Black", "").strip()
    return UNKNOWN if name in _NO_NAMES else name


def _game_in_words(headers: chess.pgn.Headers) -> str:
    """Return a game by its tags, like ``Anna - Ben, club championship, 2024.03.01``."""
    white, black = (headers.get(side, "?").strip() or "?" for side in ("White", "Black"))
    if {white, black} <= _NO_NAMES:
        return ""
    more = (headers.get(tag, "").strip() for tag in ("Event", "Date"))
    return ", ".join([f"{white} - {black}", *(one for one in more if one not in _NO_NAMES)])


def _judged(
    tables: Tablebase, node: chess.pgn.GameNode, board: chess.Board
) -> list[tuple[chess.Move, bool]]:
    """Return the moves from a position, and whether each changes the result, as `annotate` judges.

    That ranks all moves, while two positions tell it of one, which takes a third of the time.
    """
    position, dtm_of = played_on(board), tables.probe_outcome
    dtz_of = partial(dtm_of, metric=DTZ)
    best = Outcome(dtm_of(board)).result
    # Null moves are no moves of a game.
    moves = [one.move for one in node.variations if one.move]
    try:
        best50 = wdl50(dtz_of(board), board.halfmove_clock, position.rules.ply_offset)
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
    examples = [
        {
            "game": each.game, "player": each.player, "fen": each.fen, "move": each.move.uci(),
            "right": [right.uci() for right in each.right],
        }
        for each in one.examples
    ]  # fmt: skip
    return {
        "orbit": one.orbit, "rules": one.material.rules.name, "material": one.material.name,
        "fen": one.fen, "wdl50": one.wdl50,
        "reached": one.reached, "games": one.games, "moves": one.moves, "mistakes": one.mistakes,
        "worst_move": worst, "worst_count": count, "difficulty": one.difficulty, "played": played,
        "examples": examples,
    }  # fmt: skip
