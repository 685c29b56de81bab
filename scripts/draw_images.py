"""Draw the pictures of the documentation, as SVG.

Usage::

    python scripts/draw_images.py [FOLDER]

Without a folder they go to ``docs/images``. What they show is computed: attacks and symmetries from
the package, numbers of positions from ``data/KRK.h5``. Pictures of finished experiments stay
as the commit drew them that their page names.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import chess
import chess.svg
import chess.variant
import numpy as np
from measurement import load
from strategies_on_trial import refutations_to_draw

from tablebase.butterfly.layouts import BoardLayout
from tablebase.core.board.geometry import (
    Color,
    PieceType,
    square,
    square_file,
    square_name,
    square_rank,
)
from tablebase.core.board.movement import make_movement
from tablebase.core.board.symmetry import D4
from tablebase.core.rules.rule_files import built_in_rules

ROOT = Path(__file__).parents[1]
INK, FAINT, BLUE, ORANGE = "#222222", "#6b6b6b", "#3b75af", "#d9822b"
LIGHT, DARK, TRIANGLE, FIRE = "#f3eee3", "#ddd3c0", "#b9d3a8", "#f0b58a"
NAMES = {square_name(s): s for s in range(64)}
PITCH, LETTER = 168, 7.4  # pixels from board to board, and of a letter above them
COORDINATE: dict[str, Any] = {"anchor": "middle", "fill": FAINT, "size": 8}


class Drawing:
    """An SVG in the making, on a light card that suits dark pages, and with a title."""

    def __init__(self, width: int, height: int, title: str) -> None:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" role="img">'
        )
        tip = (
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/>'
            "</marker></defs>"
        )
        self.parts = [head, f"<title>{escape(title)}</title>", tip]
        self.figures: list[str] = []
        self.box(0.5, 0.5, width - 1, height - 1, fill="#fdfcf9", stroke="#d8d4ca", radius=8)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "none",
        stroke: str = "none",
        radius: int = 0,
    ) -> None:
        """Draw a rectangle."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" '
            f'fill="{fill}" stroke="{stroke}"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        fill: str = INK,
        size: int = 13,
    ) -> None:
        """Write words on a line."""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}" '
            f'font-size="{size}">{escape(words)}</text>'
        )

    def note(self, x: float, y: float, words: str, *, anchor: str = "start") -> None:
        """Write small and faint."""
        self.text(x, y, words, anchor=anchor, fill=FAINT, size=11)

    def arrow(self, x: float, y: float, to_x: float, to_y: float, *, dashed: bool = False) -> None:
        """Draw a line with a tip at its end."""
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{INK}" stroke-width="1.3" '
            f'marker-end="url(#tip)"{dashes}/>'
        )

    def cells(
        self, x: float, y: float, size: float, chosen: Iterable[tuple[int, int]], fill: str = BLUE
    ) -> None:
        """Fill cells, given by column and row from the top, of a grid at a place."""
        outline = "".join(
            f"M{x + column * size:g} {y + row * size:g}h{size:g}v{size:g}h{-size:g}z"
            for column, row in chosen
        )
        self.parts.append(f'<path d="{outline}" fill="{fill}" shape-rendering="crispEdges"/>')

    def squares(
        self, x: float, y: float, cell: float, chosen: Iterable[int], fill: str = BLUE
    ) -> None:
        """Fill squares of a board whose upper left corner is given."""
        self.cells(x, y, cell, [(square_file(s), 7 - square_rank(s)) for s in chosen], fill)

    def board(self, x: float, y: float, cell: float, chosen: Iterable[int] = ()) -> None:
        """Draw a board with some squares filled."""
        self.box(x, y, 8 * cell, 8 * cell, fill=LIGHT)
        dark = [s for s in range(64) if (square_file(s) + square_rank(s)) % 2 == 0]
        self.squares(x, y, cell, dark, DARK)
        self.squares(x, y, cell, chosen)
        self.box(x, y, 8 * cell, 8 * cell, stroke=FAINT)

    def man(self, x: float, y: float, cell: float, s: int, letter: str, *, white: bool) -> None:
        """Put a man on a square of a board: a letter on a disc."""
        left, top = x + (square_file(s) + 0.5) * cell, y + (7.5 - square_rank(s)) * cell
        fill, ink = ("#ffffff", INK) if white else (INK, "#ffffff")
        self.parts.append(
            f'<circle cx="{left:g}" cy="{top:g}" r="{0.42 * cell:g}" fill="{fill}" stroke="{INK}"/>'
        )
        size = round(0.58 * cell)
        self.text(left, top + 0.36 * size, letter, anchor="middle", fill=ink, size=size)

    def position(
        self, x: float, y: float, cell: float, placement: str, struck: Sequence[int] = ()
    ) -> None:
        """Draw a board with the pieces of the first field of a FEN, and the names of its lines.

        Squares that are struck by an explosion are filled.
        """
        self.board(x, y, cell)
        if struck:
            self.squares(x, y, cell, struck, FIRE)
        for line in range(8):
            middle = (line + 0.5) * cell
            self.text(x - 5, y + 8 * cell - middle + 3, f"{line + 1}", **COORDINATE)
            self.text(x + middle, y + 8 * cell + 10, "abcdefgh"[line], **COORDINATE)
        scale = cell / 45  # python-chess draws pieces 45 units wide
        for s, piece in chess.BaseBoard(placement).piece_map().items():
            left, top = x + square_file(s) * cell, y + (7 - square_rank(s)) * cell
            if (figure := chess.svg.PIECES[piece.symbol()]) not in self.figures:
                self.figures.append(figure)
            name = f"{chess.COLOR_NAMES[piece.color]}-{chess.piece_name(piece.piece_type)}"
            self.parts.append(
                f'<use href="#{name}" transform="translate({left:g} {top:g}) scale({scale:g})"/>'
            )

    def __str__(self) -> str:
        figures = [f"<defs>{''.join(self.figures)}</defs>"] if self.figures else []
        return "\n".join([*self.parts[:3], *figures, *self.parts[3:], "</svg>", ""])


