"""Antichess and suicide by python-chess alone: random boards."""

import chess
import chess.variant

from tablebase.core.rules.rule_files import built_in_rules

ANTICHESS, SUICIDE = built_in_rules()["antichess"], built_in_rules()["suicide"]
BOARDS = {ANTICHESS: chess.variant.AntichessBoard, SUICIDE: chess.variant.SuicideBoard}
NEAR = [at for at in chess.SQUARES if chess.square_distance(at, chess.E5) <= 2]


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
