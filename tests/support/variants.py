"""The games that python-chess plays: random boards, what their moves are worth, a slow solver.

A *value* is a result for the side to move, 1, 0 or -1, with the plies until the game is over, or
until a capture or a move of a pawn if a metric counts to these.
"""

from collections import defaultdict
from itertools import product

import chess
import chess.variant
import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.rule_files import built_in_rules

ATOMIC, RACING, CHECKS, ANTICHESS, SUICIDE = (
    built_in_rules()[name] for name in ("atomic", "racingkings", "3check", "antichess", "suicide")
)
GIVEAWAY = ANTICHESS, SUICIDE
BOARDS = {
    ATOMIC: chess.variant.AtomicBoard,
    RACING: chess.variant.RacingKingsBoard,
    CHECKS: chess.variant.ThreeCheckBoard,
    ANTICHESS: chess.variant.AntichessBoard,
    SUICIDE: chess.variant.SuicideBoard,
}
NEAR = [at for at in chess.SQUARES if chess.square_distance(at, chess.E5) <= 2]
UPPER = [at for at in chess.SQUARES if at // 8 > 3]
_LAST_IN_TIME = 100
_MIRRORED = [[at ^ flip for at in chess.SQUARES] for flip in (0, 7)]
_TURNED = _MIRRORED + [[at ^ flip for at in chess.SQUARES] for flip in (56, 63)]
_TURNED += [[image[at % 8 * 8 + at // 8] for at in chess.SQUARES] for image in _TURNED]


def symbols_of(name):
    """Return the letters of a FEN for the men of an ending: ``KRKN`` has ``KkRn``, ``RvK`` Rk."""
    if "v" in name:
        white, black = name.split("v")
        return white + black.lower()
    white, black = name[1:].split("K")
    return f"Kk{white}{black.lower()}"


def board_of(rules, symbols, squares, turn, checks=(3, 3)):
    """Return a board with men on squares, by the letters of a FEN; White's checks come first."""
    board = BOARDS[rules](None) if rules in BOARDS else chess.Board(None)
    for symbol, at in zip(symbols, squares, strict=True):
        board.set_piece_at(int(at), chess.Piece.from_symbol(symbol))
    board.turn = bool(turn)
    if rules == CHECKS:
        board.remaining_checks = [checks[1], checks[0]]
    return board


def material_board(material, squares, turn):
    """Return a board with a material's men on squares."""
    symbols = [chess.Piece(man, not color).symbol() for color, man in material.men]
    return board_of(material.rules, symbols, squares, turn)


def is_legal(board):
    """Return whether a position may stand on the board before a move."""
    if isinstance(board, chess.variant.RacingKingsBoard):
        has_raced = board.turn == chess.BLACK and board.king(chess.BLACK) >= chess.A8
        return not (board.is_check() or board.was_into_check() or has_raced)
    return not board.was_into_check()


def is_in_tables(board):
    """Return whether tables have a legal position: the king to move has not won a race."""
    return (
        not isinstance(board, chess.variant.RacingKingsBoard) or board.king(board.turn) < chess.A8
    )


def random_boards(rules, symbols, count, rng, *, squares=chess.SQUARES, legal=True):
    """Yield boards with the men of `symbols`, a string or what makes one, on some squares.

    They are legal positions if `legal`, with any number of checks left; where a pawn may have
    made a double step, it has.
    """
    found = 0
    while found < count:
        men = symbols if isinstance(symbols, str) else symbols()
        placed = rng.sample(squares, len(men))
        if any(man in "Pp" and at // 8 in (0, 7) for man, at in zip(men, placed, strict=True)):
            continue
        checks = rng.randint(1, 3), rng.randint(1, 3)
        board = board_of(rules, men, placed, rng.random() < 0.5, checks)
        if legal and not is_legal(board):
            continue
        found += 1
        rank, back = (4, 8) if board.turn else (3, -8)
        for at in board.pieces(chess.PAWN, not board.turn):
            if at // 8 == rank and not board.occupied & (1 << at + back | 1 << at + 2 * back):
                board.ep_square = at + back
        yield board


def any_men(rng, kinds="QRBNP", most=2, kings="Kk"):
    """Return what draws the men of a board: the kings, and one to `most` others of either side."""

    def draw():
        others = rng.choices(kinds + kinds.lower(), k=rng.randint(1, most))
        return kings + "".join(others)

    return draw


def end_of(board):
    """Return the value of a board on which the game is over, None where it goes on."""
    if board.is_variant_win():
        # White's king has arrived a turn ago, and Black's could not follow.
        return 1, int(isinstance(board, chess.variant.RacingKingsBoard))
    if board.is_variant_loss():
        return -1, 0
    if board.is_variant_end():
        return 0, 0
    if any(board.legal_moves):
        return None
    return -int(board.is_checkmate()), 0


def before(value, *, zeroing):
    """Return the value before a move; if it sets the count to zero, `zeroing`."""
    result, plies = value
    if not result:
        return value
    return -result, (101 if plies > _LAST_IN_TIME else 1) if zeroing else plies + 1


def rank(value):
    """Return what sorts values from worst to best."""
    result, plies = value
    return result, -result * plies


def best_of(board, value_of, *, by_zeroing):
    """Return the value of a board by those of the boards after its moves.

    `value_of` is asked for boards on which the game goes on.
    """
    values = []
    for move in [] if board.is_variant_end() else [*board.legal_moves]:
        zeroing = by_zeroing and board.is_zeroing(move)
        board.push(move)
        values.append(before(end_of(board) or value_of(board), zeroing=zeroing))
        board.pop()
    return max(values, key=rank) if values else end_of(board)


def stored_value(tables, board):
    """Return the value of a board by tables, en passant left out."""
    setup = as_position(board)
    setup = setup if board.uci_variant != "chess" else setup.setup()
    material = setup.material.normalized()
    if setup.material != material or (material.is_symmetric and setup.color is Color.BLACK):
        setup = setup.swapped()
    table = tables[material]
    slot = table.index.encode(np.array(setup.squares, dtype=np.uint8))
    code = table.codes[setup.color][table.index.layer_start(setup.checks) + slot]
    outcome = int(table.outcomes[setup.color][code])
    over = setup.rules in GIVEAWAY  # a player has won in 0 plies, where others have lost
    if not outcome:
        return 0, 0
    return (1, outcome - over) if outcome > 0 else (-1, ~outcome - over)


class Values:
    """The values of boards by tables, and by moves; how many pawns could be taken in passing."""

    def __init__(self, tables, metric):
        self.tables, self.by_zeroing, self.passed = tables, metric.counts_zeroing, 0

    def of(self, board):
        if not any(map(board.is_en_passant, board.legal_moves)):
            return stored_value(self.tables, board)
        self.passed += 1
        return self.by_moves(board)

    def by_moves(self, board):
        return best_of(board, self.of, by_zeroing=self.by_zeroing)


def boards_of(rules, name, checks=((3, 3),)):
    """Yield a board of each position of an ending that tables have, one of its images each."""
    symbols, seen = symbols_of(name), set()
    squares = [range(8, 56) if one in "Pp" else chess.SQUARES for one in symbols]
    for placed in product(*squares):
        if len({*placed}) < len(placed):
            continue
        for turn, left in product(chess.COLORS, checks):
            board = board_of(rules, symbols, placed, turn, left)
            key = key_of(board)
            if key not in seen and is_legal(board) and is_in_tables(board):
                seen.add(key)
                yield board


def key_of(board):
    """Return what a board and its images share, and no other: men, side to move, checks left."""
    men = [(at, man.symbol()) for at, man in board.piece_map().items()]
    is_race = isinstance(board, chess.variant.RacingKingsBoard)
    images = _MIRRORED if board.pawns or is_race else _TURNED
    placed = min(tuple(sorted((image[at], man) for at, man in men)) for image in images)
    return placed, board.turn, tuple(getattr(board, "remaining_checks", ()))


def solve_slowly(boards):
    """Return the values of boards, and of all that follow, by `key_of`: to the end, to zeroing."""
    moves, ends, groups = {}, {}, defaultdict(list)
    waiting = [*boards]
    while waiting:
        board = waiting.pop()
        key = key_of(board)
        if key in moves:
            continue
        moves[key], end = [], end_of(board)
        groups[_order_of(board)].append(key)
        if end:
            ends[key] = end
            continue
        for move in [*board.legal_moves]:
            zeroing = board.is_zeroing(move)
            board.push(move)
            after = key_of(board)
            moves[key].append((after, zeroing))
            if after not in moves:
                waiting.append(board.copy(stack=False))
            board.pop()
    found = {}, {}
    for by_zeroing, values in enumerate(found):
        for order in sorted(groups):
            solved = _solve_group(groups[order], moves, ends, values, by_zeroing=by_zeroing)
            values.update(solved)
    return found


def _order_of(board):
    """Return what is less after each capture and each move of a pawn."""
    steps = [
        7 - at // 8 if color else at // 8
        for color in chess.COLORS
        for at in board.pieces(chess.PAWN, color)
    ]
    return chess.popcount(board.occupied), sum(steps)


def _solve_group(keys, moves, ends, known, *, by_zeroing):
    """Return the values of positions that zeroing moves leave for `known` ones."""
    parents, left, best, waiting, found = defaultdict(list), {}, {}, defaultdict(list), {}
    for key in keys:
        quiet = [after for after, zeroing in moves[key] if not zeroing]
        values = [before(known[after], zeroing=by_zeroing) for after, z in moves[key] if z]
        values += [ends[key]] if key in ends else []
        left[key] = len(quiet)
        for after in quiet:
            parents[after].append(key)
        best[key] = max(values, key=rank, default=(-1, 0))
        if values and (best[key][0] > 0 or not quiet):
            waiting[best[key][1]].append((key, best[key]))
    plies = 0
    while waiting:
        for key, value in waiting.pop(plies, ()):
            if key in found or not value[0]:
                continue
            found[key] = value
            for parent in parents[key]:
                left[parent] -= 1
                if value[0] < 0:
                    waiting[plies + 1].append((parent, (1, plies + 1)))
                elif not left[parent] and best[parent][0] < 0:
                    longest = max(plies + 1, best[parent][1])
                    waiting[longest].append((parent, (-1, longest)))
        plies += 1
    return {key: found.get(key, (0, 0)) for key in keys}
