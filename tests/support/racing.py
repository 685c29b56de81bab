"""Racing kings by python-chess alone: boards, and a slow solver of three men."""

import chess
import chess.variant

from tablebase.core.rules.rule_files import built_in_rules

RACING = built_in_rules()["racingkings"]
KINGS = {color: chess.Piece(chess.KING, color) for color in chess.COLORS}


def racing_board(men, turn):
    """Return the board of python-chess with pieces by square."""
    board = chess.variant.RacingKingsBoard(None)
    board.set_piece_map(men)
    board.turn = turn
    return board
