"""Positions in the JSON of lichess's tablebase server, as plain dictionaries.

The fields are those of lila-tablebase (https://github.com/lichess-org/lila-tablebase), so that its
clients understand them. Values are exact distances to mate of play without the 50-move rule; this
module knows no other metric, so ``dtz``, ``precise_dtz``, ``dtw`` and ``dtc`` are always None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess

from tablebase.board import FIFTY_MOVES, MAX_MEN, illegality, read_fen
from tablebase.errors import MissingTableError, UnsupportedPositionError

if TYPE_CHECKING:
    from tablebase.probing import Tablebase

# Categories of the position after a move, seen from the opponent, best first for the mover. An
# unknown result may be a win, so it comes before what is known to be less.
CATEGORIES = ("loss", "unknown", "maybe-loss", "draw", "maybe-win", "win")


def read_position(text: str) -> chess.Board:
    """Return the legal position that a FEN describes, see `tablebase.board.read_fen`.

    Raises
    ------
    UnsupportedPositionError
        If it is not a FEN, or the position is illegal or has castling rights. With more men than
        tables have, castling rights do no harm: the value is unknown anyway.
    """
    board = read_fen(text)
    if reason := illegality(board):
        raise UnsupportedPositionError(f"illegal position: {reason}")
    if board.castling_rights and board.occupied.bit_count() <= MAX_MEN:
        raise UnsupportedPositionError("positions with castling rights have no value: write -")
    return board


def category(dtm: int | None, halfmove_clock: int, *, checkmate: bool = False) -> str:
    """Return the result in the words of lichess's server.

    Parameters
    ----------
    dtm
        Distance to mate in plies, negative if the side to move loses, 0 for a draw, None if
        unknown.
    halfmove_clock
        Plies since the last capture or pawn move.
    checkmate
        Whether the side to move is checkmated; `dtm` does not matter then.

    Returns
    -------
    str
        ``win`` or ``loss`` if mate comes before a draw can be claimed by the 50-move rule,
        ``maybe-win`` or ``maybe-loss`` if it might not, ``draw`` or ``unknown``.

    Examples
    --------
    >>> category(31, 69), category(31, 70), category(-2, 0), category(0, 0), category(None, 0)
    ('win', 'maybe-win', 'loss', 'draw', 'unknown')
    """
    if checkmate:
        dtm = 0
    elif dtm is None:
        return "unknown"
    elif dtm == 0:
        return "draw"
    result = "win" if dtm > 0 else "loss"
    return result if abs(dtm) + halfmove_clock <= FIFTY_MOVES else f"maybe-{result}"


def describe_position(tablebase: Tablebase, board: chess.Board) -> dict[str, Any]:
    """Return the fields of a position, without its moves.

    Parameters
    ----------
    tablebase
        The tables.
    board
        A legal position without castling rights, of any number of men.

    Returns
    -------
    dict
        The facts by the rules (booleans), the distances and the category, seen from the side to
        move. ``dtm`` is in plies: 0 for a draw, None if unknown or checkmate.

    Raises
    ------
    CorruptTableError
        If a file is damaged.
    """
    checkmate, stalemate = board.is_checkmate(), board.is_stalemate()
    insufficient = board.is_insufficient_material()
    dtm = None
    if stalemate or insufficient:
        dtm = 0
    elif not checkmate:
        dtm = tablebase.get_dtm(board)
    return {
        "checkmate": checkmate,
        "stalemate": stalemate,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": insufficient,
        "dtz": None,
        "precise_dtz": None,
        "dtm": dtm,
        "dtw": None,
        "dtc": None,
        "category": category(dtm, board.halfmove_clock, checkmate=checkmate),
    }


def describe_standard(tablebase: Tablebase, board: chess.Board) -> dict[str, Any]:
    """Return a position with all its moves, the answer to ``GET /standard``.

    Parameters
    ----------
    tablebase, board
        As for `describe_position`; the board is the same afterwards.

    Returns
    -------
    dict
        The fields of `describe_position`, and ``moves``: for every legal move ``uci``, ``san``,
        ``zeroing``, ``conversion`` and the fields of the position after it, seen from the
        opponent; best first.

    Raises
    ------
    CorruptTableError
        If a file is damaged.
    """
    moves = [
        (_describe_move(tablebase, board, move), _men_gained(board, move))
        for move in list(board.legal_moves)
    ]
    moves.sort(key=lambda one: _preference(*one))
    return describe_position(tablebase, board) | {"moves": [move for move, _ in moves]}


def describe_mainline(tablebase: Tablebase, board: chess.Board) -> dict[str, Any]:
    """Return the moves up to mate, the answer to ``GET /standard/mainline``.

    Parameters
    ----------
    tablebase, board
        As for `describe_position`; the board is the same afterwards.

    Returns
    -------
    dict
        ``mainline``, the fastest mate against the longest defence: ``uci``, ``san`` and, seen
        from the opponent after the move, ``dtm``. ``winner`` is ``w``, ``b`` or None for a draw.
        ``dtm`` is that of the position itself.

    Raises
    ------
    MissingTableError
        If a table that is needed is not available, or there are too many men for any.
    CorruptTableError
        If a file is damaged.
    """
    here = describe_position(tablebase, board)
    if here["category"] == "unknown":
        raise MissingTableError(f"no table of {men_in_words(board)}")
    line = tablebase.mainline(board) if here["dtm"] else []
    steps: list[dict[str, Any]] = []
    after = board.copy(stack=False)
    for number, move in enumerate(line, 1):
        left = len(line) - number
        names = {"uci": move.uci(), "san": after.san(move)}
        dtm = (left if left % 2 else -left) or None
        steps.append(names | {"dtz": None, "precise_dtz": None, "dtm": dtm})
        after.push(move)
    winner = None
    if here["dtm"] != 0:
        winner = "b" if after.turn == chess.WHITE else "w"
    return {
        "dtz": None,
        "precise_dtz": None,
        "dtm": here["dtm"],
        "mainline": steps,
        "winner": winner,
    }


def men_in_words(board: chess.Board) -> str:
    """Return the men on a board, White's first.

    >>> men_in_words(chess.Board("8/8/8/8/8/2k5/1R6/K2n4 w - - 0 1"))
    'KRvKN'
    """
    sides = (
        "".join(
            chess.piece_symbol(kind).upper() * len(board.pieces(kind, color))
            for kind in reversed(chess.PIECE_TYPES)
        )
        for color in (chess.WHITE, chess.BLACK)
    )
    return "v".join(sides)


def _describe_move(tablebase: Tablebase, board: chess.Board, move: chess.Move) -> dict[str, Any]:
    description = {
        "uci": move.uci(),
        "san": board.san(move),
        "zeroing": board.is_zeroing(move),
        "conversion": board.is_capture(move) or move.promotion is not None,
    }
    board.push(move)
    try:
        return description | describe_position(tablebase, board)
    finally:
        board.pop()


def _men_gained(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """Return the kinds of the man captured and of the man promoted to, 0 for none."""
    captured = board.piece_type_at(move.to_square) or 0
    if board.is_en_passant(move):
        captured = chess.PAWN
    return captured, move.promotion or 0


def _preference(move: dict[str, Any], gained: tuple[int, int]) -> tuple[Any, ...]:
    """Return what is smaller for the better move, in the order of lichess's server."""
    dtm = move["dtm"] or 0
    holding_out = move["category"] in {"win", "maybe-win"}
    return (
        CATEGORIES.index(move["category"]),
        not move["checkmate"],
        not move["stalemate"],
        not move["insufficient_material"],
        ((dtm > 0) - (dtm < 0), -dtm),
        move["conversion"] == holding_out,
        move["zeroing"] == holding_out,
        tuple(-kind for kind in gained),
        move["uci"],
    )
