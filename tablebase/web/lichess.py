"""Positions in the JSON of lichess's tablebase server, as plain dictionaries.

The fields are those of lila-tablebase (https://github.com/lichess-org/lila-tablebase), so that its
clients understand them. Distances to zeroing are exact: ``precise_dtz`` is the same as ``dtz``, and
no category begins with ``syzygy-``. ``dtw`` and ``dtc`` are always None. Where no table has the
position and a region proves it, ``dtz_without_rule50`` is a further field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess

from tablebase.core.capacity import MAX_MEN
from tablebase.core.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.outcomes import (
    DTM,
    DTZ,
    FIFTY_MOVES,
    MATED_OUTCOME,
    Metric,
    Outcome,
    Wdl50,
    preference,
    signed,
    wdl50,
)
from tablebase.core.positions import ChessPosition, check_castling, check_legal, read_fen
from tablebase.core.probing import best_line, look_up
from tablebase.practice import difficulty as difficulty_of

if TYPE_CHECKING:
    from tablebase.core.probing import Tablebase

# Categories of the position after a move, seen from the opponent, best first for the mover. An
# unknown result may be a win, so it comes before what is known to be less.
CATEGORIES = (
    *("loss", "unknown", "maybe-loss", "blessed-loss"),
    *("draw", "cursed-win", "maybe-win", "win"),
)
# The same if a draw can be claimed before the move: then an unknown one is at best a cursed win.
_OF_CLAIMS = (
    *("loss", "maybe-loss", "blessed-loss", "unknown"),
    *("draw", "cursed-win", "maybe-win", "win"),
)
_KNOWN = [one for one in CATEGORIES if one != "unknown"]
_FAR = 1000  # plies to mate of a win or loss without a known distance
_FOR_THE_MOVER = dict(zip(_KNOWN, reversed(_KNOWN), strict=True))


def read_legal(text: str) -> chess.Board:
    """Return the legal position of a FEN, see `tablebase.core.board.read_fen`.

    Raises
    ------
    UnsupportedPositionError
        If it is not a FEN, or the position is illegal.
    """
    board = read_fen(text)
    check_legal(board)
    return board


def category(
    dtz: int | None,
    dtm: int | None = None,
    *,
    clock: int = 0,
    clock_before: int | None = None,
    checkmate: bool = False,
) -> str:
    """Return the result under the 50-move rule as a category of lichess's server.

    Parameters
    ----------
    dtz
        Distance to zeroing in plies, negative if the side to move loses, 0 for a draw, None if
        unknown.
    dtm
        Distance to mate likewise; it counts if `dtz` is unknown.
    clock
        Plies since the last capture or pawn move.
    clock_before
        The same before the move that led here; by default one less.
    checkmate
        Whether the side to move is checkmated; the distances do not matter then.

    Returns
    -------
    str
        ``win`` or ``loss`` if the 50-move rule lets it pass, ``cursed-win`` or ``blessed-loss`` if
        it makes it a draw, ``maybe-win`` or ``maybe-loss`` if the distance to mate does not tell
        which, ``draw`` or ``unknown``.

    Examples
    --------
    >>> category(31, clock=69), category(31, clock=70), category(-101)
    ('win', 'cursed-win', 'blessed-loss')
    >>> category(None, 31, clock=70), category(None)
    ('maybe-win', 'unknown')
    """
    known = -1 if checkmate else dtm if dtz is None else dtz
    if known is None:
        return "unknown"
    if known == 0:
        return "draw"
    before = max(0, clock - 1) if clock_before is None else clock_before
    result = "win" if known > 0 else "loss"
    outcome = MATED_OUTCOME if checkmate else known if known > 0 else ~-known
    if before < FIFTY_MOVES and abs(wdl50(outcome, clock)) == Wdl50.WIN:
        return result
    if dtz is None and not checkmate and max(before, clock) < FIFTY_MOVES:
        return f"maybe-{result}"
    return "cursed-win" if known > 0 else "blessed-loss"


def describe_position(
    tablebase: Tablebase, board: chess.Board, *, clock_before: int | None = None
) -> dict[str, Any]:
    """Return the fields of a position, without its moves.

    Parameters
    ----------
    tablebase
        The tables.
    board
        A legal position of any number of men. No table knows those with castling rights.
    clock_before
        The halfmove clock before the move that led here; by default one less.

    Returns
    -------
    dict
        The facts by the rules (booleans), the distances and the category, seen from the side to
        move. Distances are in plies: 0 for a draw, None if unknown. If it is checkmate, ``dtm`` is
        None and ``dtz`` is -1.

    Raises
    ------
    CorruptTableError
        If a file is damaged.
    """
    checkmate, stalemate = board.is_checkmate(), board.is_stalemate()
    insufficient = board.is_insufficient_material()
    dtz: int | None = 0
    dtm: int | None = 0
    if checkmate:
        dtz, dtm = DTZ.mated, None
    elif not (stalemate or insufficient):
        dtz, dtm = tablebase.get_dtz(board), tablebase.get_dtm(board)
    return {
        "checkmate": checkmate,
        "stalemate": stalemate,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": insufficient,
        "dtz": dtz,
        "precise_dtz": dtz,
        "dtm": dtm,
        "dtw": None,
        "dtc": None,
        "category": category(
            dtz,
            dtm,
            clock=board.halfmove_clock,
            clock_before=clock_before,
            checkmate=checkmate,
        ),
    }


def describe_standard(
    tablebase: Tablebase, board: chess.Board, *, difficulty: bool = False
) -> dict[str, Any]:
    """Return a position with all its moves, the answer to ``GET /standard``.

    Parameters
    ----------
    tablebase, board
        As for `describe_position`; the board is never changed.
    difficulty
        Whether each move has the ``difficulty`` of the position after it, None if tables lack it.

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
    board = board.copy(stack=False)  # moves are made on it
    moves = [
        (_describe_move(tablebase, board, move), _men_gained(board, move))
        for move in list(board.legal_moves)
    ]
    order = CATEGORIES if board.halfmove_clock < FIFTY_MOVES else _OF_CLAIMS
    moves.sort(key=lambda one: (order.index(one[0]["category"]), _preference(*one)))
    for move, _ in moves if difficulty else ():
        move["difficulty"] = _difficulty_after(tablebase, board, move["uci"])
    answer = describe_position(tablebase, board) | {"moves": [move for move, _ in moves]}
    if answer["category"] == "unknown":
        dtz, dtm = (_by_moves(answer["moves"], metric) for metric in (DTZ, DTM))
        answer |= {"dtz": dtz, "precise_dtz": dtz, "dtm": dtm}
        answer = _with_proven(tablebase, board, answer)
    # What tables and regions leave open, the positions after the moves may tell.
    if answer["category"] == "unknown" or answer["category"].startswith("maybe-"):
        best = min((move["category"] for move in answer["moves"]), key=order.index)
        answer["category"] = _FOR_THE_MOVER.get(best, answer["category"])
    return answer


