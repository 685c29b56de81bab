"""A page of the mistakes of games, as their players saw the board."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import chess.svg

from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.storage.atomic import write_text
from tablebase.report.document import BOARD_COLORS, data_uri, environment, position_address

if TYPE_CHECKING:
    from tablebase.annotate.summary import GameSummary, Mistake
    from tablebase.core.rules.rules import Rules

_RIGHT, _WRONG = "#15781bcc", "#882020cc"  # arrows


def write_summary(
    summary: GameSummary,
    path: Path,
    *,
    by_player: bool = False,
    limit: int = 10,
    explorer: str | None = None,
) -> None:
    """Write a page of the endings of games and of their mistakes; errors as in reports.

    It has up to `limit` positions, or the players, and as many mistakes of each, as they were
    played. They are exercises of an explorer at an address, else positions in lichess's analysis.
    """
    templates = environment()
    templates.filters |= {"picture": _picture}
    templates.filters["address"] = partial(_address, explorer=explorer)
    page = templates.get_template("games.html.jinja").render(
        summary=summary,
        groups=summary.players() if by_player else summary.positions()[:limit],
        by_player=by_player,
        limit=limit,
        explorer=explorer,
    )
    write_text(path, page)


def _picture(mistake: Mistake) -> str:
    """Return the address of a picture of a mistake as its player saw the board, and a better move.

    The arrow of the mistake is red, that of the better move green.
    """
    board = mistake.board()
    arrows = [
        chess.svg.Arrow(move.from_square, move.to_square, color=color)
        for color, moves in ((_WRONG, [mistake.move]), (_RIGHT, mistake.right[:1]))
        for move in moves
    ]
    picture = chess.svg.board(
        board, orientation=board.turn, arrows=arrows, size=260, colors=BOARD_COLORS
    )
    return data_uri(str(picture))


def _address(mistake: Mistake, explorer: str | None) -> str:
    return exercise_address(mistake.fen, explorer, mistake.rules)


def exercise_address(fen: str, explorer: str | None, rules: Rules = ChessPosition.rules) -> str:
    """Return the address of a position as an exercise of an explorer, else in lichess's analysis.

    >>> exercise_address("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "http://127.0.0.1:8080/")
    'http://127.0.0.1:8080/?exercise=8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1'
    """
    address = position_address(fen, rules, explorer)
    return re.sub("([?&])fen=", r"\1exercise=", address, count=1)
