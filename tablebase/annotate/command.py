"""``tablebase annotate``: annotate games by the tables, or count the mistakes of many."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tablebase.cli.arguments import Parser, explorer_address, positive_number, refuse_existing
from tablebase.cli.choice import add_directory, choose
from tablebase.cli.terminal import complain, explain, new_table, show
from tablebase.cli.texts import name_of, open_text
from tablebase.core.ground.extras import require_packages
from tablebase.core.ground.remedies import of_missing_tables
from tablebase.core.ground.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import chess
    import chess.pgn

    from tablebase.annotate.annotation import Annotations
    from tablebase.annotate.pgn import GameText
    from tablebase.annotate.summary import GameSummary, Mistake, MoveCount
    from tablebase.core.answers.tablebase import Tablebase
    from tablebase.core.rules.rules import Rules


class _NoGameError(Exception):
    """A text without a tag and without a move."""


_NUMBERS = ("reached", "games", "moves", "mistakes", "share", "predicted")


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "game.pgn": "annotated PGN; a summary on standard error",
        "--only-results - --dir tables": "games from standard input; slow wins are accepted",
        "--summary game.pgn --limit 3": "which endings and positions were given away",
        "--summary game.pgn --by player --html page.html": "the mistakes of each player",
    }
    game = 'the game is that of the tag [Variant "Atomic"] of a PGN'
    command.set_up(run, examples, "looking up the moves of games", game=game)
    command.add_argument(
        "games", metavar="PGN", nargs="+", help="file of games, - for standard input"
    )
    command.add_argument(
        "--only-results",
        action="store_true",
        help="mark only moves that change the result, not slower ones",
    )
    command.add_argument(
        "--difficulty",
        action="store_true",
        help="show how difficult the positions were, from 0 to 1: the chance of a mistake of a "
        "player who sees four plies",
    )
    counts = command.add_argument_group("counts of many games")
    counts.add_argument(
        "--summary",
        action="store_true",
        help="print the mistakes of any number of files by ending, and the positions up to "
        "symmetry that were given away most often",
    )
    counts.add_argument(
        "--by",
        choices=("position", "player"),
        help="list mistakes by position or by player (default: position)",
    )
    counts.add_argument(
        "--limit",
        type=positive_number,
        metavar="N",
        help="show N positions, or all players, and N mistakes of each (default: 10)",
    )
    counts.add_argument("--parquet", metavar="FILE", type=Path, help="write all positions to FILE")
    counts.add_argument("--html", metavar="FILE", type=Path, help="write a page of diagrams")
    counts.add_argument(
        "--explorer",
        metavar="ADDRESS",
        type=explorer_address,
        help="with --html: link mistakes as exercises to the explorer at this address, from "
        "`tablebase serve` or a published site (default: link positions to lichess)",
    )
    counts.add_argument("--force", action="store_true", help="overwrite existing files")
    add_directory(command)
    command.set_defaults(refuse=command.error)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out; return 2 if a game is not read."""
    options = ("by", "limit", "parquet", "html", "explorer")
    counting = [f"--{one}" for one in options if getattr(arguments, one)]
    counting += ["several files"] * (len(arguments.games) > 1)
    if counting and not arguments.summary:
        arguments.refuse(f"only --summary takes {counting[0]}")
    if arguments.summary and arguments.only_results:
        arguments.refuse("leave --only-results out: --summary counts no other mistakes")
    if arguments.summary and arguments.difficulty:
        arguments.refuse("leave --difficulty out: --summary always shows it as predicted")
    if arguments.explorer and not arguments.html:
        arguments.refuse("--explorer needs --html FILE, whose links it is for")
    choice = choose(arguments)
    work = _summarize if arguments.summary else _annotate
    with choice.open_tables() as tables, _TablesOfGames(tables) as opened:
        is_whole = work(arguments, opened)
    folders = [*map(str, choice.directories)]
    for rules, missing in opened.missing.items():
        if missing:
            complain(of_missing_tables(sorted(missing), folders, "", "", rules.source))
    return 0 if is_whole else 2