def _by_moves(moves: list[dict[str, Any]], metric: Metric) -> int | None:
    """Return a distance of a position as its moves tell it: all of them, or a win in one ply."""
    outcomes = [
        Outcome(MATED_OUTCOME if move["checkmate"] else after - (after < 0)).before(
            metric, zeroing=move["zeroing"]
        )
        for move in moves
        if (after := move[metric.name]) is not None or move["checkmate"]
    ]
    best = max(outcomes, key=preference, default=0)
    return signed(best, metric) if best == 1 or len(outcomes) == len(moves) else None


def _difficulty_after(tablebase: Tablebase, board: chess.Board, uci: str) -> float | None:
    """Return the opponent's difficulty after a move, None if it is not known."""
    after = board.copy(stack=False)
    after.push_uci(uci)
    try:
        return difficulty_of(tablebase, after)
    except (MissingTableError, UnsupportedPositionError):
        return None


def _with_proven(
    tablebase: Tablebase, board: chess.Board, answer: dict[str, Any]
) -> dict[str, Any]:
    """Return the answer for a position without a table, completed by the results of a region.

    Regions leave the 50-move rule out, so wins and losses are ``maybe-win`` and ``maybe-loss``.
    """
    try:
        known = look_up(tablebase, ChessPosition(board))
    except (MissingTableError, UnsupportedPositionError):
        return answer
    by_name = {move["uci"]: move for move in answer["moves"]}
    moves = []
    for one in known.moves:
        move = by_name[one.move.uci()]
        if move["category"] == "unknown" and one.wdl is not None:
            clock = 0 if one.zeroing else board.halfmove_clock + 1
            before = board.halfmove_clock
            move["category"] = category(None, -one.wdl * _FAR, clock=clock, clock_before=before)
            if one.dtz_without_rule50 is not None and not one.zeroing:
                move["dtz_without_rule50"] = one.wdl - one.dtz_without_rule50
        moves.append(move)
    result = category(None, known.wdl * _FAR, clock=board.halfmove_clock)
    far = known.dtz_without_rule50
    return answer | {"category": result, "moves": moves, "dtz_without_rule50": far}