def _checked(white_king: int, rook: int) -> list[int]:
    """Return the squares on which a rook checks Black's king, White's king in between or not."""
    blocked, movement = 1 << white_king, make_movement()
    attacks = movement.attacks[Color.WHITE, PieceType.ROOK, rook]
    between = movement.between[Color.WHITE, PieceType.ROOK, rook]
    return [
        s
        for s in range(64)
        if int(attacks) >> s & 1 and s != white_king and not int(between[s]) & blocked
    ]


def words() -> Drawing:
    """Draw the set of checks by a rook as a plane of 64 words."""
    drawing = Drawing(700, 352, "A plane: 64 words of 64 bits, one word as a board")
    rook, king, cell = NAMES["d4"], NAMES["d2"], 4
    x, y = 86, 48
    drawing.text(x, 24, "A plane: the rook on d4 gives check")
    drawing.note(x, 41, "bit j: Black's king on a1 ... h8")
    drawing.box(x, y, 64 * cell, 64 * cell, fill=LIGHT)
    checks = [(j, i) for i in range(64) if i != rook for j in _checked(i, rook)]
    drawing.cells(x, y, cell, checks)
    for line in range(8):
        top = y + line * 8 * cell
        drawing.box(x, top, 64 * cell, 8 * cell, stroke=FAINT)
        drawing.note(x - 8, top + 20, f"line {line}", anchor="end")
    drawing.note(x, 322, "word i: White's king on a1 (top) ... h8")
    drawing.note(x, 337, "eight words: a line, 512 positions")
    drawing.box(x - 2, y + king * cell - 1, 64 * cell + 4, cell + 2, stroke=ORANGE)
    drawing.arrow(x + 64 * cell + 4, y + king * cell + 2, 426, 130)
    drawing.text(440, 24, "Word d2: White's king on d2")
    drawing.note(440, 41, "the squares of Black's king")
    drawing.board(440, y, 28, _checked(king, rook))
    drawing.man(440, y, 28, rook, "R", white=True)
    drawing.man(440, y, 28, king, "K", white=True)
    drawing.note(440, 293, "No check on d1: the king")
    drawing.note(440, 308, "stands between.")
    return drawing