def _summarize(arguments: argparse.Namespace, opened: _TablesOfGames) -> bool:
    """Print the counts of games, and write them to the files that are asked for."""
    from tablebase.annotate.summary import GameSummary

    packages = ["jinja2"] * bool(arguments.html) + ["pyarrow"] * bool(arguments.parquet)
    require_packages("files of counts need", *packages)
    for path in filter(None, (arguments.parquet, arguments.html)):
        refuse_existing(path, force=arguments.force)
        path.parent.mkdir(parents=True, exist_ok=True)
    summary = GameSummary(opened.of_chess)
    read = []

    def visit(game: chess.pgn.Game, name: str) -> None:
        tables = opened.of(game)
        opened.missing[tables.rules] |= summary.add(game, name, tables).missing

    for file in arguments.games:
        try:
            read.append(_each_game(file, visit))
        except OSError as error:  # the other files are read
            complain(explain(error))
            read.append((0, 0))
    if summary.games:
        by_player, limit = arguments.by == "player", arguments.limit or 10
        _show_endings(summary)
        if by_player:
            _show_players(summary, limit)
        else:
            _show_positions(summary, limit)
        if arguments.parquet:
            _write_parquet(summary, arguments.parquet)
        if arguments.html:
            from tablebase.annotate.summary_page import write_summary

            options = {"by_player": by_player, "limit": limit, "explorer": arguments.explorer}
            write_summary(summary, arguments.html, **options)
        sys.stdout.flush()
        print(_known(summary.seen, summary.games), file=sys.stderr)
    return all(0 == failed < games for games, failed in read)


def _each_game(
    file: str, visit: Callable[[chess.pgn.Game, str], None], *, give_back: bool = False
) -> tuple[int, int]:
    """Visit the games of a file with what to call each, name bad ones; return how many there are.

    The second number is that of bad ones.
    """
    from tablebase.annotate.pgn import split_games

    games, failed, name = 0, 0, name_of(file)
    with open_text(file) as lines:
        for games, text in enumerate(split_games(lines), 1):
            try:
                visit(_game_of(text), f"{name}, game {games}")
            except (OSError, MemoryError):  # no fault of the game
                raise
            except Exception as error:  # noqa: BLE001 (whatever it is, the other games are read)
                failed += 1
                complain(f"{name}: game {games}: {explain(error)}")
                if give_back and not isinstance(error, _NoGameError):
                    print(text, end="\n\n")
    if not games:
        complain(f"{name}: there is no game in it")
    return games, failed


def _game_of(text: GameText) -> chess.pgn.Game:
    """Return a game; raise the error of a bad one."""
    from tablebase.annotate.pgn import read_game

    game = read_game(text)
    problem = game.errors[0] if game.errors else None
    if not (text.tags or game.variations):
        raise _NoGameError(f"neither a tag nor a move{f': {problem}' if problem else ''}")
    if problem:
        raise problem
    return game


def _show_endings(summary: GameSummary) -> None:
    """Print counts by ending."""
    rows = [(one.name, *_cells(one)) for one in summary.endings()]
    _show_rows(("ending", *_NUMBERS), rows)


def _cells(one: MoveCount) -> list[str]:
    """Return the `_NUMBERS` in words."""
    shares = (one.mistakes / one.moves if one.moves else None, one.predicted)
    words = ("" if share is None else f"{share:.1%}" for share in shares)
    counts = (one.reached, one.games, one.moves, one.mistakes)
    return [*(f"{count:,}" for count in counts), *words]


def _show_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    table = new_table(*columns, left=left)
    for row in rows:
        table.add_row(*row)
    if rows:
        show(table)


def _show_players(summary: GameSummary, limit: int) -> None:
    """Print counts by player, and their mistakes."""
    players = summary.players()
    _show_rows(("player", *_NUMBERS), [(one.name, *_cells(one)) for one in players])
    _show_mistakes([each for one in players for each in one.given_away[:limit]])


def _show_mistakes(mistakes: Sequence[Mistake]) -> None:
    columns = ("mistake", "right", "player", "game", "position")
    rows = [(one.played, one.better, one.player, one.game, one.fen) for one in mistakes]
    _show_rows(columns, rows, left=len(columns))


