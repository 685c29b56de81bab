"""What a notebook shows of positions, moves and tables, as HTML.

Moves stand under the headings of lichess's explorer, in its order.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path

import chess

from tablebase.core.answers.ranking import RankedMove
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.position import M, Position

_SIZE = 240  # pixels
_HEADINGS = {
    Wdl50.WIN: "Winning",
    Wdl50.CURSED_WIN: "Win prevented by 50-move rule",
    Wdl50.DRAW: "Drawn",
    Wdl50.BLESSED_LOSS: "Loss saved by 50-move rule",
    Wdl50.LOSS: "Losing",
}


class RankedMoves(list[RankedMove[M]]):
    """The moves of a position, best first; a notebook shows them beside the board."""

    def __init__(self, moves: Iterable[RankedMove[M]], position: Position[M]) -> None:
        super().__init__(moves)
        self._position = position

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = []
        for result, some in groupby(self, key=lambda one: one.result):
            rows.append((_HEADINGS[result],))
            rows += [(self._position.name_of(one.move), _distances(one)) for one in some]
        return beside(board_html(self._position), table_html(rows))


class ShownTables:
    """A `Tablebase` as notebooks show it; a base class of it."""

    @property
    def available_tables(self) -> dict[str, Path]:
        """The file of each available material, by name."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        tables = self.available_tables.items()
        rows = [(name, bytes_in_words(path.stat().st_size), str(path)) for name, path in tables]
        return table_html([("table", "size", "file"), *rows])


def board_html(position: Position[M], words: str = "") -> str:
    """Return a board above words, of chess as python-chess draws it, of other games in letters."""
    if isinstance(position.board, chess.Board):
        from chess import svg  # noqa: PLC0415 (only notebooks need it)

        picture = str(svg.board(position.board, size=_SIZE))
    else:
        rows = position.fen.split()[0].split("/")
        signs = ("".join("." * int(one) if one.isdigit() else one for one in row) for row in rows)
        picture = f"<pre>{escape(chr(10).join(map(' '.join, signs)))}</pre>"
    return f"{picture}<div>{escape(words)}</div>"


def _distances(one: RankedMove[M]) -> str:
    if one.mate:
        return "Checkmate"
    known = {"DTM": one.dtm, "DTZ": one.dtz}
    return ", ".join(f"{name} {abs(plies)}" for name, plies in known.items() if plies)


def table_html(rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows of texts; the first row and a row of one text are headings."""
    rows, lines = [*rows], []
    most = max(map(len, rows), default=1)
    for number, row in enumerate(rows):
        kind = "td" if number and len(row) > 1 else "th"
        wide = f' colspan="{most}"' * (len(row) == 1)
        cells = "".join(f'<{kind}{wide} style="text-align: left">{escape(one)}' for one in row)
        lines.append(f"<tr>{cells}")
    return f"<table>{''.join(lines)}</table>"


def beside(*parts: str) -> str:
    """Return some HTML side by side, below each other where there is no room."""
    each = "".join(f"<div>{part}</div>" for part in parts)
    return f'<div style="display: flex; flex-wrap: wrap; gap: 1.5em">{each}</div>'
