"""Audit the tables of Prophet with its shared library.

Prophet (https://github.com/markus7800/prophet_tb_gen_and_probe) generates distances to mate of up
to six men, and lichess serves its tables. Build its library with ``make prophet``, then::

    PROPHET=build/libprophet.so tablebase audit KRKN \
        --prober examples/prophet_prober.py:Prophet FOLDER
"""

import ctypes
import os
from pathlib import Path

import chess

LIBRARY = "PROPHET"  # the environment variable with the path of the library
MOST_MEN, NO_SQUARE, DRAW, MISSING = 6, 64, 1000, -1001
SixNumbers = ctypes.c_int * MOST_MEN


class Prophet:
    """The tables of a folder and the folders in it, as `tablebase audit` asks for them."""

    def __init__(self, folder: str) -> None:
        if LIBRARY not in os.environ:
            raise LookupError(f"set {LIBRARY} to the path of libprophet.so")
        self._library = ctypes.CDLL(os.path.realpath(os.environ[LIBRARY]))
        # It ends the whole program where a folder cannot be read.
        if not Path(folder).is_dir():
            raise NotADirectoryError(f"{folder} is not a folder")
        self._library.prophet_tb_init()
        if not self._library.prophet_tb_add_path(os.fsencode(folder)):
            raise LookupError(f"no tables of Prophet in {folder}")

    def probe_dtm(self, board: chess.Board) -> int:
        """Return the signed distance to mate in plies; 0 for a draw or checkmate."""
        men = board.piece_map()
        if len(men) > MOST_MEN or board.castling_rights:
            raise KeyError(board.fen())
        pieces = [man.piece_type + 8 * (man.color == chess.BLACK) for man in men.values()]
        has_passed = board.has_legal_en_passant()
        plies = self._library.prophet_tb_probe_dtm(
            SixNumbers(*pieces),
            SixNumbers(*men),
            int(board.turn == chess.BLACK),
            board.ep_square if has_passed else NO_SQUARE,
        )
        if plies == MISSING:
            raise KeyError(board.fen())
        return 0 if plies == DRAW else plies

    def close(self) -> None:
        """Forget the tables."""
        self._library.prophet_tb_deinit()
