"""Racing kings by python-chess alone: boards, and a slow solver of three men."""

from itertools import product

import chess
import chess.variant
from support.zeroing import before, preference, solve_graph

from tablebase.core.rules.rule_files import built_in_rules

RACING = built_in_rules()["racingkings"]
KINGS = {color: chess.Piece(chess.KING, color) for color in chess.COLORS}


def racing_board(men, turn):
    """Return the board of python-chess with pieces by square."""
    board = chess.variant.RacingKingsBoard(None)
    board.set_piece_map(men)
    board.turn = turn
    return board


def random_boards(count, rng):
    """Yield boards of three or four men: anywhere, near the goal, and a king in a corner."""
    near = [at for at in chess.SQUARES if at // 8 > 4], [at for at in chess.SQUARES if at // 8 > 5]
    for number in range(count):
        squares = rng.sample((chess.SQUARES, *near)[number % 3], 4)
        men = [KINGS[chess.WHITE], KINGS[chess.BLACK]]
        men += [chess.Piece(rng.randint(2, 5), rng.random() < 0.5) for _ in range(1 + number % 2)]
        yield racing_board(dict(zip(squares, men, strict=False)), rng.random() < 0.5)
    for at in chess.SQUARES[1:55]:
        men = {chess.A1: KINGS[chess.BLACK], chess.H7: KINGS[chess.WHITE]}
        yield racing_board({at: chess.Piece(chess.QUEEN, chess.WHITE)} | men, chess.BLACK)


def moves_of(board):
    """Return the legal moves of a board, none where the race is over."""
    return [] if board.is_variant_end() else [*board.legal_moves]


def key_of(board):
    """Return squares of both kings and of the others, and the side to move, as its mirror image."""
    kings = board.king(chess.WHITE), board.king(chess.BLACK)
    flip = 7 if kings[0] % 8 > 3 else 0
    others = chess.scan_forward(board.occupied & ~board.kings)
    return *(at ^ flip for at in (*kings, *others)), board.turn


def has_won(board):
    """Return whether White's king, which has arrived, is alone there after Black's answer."""
    return board.turn == chess.WHITE and board.is_variant_win()


def is_over(board):
    """Return whether a board, after Black's answer to White's arrival, is in no table."""
    return board.turn == chess.WHITE and board.king(chess.WHITE) >= chess.A8


def boards_of(name):
    """Yield a board for each position of an ending of three men, ``KQK``, but for mirror images."""
    white, black = name[1:].split("K")
    men = [chess.Piece.from_symbol(one) for one in f"Kk{white}{black.lower()}"]
    for placed in product(range(64), repeat=len(men)):
        if placed[0] % 8 > 3 or len({*placed}) < len(placed):
            continue
        board = racing_board(dict(zip(placed, men, strict=True)), chess.WHITE)
        if board.is_check() or board.was_into_check():
            continue
        for turn in chess.COLORS:
            if board.king(turn) < chess.A8:
                board.turn = turn
                yield board


def best_of(board, outcome_of, *, by_zeroing):
    """Return the outcome of a board by those of the boards after its moves.

    A move after which White, who arrived before it, has won is a loss in one ply more: a turn that
    White would have.
    """
    outcomes = []
    for move in moves_of(board):
        zeroing = by_zeroing and board.is_zeroing(move)
        board.push(move)
        over = 1 if has_won(board) else 0
        after = over if is_over(board) else outcome_of(board)
        outcomes.append(before(after, zeroing=zeroing))
        board.pop()
    if not outcomes:
        return ~0 if board.is_variant_loss() else 0
    return max(outcomes, key=preference)


def solve_race(name, below):
    """Return outcomes by plies, and by plies to zeroing, of all positions of an ending by `key_of`.

    `below` has both of the positions after captures.
    """
    graph, best = {}, ({}, {})
    for board in boards_of(name):
        key = key_of(board)
        quiet, out = graph.setdefault(key, []), ([], [])
        for move in moves_of(board):
            is_capture = board.is_capture(move)
            board.push(move)
            after = key_of(board)
            if is_capture or is_over(board):
                over = 1 if has_won(board) else 0
                for by_zeroing, found in enumerate(out):
                    outcome = over if is_over(board) else below[by_zeroing][after]
                    found.append(before(outcome, zeroing=by_zeroing and is_capture))
            else:
                quiet.append(after)
            board.pop()
        for found, of_metric in zip(out, best, strict=True):
            if found:
                of_metric[key] = max(found, key=preference)
            elif not quiet:
                of_metric[key] = ~0 if board.is_variant_loss() else 0
    return [solve_graph(graph, of_metric) for of_metric in best]
