"""The words of a GUI's commands: positions, options and moves to search."""

from __future__ import annotations

import re
from collections.abc import Sequence

import chess

from tablebase.core.ground.words import quoted
from tablebase.core.positions.any_position import read_position
from tablebase.core.positions.chess_board import illegality
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.chess_variants import boards_of_games, read_game_board
from tablebase.core.rules.rules import Rules

_MOVE = re.compile("[a-h][1-8][a-h][1-8][nbrqk]?", re.IGNORECASE)
# The search is linear in the length of the line, however many blanks it has.
_VALUE = re.compile(r"(?<=\s)value(?!\S)")


def read_position_command(
    text: str, *, chess960: bool = False, rules: Rules = ChessPosition.rules
) -> chess.Board:
    """Return the board of the words after ``position``; `ValueError` for a bad position or move.

    Castling rights that do not count are dropped, see `any_position.left_out`.
    """
    words = text.split()
    end = words.index("moves") if "moves" in words else len(words)
    kind, fen, moves = "".join(words[:1]), " ".join(words[1:end]), words[end + 1 :]
    if kind not in {"startpos", "fen"}:
        raise ValueError(f"expected startpos or fen, not {quoted(text)}")
    start = boards_of_games()[rules].starting_fen
    board = read_game_board(fen if kind == "fen" else start, rules, chess960=chess960)
    if rules != ChessPosition.rules:
        read_position(without_castling(board).fen(en_passant="fen"), rules)  # or it is illegal
    elif reason := illegality(board):
        raise ValueError(f"{reason}: {fen}")
    for move in moves:
        fen = board.fen()
        try:
            is_move = not board.is_variant_end() and bool(
                board.push_uci(move[:4] + move[4:].lower())
            )
        except ValueError:
            is_move = False
        if not is_move:  # as for a null move, which python-chess makes
            raise ValueError(f"{quoted(move)} is not a legal move in {fen}")
    return board


def without_castling(board: chess.Board) -> chess.Board:
    """Return a copy of a board without rights to castle."""
    board = board.copy()
    board.castling_rights = chess.BB_EMPTY
    return board


def read_option(text: str) -> tuple[str, str]:
    """Return name and value of the option in the words after ``setoption``.

    >>> read_option("name TablebasePath value /my tables")
    ('TablebasePath', '/my tables')
    """
    word, *others = text.split(maxsplit=1)[:2] or [""]
    if word != "name":
        return "", ""
    rest = "".join(others)
    found = _VALUE.search(f" {rest}")
    if found is None:
        return rest.strip(), ""
    return rest[: found.start() - 1].strip(), rest[found.end() - 1 :].strip()


def read_searchmoves(words: Sequence[str], board: chess.Board) -> set[chess.Move]:
    """Return the legal moves named after ``searchmoves`` in the words of ``go``, else all moves."""
    legal = set(board.legal_moves)
    if "searchmoves" not in words:
        return legal
    after = words[words.index("searchmoves") :]
    named = {word.lower() for word in after if _MOVE.fullmatch(word)}
    return {move for move in legal if move.uci() in named} if named else legal