def _show_positions(summary: GameSummary, limit: int) -> None:
    """Print the positions that were given away most often, and their mistakes."""
    from tablebase.cli.display import result_words

    worst = [one for one in summary.positions() if one.mistakes][:limit]
    columns = ("position", "result", "given away by", *_NUMBERS[2:])
    rows = [
        (one.first, result_words(one.wdl50), one.in_words(one.given_away), *_cells(one)[2:])
        for one in worst
    ]
    _show_rows(columns, rows, left=3)
    _show_mistakes([each for one in worst for each in one.examples[:limit]])


def _write_parquet(summary: GameSummary, path: Path) -> None:
    from tablebase.core.storage.atomic import complete_or_absent

    table = summary.to_arrow()
    with complete_or_absent(path) as partial:
        import_module("pyarrow.parquet").write_table(table, partial, compression="zstd")


def _known(summary: Annotations, games: int) -> str:
    known = f"{summary.known:,} of {counted(summary.positions, 'position')} known"
    return f"{counted(games, 'game')}, {known}."


class _TablesOfGames:
    """The tables of the games in a file, each opened once: a tag names the variant."""

    def __init__(self, tables: Tablebase) -> None:
        self._of, self.of_chess = {tables.rules: tables}, tables
        self.missing: defaultdict[Rules, set[str]] = defaultdict(set)  # materials without a table
        self._directories = tables.directories
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def of(self, game: chess.pgn.Game) -> Tablebase:
        """Return the tables of a game's rules."""
        from tablebase.core.answers.tablebase import Tablebase
        from tablebase.core.rules.rule_files import ALIASES, built_in_rules

        variant = game.board().uci_variant or ""
        rules = built_in_rules().get(ALIASES.get(variant, variant), self.of_chess.rules)
        if rules not in self._of:
            tables = Tablebase(self._directories, rules=rules)
            self._of[rules] = self._opened.enter_context(tables)
        return self._of[rules]


def _annotate(arguments: argparse.Namespace, opened: _TablesOfGames) -> bool:
    from tablebase.annotate.annotation import Annotations, annotate
    from tablebase.annotate.pgn import write_game

    total = Annotations()
    options = {"only_results": arguments.only_results, "difficulty": arguments.difficulty}

    def visit(game: chess.pgn.Game, _: str) -> None:
        nonlocal total
        tables = opened.of(game)
        found = annotate(game, tables, **options)
        opened.missing[tables.rules] |= found.missing
        print(write_game(game), end="\n\n")
        total += found

    games, failed = _each_game(arguments.games[0], visit, give_back=True)
    sys.stdout.flush()
    if games > failed:
        print(_in_words(total, games), file=sys.stderr)
    return 0 == failed < games


def _in_words(summary: Annotations, games: int) -> str:
    """Return a summary of some games in one line."""
    sides = (
        f"{'White' if one else 'Black'}: {_side_in_words(summary, one)}." for one in (True, False)
    )
    return f"{_known(summary, games)} {' '.join(sides)}"


def _side_in_words(summary: Annotations, color: chess.Color) -> str:
    """Return the mistakes of a side, with the results that they gave up.

    Moves that win more slowly, or lose faster, than the best one are counted apart.
    """
    from tablebase.annotate.annotation import CHANGES, SLOWER
    from tablebase.core.outcomes.metrics import Wdl50

    mistakes, slower = (summary.faults[color, fault] for fault in (CHANGES, SLOWER))
    words = {Wdl50.WIN: "win", Wdl50.CURSED_WIN: "cursed win", Wdl50.DRAW: "draw"}
    numbers = {f"lost the {word}": summary.given_up[color, one] for one, word in words.items()}
    numbers["lost the draw"] += summary.given_up[color, Wdl50.BLESSED_LOSS]
    told = [f"{number:,} {what}" for what, number in numbers.items() if number]
    text = counted(mistakes, "mistake") if mistakes else "no mistakes"
    if told:
        text += f" ({', '.join(told).removeprefix('1 ') if mistakes == 1 else ', '.join(told)})"
    text += f", {counted(slower, 'slow move')}" if slower else ""
    if judged := summary.judged[color]:
        text += f", difficulty {summary.difficulty[color] / judged:.2f} on average"
    return text
