"""``tablebase probe --rules``: a position of another game than chess."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablebase.cli.choice import choose
from tablebase.cli.terminal import print_json
from tablebase.core.words import moves_in_words

if TYPE_CHECKING:
    from tablebase.core.outcomes import Outcome
    from tablebase.core.positions import Setup, SetupMove

LINE_WIDTH = 80


def probe_variant(arguments: argparse.Namespace) -> int:
    """Look up a position with the letters of the rules."""
    from tablebase.core.probing import describe_setup, read_passing

    choice = choose(arguments)
    position, pushed = read_passing(" ".join(arguments.fen), choice.rules)
    with choice.open_variant() as tables:
        outcome = tables.probe_position(position, pushed=pushed)
        moves = tables.rank_moves(position, pushed=pushed)
        line = tables.mainline(position, pushed=pushed) if arguments.line else None
    if arguments.json:
        print_json(describe_setup(position, outcome, moves, line, pushed=pushed))
        return 0
    print("\n".join(_board_lines(position)))
    print(f"\n{_side(position)} to move: {_in_words(outcome)}")
    if line is None:
        width = max((len(str(move)) for move, _ in moves), default=0)
        for move, after in moves:
            print(f"  {move!s:{width}}  {_in_words(after)}")
    elif line:
        print(f"\n{textwrap.fill(_numbered(position, line), LINE_WIDTH)}")
    return 0


def _side(position: Setup) -> str:
    return position.color.name.capitalize()


def _in_words(outcome: Outcome) -> str:
    """Return an outcome in words.

    >>> from tablebase.core.outcomes import Outcome
    >>> _in_words(Outcome(39)), _in_words(Outcome(~0)), _in_words(Outcome(0))
    ('win in 20 moves (39 plies)', 'lost', 'draw')
    """
    if not outcome:
        return "draw"
    if not outcome.plies:
        return "lost"
    return f"{'win' if outcome > 0 else 'loss'} in {moves_in_words(outcome.plies)}"


def _board_lines(position: Setup) -> list[str]:
    """Return the board as lines of text, White's first rank last."""
    ranks = position.fen.split()[0].split("/")
    lines = []
    for number, rank in zip(range(len(ranks), 0, -1), ranks, strict=True):
        signs = "".join("." * int(sign) if sign.isdigit() else sign for sign in rank)
        lines.append(f"{number} {' '.join(signs)}")
    files = "abcdefgh"[: position.material.rules.files]
    return [*lines, f"  {' '.join(files)}"]


def _numbered(position: Setup, line: Sequence[SetupMove]) -> str:
    """Return a line with the numbers of its moves.

    >>> from tablebase.core.positions import read_setup
    >>> position = read_setup("8/8/8/8/8/2k5/1R6/K7 b")
    >>> move = next(position.moves())
    >>> _numbered(position, [move, next(move.after.moves())])[:13]
    '1... Kc3-d3 2'
    """
    words, color = [], position.color
    for count, move in enumerate(line, int(color)):
        if count % 2 == 0:
            words.append(f"{count // 2 + 1}.")
        elif not words:
            words.append(f"{count // 2 + 1}...")
        words.append(str(move))
    return " ".join(words)
