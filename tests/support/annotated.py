"""Annotated games as plain dictionaries, which the pages of published tables are compared with."""

from __future__ import annotations

import io
from itertools import islice
from typing import TYPE_CHECKING, Any

import chess
import chess.pgn

from tablebase.annotate.annotation import CHANGES, SLOWER, Annotations, annotate, fault_of
from tablebase.annotate.pgn import GameText, read_game, split_games, write_game
from tablebase.core.ground.errors import (
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)
from tablebase.core.ground.words import counted

if TYPE_CHECKING:
    from tablebase.core.answers.tablebase import Tablebase

MAX_GAMES = 1000  # of a text, that are listed
MAX_MOVES = 1000  # of a game, variations included; each takes up to 4 ms to judge
_LISTED = ("White", "Black", "Event", "Round", "Date", "Result")
_MAX_MESSAGE = 200  # characters


class GameError(TablebaseError, ValueError):
    """A text without a game that can be annotated."""


def annotated_game(tablebase: Tablebase, text: str, number: int = 1) -> dict[str, Any]:
    """Return an annotated game of a PGN.

    Parameters
    ----------
    tablebase
        The tables.
    text
        The PGN.
    number
        The number of the game in the text, from 1.

    Returns
    -------
    dict
        The fields of `schemas.Game`. It lists up to `MAX_GAMES` games of the text.

    Raises
    ------
    GameError
        If there is no such game, or it is too long or of another variant of chess.
    CorruptTableError
        If a file is damaged.
    """
    texts = list(islice(split_games(io.StringIO(text)), MAX_GAMES))
    if not 1 <= number <= max(1, len(texts)):
        raise GameError(f"there is no game {number}: the text has {counted(len(texts), 'game')}")
    try:
        game = read_game(texts[number - 1] if texts else GameText(), most_moves=MAX_MOVES)
    except ValueError as error:
        raise GameError(_in_one_line(str(error))) from error
    problem = _in_one_line(str(game.errors[0])) if game.errors else None
    if not (game.variations or "FEN" in game.headers):
        raise GameError(f"there is no game in the text{f': {problem}' if problem else ''}")
    try:
        board = game.board()
    except ValueError as error:
        raise GameError(_in_one_line(str(error))) from error
    if type(board) is not chess.Board:
        raise GameError(f"tables are of standard chess, not of {type(board).uci_variant}")
    found = annotate(game, tablebase)
    return {
        "games": [_listed(one) for one in texts],
        "game": number,
        "pgn": write_game(game),
        "headers": dict(game.headers),
        "nodes": _nodes(tablebase, game, board),
        **_summary(found),
        "problem": problem,
    }


def _listed(text: GameText) -> dict[str, str]:
    """Return some headers of a game."""
    headers = chess.pgn.read_headers(io.StringIO("\n".join(text.tags)))
    known = ((name, headers.get(name, "?")) for name in _LISTED if headers is not None)
    return {name: value for name, value in known if not value.startswith(("?", "*"))}


def _in_one_line(text: str) -> str:
    return " ".join(text.split())[:_MAX_MESSAGE]


def _summary(found: Annotations) -> dict[str, Any]:
    return {
        "positions": found.positions,
        "known": found.known,
        "faults": {
            side: {kind: found.faults[color, kind] for kind in (CHANGES, SLOWER)}
            for side, color in (("w", chess.WHITE), ("b", chess.BLACK))
        },
        "missing": sorted(found.missing),
    }


def _nodes(tablebase: Tablebase, game: chess.pgn.Game, board: chess.Board) -> list[dict[str, Any]]:
    """Return the positions of a game, main lines before their variations."""
    nodes: list[dict[str, Any]] = [{"fen": board.fen(), "parent": None, "comment": game.comment}]
    waiting = [(child, 0, board) for child in reversed(game.variations)]
    while waiting:
        node, parent, before = waiting.pop()
        after = before.copy(stack=False)
        after.push(node.move)
        number = len(nodes)
        nodes.append(
            {
                "fen": after.fen(),
                "parent": parent,
                "uci": node.move.uci(),
                "san": before.san(node.move),
                "turn": "w" if before.turn == chess.WHITE else "b",
                "number": before.fullmove_number,
                "nags": sorted(node.nags),
                "comment": f"{node.starting_comment} {node.comment}".strip(),
                **_better(tablebase, before, node.move),
            }
        )
        waiting += [(child, number, after) for child in reversed(node.variations)]
    return nodes


def _better(tablebase: Tablebase, before: chess.Board, move: chess.Move) -> dict[str, str]:
    """Return the best move beside one that is at fault."""
    try:
        ranked = tablebase.rank_moves(before) if move else []  # a null move is none of the game
    except (MissingTableError, UnsupportedPositionError):
        ranked = []
    if not ranked:
        return {}
    played = next(one for one in ranked if one.move == move)
    return {"better": ranked[0].move.uci()} if fault_of(played, ranked[0]) else {}
