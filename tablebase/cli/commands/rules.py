"""``tablebase rules``: the games that tables can be built for, and how their pieces move."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_json
from tablebase.cli.terminal import new_table, print_json, show

if TYPE_CHECKING:
    from tablebase.core.board.movement import Steps
    from tablebase.core.rules.rules import Kind, Rules

# As files of rules have them.
_FLAGS_OF_JSON = (
    "stalemate_loses", "stalemate_wins", "fewest_win", "must_capture", "extinct_wins", "bare_king",
)  # fmt: skip
# Squares that a diagram shows on each side of the piece.
MARGIN = 3


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "all built-in games",
        "shatranj": "one of them, with diagrams",
        "mine.ini:fairy": "one from a file",
        "--keys": "the keys that such a file may have",
    }
    command.set_up(run, examples, "reading rules")
    command.add_argument(
        "games", metavar="NAME|FILE", nargs="*", help="games to show (default: the built-in games)"
    )
    command.add_argument("--keys", action="store_true", help="list the keys of rules files")
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.core.rules.rule_files import RULE_KEYS, built_in_rules, read_rules

    if arguments.keys:
        if arguments.json:
            print_json(dict(RULE_KEYS))
        else:
            width = max(map(len, RULE_KEYS))
            print("\n".join(f"{key:{width}}  {meaning}" for key, meaning in RULE_KEYS.items()))
        return 0
    chosen = [read_rules(name) for name in arguments.games] or list(built_in_rules().values())
    if arguments.json:
        described = [describe_rules(rules) for rules in chosen]
        print_json(described[0] if len(arguments.games) == 1 else described)
    elif arguments.games:
        print("\n\n".join("\n".join(_explain(rules)) for rules in chosen))
    else:
        table = new_table("game", "pieces", "other than in chess", left=3)
        for rules in chosen:
            table.add_row(rules.name, " ".join(rules.letters), "; ".join(_differences(rules)))
        show(table)
    return 0


def describe_rules(rules: Rules) -> dict[str, Any]:
    """Return rules in types that JSON knows."""
    return {
        "name": rules.name,
        "sha256": rules.digest,
        "folder": rules.folder,
        "kinds": [
            {
                "letter": kind.letter,
                "name": kind.name,
                "steps": sorted(map(list, kind.steps)),
                "quiet_steps": sorted(map(list, kind.quiet)),
            }
            for kind in rules.kinds
            if kind
        ],
        "promotions": [rules.letter_of(man) for man in rules.promotions],
        "double_push": rules.double_push,
        "promotion_rank": rules.promotion_rank,
        "files": rules.files,
        "ranks": rules.ranks,
        "walls": rules.walls.split(),
        **{key: rules.said[key] for key in _FLAGS_OF_JSON},
        "goal": rules.goal.split(),
        "flag_move": rules.flag_move,
        "checking": rules.checking,
        "fifty_moves": rules.fifty_moves,
    }


def _explain(rules: Rules) -> Iterator[str]:
    """Yield the lines that explain rules."""
    yield rules.name
    yield from (f"  {line}" for line in _differences(rules))
    if rules.folder:
        yield f"  tables are in {rules.folder} within a folder of tables"
    for kind in filter(None, rules.kinds[2:]):
        yield ""
        yield f"{kind.letter}  {kind.name}"
        yield from (f"  {line}" for line in diagram(kind))


def _differences(rules: Rules) -> Iterator[str]:
    """Yield in words in what rules differ from chess, the pieces aside."""
    from tablebase.core.board.shape import FULL_BOARD

    if not rules.mark:
        return
    if rules.board != FULL_BOARD:
        walls = f" with walls on {rules.walls}" if rules.walls else ""
        yield f"a board of {rules.files}x{rules.ranks}{walls}"
    if "P" in rules.letters:
        early = "" if rules.promotion_rank == rules.ranks else f" on rank {rules.promotion_rank}"
        letters = " ".join(map(rules.letter_of, rules.promotions))
        if early or letters != "Q R B N":
            yield f"pawns become {letters or 'nothing'}{early}"
        if not rules.double_push:
            yield "pawns make no double step"
    if rules.stalemate == "loss":
        yield "stalemate loses"
    if not rules.royal:
        stuck = "" if rules.fewest_win else " or no move"
        yield f"no king is royal, captures are forced, and a side without pieces{stuck} has won"
    if rules.fewest_win:
        yield "a side that cannot move wins if it has fewer pieces; with as many it is a draw"
    if rules.blast:
        yield "a capture explodes with all pieces around but pawns, and who loses the king has lost"
    if rules.check_counting:
        yield "who gives check for the third time wins"
    if rules.goal:
        yield f"a king that reaches one of {rules.goal} wins"
    if rules.flag_move:
        yield "where White's king is the first there, Black may answer once, for a draw"
    if not rules.checking:
        yield "no move may give check"
    if rules.bare_king:
        yield "a bare king loses unless it bares the other at once"
    if not rules.fifty_moves:
        yield "there is no 50-move rule"


def diagram(kind: Kind) -> list[str]:
    """Return the squares around a piece as lines of text.

    There is o for a step, * for a repeated step, x for a capture only, - for no capture.

    >>> from tablebase.core.rules.rule_files import read_rules
    >>> for line in diagram(read_rules("chess").kind_of(2)):
    ...     print(line)
    . . . . . . .
    . . o . o . .
    . o . . . o .
    . . . N . . .
    . o . . . o .
    . . o . o . .
    . . . . . . .
    """
    size = range(-MARGIN, MARGIN + 1)
    signs = {(0, 0): kind.letter}
    captures, quiet = (_squares_around(steps) for steps in (kind.steps, kind.quiet))
    for square, reach in (captures | quiet).items():
        signs[square] = "*" if reach > 1 else "o"
        if (square in captures) != (square in quiet):
            signs[square] = "x" if square in captures else "-"
    return [" ".join(signs.get((x, y), ".") for x in size) for y in reversed(size)]


def _squares_around(steps: Steps) -> dict[tuple[int, int], int]:
    """Return by square, seen from the piece, how often the step to it may be repeated."""
    return {
        (count * dx, count * dy): reach for dx, dy, reach in steps for count in range(1, reach + 1)
    }
