"""``tablebase find``: find positions by conditions."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from tablebase.cli.arguments import Parser, add_threads, positive_number, whole_number
from tablebase.cli.choice import add_directory, add_materials, add_rules, choose
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.words import counted, quoted
from tablebase.finding.choices import (
    BEST_MOVES,
    MATED_SIDES,
    NEVER_SIDES,
    ORDERS,
    RESULT_NAMES,
    ZUGZWANG_SIDES,
)
from tablebase.finding.parquet_options import ONE_MATERIAL, add_parquet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tablebase.core.rules.rules import Rules
    from tablebase.finding.conditions import Conditions

FORMATS = ("fen", "epd", "csv", "jsonl", "pgn")
FORMATS_OF_CHESS = ("epd", "pgn")
_SIDES = {"w": "white", "b": "black"}


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "KQKR --turn white --longest": "the longest wins",
        "KPK --result win --only-move --moves 10:15 --format pgn": "exercises with solutions",
        "KRKP --best underpromotion --format epd": "where the best move is an underpromotion",
        "KRKN --on R=a1-h1 k=f7,f8 --sample 10 --seed 3": "a random sample of ten",
        "KPK --result draw --order difficulty --limit 20": "the hardest positions to hold",
        "KPK --exercises 3 --sample 6 --html sheet.html": "exercises of the course, to print",
        'KPK --where "distance(white_king, white_pawn) == 1"': "a condition on squares",
        "KPK --never white --turn black": "where White cannot mate even with Black's help",
        "KQKN --helpmate 3 --unique --dir tables": "helpmates in 3 with one solution",
        "KQKR --zugzwang --parquet FILE": "columns for polars or pandas",
    }
    command.set_up(run, examples, "searching tables")
    add_materials(command, nargs="+", text="like KRK or KRvKN; White is the stronger side")
    add_directory(command)
    add_rules(command)
    command.register("action", None, _Once)
    _add_conditions(command.add_argument_group("conditions (all must hold)"))
    needed = "`tablebase build --metric help`"
    _add_helpmates(command.add_argument_group(f"who can still mate (needs tables of {needed})"))
    taken = command.add_argument_group("selection (of each material)")
    taken.add_argument(
        "--longest", action="store_true", help="only positions with the longest distance"
    )
    taken.add_argument(
        "--order",
        choices=ORDERS,
        default="index",
        help="sort by distance, or the hardest first",
    )
    taken.add_argument("--limit", type=positive_number, metavar="N", help="at most N positions")
    taken.add_argument("--sample", type=positive_number, metavar="N", help="a random sample of N")
    taken.add_argument(
        "--seed", type=whole_number, metavar="N", default=0, help="seed of --sample (default: 0)"
    )
    taken.add_argument(
        "--exercises",
        type=positive_number,
        metavar="LEVEL",
        help="those of a level of the course in the explorer, all or a --sample",
    )
    output = command.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=FORMATS,
        help="epd has dm and bm, csv and jsonl have values, pgn has exercises with solutions "
        "(default: fen)",
    )
    output.add_argument(
        "--html", metavar="FILE", help="--exercises as a sheet to print, with solutions at the end"
    )
    add_parquet(output, output)
    add_threads(command)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.finding.conditions import Conditions
    from tablebase.finding.find import iter_found
    from tablebase.finding.printing import Printer, save_parquet

    choice = choose(arguments)
    directories = choice.directories
    materials = [material.normalized() for material in choice.materials]
    if arguments.parquet and len(materials) > 1:
        arguments.refuse(ONE_MATERIAL)
    if arguments.parquet and arguments.format:
        arguments.refuse("--format cannot be combined with --parquet: --fen adds a column of FENs")
    for option, is_given, instead in (
        ("--fen", arguments.fen, "other formats have FENs anyway"),
        ("--squares", arguments.squares != "name", "other formats have FENs"),
        ("--columns", arguments.columns, "other formats have fixed contents"),
        ("--force", arguments.force, "other formats write no file"),
    ):
        if is_given and not arguments.parquet:
            arguments.refuse(f"{option} needs --parquet: {instead}")
    if arguments.format in FORMATS_OF_CHESS:
        moves = f"moves of --format {arguments.format}"
        choice.refuse_other_games(moves, "choose fen, csv or jsonl")
    try:
        conditions: Conditions = Conditions(**conditions_of(arguments))
        for material in materials:
            conditions.check_men(material)
    except ValueError as error:
        arguments.refuse(str(error))
    _require_difficulty(conditions, choice.rules)
    if arguments.exercises or arguments.html:
        return _run_exercises(arguments, choice, conditions)
    with choice.open_tables() as tables:
        shown = arguments.format or FORMATS[0]
        printer = Printer(shown, tables, conditions)
        for material in materials:
            with _showing_progress(f"searching {material}") as progress:
                blocks = iter_found(
                    material, directories, conditions, threads=arguments.threads, progress=progress
                )
                if arguments.parquet:
                    count = save_parquet(arguments, blocks)
                else:
                    count, hardest = 0, 0.0
                    for positions in blocks:
                        printer.show(positions)
                        count += len(positions)
                        if positions.difficulty is not None:
                            hardest = max(hardest, *positions.difficulty.tolist(), 0.0)
            sys.stdout.flush()  # positions come before their number, also on one terminal
            if not count:
                print(conditions.none_found(material), file=sys.stderr)
            elif not arguments.parquet:
                is_easy = conditions.need_difficulty and not hardest
                word = ", none of them difficult: no mistake in them is hidden" if is_easy else ""
                print(f"{material}: {counted(count, 'position')}{word}", file=sys.stderr)
    return 0


def _require_difficulty(conditions: Conditions, rules: Rules) -> None:
    """Refuse difficulties in a game without the 50-move rule."""
    if conditions.need_difficulty and not rules.fifty_moves:
        remedy = "leave --difficulty out" if conditions.difficulty else "choose another --order"
        raise InvalidRulesError(
            f"difficulties need the 50-move rule, which {rules.name} does not have: {remedy}"
        )


def _run_exercises(arguments: argparse.Namespace, choice: Any, conditions: Conditions) -> int:
    """Print exercises of the course, or write them as a sheet."""
    from pathlib import Path

    from tablebase.core.storage.atomic import write_text
    from tablebase.finding.conditions import Conditions
    from tablebase.finding.sheet import choose_exercises, sheet

    sample, seed = conditions.sample, conditions.seed
    if not arguments.exercises:
        arguments.refuse("--html needs --exercises LEVEL, such as --exercises 3")
    if (
        len(choice.materials) > 1
        or conditions != Conditions(sample=sample, seed=seed)
        or arguments.format
    ):
        arguments.refuse("--exercises are those of one ending: only --sample and --seed go with it")
    choice.refuse_other_games("--exercises", "leave it out")
    material, level = choice.materials[0].normalized(), arguments.exercises
    with choice.open_tables() as tables:
        try:
            found = choose_exercises(tables, material, level, sample, seed)
        except ValueError as error:
            arguments.refuse(str(error))
        if arguments.html is None:
            print("\n".join(one.fen for one in found))
        else:
            write_text(Path(arguments.html), sheet(tables, material, level, found))
            print(f"{arguments.html}: {counted(len(found), 'exercise')}", file=sys.stderr)
    return 0


def conditions_of(arguments: argparse.Namespace) -> Mapping[str, Any]:
    """Return the conditions that arguments name, for `tablebase.find`."""
    men = [man for man, _ in arguments.on]
    if arguments.mated and arguments.helpmate is None:
        arguments.refuse("--mated needs --helpmate, such as --helpmate 3")
    if len(set(men)) < len(men):
        arguments.refuse("--on: name the squares of each piece once, like R=a1,h1")
    return {
        "turn": None if arguments.turn is None else arguments.turn == "white",
        "result": arguments.result,
        "best_move": arguments.best,
        "mated": arguments.mated or "black",
        "on": dict(arguments.on),
        "where": " and ".join(f"({one})" for one in arguments.where) or None,
        **{
            name: getattr(arguments, name)
            for name in (
                "plies", "moves", "metric", "check", "difficulty", "only_move", "winning_moves",
                "zugzwang", "never", "helpmate", "unique", "images", "longest", "order", "limit",
                "sample", "seed", "columns", "split_seed",
            )
        },
    }  # fmt: skip


def _showing_progress(task: str) -> Any:
    """Show progress unless positions are printed on the same terminal."""
    from tablebase.cli.terminal import showing_progress

    return nullcontext() if sys.stdout.isatty() else showing_progress(task)


class _Once(argparse.Action):
    """An option that is refused if it is given again, because all conditions must hold."""

    def __call__(self, _: Any, given: Any, values: Any, _option: str | None = None) -> None:
        """Store the values of an option."""
        if getattr(given, self.dest) is not self.default:
            raise argparse.ArgumentError(self, "give it once: a second one would replace the first")
        setattr(given, self.dest, values)


def _add_conditions(group: Any) -> None:
    group.add_argument(
        "--turn",
        type=_side,
        choices=("white", "black"),
        help="side to move, w or b for short (default: both, or the side that begins --helpmate; "
        "White if both have the same pieces)",
    )
    group.add_argument(
        "--result",
        type=_result,
        action="append",
        metavar="RESULT",
        help=f"{', '.join(RESULT_NAMES[:-1])} or {RESULT_NAMES[-1]}, for the side to move; may be "
        "repeated",
    )
    group.add_argument(
        "--plies", type=_range, metavar="N[:M]", help="distance in plies (20: means 20 or more)"
    )
    group.add_argument(
        "--moves", type=_range, metavar="N[:M]", help="distance in moves of the winner"
    )
    group.add_argument(
        "--metric",
        choices=("dtm", "dtz"),
        default="dtm",
        help="distance to mate or to zeroing (default: dtm)",
    )
    group.add_argument(
        "--check", action=argparse.BooleanOptionalAction, help="the side to move is in check"
    )
    group.add_argument(
        "--difficulty",
        type=_shares,
        metavar="A:B",
        help="from 0 to 1, for the side to move: the chance that a player goes wrong",
    )
    group.add_argument(
        "--only-move",
        action=argparse.BooleanOptionalAction,
        help="exactly one move keeps the result",
    )
    group.add_argument(
        "--winning-moves", type=_range, metavar="N[:M]", help="number of winning moves"
    )
    _add_conditions_on_squares_and_moves(group)


def _add_helpmates(group: Any) -> None:
    group.add_argument(
        "--never",
        type=_side,
        choices=NEVER_SIDES,
        help="this side can never mate, even if both sides help; both: the position is dead",
    )
    group.add_argument(
        "--helpmate",
        type=_helpmate,
        metavar="N",
        help="a helpmate in N moves: the side that will be mated begins; 3.5 begins with the other",
    )
    group.add_argument(
        "--mated", type=_side, choices=MATED_SIDES, help="by --helpmate (default: black)"
    )
    group.add_argument("--unique", action="store_true", help="with one solution of --helpmate")


def _helpmate(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not like 3 or 3.5") from None


def _side(text: str) -> str:
    """Return the name of a side from the name or its first letter."""
    return _SIDES.get(text.lower(), text)


def _result(text: str) -> str:
    name = text.lower().replace("-", "_")
    if name not in RESULT_NAMES:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not one of {', '.join(RESULT_NAMES)}")
    return name


def _range(text: str) -> int | tuple[int | None, int | None]:
    """Return a range.

    >>> _range("31"), _range("20:40"), _range("20:")
    (31, (20, 40), (20, None))
    """
    first, colon, last = text.partition(":")
    if not colon:
        return whole_number(text)
    if not first and not last:
        raise argparse.ArgumentTypeError("write a range like 31, 20:40, 20: or :40")
    return (whole_number(first) if first else None, whole_number(last) if last else None)


def _shares(text: str) -> tuple[float, float]:
    """Return bounds of a difficulty, which are checked with the conditions."""
    try:
        least, most = map(float, text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not like 0.2:0.6") from None
    return least, most


def _add_conditions_on_squares_and_moves(group: Any) -> None:
    group.add_argument(
        "--best",
        choices=BEST_MOVES,
        metavar="KIND",
        help="every best move (fastest mate, longest defence) is of this kind, or promotes to "
        f"this piece: {', '.join(BEST_MOVES)}",
    )
    group.add_argument(
        "--zugzwang",
        nargs="?",
        const="any",
        type=_side,
        choices=ZUGZWANG_SIDES,
        help="only mutual zugzwangs: in favour of white or black, or both (the side to move loses)",
    )
    group.add_argument(
        "--on",
        nargs="+",
        action="extend",
        type=_man_on,
        metavar="PIECE=SQUARES",
        default=[],
        help="pieces on these squares, like R=a1-h1 k=f7,f8, in some symmetric version of the "
        "position; that version is printed",
    )
    group.add_argument(
        "--where",
        action="append",
        type=_expression,
        default=[],
        metavar="EXPRESSION",
        help='a condition on the squares of pieces, like "white_king.rank == 6 and '
        'distance(black_king, white_pawn) > 3"; may be repeated',
    )


def _man_on(text: str) -> tuple[str, str]:
    man, equals, squares = text.partition("=")
    if not equals or len(man) != 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not like R=a1-h1 or k=f7,f8")
    return man, squares


def _expression(text: str) -> str:
    from tablebase.finding.expression_text import read_expression

    try:
        read_expression(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
