"""Try the methods of the program and of examples/strategies, for docs/strategies.md.

Usage::

    python scripts/strategies_on_trial.py --dir TABLES [--save]

TABLES has KRK, KQK, KPK, KBNK and their sub-tables, with distances to mate. With --save the
verdicts go to benchmarks/results/strategies.json, from which ``figures.py`` makes the tables of the
page, and ``draw_images.py`` its picture.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import measurement

from tablebase.core.ground.streams import reader_may_leave
from tablebase.strategies.methods import read_method
from tablebase.strategies.proving import StrategyProof, prove

NAME = "strategies"
ROOT = Path(__file__).parents[1]
EXAMPLES, METHODS = "examples/strategies", "tablebase/strategies/methods"


class Trial(NamedTuple):
    """A strategy, and what is tried of it."""

    title: str
    material: str
    file: str
    start: str | None = None


KEY_SQUARES = (
    "white_king.rank == white_pawn.rank + 2 and abs(white_king.file - white_pawn.file) < 2"
    " and 1 < white_pawn.file < 8"
    " and distance(white_king, white_pawn) <= distance(black_king, white_pawn)"
)
IN_THE_CORNER = "white_pawn.file == 1 and black_king == a8"
TRIALS = (
    Trial("rook and king", "KRK", f"{METHODS}/KRK.toml"),
    Trial("queen and king", "KQK", f"{METHODS}/KQK.toml"),
    Trial("the pawn that runs", "KPK", f"{METHODS}/KPK.toml"),
    Trial("Bratko's advice", "KRK", f"{EXAMPLES}/krk_bratko.toml"),
    Trial("less room", "KRK", f"{EXAMPLES}/krk_pupil.toml"),
    Trial("square, key squares, opposition", "KPK", f"{EXAMPLES}/kpk.toml"),
    Trial("the same, from a key square", "KPK", f"{EXAMPLES}/kpk.toml", KEY_SQUARES),
    Trial("opposition of the defender", "KPK", f"{EXAMPLES}/kpk_hold.toml"),
    Trial("the same, from the corner", "KPK", f"{EXAMPLES}/kpk_hold.toml", IN_THE_CORNER),
    Trial("W manoeuvre", "KBNK", f"{EXAMPLES}/kbnk_w.toml"),
)


def described(trial: Trial, proof: StrategyProof) -> dict[str, Any]:
    """Return what the page tells of a trial."""
    lines = dict(proof.refutations)
    if proof.longest_game is not None:
        lines["longest"] = proof.longest_game
    return {
        **trial._asdict(),
        "goal": proof.goal,
        "positions": proof.positions,
        "proven": proof.proven,
        "failures": proof.failures,
        "rules": [rule._asdict() for rule in proof.rules],
        "longest": proof.longest if proof.is_proven else None,
        "excess": proof.excess,
        "mean_excess": proof.mean_excess and round(proof.mean_excess, 2),
        "lines": {
            kind: {"fen": one.fen, "moves": one.moves, "text": one.text, "end": one.end}
            for kind, one in lines.items()
        },
    }


def tried(trial: Trial, folder: Path) -> StrategyProof:
    """Return what comes of a strategy."""
    return prove(trial.material, read_method(ROOT / trial.file), folder, start=trial.start)


@reader_may_leave()
def main() -> int:
    """Run the command line, return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, required=True, help="folder of tables")
    parser.add_argument("--save", action="store_true", help="keep the results of the page")
    arguments = parser.parse_args()
    found = []
    for trial in TRIALS:
        proof = tried(trial, arguments.dir)
        print(f"{trial.title}: {proof}", flush=True)
        found.append(described(trial, proof))
        if arguments.save:
            measurement.save(NAME, found)
    return 0


def strategy_verdicts() -> str:
    """Return the verdicts as a table."""
    from figures import table  # which imports this module

    rows = []
    for one in measurement.load(NAME)["results"]:
        longest = one["longest"]
        rows.append(
            (
                f"[{one['title']}](../{one['file']})",
                one["material"],
                one["goal"],
                "**proven**" if one["proven"] == one["positions"] else "refuted",
                f"{one['positions']:,}",
                f"{one['proven']:,}",
                *(f"{one['failures'][kind]:,}" for kind in ("no move", "slip", "loop")),
                "" if longest is None else f"{(longest + 1) // 2} moves",
            )
        )
    headings = ("strategy", "pieces", "goal", "verdict", "positions", "proven")
    return table((*headings, "no move", "slips", "loops", "longest"), rows, left=4)


def method_rules() -> str:
    """Return the rules of the methods of the program, with the positions that they decide."""
    from figures import table

    rows = [
        (one["material"] if not number else "", f"{number + 1}. {rule['text']}", f"{decided:,}")
        for one in measurement.load(NAME)["results"]
        if one["file"].startswith(METHODS)
        for number, rule in enumerate(one["rules"])
        for decided in [rule["positions"]]
    ]
    return table(("pieces", "rule", "decides"), rows, left=2)


def strategy_lines() -> str:
    """Return the shortest refutations, numbered as in the picture."""
    from figures import table

    rows = [
        (str(number), title, kind, f"`{line['fen']}`", f"{line['text']} ({line['end']})".strip())
        for number, (title, kind, line) in enumerate(_refutations(), 1)
    ]
    return table(("number", "strategy", "failure", "position", "line"), rows, left=5)


def _refutations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (one["title"], kind, line)
        for one in measurement.load(NAME)["results"]
        for kind, line in one["lines"].items()
        if kind != "longest" and one["start"] is None
    ]


def refutations_to_draw() -> list[tuple[str, str]]:
    """Return the failure and the FEN of each shortest refutation."""
    return [
        (f"{title.partition(',')[0]}: {kind}", line["fen"]) for title, kind, line in _refutations()
    ]


if __name__ == "__main__":
    sys.exit(main())
