"""Bounds on the positions of a few structures by python-chess alone: slow, sharing nothing."""

import chess

UNKNOWN = (-1, 1)


def structure_of(board):
    """Return the pawns and the number of each piece."""
    pieces = tuple(
        (board.occupied_co[color] & kind).bit_count()
        for color in chess.COLORS
        for kind in (board.queens, board.rooks, board.bishops, board.knights)
    )
    return (
        board.pawns & board.occupied_co[chess.WHITE],
        board.pawns & board.occupied_co[chess.BLACK],
        pieces,
    )


def pawn_positions(white, black):
    """Yield all legal positions of kings and these pawns."""
    for first in chess.SQUARES:
        for second in chess.SQUARES:
            for turn in chess.COLORS:
                board = chess.Board(None)
                for color, pawns in ((chess.WHITE, white), (chess.BLACK, black)):
                    for square in chess.SquareSet(pawns):
                        board.set_piece_at(square, chess.Piece(chess.PAWN, color))
                if first == second or {first, second} & set(chess.SquareSet(white | black)):
                    continue
                board.set_piece_at(first, chess.Piece(chess.KING, chess.WHITE))
                board.set_piece_at(second, chess.Piece(chess.KING, chess.BLACK))
                board.turn = turn
                if board.is_valid():
                    yield board


def key_of(board):
    """Return what tells a position from others; a FEN would take most of the time."""
    white, black = (board.occupied_co[color] for color in chess.COLORS)
    kinds = board.kings, board.queens, board.rooks, board.bishops, board.knights, board.pawns
    return white, black, *kinds, board.turn


def bounds_of(structures):
    """Return the lowest and the highest value of all positions of some structures of pawns.

    Values are those of the side to move, by the FEN of the board and the side to move. For the
    lowest, positions of all other structures are lost for the side to move, for the highest they
    are won.
    """
    inside = {(white, black, (0,) * 8) for white, black in structures}
    successors, mated, names = {}, set(), {}
    for white, black in structures:
        for board in pawn_positions(white, black):
            key = key_of(board)
            successors[key] = _successors(board, inside)
            names[key] = board.board_fen(), board.turn
            if board.is_checkmate():
                mated.add(key)
    games = {lucky: _solve(successors, mated, lucky) for lucky in chess.COLORS}
    return {names[key]: (games[not key[-1]][key], games[key[-1]][key]) for key in successors}


def _successors(board, inside):
    """Return for each move a key, None for a structure outside, or, en passant, all replies."""
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        if board.has_legal_en_passant():
            found.append(_successors(board, inside))
        else:
            found.append(key_of(board) if structure_of(board) in inside else None)
        board.pop()
    return found


def _solve(successors, mated, lucky):
    """Return the values of all positions if one side wins whatever is outside."""
    values = dict.fromkeys(successors, 0) | dict.fromkeys(mated, -1)

    def value(after, turn):
        """Return what a position is worth to who is to move there."""
        if after is None:
            return 1 if turn == lucky else -1
        if isinstance(after, list):
            return max(-value(one, not turn) for one in after)
        return values[after]

    changed = True
    while changed:
        changed = False
        for key, moves in successors.items():
            if moves and not values[key]:
                # A draw may become a win or a loss; these are final.
                values[key] = max(-value(after, not key[-1]) for after in moves)
                changed |= values[key] != 0
    return values
