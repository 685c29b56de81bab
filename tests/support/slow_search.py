"""What is so of positions, found slowly with python-chess: the ground for checking searches."""

from itertools import product

import chess
import numpy as np

from tablebase.core.outcomes.metrics import Outcome, signed
from tablebase.core.positions.chess_board import board_of

FILES = np.arange(64) % 8
RANKS = np.arange(64) // 8
# The symmetries of the board, from its files and ranks: with pawns, the first two.
IMAGES = [
    b * 8 + a
    for a, b in (
        (FILES, RANKS),
        (7 - FILES, RANKS),
        (FILES, 7 - RANKS),
        (7 - FILES, 7 - RANKS),
        (RANKS, FILES),
        (7 - RANKS, FILES),
        (RANKS, 7 - FILES),
        (7 - RANKS, 7 - FILES),
    )
]


def images_of(material):
    return IMAGES[:2] if material.has_pawns else IMAGES


def keys_of(material, squares):
    """Return a number for each placement, the same for all its images, by squares [n, men]."""
    best = None
    for image in images_of(material):
        men = image[squares].astype(np.int64)
        start = 2
        for _, _, count in material.groups:
            men[:, start : start + count] = np.sort(men[:, start : start + count], axis=1)
            start += count
        numbers = (men * 64 ** np.arange(men.shape[1])).sum(axis=1)
        best = numbers if best is None else np.minimum(best, numbers)
    return best


def every_placement(material):
    """Return the squares of the men in one of all images of each placement, shape [n, men]."""
    squares = np.array(list(product(range(64), repeat=material.piece_count)))
    squares = squares[[len(set(row)) == len(row) for row in squares.tolist()]]
    return squares[np.unique(keys_of(material, squares), return_index=True)[1]]


def is_legal(board):
    return not board.pawns & chess.BB_BACKRANKS and not board.was_into_check()


def before(outcome):
    """Return the outcome of a move to a position of this outcome, in plies to mate."""
    return 0 if outcome == 0 else ~(outcome + 1) if outcome > 0 else ~outcome + 1


def sign(number):
    return (number > 0) - (number < 0)


def facts_of(tables, board):
    """Return what is so of a position, the zugzwang aside, by the names of conditions."""
    outcome = tables.probe_outcome(board)
    moves = []
    for move in board.legal_moves:
        capture = board.is_capture(move)
        board.push(move)
        moves.append((before(tables.probe_outcome(board)), move, capture))
        board.pop()
    best = [(move, capture) for after, move, capture in moves if after == outcome]
    return {
        "wdl": sign(outcome),
        "result": tables.probe_wdl50(board).name.lower(),
        "dtm": Outcome(outcome).plies if outcome else None,
        "dtz": abs(tables.probe_dtz(board)) * (not board.is_checkmate()) if outcome else None,
        "signed": signed_dtm(outcome),
        "check": board.is_check(),
        "winning": sum(after > 0 for after, _, _ in moves),
        "only": sum(sign(after) == sign(outcome) for after, _, _ in moves) == 1,
        "promotions": {move.promotion for move, _ in best},
        "capture": bool(best) and all(capture for _, capture in best),
        "promotion": bool(best) and all(move.promotion for move, _ in best),
        "underpromotion": bool(best)
        and all(move.promotion not in {None, chess.QUEEN} for move, _ in best),
    }


def signed_dtm(outcome):
    from tablebase.core.outcomes.metrics import DTM

    return signed(outcome, DTM)


def zugzwang_of(white, black):
    """Return who profits from a mutual zugzwang, by the results with either to move."""
    return {(0, -1): "white", (-1, 0): "black", (-1, -1): "both"}.get((white, black))


def facts_of_placements(tables, material, placements):
    """Return facts of placements with either side to move, by key and side to move."""
    facts = {}
    for key, row in zip(keys_of(material, placements).tolist(), placements.tolist(), strict=True):
        for turn in chess.COLORS:
            board = board_of(material, row, turn)
            if is_legal(board):
                facts[key, turn] = {**facts_of(tables, board), "squares": row, "zugzwang": None}
        if (key, True) in facts and (key, False) in facts:
            both = facts[key, True], facts[key, False]
            for one in both:
                one["zugzwang"] = zugzwang_of(*(fact["wdl"] for fact in both))
    return facts
