"""Difficulty by its definition: python-chess's rules and single probes, nothing of the package."""

import chess


def result_of(tables, board):
    """Return 1, 0 or -1 for the side to move, under the 50-move rule with the clock."""
    if board.is_checkmate():
        return -1
    if board.halfmove_clock >= 100:
        return 0
    dtz = tables.probe_dtz(board)
    if abs(dtz) + board.halfmove_clock > 100:
        return 0
    return (dtz > 0) - (dtz < 0)


def after(board, move):
    """Return another board, after the move."""
    one = board.copy(stack=False)
    one.push(move)
    return one


def kinds_of_moves(tables, board, sight):
    """Return the moves that keep the result, the hidden mistakes, and the plain ones."""
    if board.halfmove_clock >= 100:  # a draw, if claimed
        return list(board.legal_moves), [], []
    results = {move: -result_of(tables, after(board, move)) for move in board.legal_moves}
    best = max(results.values(), default=0)
    keeping = [move for move in results if results[move] == best]
    plain = [
        move
        for move in results
        if results[move] != best and is_plain(tables, board, move, results[move], sight)
    ]
    hidden = [move for move in results if move not in keeping and move not in plain]
    return keeping, hidden, plain


def is_plain(tables, board, mistake, result, sight):
    """Return whether a mistake with its result is refuted within the sight."""
    then = after(board, mistake)
    if result == -1:
        return tables.probe_dtz(then) + 1 <= sight
    if then.is_stalemate():
        return True
    return sight >= 2 and any(
        then.is_capture(reply) and result_of(tables, after(then, reply)) == 0
        for reply in then.legal_moves
    )


def evident_moves(tables, board, keeping, sight):
    """Return the moves that keep the result and are seen to do so."""
    if board.halfmove_clock >= 100:
        result = 0
    else:
        result = max(-result_of(tables, after(board, move)) for move in board.legal_moves)
    return [move for move in keeping if is_evident(tables, board, move, result, sight)]


def is_evident(tables, board, move, result, sight):
    """Return whether a move that keeps the result is seen to do so."""
    then = after(board, move)
    if then.is_checkmate() or board.is_capture(move) or move.promotion:
        return True
    ranks = {chess.WHITE: 6, chess.BLACK: 1}
    pawns = {at: ranks[then.color_at(at)] for at in chess.SquareSet(then.pawns)}
    only_promote = all(chess.square_rank(at) == rank for at, rank in pawns.items())
    if only_promote and result == 1 and 1 - tables.probe_dtz(then) <= sight:
        return True
    if board.piece_type_at(move.from_square) != chess.PAWN:
        return False
    alone = then.occupied_co[then.turn] == (then.kings | then.pawns) & then.occupied_co[then.turn]
    file = chess.square_file(move.to_square)
    goal = chess.square(file, 7 if board.turn else 0)
    steps = chess.square_distance(move.to_square, goal)
    return alone and chess.square_distance(then.king(then.turn), goal) > steps + 1


def slow_difficulty(tables, board, sight, moves=1):
    """Return the chance of a mistake within some moves of the side to move."""
    if board.is_game_over() or result_of(tables, board) == -1:
        return 0.0
    keeping, hidden, _ = kinds_of_moves(tables, board, sight)
    evident = evident_moves(tables, board, keeping, sight)
    chances = [] if evident else [1.0] * len(hidden)
    for move in evident or keeping:
        then = after(board, move)
        replies, _, _ = kinds_of_moves(tables, then, sight)
        there = [after(then, reply) for reply in replies]
        chances.append(
            max((slow_difficulty(tables, one, sight, moves - 1) for one in there), default=0.0)
            if moves > 1
            else 0.0
        )
    return sum(chances) / len(chances)
