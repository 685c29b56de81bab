from tablebase.core.positions.any_position import (
    CLOCK,
    as_position,
    position_of,
    read_position,
)
from tablebase.core.positions.chess_board import (
    CHESS_VARIANT,
    COLORS,
    board_of,
    board_of_words,
    board_words,
    check_castling,
    check_legal,
    check_passing,
    check_supported,
    final_outcome,
    illegality,
    material_of,
    read_fen,
    squares_of,
    words_of_boards,
)
from tablebase.core.positions.chess_position import ChessPosition, MadeMove
from tablebase.core.positions.fifty_moves import fifty_move_warning
from tablebase.core.positions.position import Board, LegalMove, M, Named, Position
from tablebase.core.positions.setup import Setup, SetupMove, check_men, check_setup
from tablebase.core.positions.setup_fens import read_setup

__all__ = [
    "CHESS_VARIANT",
    "CLOCK",
    "COLORS",
    "Board",
    "ChessPosition",
    "LegalMove",
    "M",
    "MadeMove",
    "Named",
    "Position",
    "Setup",
    "SetupMove",
    "as_position",
    "board_of",
    "board_of_words",
    "board_words",
    "check_castling",
    "check_legal",
    "check_men",
    "check_passing",
    "check_setup",
    "check_supported",
    "fifty_move_warning",
    "final_outcome",
    "illegality",
    "material_of",
    "position_of",
    "read_fen",
    "read_position",
    "read_setup",
    "squares_of",
    "words_of_boards",
]
