"""Atomic chess by python-chess alone: boards, and a slow solver of three men."""

from itertools import product

import chess
import chess.variant
from support.zeroing import before, preference, solve_graph

from tablebase.core.rules.rule_files import built_in_rules

ATOMIC = built_in_rules()["atomic"]
MATED = ~0
_FLIPS = (0, 7, 56, 63)
_IMAGES = [[at ^ flip for at in range(64)] for flip in _FLIPS]
_IMAGES += [[image[at % 8 * 8 + at // 8] for at in range(64)] for image in _IMAGES]


def variant_board(material, squares, turn):
    """Return the board of python-chess with a material's men on squares, by its rules."""
    made = chess.variant.AtomicBoard(None) if material.rules.blast else chess.Board(None)
    for (color, man), square in zip(material.men, squares, strict=True):
        made.set_piece_at(int(square), chess.Piece(man, not color))
    made.turn = turn
    return made


def canonical(man, position):
    """Return one of the symmetric images of kings, man, and side to move, always the same."""
    white, black, square, turn = position
    images = _IMAGES[:2] if man == chess.PAWN else _IMAGES
    return min((image[white], image[black], image[square], turn) for image in images)


def solve_explosions(man, after_zeroing, rank=None):
    """Return the outcomes of all canonical positions of king and `man` against king.

    Distances are those to zeroing where `after_zeroing` gives, for a board after a capture or pawn
    move, an outcome of one ply before it as `support.zeroing.before` does, without a man being 0.
    With a `rank` only pawns there are meant, since their moves lead to others.
    """
    boards = {}
    for white, black, square in product(range(64), repeat=3):
        for turn in chess.COLORS:
            position = white, black, square, turn
            if len({white, black, square}) < 3 or canonical(man, position) != position:
                continue
            if man == chess.PAWN and square // 8 != rank:
                continue
            made = chess.variant.AtomicBoard(None)
            made.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
            made.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
            made.set_piece_at(square, chess.Piece(man, chess.WHITE))
            made.turn = turn
            if not made.was_into_check():
                boards[position] = made
    graph, best = {}, {}
    for position, made in boards.items():
        quiet, out = [], []
        moves = list(made.legal_moves)
        for move in moves:
            is_zeroing = made.is_zeroing(move)
            made.push(move)
            if is_zeroing:
                lost = made.is_variant_loss()
                outcome = MATED if lost else after_zeroing(made)
                out.append(before(outcome, zeroing=True))
            else:
                (at,) = chess.scan_forward(made.occupied & ~made.kings)
                kings = made.king(chess.WHITE), made.king(chess.BLACK)
                quiet.append(canonical(man, (*kings, at, made.turn)))
            made.pop()
        graph[position] = quiet
        if out:
            best[position] = max(out, key=preference)
        elif not moves:
            best[position] = MATED if made.is_checkmate() else 0
    return solve_graph(graph, best)
