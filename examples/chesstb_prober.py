"""Audit the tables of chesstb with its program ``probe_fen``.

chesstb (https://github.com/noobpwnftw/chesstb) generates results, distances to zeroing and to mate.
Build its program with ``make tools``, then::

    CHESSTB=tools/probe_fen tablebase audit KRKN \
        --prober examples/chesstb_prober.py:Chesstb FOLDER

FOLDER is where the generator ran: it has the folders ``wdl``, ``dtz`` and ``dtm``.
"""

import os
import re
import subprocess
from pathlib import Path

import chess

from tablebase import TablebaseError

PROGRAM = "CHESSTB"  # the environment variable with the path of the program
RESULTS = {"WIN": 2, "CURSED_WIN": 1, "DRAW": 0, "BLESSED_LOSS": -1, "LOSE": -2}
LIMIT = 60  # seconds until the program must have answered
BARE_KINGS = {"wdl": 0, "dtz": 0, "dtm": 0}


class Chesstb:
    """The tables of a folder, as `tablebase audit` asks for them.

    The program takes longer to start than to answer, so it is asked about a position together with
    those after its moves.
    """

    def __init__(self, folder: str) -> None:
        if PROGRAM not in os.environ:
            raise LookupError(f"set {PROGRAM} to the path of probe_fen")
        self._command = [os.path.realpath(os.environ[PROGRAM])]
        for kind in ("wdl", "dtz", "dtm"):
            self._command += [f"--{kind}", str(Path(folder, kind).resolve())]
        self._known: dict[str, dict[str, int]] = {}

    def probe_wdl(self, board: chess.Board) -> int:
        """Return the result: 2, 1, 0, -1 or -2."""
        return self._values(board)["wdl"]

    def probe_dtz(self, board: chess.Board) -> int:
        """Return the signed distance to zeroing of wins and losses in time, and 0 of draws.

        Its distances of cursed wins are counted otherwise than those of others.
        """
        values = self._values(board)
        if abs(values["wdl"]) == 1:
            raise KeyError(board.fen())
        return -1 if board.is_checkmate() else values["dtz"]

    def probe_dtm(self, board: chess.Board) -> int:
        """Return the signed distance to mate; 0 for a draw or checkmate."""
        return self._values(board)["dtm"]

    def _values(self, board: chess.Board) -> dict[str, int]:
        if board.kings == board.occupied:
            return BARE_KINGS
        if board.epd() not in self._known:
            boards = [board]
            for move in board.legal_moves:
                boards.append(board.copy(stack=False))
                boards[-1].push(move)
            self._known = self._ask([one for one in boards if one.kings != one.occupied])
        return self._known[board.epd()]

    def _ask(self, boards: list[chess.Board]) -> dict[str, dict[str, int]]:
        """Return the values of positions by EPD."""
        fens = [f"{board.epd()} 0 1" for board in boards]
        command = [*self._command, *fens]
        try:
            done = subprocess.run(  # noqa: S603  # the user names it
                command, capture_output=True, text=True, check=True, timeout=LIMIT
            )
        except subprocess.TimeoutExpired:
            raise TablebaseError(f"{command[0]} gives no answer in {LIMIT} seconds") from None
        results = re.findall(r"^  result: (.*)$", done.stdout, re.MULTILINE)
        found = {}
        for board, result in zip(boards, results, strict=True):
            fields = dict(re.findall(r"(\w+)=(\w+)", result))
            values = {}
            if "wdl" in fields:
                values["wdl"] = RESULTS[fields["wdl"]]
                sign = (values["wdl"] > 0) - (values["wdl"] < 0)
                values |= {one: sign * int(fields[one]) for one in ("dtz", "dtm") if one in fields}
            found[board.epd()] = values
        return found
