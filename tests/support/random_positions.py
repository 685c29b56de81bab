"""Random positions, some of which have a right to capture en passant."""

import chess


def random_board(rng, material):
    """Return a random legal position, with a right to capture en passant now and then."""
    men = [chess.Piece(kind, color == 0) for color, kind in material.men]
    while True:
        board = chess.Board(None)
        for square, man in zip(rng.sample(range(64), len(men)), men, strict=True):
            board.set_piece_at(square, man)
        board.turn = rng.random() < 0.5
        if rng.random() < 0.3:
            candidates = [s for s in range(64) if _is_passed(board, s)]
            board.ep_square = rng.choice(candidates) if candidates else None
        if board.is_valid():
            return board


def _is_passed(board, square):
    board.ep_square = square
    found = board.has_legal_en_passant() and board.is_valid()
    board.ep_square = None
    return found