def _shifted(squares: set[int], steps: Iterable[tuple[int, int]]) -> set[int]:
    found = set()
    for s in squares:
        for dx, dy in steps:
            file, rank = square_file(s) + dx, square_rank(s) + dy
            if 0 <= file < 8 and 0 <= rank < 8:
                found.add(square(file, rank))
    return found


def preimages() -> Drawing:
    """Draw the preimage of a set under king's and rook's moves."""
    drawing = Drawing(700, 406, "Preimages of a set of positions under king and rook moves")
    start = {NAMES[name] for name in ("h1", "c5", "d5")}
    sides = _shifted(start, [(-1, 0), (1, 0)])
    rows = start | sides
    preimage = sides | _shifted(rows, [(0, 1), (0, -1)])
    drawing.text(24, 26, "Black's king moves within a word")
    steps = [
        ("a set S", start),
        ("S or S shifted by 1", rows),
        ("and by 8: the preimage of S", preimage),
    ]
    for i, (label, chosen) in enumerate(steps):
        x = 24 + i * 222
        drawing.board(x, 40, 17, chosen)
        drawing.note(x, 194, label)
        if i:
            drawing.arrow(x - 76, 108, x - 10, 108)
    drawing.note(246, 208, "not over the edge from h to a")
    drawing.text(24, 238, "A rook moves along the fourth rank, from plane to plane")
    chosen = {NAMES[name] for name in ("b3", "c3", "b4", "c4", "b5", "c5")}
    for i in range(5):
        x = 24 + i * 136
        rook = square(i, 3)
        chosen = chosen - {rook}
        drawing.board(x, 258, 12, chosen)
        drawing.man(x, 258, 12, rook, "R", white=True)
        label = "S, rook on a4" if i == 0 else f"preimage, rook on {square_name(rook)}"
        drawing.note(x, 370, label)
        if i:
            drawing.arrow(x - 34, 306, x - 6, 306)
    drawing.note(
        24,
        393,
        "Blue: Black's king. One that stands in the rook's way falls out.",
    )
    return drawing


def slices() -> Drawing:
    """Draw the slices of KPK and where the moves out of them lead."""
    drawing = Drawing(700, 372, "The 24 slices of KPK and the moves between them")
    drawing.text(24, 26, "KPK: a slice for each square of the pawn, files a to d")
    drawing.box(150, 42, 280, 30, fill=TRIANGLE, stroke=FAINT, radius=5)
    drawing.text(290, 62, "KQK   KRK   KBK   KNK", anchor="middle")
    for rank in range(6, 0, -1):
        y = 102 + (6 - rank) * 44
        drawing.note(130, y + 19, f"{7 - rank}.", anchor="end")
        for file in range(4):
            x = 150 + file * 72
            drawing.box(x, y, 64, 28, fill="#ffffff", stroke=BLUE, radius=5)
            drawing.text(x + 32, y + 19, square_name(square(file, rank)), anchor="middle")
            drawing.arrow(x + 32, y, x + 32, y - 15 if rank < 6 else y - 28)
            if rank == 1:
                drawing.arrow(x + 52, y, x + 52, y - 59, dashed=True)
    drawing.box(530, 196, 60, 30, fill=TRIANGLE, stroke=FAINT, radius=5)
    drawing.text(560, 216, "KK", anchor="middle")
    drawing.arrow(440, 211, 522, 211)
    drawing.note(446, 200, "king takes")
    drawing.note(446, 62, "promotions: tables solved before")
    drawing.note(446, 280, "pushes: slices solved before")
    drawing.note(446, 330, "dashed: the double push")
    drawing.note(24, 122, "solved first")
    drawing.note(24, 342, "solved last")
    return drawing


def _krk_distances() -> dict[int, int]:
    """Return the numbers of KRK positions by plies: White's wins (odd) and Black's losses."""
    from tablebase.finding.dataset import load_table

    positions = load_table("KRK", ROOT / "data").positions(lambda some: some.wdl != 0)
    plies, counts = np.unique(np.abs(positions.dtm), return_counts=True)
    return dict(zip(plies.tolist(), counts.tolist(), strict=True))


