"""The answer of this program to who can still mate, as a rule for ``conformance.py``.

::

    python examples/conformance.py --adjudicator adjudicator:can_mate

Write a function like it to try a rule of your own. It needs no table.
"""

import chess

from tablebase import Tablebase

TABLES = Tablebase()  # of no folder


def can_mate(board: chess.Board, color: chess.Color) -> bool:
    """Return whether a colour can mate by any series of legal moves."""
    return TABLES.can_mate(board, color)
