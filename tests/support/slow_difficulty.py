"""Difficulty by its definition: python-chess's rules and single probes, nothing of the package."""


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


def slow_difficulty(tables, board, sight, moves=1):
    """Return the chance of a mistake within some moves of the side to move."""
    if board.is_game_over() or result_of(tables, board) == -1:
        return 0.0
    keeping, hidden, _ = kinds_of_moves(tables, board, sight)
    chances = [1.0] * len(hidden)
    for move in keeping:
        then = after(board, move)
        replies, _, _ = kinds_of_moves(tables, then, sight)
        there = [after(then, reply) for reply in replies]
        chances.append(
            max((slow_difficulty(tables, one, sight, moves - 1) for one in there), default=0.0)
            if moves > 1
            else 0.0
        )
    return sum(chances) / len(chances)