def plies() -> Drawing:
    """Draw the first and last plies of KRK: wins and losses in turn."""
    counts = _krk_distances()
    drawing = Drawing(700, 292, "KRK solved backwards from mate, ply by ply")
    drawing.text(24, 26, "KRK, backwards from mate: inequivalent positions resolved in each ply")
    drawing.note(24, 84, "White to move")
    drawing.note(24, 214, "Black to move")
    shown = [0, 1, 2, 3, 4, None, 31, 32]
    for i, n in enumerate(shown):
        x = 128 + i * 70
        if n is None:
            drawing.text(x + 29, 150, "...", anchor="middle")
            continue
        loss = n % 2 == 0
        y = 182 if loss else 52
        drawing.box(x, y, 58, 52, fill="#ffffff", stroke=ORANGE if loss else BLUE, radius=5)
        words = f"{'lost' if loss else 'won'} in {n}"
        drawing.text(x + 29, y + 20, words, anchor="middle", size=11)
        drawing.text(x + 29, y + 40, f"{counts[n]:,}", anchor="middle")
        if i and shown[i - 1] is not None:
            drawing.arrow(x - 24, *((108, x + 6, 178) if loss else (178, x + 6, 108)))
    drawing.note(24, 262, "up: some move of White's leads to a lost position.")
    drawing.note(
        24,
        279,
        "down: every move of Black's leads to a won one, the best of them to the last ply's.",
    )
    return drawing


def symmetries() -> Drawing:
    """Draw the eight images of a KRK position, with the triangle of White's king."""
    drawing = Drawing(700, 402, "The eight images of a position")
    men = [("K", NAMES["c2"], True), ("R", NAMES["f3"], True), ("k", NAMES["d6"], False)]
    triangle = [s for s in range(64) if square_rank(s) <= square_file(s) <= 3]
    labels = ("", "left-right", "up-down", "half turn", "a1-h8", "turn left", "turn right", "a8-h1")
    for number in range(8):
        x, y = 24 + number % 4 * 168, 40 + number // 4 * 180
        drawing.board(x, y, 18)
        drawing.squares(x, y, 18, triangle, TRIANGLE)
        for letter, s, white in men:
            drawing.man(x, y, 18, int(D4[number, s]), letter.upper(), white=white)
        drawing.note(x, y - 7, f"{number} {labels[number] or 'identity'}")
    drawing.note(
        24,
        388,
        "Green: the triangle a1-d1-d4. One image has White's king there: that one is stored.",
    )
    return drawing


def layouts() -> Drawing:
    """Draw a king's step off the edge, without and with a ghost column."""
    drawing = Drawing(700, 312, "A step off the edge, without and with a ghost column")
    cell = 30
    for ghosts in (0, 1):
        layout, x, y = BoardLayout(8, 8, ghost_columns=ghosts), 24 + ghosts * 340, 42
        drawing.text(x, 26, ("8 columns", "9 columns, one of ghosts")[ghosts])
        drawing.board(x, y, cell)
        drawing.box(x + 8 * cell, y, ghosts * cell, 8 * cell, stroke=FAINT)
        start = layout.number(7, 3)
        ends = divmod(start + 1, layout.columns)[::-1]
        drawing.cells(x, y, cell, [(7, 4)])
        drawing.cells(x, y, cell, [(ends[0], 7 - ends[1])], ORANGE)
        for column in range(layout.columns):
            for row in range(8):
                fill = "#ffffff" if (column, row) in {(7, 3), ends} else INK
                fill = FAINT if column == 8 and fill == INK else fill
                left, top = x + (column + 0.5) * cell, y + (7.65 - row) * cell
                number = str(layout.number(column, row))
                drawing.text(left, top, number, anchor="middle", fill=fill, size=12)
        target = "square a5" if not ghosts else "a ghost"
        drawing.note(x, 300, f"a step to the right of h4: {start} + 1 = {start + 1}, {target}")
    return drawing


