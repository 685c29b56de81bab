"""What a region says of a position that no table has: proven results without distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablebase.board import Wdl
from tablebase.errors import MissingTableError, UnsupportedPositionError

if TYPE_CHECKING:
    import chess

    from tablebase.probing import Tablebase

NO_LINE = "A region has no distances, and so no line: `tablebase solve` shows how a win is won."
_WORDS = {1: "win", 0: "draw", -1: "loss", None: "not known"}


def proven_result(tables: Tablebase, board: chess.Board) -> int | None:
    """Return a result that is proven in a region; None if a table has more, or nothing is known."""
    try:
        tables.probe_outcome(board)
    except (MissingTableError, UnsupportedPositionError):
        return tables.get_wdl(board)
    return None


def proven_moves(tables: Tablebase, board: chess.Board) -> dict[chess.Move, int | None]:
    """Return all legal moves with their proven results for who makes them, best first."""
    found: dict[chess.Move, int | None] = {}
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        wdl = tables.get_wdl(after)
        found[move] = None if wdl is None else -wdl

    def rank(move: chess.Move) -> float:
        wdl = found[move]
        return -0.5 if wdl is None else wdl  # it may be better than a loss

    return {move: found[move] for move in sorted(found, key=rank, reverse=True)}


def proven_text(board: chess.Board, wdl: int, moves: dict[chess.Move, int | None]) -> str:
    """Return who is to move, the result, and the moves by result."""
    sides = ("White", "Black") if board.turn else ("Black", "White")
    result = {1: f"{sides[0]} wins", 0: "Draw", -1: f"{sides[1]} wins"}[wdl]
    lines = [f"{sides[0]} to move", f"{result}, proven", ""]
    groups: dict[int | None, list[str]] = {}
    for move, one in moves.items():
        groups.setdefault(one, []).append(board.san(move))
    return "\n".join(lines + [f"{_WORDS[one]}: {' '.join(sans)}" for one, sans in groups.items()])


def describe_proven(
    board: chess.Board, wdl: int, moves: dict[chess.Move, int | None]
) -> dict[str, Any]:
    """Return the same as JSON has it: with the keys of other positions, null for distances."""

    def values(one: int | None) -> dict[str, Any]:
        # The 50-move rule changes nothing about a draw.
        wdl50, category = (0, "draw") if one == 0 else (None, "unknown")
        return {"wdl": one, "wdl50": wdl50, "category": category, "dtm_plies": None, "dtz": None}

    return {
        "fen": board.fen(),
        "result": Wdl(wdl).name.lower(),
        **values(wdl),
        "dtm_moves": None,
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "fifty_move_warning": None,
        "moves": [
            {
                "uci": move.uci(),
                "san": board.san(move),
                **values(one),
                "mate": _mates(board, move),
                "zeroing": board.is_zeroing(move),
            }
            for move, one in moves.items()
        ],
    }


def _mates(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
