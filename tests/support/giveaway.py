"""Antichess and suicide by python-chess alone: random boards, and a slow solver."""

from collections import defaultdict
from itertools import product

import chess
import chess.variant

from tablebase.core.rules.rule_files import built_in_rules

ANTICHESS, SUICIDE = built_in_rules()["antichess"], built_in_rules()["suicide"]
BOARDS = {ANTICHESS: chess.variant.AntichessBoard, SUICIDE: chess.variant.SuicideBoard}
NEAR = [at for at in chess.SQUARES if chess.square_distance(at, chess.E5) <= 2]
_IMAGES = [[at ^ flip for at in range(64)] for flip in (0, 7, 56, 63)]
_IMAGES += [[image[at % 8 * 8 + at // 8] for at in range(64)] for image in _IMAGES]
OVER = None  # what `key_of` gives where a side has no men


def random_boards(rules, count, rng, most=6):
    """Yield boards of two to `most` men, half of them close together, some with a passed square."""
    found = 0
    while found < count:
        board = BOARDS[rules](None)
        squares = rng.sample(NEAR if found % 2 else chess.SQUARES, rng.randint(2, most))
        men = {at: chess.Piece(rng.choice([1, 1, *range(1, 7)]), rng.random() < 0.5)
               for at in squares}  # fmt: skip
        has_both = len({man.color for man in men.values()}) == 2
        if not has_both or any(men[at].piece_type == chess.PAWN for at in men if at // 8 in (0, 7)):
            continue
        found += 1
        board.set_piece_map(men)
        board.turn = rng.random() < 0.5
        rank, back = (4, 8) if board.turn else (3, -8)
        pawn = chess.Piece(chess.PAWN, not board.turn)
        for at in [one for one in men if men[one] == pawn and one // 8 == rank]:
            if not {at + back, at + 2 * back} & {*men}:
                board.ep_square = at + back
        yield board
        if not {chess.D5, chess.D6, chess.D7, chess.E5} & {*men}:
            board = board.copy()
            board.set_piece_at(chess.D5, chess.Piece(chess.PAWN, chess.BLACK))
            board.set_piece_at(chess.E5, chess.Piece(chess.PAWN, chess.WHITE))
            board.turn, board.ep_square = chess.WHITE, chess.D6
            yield board


def key_of(board):
    """Return the men and the side to move of a board, the same of all its images."""
    placed = [(at, man.symbol()) for at, man in board.piece_map().items()]
    if not all(board.occupied_co):
        return OVER
    images = _IMAGES[:2] if board.pawns else _IMAGES
    return min(
        tuple(sorted((image[at], man) for at, man in placed)) for image in images
    ), board.turn


def boards_of(name, rules):
    """Return a board for each position of an ending, ``RvK``, up to symmetry, by `key_of`."""
    white, black = name.split("v")
    symbols, found = white + black.lower(), {}
    squares = [range(8, 56) if one in "Pp" else range(64) for one in symbols]
    for placed in product(*squares):
        if len({*placed}) < len(placed):
            continue
        board = BOARDS[rules](None)
        for at, symbol in zip(placed, symbols, strict=True):
            board.set_piece_at(at, chess.Piece.from_symbol(symbol))
        for turn in chess.COLORS:
            board.turn = turn
            found.setdefault(key_of(board), board.copy())
    return found


def over(board):
    """Return result and plies of a board without a legal move."""
    return (board.is_variant_win() - board.is_variant_loss(), 0)


def before(value, *, zeroing):
    """Return result and plies before a move; if it sets the count to zero, `zeroing`."""
    result, plies = value
    if not result:
        return value
    return -result, (101 if plies > 100 else 1) if zeroing else plies + 1


def rank(value):
    """Return what sorts values from worst to best."""
    result, plies = value
    return result, -result * plies


def best_of(board, value_of, *, by_zeroing):
    """Return the value of a board by those of the boards after its moves.

    It counts plies to zeroing if `by_zeroing`; for a board without a move `value_of` is not asked.
    """
    values = []
    for move in [*board.legal_moves]:
        zeroing = by_zeroing and board.is_zeroing(move)
        board.push(move)
        after = value_of(board) if any(board.legal_moves) else over(board)
        values.append(before(after, zeroing=zeroing))
        board.pop()
    return max(values, key=rank) if values else over(board)


def solve_by_moves(name, rules, known, *, by_zeroing):
    """Return result and plies of every position of an ending without pawns, by `key_of`.

    `known` are those of all endings that a capture leads to.
    """
    boards, parents, left = boards_of(name, rules), defaultdict(list), {}
    found, best, waiting = {}, {}, defaultdict(list)
    for key, board in boards.items():
        quiet, out = [], []
        for move in [*board.legal_moves]:
            is_capture = board.is_capture(move)
            board.push(move)
            after = key_of(board)
            if is_capture:
                value = over(board) if after is OVER else known[after]
                out.append(before(value, zeroing=by_zeroing))
            else:
                quiet.append(after)
            board.pop()
        left[key] = len(quiet)
        for after in quiet:
            parents[after].append(key)
        if not quiet:
            best[key] = max(out, key=rank) if out else over(board)
            if best[key][0]:
                waiting[best[key][1]].append((key, best[key]))
    plies = 0
    while waiting:
        for key, value in waiting.pop(plies, ()):
            if key in found:
                continue
            found[key] = value
            for parent in parents[key]:
                left[parent] -= 1
                if value[0] < 0:
                    waiting[plies + 1].append((parent, (1, plies + 1)))
                elif not left[parent]:
                    waiting[plies + 1].append((parent, (-1, plies + 1)))
        plies += 1
    return {key: found.get(key, (0, 0)) for key in boards}