def describe_mainline(tablebase: Tablebase, board: chess.Board) -> dict[str, Any]:
    """Return the best moves of both sides, the answer to ``GET /standard/mainline``.

    Parameters
    ----------
    tablebase, board
        As for `describe_position`; the board is never changed.

    Returns
    -------
    dict
        ``mainline``, the moves up to mate, or up to where a draw can be claimed by the 50-move
        rule, as `Tablebase.mainline` chooses them: ``uci``, ``san`` and, seen from the opponent
        after the move, ``dtz``, ``precise_dtz``, ``dtm``. These also of the position itself.
        ``winner`` is ``w``, ``b`` or None for a draw. Where distances to zeroing are needed and
        not available, the rule does not count.

    Raises
    ------
    MissingTableError
        If a table of distances to mate that is needed is not available, or there are too many men
        for any. A mate in one needs none.
    UnsupportedPositionError
        If there are castling rights otherwise.
    CorruptTableError
        If a file is damaged.
    """
    here = describe_position(tablebase, board)
    wdl = tablebase.get_wdl(board)
    is_over = here["checkmate"] or here["category"] == "draw" or wdl == 0
    line: list[chess.Move] | None = [] if is_over else None
    if here["category"] == "unknown" and wdl is None:
        line = _mate_in_one(board)
        here |= {"dtz": 1, "precise_dtz": 1, "dtm": 1}
    steps: list[dict[str, Any]] = []
    after = board.copy(stack=False)
    for move in best_line(tablebase, ChessPosition(board)) if line is None else line:
        names = {"uci": move.uci(), "san": after.san(move)}
        after.push(move)
        steps.append(names | _distances(describe_position(tablebase, after)))
    winner = None
    if after.is_checkmate():
        winner = "b" if after.turn == chess.WHITE else "w"
    return _distances(here) | {"mainline": steps, "winner": winner}


def _mate_in_one(board: chess.Board) -> list[chess.Move]:
    """Return a move that mates, none if a draw can be claimed before it.

    Raises
    ------
    UnsupportedPositionError
        If there is none, and the position has castling rights.
    MissingTableError
        If there is none otherwise.
    """
    after = board.copy(stack=False)
    for move in board.legal_moves:
        after.push(move)
        if after.is_checkmate():
            return [move] if board.halfmove_clock < FIFTY_MOVES else []
        after.pop()
    if board.occupied.bit_count() <= MAX_MEN:
        check_castling(board)
    raise MissingTableError(f"no table of {men_in_words(board)}")


def _distances(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: facts[name] for name in ("dtz", "precise_dtz", "dtm")}


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
    clock = board.halfmove_clock
    board.push(move)
    try:
        return description | describe_position(tablebase, board, clock_before=clock)
    finally:
        board.pop()


def _men_gained(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """Return the kinds of the captured man and of the promoted man, 0 for none."""
    captured = board.piece_type_at(move.to_square) or 0
    if board.is_en_passant(move):
        captured = chess.PAWN
    return captured, move.promotion or 0


def _preference(move: dict[str, Any], gained: tuple[int, int]) -> tuple[Any, ...]:
    """Return a key that sorts moves of a category best first, in the order of lichess's server."""
    dtm = move["dtm"] or 0
    holding_out = move["category"].endswith("win")
    return (
        not move["checkmate"],
        not move["stalemate"],
        not move["insufficient_material"],
        ((dtm > 0) - (dtm < 0), -dtm),
        move["conversion"] == holding_out,
        move["zeroing"] == holding_out,
        -(move["dtz"] or 0),
        tuple(-kind for kind in gained),
        move["uci"],
    )