def draughts() -> Drawing:
    """Draw the squares that decide whether three kings beat one."""
    drawing, cell = Drawing(700, 344, "Draughts boards with one more square"), 26
    layout = BoardLayout(10, 10, ghost_columns=1, parity=1)
    for number, (added, words) in enumerate(
        (((10, 1), "51 beside 5: three kings win"), ((10, -1), "51 beyond 5: they do not"))
    ):
        x, y = 24 + number * 340, 62
        drawing.text(x, 26, words)
        drawing.cells(x, y, cell, layout.squares, DARK)
        drawing.cells(x, y, cell, [(9 - i, i) for i in range(10)], TRIANGLE)
        drawing.cells(x, y, cell, [added], ORANGE)
        drawing.box(x, y, 10 * cell, 10 * cell, stroke=FAINT)
        for place, (file, row) in enumerate((*layout.squares, added), start=1):
            left, top = x + (file + 0.5) * cell, y + (row + 0.65) * cell
            drawing.text(left, top, str(place), anchor="middle", size=11)
    return drawing


def diamond() -> Drawing:
    """Draw al-Suli's Diamond, and the moves of a ferz and an alfil."""
    drawing = Drawing(700, 330, "al-Suli's Diamond")
    drawing.text(24, 26, "White to move and win")
    drawing.board(24, 40, 32)
    for letter, name, white in (
        ("K", "b3", True),
        ("F", "c3", True),
        ("K", "d5", False),
        ("F", "a1", False),
    ):
        drawing.man(24, 40, 32, NAMES[name], letter, white=white)
    drawing.note(24, 314, "K king, F ferz")
    rules = built_in_rules()["shatranj"]
    for number, (letter, label) in enumerate((("Q", "The ferz"), ("B", "The alfil, which leaps"))):
        x, y = 330 + number * 180, 40
        drawing.text(x, 26, label)
        attacks = int(
            make_movement(rules.steps).attacks[Color.WHITE, rules.letters[letter], NAMES["d4"]]
        )
        drawing.board(x, y, 20, [s for s in range(64) if attacks >> s & 1])
        drawing.man(x, y, 20, NAMES["d4"], "FA"[number], white=True)
    return drawing


def explosion() -> Drawing:
    """Draw a position of atomic chess before and after a capture, by python-chess's rules."""
    drawing = Drawing(700, 334, "A capture in atomic chess")
    board, move = chess.variant.AtomicBoard(EXPLOSION), chess.Move.from_uci("d1d7")
    struck = [*chess.SquareSet(chess.BB_KING_ATTACKS[move.to_square]), move.to_square]
    for number, words in enumerate(("Before Qxd7#", "After it: White has won")):
        x, y = 32 + number * 340, 42
        drawing.text(x, 28, words)
        drawing.position(x, y, 31, board.board_fen(), struck)
        if number == 0:
            board.push(move)
    drawing.note(32, 318, "Filled: the squares of the explosion, on which pawns stay.")
    return drawing


class Numbered(NamedTuple):
    """A position of a picture, what is written above it, and its result for the side to move."""

    words: str
    fen: str
    result: str = ""


# The positions of docs/values.md; without a side to move, either is meant.
VALUES = (
    Numbered("win", "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1"),
    Numbered("loss", "8/8/8/5k2/3Q4/8/8/K7 b - - 0 1"),
    Numbered("mate or pawn move", "8/8/8/1k6/8/8/K5P1/8 w - - 0 1"),
    Numbered("halfmove clock: 99", "8/8/8/8/8/1P3k2/2K5/8 w - - 99 80"),
    Numbered("cursed win", "7K/8/7k/6N1/3p4/6N1/8/8 w - - 0 1"),
    Numbered("blessed loss", "7K/5N2/7k/8/3p4/6N1/8/8 b - - 0 1"),
    Numbered("100 and seven plies", "8/8/2N5/8/3k4/7N/p2K4/8 b - - 0 1"),
    Numbered("mutual zugzwang", "8/4k3/8/4K3/4P3/8/8/8"),
)


# The positions of docs/castling.md.
CASTLING = (
    Numbered("a draw is won", "8/8/8/8/8/5k2/8/b3K2R w K - 0 1"),
    Numbered("a loss is drawn", "8/8/8/8/8/8/q7/k3K2R w K - 0 1"),
    Numbered("a loss is won", "8/7q/3P4/8/8/8/8/R3K2k w Q - 0 1"),
    Numbered("a win is lost", "r3k3/8/2P5/1PK5/8/8/8/8 w q - 0 1"),
)


