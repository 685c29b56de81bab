"""Positions in the JSON of lichess's tablebase server, as plain dictionaries.

The fields are those of lila-tablebase (https://github.com/lichess-org/lila-tablebase), for its
clients. Distances to zeroing are exact: ``precise_dtz`` equals ``dtz``, and no category begins with
``syzygy-``. The distance to the end is ``dtm``, where no king is royal ``dtw``; the other one is
None, as is ``dtc``. A proven result adds ``dtz_without_rule50``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess

from tablebase.core.answers.known import best_line, look_up
from tablebase.core.board.geometry import PieceType
from tablebase.core.castling.solved_sets import UnsolvedSetError
from tablebase.core.ground.errors import (
    MissingTableError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes.metrics import (
    DTM,
    DTZ,
    FIFTY_MOVES,
    MATED_OUTCOME,
    WON_OUTCOME,
    Metric,
    Outcome,
    Wdl50,
    preference,
    signed,
    wdl50,
)
from tablebase.core.positions.any_position import as_position, left_out, read_position
from tablebase.core.positions.chess_board import check_legal
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.chess_variants import boards_of_games, is_without_winner
from tablebase.core.rules.refusals import has_mates
from tablebase.practice.sight import difficulty as difficulty_of
from tablebase.serve.chances import who_can_win

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.positions.position import Board, Position
    from tablebase.core.rules.rules import Rules

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
_ENDS = {"bare king", "goal", "explosion", "third check"}  # other than mate, with royal kings
_FAR = 1000  # plies to mate of a win or loss without a known distance
_FOR_THE_MOVER = dict(zip(_KNOWN, reversed(_KNOWN), strict=True))


def read_legal(text: str, rules: Rules = ChessPosition.rules) -> Board:
    """Return the legal position of a FEN, see `positions.any_position.read_position`.

    Raises `UnsupportedPositionError` if it is no FEN of the game, or illegal.
    """
    board = read_position(text, rules).board
    if isinstance(board, chess.Board):
        check_legal(board)
    return board


def describe_standard(
    tablebase: Tablebase, board: Board, *, difficulty: bool = False
) -> dict[str, Any]:
    """Return a position with all its moves, best first, the answer to ``GET /standard``.

    Each of the ``moves`` has ``uci``, ``san``, ``zeroing``, ``conversion`` and the fields of the
    position after it, from the opponent, with its ``difficulty`` if asked for.
    """
    position = as_position(board)
    moves = []
    for made in position.moves():
        kinds = _kinds_gained(position, made.move)
        after = _described(tablebase, made.after, clock_before=position.clock)
        described = {
            "uci": made.move.uci(),
            "san": position.name_of(made.move),
            "zeroing": made.zeroing,
            "conversion": any(kinds),
            **after,
        }
        if difficulty:
            described["difficulty"] = _difficulty_of(tablebase, made.after.board)
        moves.append((described, kinds))
    order = CATEGORIES if position.clock < FIFTY_MOVES else _OF_CLAIMS
    moves.sort(key=lambda one: (order.index(one[0]["category"]), _preference(*one)))
    answer = _described(tablebase, position) | {"moves": [move for move, _ in moves]}
    if not position.end and has_mates(position.rules):
        answer |= who_can_win(tablebase, position)
    if answer["category"] == "unknown":
        dtz, far = (_by_moves(answer["moves"], metric, position.rules) for metric in (DTZ, DTM))
        answer |= {"dtz": dtz, "precise_dtz": dtz, _far_of(position.rules): far}
        answer = _with_proven(tablebase, position, answer)
    # What tables and regions leave open, the positions after the moves may tell.
    if answer["category"] == "unknown" or answer["category"].startswith("maybe-"):
        best = min((move["category"] for move in answer["moves"]), key=order.index)
        answer["category"] = _FOR_THE_MOVER.get(best, answer["category"])
    return answer


def describe_many(
    describe: Callable[..., dict[str, Any]], tablebase: Tablebase, fens: Iterable[str]
) -> list[dict[str, Any]]:
    """Return the answer of `describe_standard` to each FEN, or an ``error`` with the reason."""
    answers = []
    for fen in fens:
        try:
            answer = describe(tablebase, read_legal(fen, tablebase.rules))
            words = left_out(fen, tablebase.rules)
            answers.append(answer | ({"left_out": words} if words else {}))
        except UnsupportedPositionError as error:
            answers.append({"error": str(error)})
        except UnsolvedSetError:
            answers.append({"error": "positions with castling rights are solved one by one: GET"})
    return answers


def _kinds_gained(position: Position[Any], move: Any) -> tuple[int, int]:
    """Return the kinds of the captured man and of the promoted man, 0 for none."""
    if not isinstance(position, ChessPosition):
        return move.captured or 0, move.promotion or 0
    captured = position.board.piece_type_at(move.to_square) or 0
    if position.board.is_en_passant(move):
        captured = chess.PAWN
    return captured, move.promotion or 0


def describe_position(tablebase: Tablebase, board: Board) -> dict[str, Any]:
    """Return the fields of a legal position, without its moves, from the side to move.

    Distances are in plies, 0 for a draw, None if unknown. A game that is over has ``dtz`` 1 if the
    side to move has won, -1 if it has lost, and then ``dtm`` None.
    """
    return _described(tablebase, as_position(board))


def _described(
    tablebase: Tablebase, position: Position[Any], *, clock_before: int | None = None
) -> dict[str, Any]:
    """Return the fields of a position; `clock_before` is as in `category`."""
    end, board = position.end, position.board
    outcome = (position.final_outcome() if end else None) or 0
    is_royal = position.rules.royal
    dtz: int | None = 0
    far: int | None = 0
    if outcome:
        dtz, far = (1 if outcome > 0 else DTZ.mated), None if is_royal else 0
    elif not end:
        dtz, far = tablebase.get_dtz(board), tablebase.get_dtm(board)
        if dtz is None and far == 1:  # a mate also ends the count
            dtz = 1
    insufficient = not (dtz or far) and _is_insufficient(tablebase, position)
    if insufficient:
        dtz = far = 0
    if not position.rules.fifty_moves:
        dtz = None
    return {
        "checkmate": end == "checkmate",
        "stalemate": end == "stalemate",
        "variant_win": outcome > 0,
        "variant_loss": outcome < 0 and (not is_royal or end in _ENDS),
        "insufficient_material": insufficient,
        "dtz": dtz,
        "precise_dtz": dtz,
        "dtm": far if is_royal else None,
        "dtw": None if is_royal else far,
        "dtc": None,
        "category": _category_of(position, dtz, far, clock_before, over=outcome),
    }


def _far_of(rules: Rules) -> str:
    """Return the name of the distance to the end of a game."""
    return "dtm" if rules.royal else "dtw"


def _is_insufficient(tablebase: Tablebase, position: Position[Any]) -> bool:
    """Return whether neither side has the men to win, by the game's board of python-chess.

    Where there are helpmates, they decide, and so do the tables, which the caller asks before.
    """
    board = position.board
    if not isinstance(board, chess.Board):
        known = boards_of_games().get(position.rules)
        if known is None:
            return False
        board = known(position.fen)
    if not is_without_winner(board):
        return False
    return bool(who_can_win(tablebase, position).get("dead", True))


def _category_of(
    position: Position[Any],
    dtz: int | None,
    dtm: int | None,
    clock_before: int | None,
    *,
    over: int,
) -> str:
    """Return the category of a position by the rules of its game, and its outcome if it is over."""
    clock = position.clock
    if not position.rules.fifty_moves:  # then no clock counts
        dtz, clock, clock_before = dtm, -_FAR, 0
    found = category(dtz, dtm, clock=clock, clock_before=clock_before, checkmate=bool(over))
    return _FOR_THE_MOVER[found] if over > 0 else found  # who has won is to move


def category(
    dtz: int | None,
    dtm: int | None = None,
    *,
    clock: int = 0,
    clock_before: int | None = None,
    checkmate: bool = False,
) -> str:
    """Return the result under the 50-move rule as a category of lichess's server.

    Distances are signed plies, None if unknown; `dtm` counts if `dtz` is unknown, neither in
    checkmate. ``maybe-win`` and ``maybe-loss`` are wins and losses that the rule may draw.
    `clock_before` is the halfmove clock before the last move, by default one less than `clock`.

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


