"""Three-check by python-chess alone: boards, and a slow solver of three men."""

from itertools import product

import chess
import chess.variant
from support.explosions import canonical
from support.zeroing import before, preference, solve_graph

from tablebase.core.rules.rule_files import built_in_rules

CHECKS = built_in_rules()["3check"]
MEN = [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.PAWN]
MATED = ~0
KINGS = {color: chess.Piece(chess.KING, color) for color in chess.COLORS}
_LEFT = range(1, 4)


def check_board(men, turn, left=(3, 3)):
    """Return the board of python-chess with pieces by square, and the checks left to each side."""
    board = chess.variant.ThreeCheckBoard(None)
    board.set_piece_map(men)
    board.turn = turn
    board.remaining_checks = [left[1], left[0]]  # by colour, White being True
    return board


def solve_checks(man, promoted=None):
    """Return outcomes by plies, and by plies to zeroing, of king and `man` against king.

    They are by position, as `canonical` has it, and White's checks left, all in one graph but for
    moves of pawns. `promoted` has both of the pieces that a pawn becomes.
    """
    found = {}, {}
    for rank in range(6, 0, -1) if man == chess.PAWN else [None]:
        graph, best = {}, ({}, {})
        for position in _positions(man, rank):
            moves, lost = _moves_from(man, position)
            if moves is None:
                continue
            for left in _LEFT:
                key, quiet, out = (position, left), [], ([], [])
                for new, after, gives_check, zeroing in moves:
                    remaining = left - gives_check
                    if remaining and new == man and not zeroing:
                        quiet.append((after, remaining))
                        continue
                    for by_zeroing, outcomes in enumerate(out):
                        outcome = MATED if not remaining else 0
                        if remaining and new:
                            known = found if new == man else promoted[new]
                            outcome = known[by_zeroing][after, remaining]
                        outcomes.append(before(outcome, zeroing=by_zeroing and zeroing))
                graph[key] = quiet
                for outcomes, of_metric in zip(out, best, strict=True):
                    if outcomes:
                        of_metric[key] = max(outcomes, key=preference)
                    elif not quiet:
                        of_metric[key] = MATED if lost else 0
        for outcomes, of_metric in zip(found, best, strict=True):
            outcomes.update(solve_graph(graph, of_metric))
    return found


def _positions(man, rank):
    """Yield one of the symmetric images of each position of three men, of pawns those on a rank."""
    for white, black, at in product(range(64), repeat=3):
        if len({white, black, at}) == 3 and rank in (None, at // 8):
            for turn in chess.COLORS:
                if canonical(man, (white, black, at, turn)) == (white, black, at, turn):
                    yield white, black, at, turn


def _moves_from(man, position):
    """Return the moves of a position, None if it is illegal, and whether it is mate.

    Of each move: the man left, if any, the position, whether it gives check, and is zeroing.
    """
    white, black, at, turn = position
    kings = {
        white: chess.Piece(chess.KING, chess.WHITE),
        black: chess.Piece(chess.KING, chess.BLACK),
    }
    board = check_board(kings | {at: chess.Piece(man, chess.WHITE)}, turn)
    if board.was_into_check():
        return None, False
    moves = []
    for move in [*board.legal_moves]:
        zeroing = board.is_zeroing(move)
        board.push(move)
        new, after = None, None
        for square in chess.scan_forward(board.occupied & ~board.kings):
            new = board.piece_type_at(square)
            squares = board.king(chess.WHITE), board.king(chess.BLACK), square
            after = canonical(new, (*squares, board.turn))
        moves.append((new, after, board.remaining_checks[chess.WHITE] < 3, zeroing))
        board.pop()
    return moves, board.is_checkmate()


def random_boards(count, rng, symbols=None):
    """Yield boards of legal positions, with given men or any three or four, and any checks left."""
    found = 0
    while found < count:
        chosen = symbols or "Kk" + "".join(rng.choices("QRBNPqrbnp", k=1 + found % 2))
        placed = rng.sample(range(64), len(chosen))
        if any(one in "Pp" and at // 8 in (0, 7) for one, at in zip(chosen, placed, strict=True)):
            continue
        men = map(chess.Piece.from_symbol, chosen)
        left = rng.randint(1, 3), rng.randint(1, 3)
        board = check_board(dict(zip(placed, men, strict=True)), rng.random() < 0.5, left)
        if not board.was_into_check() and not _touch(board):
            found += 1
            yield board


def _touch(board):
    return chess.square_distance(board.king(chess.WHITE), board.king(chess.BLACK)) == 1


def best_of(board, outcome_of, *, by_zeroing):
    """Return the outcome of a board by those of the boards after its moves."""
    outcomes = [*_outcomes(board, board.legal_moves, outcome_of, by_zeroing)]
    if not outcomes:
        return MATED if board.is_check() else 0
    return max(outcomes, key=preference)


def with_en_passant(board, stored, outcome_of, *, by_zeroing):
    """Return the outcome of a board, of which tables have the one without en passant."""
    captures = [*board.generate_legal_ep()]
    outcomes = [*_outcomes(board, captures, outcome_of, by_zeroing)]
    if len(captures) < board.legal_moves.count():
        outcomes.append(stored)
    return max(outcomes, key=preference) if captures else stored


def _outcomes(board, moves, outcome_of, by_zeroing):
    """Yield what each of some moves is worth."""
    for move in [*moves]:
        zeroing = by_zeroing and board.is_zeroing(move)
        board.push(move)
        after = MATED if board.is_variant_loss() else outcome_of(board)
        board.pop()
        yield before(after, zeroing=zeroing)