# The positions of docs/who-can-mate.md.
MATES = (
    Numbered("dead: the rook is taken", "k7/1R6/8/8/8/8/8/6K1 b - - 0 1"),
    Numbered("dead: a bishop is left", "k7/P1K5/B7/8/8/8/8/8 w - - 0 1"),
    Numbered("mate in 34 plies", "8/8/8/8/7k/8/1P4QK/6b1 w - - 0 1"),
)


EXPLOSION = "3k4/2pn4/4b3/8/8/8/8/3Q2K1 w - - 0 1"
# The endings of docs/other-games.md.
ATOMIC = (
    Numbered("the king must run", "8/8/8/3k4/8/2K5/1Q6/8 w - - 0 1", "win"),
    Numbered("only touching kings draw", "8/8/8/3k4/1Q6/2K5/8/8 b - - 0 1", "draw"),
    Numbered("the longest way to mate", "8/8/2p1R3/3K4/8/k7/8/8 w - - 0 1", "cursed win"),
    Numbered("mutual zugzwang", "k7/P7/8/8/8/8/p7/K7", "loss"),
)


# What docs/other-games.md shows of antichess: of the positions in which a piece is to move against
# a single other piece, the share in percent that it wins, and the plies of its longest win.
KINDS = "KQRBNP"
ANTICHESS = {
    "K": ((17, 2), (77, 2), (46, 2), (50, 2), (88, 18), (60, 14)),
    "Q": ((64, 10), (64, 2), (64, 2), (64, 2), (64, 4), (63, 6)),
    "R": ((78, 34), (78, 2), (78, 2), (73, 2), (77, 4), (78, 6)),
    "B": ((51, 4), (85, 2), (84, 2), (35, 2), (86, 6), (77, 10)),
    "N": ((38, 4), (72, 2), (57, 2), (35, 4), (49, 12), (45, 16)),
    "P": ((27, 44), (37, 2), (23, 4), (21, 4), (68, 22), (57, 30)),
}


def antichess() -> Drawing:
    """Draw which piece wins against which in antichess, two pieces on the board."""
    drawing, cell, left, top = Drawing(470, 366, "Piece against piece in antichess"), 60, 70, 52
    drawing.text(left, 26, "against", size=13)
    drawing.note(12, top - 10, "to move")
    for row, mover in enumerate(KINDS):
        y = top + row * (cell - 12)
        drawing.text(40, y + 30, mover, anchor="middle", size=18)
        drawing.text(left + (row + 0.5) * cell, top - 8, mover, anchor="middle", size=18)
        for column, (share, plies_of_win) in enumerate(ANTICHESS[mover]):
            x = left + column * cell
            fill = TRIANGLE if share > 60 else LIGHT if share >= 40 else DARK
            drawing.box(x, y, cell, cell - 12, fill=fill, stroke=FAINT)
            middle = x + cell / 2
            drawing.text(middle, y + 22, f"{share} %", anchor="middle", size=14)
            drawing.text(middle, y + 39, f"in {plies_of_win // 2}", anchor="middle", size=11)
    drawing.note(
        12, 356, "Share of positions won by the piece to move, and its longest win in moves."
    )
    return drawing


# What docs/other-games.md shows of racing kings: of the positions in which a side that has one
# piece, or none, is to move against a bare king, the share in percent that it wins, and the plies
# of its longest win.
PIECES = ("no piece", "N", "B", "R", "Q")
RACING = {
    "White": ((39, 11), (40, 15), (43, 15), (83, 23), (84, 17)),
    "Black": ((48, 13), (48, 13), (49, 17), (84, 21), (85, 17)),
}


