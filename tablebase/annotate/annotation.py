"""Games judged by tables: the value of every known position, the better move where one exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Self, TypeVar

import chess
import chess.engine
import chess.pgn

from tablebase.core.answers.known import rank_by_tables
from tablebase.core.answers.ranking import RankedMove
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.argument_readers import as_flag
from tablebase.core.ground.errors import (
    InvalidRulesError,
    MissingTableError,
    UndecidedError,
    UnsupportedPositionError,
)
from tablebase.core.ground.words import moves_in_words, winner_moves
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.chess_variants import drop_idle_rights, played_on
from tablebase.practice.sight import difficulty as difficulty_of

T = TypeVar("T")
# What a move may do: give the result away, or lose time only.
CHANGES, SLOWER = "changes", "slower"
_SAYS = {
    Wdl50.WIN: "wins",
    Wdl50.CURSED_WIN: "wins, but too late for the 50-move rule",
    Wdl50.DRAW: "draws",
    Wdl50.BLESSED_LOSS: "loses, but too late for the 50-move rule",
    Wdl50.LOSS: "loses",
}
_DECISIVE = {Wdl50.WIN, Wdl50.LOSS}
# Centipawns of a win whose distance is not known, as programs have it.
_FAR = 10_000
_JUDGEMENTS = range(chess.pgn.NAG_GOOD_MOVE, chess.pgn.NAG_DUBIOUS_MOVE + 1)


@dataclass
class Annotations:
    """Comments by tables on the moves of some games, variations included.

    Colours are those of python-chess: White is True.
    """

    positions: int = 0
    known: int = 0  # positions that the tables know
    # moves that were `CHANGES` or `SLOWER`
    faults: Counter[tuple[chess.Color, str]] = field(default_factory=Counter)
    # results that `CHANGES` gave up
    given_up: Counter[tuple[chess.Color, Wdl50]] = field(default_factory=Counter)
    on_time: int = 0  # games that were won on time by a side that could never mate
    missing: set[str] = field(default_factory=set)  # materials without a table
    # sums of known difficulties, by side to move, if asked for
    difficulty: Counter[chess.Color] = field(default_factory=Counter)
    judged: Counter[chess.Color] = field(default_factory=Counter)  # the number of these positions

    def __iadd__(self, other: Annotations) -> Self:
        """Add the counts of another game."""
        self.positions += other.positions
        self.known += other.known
        self.faults += other.faults
        self.given_up += other.given_up
        self.on_time += other.on_time
        self.missing |= other.missing
        self.difficulty += other.difficulty
        self.judged += other.judged
        return self


def annotate(
    game: chess.pgn.Game,
    tables: Tablebase,
    *,
    only_results: bool = False,
    difficulty: bool = False,
) -> Annotations:
    """Write into a game what tables know of it.

    Every known position that is not the last one gets its value as ``[%eval]``. A move that changes
    the result gets ``?``, or ``??`` if it makes a loss of a win; one that mates later or is mated
    earlier than need be gets ``?!`` (among cursed wins the distance to zeroing counts); with a
    comment that names the better move. Such marks of the move from before are taken away, other
    comments and marks stay. Results are those under the 50-move rule if the tables know of it.

    A game that was won on time by a side that could never mate gets a comment at its end.

    Parameters
    ----------
    game
        The game, which is changed.
    tables
        Where to look its positions up.
    only_results
        Whether moves that merely lose time pass.
    difficulty
        Whether the comment on a move that changes the result says how difficult its position was.

    Returns
    -------
    Annotations
        How many positions are known, and how many moves were at fault; none of a game whose
        headers make no sense.

    Raises
    ------
    CorruptTableError
        If a file is damaged.
    """
    only_results = as_flag("only_results", only_results)
    difficulty = as_flag("difficulty", difficulty)
    found = Annotations()
    for node, board in each_position(game):
        ranked = told_by_tables(found, partial(_ranked, tables, board))
        hard = _difficulty(tables, board, found) if difficulty and ranked else None
        if ranked:
            node.set_eval(_score(ranked[0], board.turn))
        for child in node.variations:
            if ranked and child.move:  # a null move is no move of the game
                played = next(one for one in ranked if one.move == child.move)
                fault = fault_of(played, ranked[0])
                if fault == CHANGES or (fault == SLOWER and not only_results):
                    found.faults[board.turn, fault] += 1
                    found.given_up[board.turn, ranked[0].result] += fault == CHANGES
                    _mark(child, board, played, ranked[0], hard)
    found.on_time += _note_time(game, tables)
    return found


def _ranked(tables: Tablebase, board: chess.Board) -> list[RankedMove[chess.Move]]:
    """Return all moves by tables of the game, best first; errors as `rank_by_tables`."""
    return rank_by_tables(tables, played_on(board))


def _note_time(game: chess.pgn.Game, tables: Tablebase) -> bool:
    """Comment on a game that a side has won on time although it could never mate; return if so."""
    winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(game.headers.get("Result", ""))
    end = game.end()
    if winner is None or not _has_won_on_time(game.headers, winner, end.comment):
        return False
    try:
        board = end.board()
    except ValueError:  # no FEN, or no variant
        return False
    if board.turn == winner:  # the flag of a side falls that is to move
        return False
    try:
        if tables.can_mate(board, winner):
            return False
    except (InvalidRulesError, UndecidedError, UnsupportedPositionError):
        return False
    name = chess.COLOR_NAMES[winner].title()
    said = f"{name} can never win: the game is drawn, although time has run out"
    if tables.rules.ends_by_mate:
        said = f"{name} can never mate: the game is drawn, although time has run out (FIDE 6.9)"
    if said not in end.comment:
        end.comment = f"{end.comment} {said}".strip()
    return True


def _has_won_on_time(headers: chess.pgn.Headers, winner: chess.Color, comment: str) -> bool:
    """Return whether a tag says so, or without one the last comment as servers write it."""
    termination = headers.get("Termination", "?").strip()
    if termination not in {"", "?"}:
        return bool(re.fullmatch("time forfeit|.+ won on time", termination, re.IGNORECASE))
    won, lost = (chess.COLOR_NAMES[color].title() for color in (winner, not winner))
    loser = re.escape(headers.get(lost, "?"))
    said = rf"({won} wins on time|({lost}|{loser}) forfeits on time)\.?(?!\S)(?! [^A-Z])"
    return bool(re.match(said, " ".join(re.sub(r"\[%[^]]*\]", "", comment).split())))


def each_position(game: chess.pgn.Game) -> Iterator[tuple[chess.pgn.GameNode, chess.Board]]:
    """Yield nodes and boards of a game, variations included; none if its headers make no sense."""
    try:
        waiting: list[tuple[chess.pgn.GameNode, chess.Board]] = [(game, game.board())]
    except ValueError:  # no FEN, or no variant
        return
    drop_idle_rights(waiting[0][1])
    while waiting:
        node, board = waiting.pop()
        yield node, board
        for child in node.variations:
            after = board.copy(stack=False)
            after.push(child.move)
            waiting.append((child, after))


def told_by_tables(found: Annotations, ask: Callable[[], T]) -> T | None:
    """Count a position; return what the tables say about it, None if they do not know it."""
    found.positions += 1
    try:
        told = ask()
    except MissingTableError as error:
        found.missing.update(error.materials)
        return None
    except UnsupportedPositionError:
        return None
    found.known += 1
    return told


def _difficulty(tables: Tablebase, board: chess.Board, found: Annotations) -> float | None:
    """Return the difficulty of a known position; None if tables lack distances to zeroing."""
    try:
        hard = difficulty_of(tables, board)
    except (MissingTableError, UnsupportedPositionError):
        return None
    found.difficulty[board.turn] += hard  # type: ignore[assignment]
    found.judged[board.turn] += 1
    return hard


def _score(best: RankedMove[chess.Move], turn: chess.Color) -> chess.engine.PovScore:
    """Return the value of a position as programs show it."""
    score: chess.engine.Score = chess.engine.Cp(0)
    if best.result in _DECISIVE:
        score = chess.engine.Cp(_FAR * best.wdl)
        if best.dtm is not None:
            score = chess.engine.Mate(winner_moves(best.dtm) * best.wdl)
    return chess.engine.PovScore(score, turn)


def fault_of(played: RankedMove[chess.Move], best: RankedMove[chess.Move]) -> str:
    """Return the fault of a move beside the best one: `CHANGES`, `SLOWER` or nothing."""
    if played.result != best.result:
        return CHANGES
    ours, right = _distance(played), _distance(best)
    # A win in fewer plies is better, so is a loss in more.
    return SLOWER if ours is not None and right is not None and ours > right else ""


def _distance(one: RankedMove[chess.Move]) -> int | None:
    """Return the distance by which moves of one result differ, None if it is not known.

    Where the 50-move rule draws a win, it is the distance to zeroing, which comes too late.
    """
    is_to_end = one.result in _DECISIVE and one.dtm is not None
    return one.dtm if is_to_end else one.dtz if one.result else 0


def _mark(
    node: chess.pgn.ChildNode,
    board: chess.Board,
    played: RankedMove[chess.Move],
    best: RankedMove[chess.Move],
    hard: float | None,
) -> None:
    """Mark a move that is at fault."""
    node.nags.difference_update(_JUDGEMENTS)
    if fault_of(played, best) == SLOWER:
        node.nags.add(chess.pgn.NAG_DUBIOUS_MOVE)
    elif best.result > Wdl50.DRAW > played.result:
        node.nags.add(chess.pgn.NAG_BLUNDER)
    else:
        node.nags.add(chess.pgn.NAG_MISTAKE)
    text = compared(played, best, board.san(best.move))
    if hard is not None and fault_of(played, best) == CHANGES:
        text += f" Difficulty {hard:.2f}."
    if text not in node.comment:
        node.comment = f"{node.comment} {text}".strip()


def compared(played: RankedMove[chess.Move], best: RankedMove[chess.Move], san: str) -> str:
    """Return a comment on a move at fault beside the best one, whose SAN is given.

    It has the number that shows the fault, and ends with a full stop.
    """
    words = _says(played)
    words = f"{words[0].upper()}{words[1:]}"
    if played.result != best.result or (best.result in _DECISIVE and best.dtm is not None):
        return f"{words}; {san} {_says(best)}."
    ours, right = (abs(one.dtz or 0) for one in (played, best))
    return f"{words} (DTZ {ours}); {san} has DTZ {right}."


def _says(one: RankedMove[chess.Move]) -> str:
    """Return a comment on a move."""
    words = _SAYS[one.result]
    if one.result in _DECISIVE and one.dtm is not None:
        return f"{words} in {moves_in_words(one.dtm)}"
    return words