def _difficulty_of(tablebase: Tablebase, board: Board) -> float | None:
    """Return the difficulty of a position, None if it is not known."""
    try:
        return difficulty_of(tablebase, board)
    except (MissingTableError, UnsupportedPositionError):
        return None


def _preference(move: dict[str, Any], gained: tuple[int, int]) -> tuple[Any, ...]:
    """Return a key that sorts moves of a category best first, in the order of lichess's server."""
    far = move["dtm"] or move["dtw"] or 0
    holding_out = move["category"].endswith("win")
    return (
        not (move["checkmate"] or move["variant_loss"]),
        move["variant_win"],
        not move["stalemate"],
        not move["insufficient_material"],
        ((far > 0) - (far < 0), -far),
        move["conversion"] == holding_out,
        move["zeroing"] == holding_out,
        -(move["dtz"] or 0),
        tuple(-kind for kind in gained),
        move["uci"],
    )


def _by_moves(moves: list[dict[str, Any]], metric: Metric, rules: Rules) -> int | None:
    """Return a distance of a position by its moves: if all have one, or a win in one ply."""
    metric, name = metric.offset_by(rules.ply_offset), metric.name
    outcomes = [
        Outcome(after).before(metric, zeroing=move["zeroing"])
        for move in moves
        if (after := _outcome_in(move, name if name == DTZ.name else _far_of(rules), metric.offset))
        is not None
    ]
    best = max(outcomes, key=preference, default=0)
    is_best = best == 1 + metric.offset
    return signed(best, metric) if is_best or len(outcomes) == len(moves) else None


