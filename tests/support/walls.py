"""Random positions with pawns that hold each other, kings and bishops."""

import chess


def random_wall(chance):
    """Return a legal board with pawns face to face on most files, not all of them a closed wall."""
    while True:
        board, rank = chess.Board(None), chance.randrange(2, 5)
        for file in range(chance.randrange(2), 8, chance.choice([1, 2, 2, 2])):
            low = chess.square(file, rank + chance.choice([0, 0, 0, 1]))
            board.set_piece_at(low, chess.Piece(chess.PAWN, chess.WHITE))
            board.set_piece_at(low + 8, chess.Piece(chess.PAWN, chess.BLACK))
        for color, squares in ((chess.WHITE, range(16)), (chess.BLACK, range(48, 64))):
            king, *others = chance.sample(squares, 1 + chance.randrange(3))
            board.set_piece_at(king, chess.Piece(chess.KING, color))
            for square in others:
                board.set_piece_at(square, chess.Piece(chess.BISHOP, color))
        board.turn = chance.random() < 0.5
        if board.is_valid():
            return board
