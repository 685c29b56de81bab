"""The edge to python-chess: FENs, boards into materials, squares and words, and back.

Nothing here needs a table, or a kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import chess
import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.ground.capacity import MAX_MEN, SOLVED_PIECES
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import counted, quoted
from tablebase.core.outcomes.metrics import MATED_OUTCOME
from tablebase.core.positions.setup import KINGS_TOUCH
from tablebase.core.rules.material import Material

COLORS: dict[chess.Color, Color] = {chess.WHITE: Color.WHITE, chess.BLACK: Color.BLACK}
_CHESS_COLORS = {color: chess_color for chess_color, color in COLORS.items()}
CHESS_VARIANT = chess.Board.uci_variant
_MOST_SIGNS = 200  # of a FEN, a sign after each man included
_EXAMPLE = "8/8/8/8/8/2k5/1R6/K7 w"
_FIELDS = (  # of a FEN after the men: their form, their name, and what to write instead
    ("[wb]", "a side to move", "w or b"),
    ("-|(?=.)[KQA-H]{0,2}[kqa-h]{0,2}", "castling rights", "-, or those of KQkq that there are"),
    ("-|[a-h][1-8]", "an en passant square", "-"),
    ("[0-9]+", "a halfmove clock", "0"),
    ("[0-9]+", "the number of a move", "1"),
)

_ILLEGAL = {
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or last rank",
    chess.STATUS_OPPOSITE_CHECK: "the side to move could take the king",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has more than eight pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has more than eight pawns",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has more than sixteen pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has more than sixteen pieces",
}


def board_of_words(words: Iterable[int]) -> chess.Board:
    """Return the board of the words that `board_words` gives, without rights and clocks."""
    board = chess.Board(None)
    pawns, knights, bishops, rooks, queens, kings, white, turn = map(int, words)
    board.pawns, board.knights, board.bishops = pawns, knights, bishops
    board.rooks, board.queens, board.kings = rooks, queens, kings
    board.occupied = pawns | knights | bishops | rooks | queens | kings
    board.occupied_co[chess.WHITE] = board.occupied & white
    board.occupied_co[chess.BLACK] = board.occupied & ~white
    board.turn = bool(turn)
    return board


def words_of_boards(boards: Iterable[chess.Board]) -> NDArray[np.uint64]:
    """Return boards as words, uint64 [n, 8]; see `board_words`."""
    words = np.array([board_words(board) for board in boards], dtype=np.uint64)
    return words.reshape(-1, 8)


def board_words(board: chess.Board) -> tuple[int, ...]:
    """Return a board as words: pawns to kings, White's men, whether White is to move."""
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
    )


def read_fen(text: str, *, chess960: bool = False) -> chess.Board:
    """Return the position that a FEN describes, legal or not.

    Parameters
    ----------
    text
        A FEN, underscores allowed for spaces, the last fields may be left out. As on lichess,
        castling rights without king and rook in place and en-passant squares that no pawn has just
        passed are dropped, and so is what says that men are promoted.
    chess960
        Whether the position is one of Chess960. A right that names the file of its rook, as in
        Shredder FENs, also makes it one if king or rook are not at home.

    Raises
    ------
    UnsupportedPositionError
        If it is not a FEN.
    """
    fields = text.replace("_", " ").split()
    fen = " ".join(fields)
    if len(fen) > _MOST_SIGNS:
        raise UnsupportedPositionError(f"not a valid FEN: {quoted(text)} is too long")
    if fault := _fault_of(fields):
        raise UnsupportedPositionError(f"not a valid FEN: {fault}")
    board = chess.Board(fen, chess960=chess960)
    board.promoted = chess.BB_EMPTY  # python-chess overlooks a king marked as promoted
    if board.castling_rights:
        at_home = board.clean_castling_rights()
        board.chess960 = chess960 or bool(re.search("[A-Ha-h]", fields[2]))
        board.castling_rights = board.clean_castling_rights()
        board.chess960 = chess960 or board.castling_rights != at_home
    if board.ep_square is not None and board.status() & chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None
    return board


def _fault_of(fields: Sequence[str]) -> str:
    """Return in words why the fields of a FEN cannot be read, nothing if they can."""
    fen = " ".join(fields)
    if not fields:
        return f"it is empty: write pieces and side to move, like {_EXAMPLE}"
    if len(fields) > 1 + len(_FIELDS):
        return f"{quoted(fen)} has {len(fields)} parts, not {1 + len(_FIELDS)}"
    for field, (pattern, what, remedy) in zip(fields[1:], _FIELDS, strict=False):
        if not re.fullmatch(pattern, field):
            return f"{quoted(field)} is not {what} in {quoted(fen)}: write {remedy}"
    ranks = fields[0].split("/")
    if len(ranks) != 8:
        return f"{quoted(fields[0])} has {counted(len(ranks), 'rank')}, not 8"
    return next(filter(None, map(_fault_of_rank, ranks)), "")


def _fault_of_rank(rank: str) -> str:
    if strange := re.search("[^1-8PNBRQKpnbrqk~]", rank):
        return (
            f"{quoted(strange[0])} in the rank {quoted(rank)} is neither a piece nor a number of "
            "empty squares: write PNBRQK, pnbrqk and 1 to 8"
        )
    if re.search("(?<![A-Za-z])~", rank):
        return f"'~' in the rank {quoted(rank)} follows no piece: leave it out"
    if re.search("[1-8]{2}", rank):
        return f"the rank {quoted(rank)} has two numbers side by side: write their sum"
    squares = sum(int(sign) if sign.isdigit() else sign != "~" for sign in rank)
    return f"the rank {quoted(rank)} has {squares} squares, not 8" if squares != 8 else ""