def racing() -> Drawing:
    """Draw what a piece is worth in racing kings, to White and to Black."""
    drawing, cell, left, top = Drawing(470, 190, "A piece more in racing kings"), 76, 78, 40
    drawing.note(12, top - 10, "to move")
    for column, piece in enumerate(PIECES):
        x = left + (column + 0.5) * cell
        drawing.text(x, top - 8, piece, anchor="middle", size=15)
    for row, (mover, cells) in enumerate(RACING.items()):
        y = top + row * 56
        drawing.text(12, y + 34, mover, size=15)
        for column, (share, plies_of_win) in enumerate(cells):
            x = left + column * cell
            fill = TRIANGLE if share > 60 else LIGHT if share >= 40 else DARK
            drawing.box(x, y, cell, 56, fill=fill, stroke=FAINT)
            middle = x + cell / 2
            drawing.text(middle, y + 26, f"{share} %", anchor="middle", size=14)
            moves = (plies_of_win + 1) // 2
            drawing.text(middle, y + 44, f"in {moves}", anchor="middle", size=11)
    drawing.note(
        12, 180, "Share of positions won by the side to move, and its longest win in moves."
    )
    return drawing


def atomic() -> Drawing:
    """Draw numbered endings of atomic chess."""
    return numbered("Four endings of atomic chess", ATOMIC)


def values() -> Drawing:
    """Draw a numbered position for each kind of value."""
    return numbered("Eight positions, one for each kind of value", VALUES)


def castling() -> Drawing:
    """Draw numbered positions in which a castling right changes the result."""
    return numbered("Four positions in which a castling right changes the result", CASTLING)


def mates() -> Drawing:
    """Draw numbered positions in which the pieces mislead about who can mate."""
    return numbered("Two dead positions, and the longest helpmate", MATES)


def thumb() -> Drawing:
    """Draw the hardest exception of each rule of thumb, numbered."""
    return numbered("The hardest exceptions of rules of thumb", exceptions())


def exceptions() -> list[Numbered]:
    """Return the hardest exception of each rule of thumb that has some."""
    names = {1: "win", 0: "draw", -1: "loss"}
    return [
        Numbered(rule, one["fen"], names[one["wdl"]])
        for rule, record in load("rules-of-thumb")["results"]["rules"].items()
        for one in record["hardest"][:1]
    ]


def strategies() -> Drawing:
    """Draw where the strategies of the examples fail, numbered."""
    refutations = [Numbered(*one) for one in refutations_to_draw()]
    return numbered("The shortest refutations of strategies", refutations)


def numbered(title: str, positions: Sequence[Numbered]) -> Drawing:
    """Draw numbered positions, four in a row, with their words and captions."""
    letters = int((PITCH - 8) / LETTER)
    lines = [textwrap.wrap(f"{n} {one.words}", letters) for n, one in enumerate(positions, 1)]
    notes = [list(captions(one)) for one in positions]
    above, below = (max(map(len, texts)) for texts in (lines, notes))
    height = 144 + 17 * above + 14 * below + 24
    drawing = Drawing(700, 20 + height * -(-len(positions) // 4), title)
    for number, one in enumerate(positions):
        x, y = 24 + number % 4 * PITCH, 14 + 17 * above + number // 4 * height
        for line, words in enumerate(reversed(lines[number])):
            drawing.text(x, y - 8 - 16 * line, words)
        drawing.position(x, y, 18, one.fen.split()[0])
        for line, words in enumerate(notes[number]):
            drawing.note(x, y + 168 + 14 * line, words)
    return drawing


def captions(one: Numbered) -> Iterator[str]:
    """Yield lines about the side to move, the result and castling rights of a position.

    >>> list(captions(Numbered("", "8/8/8/8/8/5k2/8/b3K2R w K - 0 1", "win")))
    ['White to move: win', 'White may castle short']
    """
    _, turn, rights = [*one.fen.split(), "", ""][:3]
    side = {"w": "White", "b": "Black", "": "Either side"}[turn]
    yield f"{side} to move{one.result and ': '}{one.result}"
    for right in rights.strip("-"):
        wing = "short" if right in "kK" else "long"
        yield f"{'White' if right.isupper() else 'Black'} may castle {wing}"


IMAGES: tuple[Callable[[], Drawing], ...] = (
    words,
    preimages,
    slices,
    plies,
    symmetries,
    layouts,
    draughts,
    diamond,
    explosion,
    atomic,
    antichess,
    racing,
    values,
    castling,
    mates,
    thumb,
    strategies,
)


def main(folder: Path) -> None:
    """Write all pictures to a folder."""
    for draw in IMAGES:
        (folder / f"{draw.__name__}.svg").write_text(str(draw()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs" / "images")
