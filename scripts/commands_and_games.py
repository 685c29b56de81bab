"""Ask each command about each built-in game, and keep which of them it refuses.

Usage: python scripts/commands_and_games.py [--save]

Tables of a piece against a bare king are built in a folder that is removed. With --save the answers
go to benchmarks/results/commands_and_games.json, which ``figures.py`` prints in docs/rules.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest import mock

from measurement import load, save

from tablebase.cli.program import main as tablebase
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS, Rules

NAME = "commands_and_games"
# What is typed for each row of the table, in this order, because some need what others write.
ROWS: Mapping[str, Sequence[str]] = {
    "`build`": ("build", "{name}"),
    "`build --metric dtz`": ("build", "{name}", "--metric", "dtz"),
    "`build --metric help`": ("build", "{name}", "--metric", "help"),
    "`plan`": ("plan", "{name}"),
    "`info`": ("info", "{name}"),
    "`verify`": ("verify", "{name}"),
    "`probe`": ("probe", "{fen}"),
    "`probe --flag`": ("probe", "{fen}", "--flag", "white"),
    "`find`": ("find", "{name}"),
    "`find --never`": ("find", "{name}", "--never", "white"),
    "`find --only-move`": ("find", "{name}", "--only-move"),
    "`find --order difficulty`": ("find", "{name}", "--order", "difficulty"),
    "`find --format epd`": ("find", "{name}", "--format", "epd"),
    "`report`": ("report", "{name}", "--out", "{folder}/report", "--json"),
    "`publish`": ("publish", "{folder}/site", "{name}"),
    "`count`": ("count", "{name}"),
    "`prove`": ("prove", "{name}", "{folder}/strategy.py"),
    "`export --parquet`": ("export", "{name}", "--parquet", "{folder}/{game}.parquet"),
    "`export --syzygy`": ("export", "{name}", "--syzygy", "{folder}/syzygy"),
    "`audit --syzygy`": ("audit", "--syzygy", "{folder}/syzygy"),
    "`audit --prober`": ("audit", "{name}", "--prober", "{folder}/prober.py:Prober", "nothing"),
    "`audit --server`": ("audit", "{name}", "--server", "http://127.0.0.1:9"),
    "`export --gaviota`": ("export", "{name}", "--gaviota", "{folder}/gaviota"),
    "`audit --gaviota`": ("audit", "--gaviota", "{folder}/gaviota"),
    "`solve`": ("solve", "{fen}"),
    "`butterfly`": ("butterfly", "{name}"),
    "`annotate`": ("annotate", "{folder}/game.pgn"),
    "`uci`": ("uci",),
}
WITHOUT_RULES = "annotate", "uci"  # they get the game in another way
ERROR = 2  # the exit code of errors; 1 is the answer that something is not so
WITHOUT_FOLDER = "count", "plan"
PROBER = """import chess.variant

class Prober:
    variant = chess.variant.find_variant("{game}")

    def __init__(self, argument):
        pass

    def probe_wdl(self, board):
        raise KeyError(board)
"""
PGN = '[Variant "{game}"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n*\n'


@reader_may_leave()
def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--save", action="store_true", help="keep the answers for the page")
    arguments = parser.parse_args()
    games = [rules for rules in built_in_rules().values() if rules != CHESS]
    found = {rules.name: known_by(rules) for rules in games}
    print(save(NAME, found) if arguments.save else json.dumps(found, indent=1))


def known_by(rules: Rules) -> dict[str, bool]:
    """Return which commands know a game, by the words of the table."""
    game = rules.name
    with tempfile.TemporaryDirectory() as folder:
        options = ["--rules", game, "--dir", folder]
        name = "KNK" if rules.royal else "KNvN"
        files, ranks = rules.files, rules.ranks
        empty = [f"{files}"] * (ranks - 3)
        other = "k" if rules.royal else "n"
        fen = "/".join([f"{files}", f"{files - 1}{other}", *empty, f"KN{files - 2}"]) + " w - - 0 1"
        Path(folder, "strategy.py").write_text("strategy = []\n", encoding="utf-8")
        Path(folder, "prober.py").write_text(PROBER.format(game=game), encoding="utf-8")
        Path(folder, "game.pgn").write_text(PGN.format(game=game, fen=fen), encoding="utf-8")
        found = {}
        for row, parts in ROWS.items():
            command = [one.format(name=name, fen=fen, folder=folder, game=game) for one in parts]
            command += [] if command[0] in WITHOUT_RULES else options[:2]
            command += [] if command[0] in WITHOUT_FOLDER else options[2:]
            found[row] = not is_refused(game, *asked(command, game))
    return found


def asked(arguments: Sequence[str], game: str = "") -> tuple[int, str]:
    """Return the exit code of a command, to which an option of UCI is typed, and its output."""
    printed = io.StringIO()
    typed = io.StringIO(f"setoption name UCI_Variant value {game}\nquit\n")
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        mock.patch.object(sys, "stdin", typed),
    ):
        try:
            code = tablebase([*arguments])
        except SystemExit as end:  # of a parser
            code = int(str(end.code))
    return code, printed.getvalue()


def is_refused(game: str, code: int, output: str) -> bool:
    """Return whether a command has refused a game: an error names it as one that is not known."""
    errors = output if code == ERROR or "has no helpmates" in output else ""
    of_game = re.search(rf"(?<!--rules )(?<!/)\b{game}\b|knows only chess| no DTM of ", errors)
    return bool(of_game) or "option UCI_Variant is" in output


def commands_and_games() -> str:
    """Return the table of commands and games; what is alike shares a row or a column."""
    found: dict[str, dict[str, bool]] = load(NAME)["results"]
    columns: dict[tuple[bool, ...], list[str]] = {}
    for game, known in found.items():
        columns.setdefault(tuple(known[row] for row in ROWS), []).append(game)
    rows: dict[tuple[bool, ...], list[str]] = {}
    for place, row in enumerate(ROWS):
        rows.setdefault(tuple(column[place] for column in columns), []).append(row)
    head = ["", *(", ".join(games) for games in columns.values())]
    lines = [[", ".join(names), *("yes" if one else "no" for one in row)]
             for row, names in rows.items()]  # fmt: skip
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *lines))


if __name__ == "__main__":
    main()