def _outcome_in(position: dict[str, Any], name: str, offset: int) -> int | None:
    """Return the outcome of a position by the name of a distance among its fields."""
    if position["variant_win"]:
        return WON_OUTCOME
    is_lost_stalemate = position["stalemate"] and position["category"] == "loss"
    if position["checkmate"] or position["variant_loss"] or is_lost_stalemate:
        return MATED_OUTCOME - offset
    if not position[name]:  # a draw, or not known
        return position[name] and 0
    plies = int(position[name])
    return plies + offset if plies > 0 else plies - 1 - offset


def _with_proven(
    tablebase: Tablebase, position: Position[Any], answer: dict[str, Any]
) -> dict[str, Any]:
    """Return the answer for a position without a table, completed by the results of a region.

    Regions leave the 50-move rule out, so wins and losses are ``maybe-win`` and ``maybe-loss``.
    """
    try:
        known = look_up(tablebase, position)
    except (MissingTableError, UnsupportedPositionError):
        return answer
    by_name = {move["uci"]: move for move in answer["moves"]}
    moves = []
    for one in known.moves:
        move = by_name[one.move.uci()]
        if move["category"] == "unknown" and one.wdl is not None:
            before = position.clock
            clock = 0 if one.zeroing else before + 1
            move["category"] = category(None, -one.wdl * _FAR, clock=clock, clock_before=before)
            if one.dtz_without_rule50 is not None and not one.zeroing:
                move["dtz_without_rule50"] = one.wdl - one.dtz_without_rule50
        moves.append(move)
    result = category(None, known.wdl * _FAR, clock=position.clock)
    far = known.dtz_without_rule50
    return answer | {"category": result, "moves": moves, "dtz_without_rule50": far}


def describe_mainline(tablebase: Tablebase, board: Board) -> dict[str, Any]:
    """Return the best moves of both sides, the answer to ``GET /standard/mainline``.

    Of each move of the ``mainline`` it has ``uci``, ``san`` and, from the opponent, the distances
    after it. ``winner`` is ``w``, ``b`` or None. Without distances to zeroing the 50-move rule does
    not count.

    Raises `MissingTableError` without a table of distances to mate, except for a mate in one.
    """
    position = as_position(board)
    here = _described(tablebase, position)
    wdl = tablebase.get_wdl(board)
    is_over = position.end or here["category"] == "draw" or wdl == 0
    line: list[Any] | None = [] if is_over else None
    if here["category"] == "unknown" and wdl is None:
        line = _mate_in_one(position)
        here |= {"dtz": 1, "precise_dtz": 1, _far_of(position.rules): 1}
    steps: list[dict[str, Any]] = []
    after = position
    for move in best_line(tablebase, position) if line is None else line:
        names = {"uci": move.uci(), "san": after.name_of(move)}
        after = after.after(move)
        steps.append(names | _distances(_described(tablebase, after), position.rules))
    winner = None
    if outcome := after.final_outcome():
        winner = "wb"[after.color if outcome > 0 else after.color.opponent]
    return _distances(here, position.rules) | {"mainline": steps, "winner": winner}


def _mate_in_one(position: Position[Any]) -> list[Any]:
    """Return a move that wins at once, no move if a draw can be claimed before it.

    Without one it raises `MissingTableError`.
    """
    for made in position.moves():
        if (made.after.final_outcome() or 0) < 0:
            late = position.rules.fifty_moves and position.clock >= FIFTY_MOVES
            return [] if late else [made.move]
    raise MissingTableError(f"no table of {men_in_words(position.board)}")


def men_in_words(board: Board) -> str:
    """Return the men on a board, White's first.

    >>> men_in_words(read_legal("8/8/8/8/8/2k5/1R6/K2n4 w - - 0 1"))
    'KRvKN'
    """
    position = as_position(board)
    placed, kinds = position.fen.split()[0], position.rules.letters
    strongest = sorted(kinds, key=lambda one: (kinds[one] == PieceType.KING, kinds[one]))[::-1]
    sides = (
        "".join(letter * placed.count(sign(letter)) for letter in strongest)
        for sign in (str.upper, str.lower)
    )
    return "v".join(sides)


def _distances(facts: dict[str, Any], rules: Rules) -> dict[str, Any]:
    names = ("dtz", "precise_dtz", "dtm", *(() if rules.royal else ("dtw",)))
    return {name: facts[name] for name in names}