def final_outcome(board: chess.Board) -> int | None:
    """Return the outcome of checkmate and stalemate by any metric, None for other positions.

    >>> final_outcome(chess.Board("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1")) == MATED_OUTCOME
    True
    """
    if any(board.legal_moves) or board.uci_variant != CHESS_VARIANT or illegality(board):
        return None
    return MATED_OUTCOME if board.is_check() else 0


def illegality(board: chess.Board) -> str:
    """Return in words why a position is illegal, nothing if it is legal.

    >>> illegality(chess.Board("8/8/8/8/8/8/8/K7 w - - 0 1"))
    'Black has 0 kings instead of one'
    """
    for color in chess.COLORS:
        name = chess.COLOR_NAMES[color].capitalize()
        kings = board.kings & board.occupied_co[color]
        if kings.bit_count() != 1:
            return f"{name} has {kings.bit_count()} kings instead of one"
        if kings & board.promoted:
            return f"the king of {name} is marked as promoted"
    status = board.status()
    flag = next((flag for flag in _ILLEGAL if status & flag), None)
    if flag is None:
        return ""
    if flag == chess.STATUS_OPPOSITE_CHECK and _kings_touch(board):
        return KINGS_TOUCH
    return _ILLEGAL[flag]


def _kings_touch(board: chess.Board) -> bool:
    white, black = (chess.msb(board.kings & board.occupied_co[color]) for color in chess.COLORS)
    return chess.square_distance(white, black) == 1


def check_castling(board: chess.Board) -> None:
    """Refuse castling rights by `UnsupportedPositionError`: the value without them may differ."""
    if board.castling_rights:
        fen = board.fen(promoted=True)
        raise UnsupportedPositionError(f"positions with castling rights are not covered: {fen}")


def check_supported(board: chess.Board) -> None:
    """Refuse a position that no table can cover, by `UnsupportedPositionError`.

    That is a position of a variant, illegal or with too many men.
    """
    men = board.occupied.bit_count()
    if men > MAX_MEN and board.uci_variant == CHESS_VARIANT:
        fen = board.fen(promoted=True)
        pieces = (board.occupied & ~board.kings & ~board.pawns).bit_count()
        solved = pieces <= SOLVED_PIECES and not board.castling_rights and not illegality(board)
        told = f'try `tablebase solve "{fen}"`' if solved else fen
        raise UnsupportedPositionError(f"{men} pieces, but tables have at most {MAX_MEN}: {told}")
    check_legal(board)
    check_en_passant(board)


def check_legal(board: chess.Board) -> None:
    """Refuse a position that is not legal in chess, by `UnsupportedPositionError`.

    The message names the FEN that may have been meant if the wrong side is to move.
    """
    if not isinstance(board, chess.Board):
        raise TypeError(f"a position is a board of python-chess, not {quoted(board)}")
    if board.uci_variant != CHESS_VARIANT:
        raise UnsupportedPositionError(
            f"a board of {board.uci_variant} is no position of chess: {board.fen(promoted=True)}"
        )
    if reason := illegality(board):
        fen = board.fen(promoted=True)
        other = board.copy(stack=False)
        other.turn, other.ep_square = not board.turn, None
        if not illegality(other):
            sides = [chess.COLOR_NAMES[one.turn][0] for one in (other, board)]
            reason += f", try {' instead of '.join(sides)}"
            fen = other.fen()
        raise UnsupportedPositionError(f"illegal position: {reason}: {fen}")


def check_en_passant(board: chess.Board) -> None:
    """Refuse a legal en passant capture, unless a pawn has just passed.

    It raises `UnsupportedPositionError`.
    """
    if board.has_legal_en_passant() and board.status() & chess.STATUS_INVALID_EP_SQUARE:
        fen = board.fen(promoted=True)
        raise UnsupportedPositionError(f"no pawn has just passed the en-passant square: {fen}")


def material_of(board: chess.Board) -> Material:
    """Return the men on a board, not normalized."""
    kinds = board.pawns, board.knights, board.bishops, board.rooks, board.queens
    counts = [(kind & side).bit_count() for side in board.occupied_co for kind in kinds]
    return _material_of_counts(tuple(counts))


@lru_cache(maxsize=4096)  # games have the same men again and again
def _material_of_counts(counts: tuple[int, ...]) -> Material:
    """Return the material with some pawns to queens of Black, then of White."""
    kinds = len(counts) // 2
    black, white = (
        tuple(PieceType(kind) for kind, count in enumerate(side, 1) for _ in range(count))
        for side in (counts[:kinds], counts[kinds:])
    )
    return Material(white, black)


def squares_of(board: chess.Board, material: Material) -> NDArray[np.uint8]:
    """Return the squares of the men on a board, uint8 [men] in the order of ``material.men``."""
    counts = [(Color.WHITE, PieceType.KING, 1), (Color.BLACK, PieceType.KING, 1), *material.groups]
    squares = [
        square
        for color, kind, _ in counts
        for square in chess.scan_forward(board.pieces_mask(kind, _CHESS_COLORS[color]))
    ]
    return np.array(squares, dtype=np.uint8)


def board_of(material: Material, squares: Sequence[int], turn: chess.Color) -> chess.Board:
    """Return the board with the men of a material on squares in the order of ``material.men``.

    Raises `UnsupportedPositionError` for men of another game, which a board would show wrongly.
    """
    if material.rules.mark:
        raise UnsupportedPositionError(
            f"{material} of {material.rules.name} has no board of python-chess: take a Setup"
        )
    board = chess.Board(None)
    for (color, kind), square in zip(material.men, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece(kind, _CHESS_COLORS[color]))
    board.turn = turn
    return board
