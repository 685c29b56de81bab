"""Put the measured figures into README and docs, or check that they are there.

Usage::

    python scripts/figures.py --write | --check

Between ``<!-- figures: NAME -->`` and ``<!-- end of figures -->`` a page has what the function NAME
below makes of benchmarks/results (written by the benchmarks' ``--save``) or of
tablebase/core/building/costs.json. The results of a finished experiment are final: their file has
the text of each table beside them, and the commit whose scripts made both.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmark_page import page_memory, page_times
from commands_and_games import commands_and_games
from measurement import RESULTS, load
from strategies_on_trial import method_rules, strategy_lines, strategy_verdicts
from weak_players import difficulty_classes, success_by_level, success_in_games

from tablebase.core.building.estimate import Run, load_costs
from tablebase.core.building.graph import plan
from tablebase.core.building.schedule import simulate
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import bytes_in_words, counted, time_in_words
from tablebase.core.rules.material import Material, all_materials

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(
    r"(?P<begin><!-- figures: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end of figures -->)",
    re.DOTALL,
)


# As pages call the games of `benchmark.py probe --games`.
GAME_NAMES = {"3check": "three-check", "atomic": "atomic chess"}


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return a table in Markdown, whose first columns are to the left, the others to the right."""
    lines = ["---"] * left + ["---:"] * (len(headings) - left)
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, lines, *rows))


def paragraph(text: str) -> str:
    """Return text in lines as wide as the pages'."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def span(values: Sequence[float], digits: int = 2) -> str:
    """Return least and greatest of some values, to `digits` significant digits.

    >>> span([1.36, 9.52]), span([21.4, 21.0])
    ('1.4 to 9.5', '21')
    """
    ends = [significant(value, digits) for value in (min(values), max(values))]
    return " to ".join(dict.fromkeys(ends))


def significant(value: float, digits: int) -> str:
    """Return a number to `digits` significant digits, never with an exponent.

    >>> significant(0.05, 2), significant(39, 3), significant(1329, 2)
    ('0.050', '39.0', '1,329')
    """
    return f"{value:,.0f}" if value >= 10**digits else f"{value:#.{digits}g}".removesuffix(".")


def lines_of(results: dict[str, Any], section: str) -> dict[str, dict[str, Any]]:
    """Return the lines of a section of the comparison of probing, by what each measures."""
    if section not in results:
        raise SystemExit(f"probe.json has no section {section!r}: see scripts/benchmark_probe.py")
    return {line["what"]: line for line in results[section]}


def generation() -> str:
    """Return what solving takes, beside Syzygy's generator; tables of four men together."""
    both = list(zip(load("generate")["results"], peer_ratios(), strict=True))
    four = [(row, ratio) for row, ratio in both if len(row["material"]) == 4]
    five = [(row["material"], row, ratio) for row, ratio in both if len(row["material"]) != 4]
    atomic = zip(load("generate_atomic")["results"], peer_ratios("generate_atomic"), strict=True)
    rows = [
        (
            name,
            f"{significant(row['positions'] / 1e6, 3)} M",
            significant(row["seconds"], 3),
            significant(row["peer_seconds"], 3),
            f"{ratio:.1f}",
            f"{row['peak_megabytes']:,.0f}",
        )
        for name, row, ratio in [
            *five,
            *((f"{row['material']}, atomic chess", row, ratio) for row, ratio in atomic),
        ]
    ]
    names = ", ".join(row["material"] for row, _ in four)
    small = (
        names,
        f"{span([row['positions'] / 1e6 for row, _ in four])} M",
        *(span([row[key] for row, _ in four]) for key in ("seconds", "peer_seconds")),
        span([ratio for _, ratio in four]),
        f"{max(row['peak_megabytes'] for row, _ in four):,.0f}",
    )
    headings = ("material", "positions", "seconds", "peer", "ratio", "peak MB")
    return table(headings, [small, *rows])


def peer_ratios(name: str = "generate") -> list[float]:
    """Return how many times as long Syzygy's generator takes."""
    rows = load(name)["results"]
    if not all(row.get("peer_seconds") for row in rows):
        raise SystemExit(f"{name}.json has no times of the peer: see scripts/benchmark.py")
    return [row["peer_seconds"] / row["seconds"] for row in rows]


def gaviota_lines(results: dict[str, Any]) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return three-man materials with the lines of `chess.gaviota` and ours."""
    lines = lines_of(results, "3 men")
    theirs = {what.split()[0]: line for what, line in lines.items() if "gaviota" in what}
    return [(name, line, lines[f"{name} probe_dtm"]) for name, line in theirs.items()]


def batches(results: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the lines of probing many positions, by material and way."""
    sections = [section for section in results if section.startswith("many ")]
    return {
        section.removeprefix("many "): {
            what.partition(" ")[2]: line for what, line in lines_of(results, section).items()
        }
        for section in sections
    }


def array_rates(lines: dict[str, dict[str, Any]]) -> list[float]:
    """Return positions a second in arrays, by rising number of threads."""
    return [1 / line["seconds"] for way, line in lines.items() if way.startswith("arrays")]


def probing() -> str:
    """Return what probes take, one by one and many at a time."""
    results = load("probe")["results"]
    _, theirs, ours = zip(*gaviota_lines(results), strict=True)
    pairs = [("3 pieces, `chess.gaviota` `probe_dtm`", theirs, ours)]
    four = {what.split(", ", 1)[-1].split("materials ")[-1]: line
            for what, line in lines_of(results, "4 men").items()}  # fmt: skip
    for their, our in (("probe_wdl", "probe_wdl"), ("probe_dtz", "probe_dtm")):
        what = f"4 pieces, `chess.syzygy` `{their}`" + f" (ours: `{our}`)" * (their != our)
        pairs.append((what, [four[f"chess.syzygy {their}"]], [four[our]]))
    single = []
    for what, *lines in pairs:
        theirs, ours = ([line["seconds"] * 1e6 for line in some] for some in lines)
        ratios = [one / other for one, other in zip(theirs, ours, strict=True)]
        single.append((what, f"{span(theirs, 3)} µs", f"{span(ours, 3)} µs", span(ratios)))
    many = batches(results)
    rates = [[rate / 1e6 for rate in array_rates(lines)] for lines in many.values()]
    boards = [1e-6 / lines["boards"]["seconds"] for lines in many.values()]
    by_threads = (f"{span([some[place] for some in rates])} M" for place in (0, -1))
    rows = [
        (f"arrays, {', '.join(many)}", *by_threads),
        ("boards", f"{span(boards, 1)} M", ""),
    ]
    singles = table(("one at a time", "theirs", "ours", "ratio"), single)
    several = table(("many at a time, positions a second", "one thread", "all threads"), rows)
    return f"{singles}\n\n{several}"


def rates_by_game() -> dict[str, dict[str, float]]:
    """Return positions a second of rook against king, by game and way."""
    return {
        GAME_NAMES.get(game, game): {line["what"]: 1 / line["seconds"] for line in lines}
        for game, lines in load("probe_games")["results"].items()
    }


def rates_of_games() -> str:
    """Return how fast positions of each game are read."""
    ways = ("arrays", "FENs", "boards one by one", "setups one by one")
    rows = [
        (game, *(f"{significant(rates[way] / 1e6, 2)} M" if way in rates else "" for way in ways))
        for game, rates in rates_by_game().items()
    ]
    return table(("positions a second", *ways), rows)


def games_in_words(way: str) -> str:
    """Return how many positions of each game go some way in a second."""
    first, *others = (
        (significant(one[way] / 1e6, 2), f"in {game}") for game, one in rates_by_game().items()
    )
    each = [f"{first[0]} million a second {first[1]}", *map(" ".join, others)]
    return f"{', '.join(each[:-1])} and {each[-1]}"


def games_written() -> str:
    """Return how fast the positions of each game are written as FENs."""
    text = "`fens()` writes the positions of rook against king at "
    return paragraph(f"{text}{games_in_words('FENs written')}.")


def round_time(seconds: float) -> str:
    """Return a time in seconds, or in minutes if it is long.

    >>> round_time(7.25), round_time(963.8)
    ('7 seconds', '16 minutes')
    """
    return f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def tables_of(run: Run) -> tuple[str, int]:
    """Return in words which tables a run built, and the bytes of their files."""
    graph = plan(all_materials(run.men), threads=load_costs().threads)
    number = {4: "four", 5: "five"}[run.men]
    return f"all {len(graph)} tables of up to {number} pieces, DTM and DTZ", graph.disk


def unlimited(run: Run) -> dict[str, Any] | None:
    """Return what the same tables took without a limit of memory, if that was measured."""
    name = f"{run.men} men, both"
    found = load("sets")["results"].get(name)
    return found if found and found["threads"] == load_costs().threads else None


def limit_of(run: Run) -> str:
    """Return the option by which the memory of a run was limited.

    >>> limit_of(Run(5, 4_000_000_000, 963.8, 4_058_206_208))
    '`--memory 4G`'
    """
    return f"`--memory {run.memory / 1e9:g}G`"


def built(run: Run) -> tuple[str, str]:
    """Return what `tablebase build` took for all tables of some men, for the README."""
    what, disk = tables_of(run)
    took = f"{round_time(run.seconds)} with {counted(load_costs().threads, 'thread')} and "
    took += f"{limit_of(run)}, {bytes_in_words(run.peak)} of memory, {bytes_in_words(disk)} of disk"
    if more := unlimited(run):
        took += f"; without a limit {round_time(more['wall_seconds'])}"
        took += f" and {bytes_in_words(more['megabytes'] * 1e6)}"
    return what, took


def builds() -> str:
    """Return what `tablebase build` took for all tables of some men."""
    rows = []
    for run in sorted(load_costs().runs):
        what, disk = tables_of(run)
        sizes = (bytes_in_words(run.peak), bytes_in_words(disk))
        rows.append((what, limit_of(run), f"{run.seconds:,.1f} s", *sizes))
    return table(("tables", "memory allowed", "wall", "peak", "files"), rows, left=2)


def longest_build() -> str:
    """Return what the six-piece table with the longest win took."""
    costs = load_costs()
    (name,) = costs.dtm_seconds
    (build,) = (one for one in plan([Material.from_name(name)]).builds if one.material.name == name)
    time, size = time_in_words(costs.dtm_seconds[name]), costs.dtm_bytes[name] / 1e9
    return paragraph(
        f"{name}, which has the longest win of all six-piece endings, 262 moves, took {time} on "
        f"{costs.machine}, about {build.memory / 1e9:.0f} GB of memory and {size:.2f} GB of disk."
    )


def in_pieces(text: str) -> str:
    """Return a text of a file of measurements with the word that pages have for men."""
    return text.replace(" men", " pieces")


SOLVING = (
    "solving a table in memory, compared with the whole process of Syzygy's generator, in C and "
    "for DTZ, on the same machine"
)


def summary() -> str:
    """Return the README's table."""
    rates = [max(array_rates(lines)) / 1e6 for lines in batches(load("probe")["results"]).values()]
    rows = (
        (
            SOLVING,
            f"{span(peer_ratios())} times as fast",
        ),
        *(built(run) for run in sorted(load_costs().runs)),
        ("probing arrays from Python", f"{span(rates)} million positions a second"),
    )
    return table(("what", "[measured](docs/benchmarks.md) on two cores"), rows, left=2)


def conformance() -> str:
    """Return how readers did at the conformance suite."""
    rows = [
        [
            *(one[key] for key in ("reader", "version", "tables")),
            *(str(one[key]) for key in ("asked", "right", "wrong", "no_answer")),
        ]
        for one in load("conformance")["results"]
    ]
    headings = ("reader", "version", "tables", "asked", "right", "wrong", "no answer")
    return table(headings, rows, left=3)


def scale() -> str:
    """Return the simulation of building all tables of up to six men on many workers."""
    costs = load_costs()
    materials = [one for men in range(3, 7) for one in all_materials(men)]
    graph = plan(materials, threads=costs.threads)
    longest = sum(graph[material].seconds for material in graph.critical_path())
    times = [
        f"{workers} workers {time_in_words(simulate(graph, workers).seconds)}"
        for workers in (4, 16, 64)
    ]
    return paragraph(
        f"One worker, {costs.machine}, takes "
        f"{time_in_words(graph.seconds)} for the {len(graph):,} tables of up to six pieces, "
        f"{', '.join(times)}. The critical path takes {time_in_words(longest)}."
    )


SIX_MEN = (
    "without pawns, two or more identical pieces of one side",
    "without pawns, all different",
    "one pawn",
    "two pawns",
    "three pawns",
    "four pawns",
)


def kind_of_six(material: Material) -> str:
    """Return to which of `SIX_MEN` a material belongs."""
    twins, different, *pawns = SIX_MEN
    if material.has_pawns:
        return pawns[material.pawn_count - 1]
    return different if len(set(material.men)) == material.piece_count else twins


def six_men() -> str:
    """Return the memory that builds of six men take; the largest by name if it stands out."""
    memory: dict[str, list[tuple[int, str]]] = {kind: [] for kind in SIX_MEN}
    for build in plan(all_materials(6), threads=load_costs().threads).builds:
        if build.material.piece_count == 6:
            memory[kind_of_six(build.material)].append((build.memory, build.material.name))
    rows = []
    for kind, found in memory.items():
        *_, (second, _), (most, name) = sorted(found)
        stands_out = most > 1.2 * second
        sizes = [f"{size / 1e9:.0f}" for size in (min(found)[0], second if stands_out else most)]
        text = f"{' to '.join(dict.fromkeys(sizes))} GB"
        text += f", {name} {most / 1e9:.0f} GB" if stands_out else ""
        rows.append((kind, str(len(found)), text))
    return table(("six-piece tables", "number", "memory"), rows)


def serving() -> str:
    """Return how many requests a second the server answers."""
    lines = load("serve")["results"]
    rows = [(one["what"], significant(one["requests_per_second"], 2)) for one in lines]
    return table(("clients ask over", "requests a second"), rows)


SECTIONS = {
    "generate": "solving a table",
    "generate_atomic": "solving a table of atomic chess",
    "sets": "whole sets",
    "probe": "probing",
    "probe_games": "probing by game",
    "ways_of_looking_up": "looking up",
    "serve": "answers of the server",
    "proofs": "proofs",
    "butterfly": "butterfly boards",
    "butterfly_search": "butterfly boards in a search",
    "resistance": "resistance",
    "checkers": "the checkers",
}
OF_COSTS = "whole sets with limited memory, estimates of time"


def measured() -> str:
    """Return on what and when the figures of the page were measured."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, what in SECTIONS.items():
        one = load(name)
        found.setdefault((one["machine"], one["date"]), []).append(what)
    found.setdefault((load_costs().machine, load_costs().date), []).append(OF_COSTS)
    rows = [(machine, date, ", ".join(what)) for (machine, date), what in sorted(found.items())]
    return table(("machine", "date", "measured there"), rows, left=3)


FIGURES = {
    function.__name__.replace("_", "-"): function
    for function in (
        measured, summary, generation, builds, longest_build, probing, serving, conformance,
        rates_of_games, games_written, scale, six_men, page_memory, page_times,
        difficulty_classes, success_by_level, success_in_games, method_rules, strategy_verdicts,
        strategy_lines, commands_and_games,
    )
}  # fmt: skip


def finished() -> dict[str, str]:
    """Return the tables of experiments that are finished, by name."""
    files = (
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))
    )
    return {
        name: "\n".join(lines) for one in files for name, lines in one.get("tables", {}).items()
    }


def filled(page: str) -> str:
    """Return a page with the figures of now between its markers."""
    return BLOCK.sub(
        lambda block: f"{block['begin']}\n{text_of(block['name'])}\n\n{block['end']}", page
    )


def cells_of(name: str) -> Iterator[list[str]]:
    """Yield the rows of a table in Markdown, its headings first.

    Where a row begins with empty cells, it has those of the row above.
    """
    head, _, *rows = [line for line in text_of(name).splitlines() if line.startswith("|")]
    above: list[str] = []
    for row in (head, *rows):
        cells = [cell.strip("`* ") for cell in row.strip("|").split(" | ")]
        empty = next((place for place, cell in enumerate(cells) if cell), 0)
        above = above[:empty] + cells[empty:]
        yield above


# Tables that are too long to read are files, which pages link.
LISTED = (
    *("butterfly", "butterfly-every", "butterfly-nodes", "butterfly-reductions"),
    *("castling-changes", "castling-longest", "castling-times"),
    *("check-worth", "check-worth-of-rooks"),
    *("conformance", "difficulty-classes", "every-ending", "generation"),
    *("leaks", "leapers-won", "ledger"),
    *("looking-up", "measured", "proofs", "races-and-checks", "rates-of-games", "resistance"),
    *("rules-corners", "rules-exceptions", "rules-tried", "sets", "shatranj-endings", "six-men"),
    *("strategy-lines", "success-in-games", "thai-counts", "verdicts"),
)
TABLES = ROOT / "docs" / "tables"
FILES = {TABLES / f"{name}.csv": name for name in LISTED}


def current(path: Path) -> str:
    """Return a page or a file with the figures of now."""
    if path in FILES:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerows(cells_of(FILES[path]))
        return written.getvalue()
    return filled(path.read_text(encoding="utf-8"))


def text_of(name: str) -> str:
    """Return what a page has between markers."""
    return FIGURES[name]() if name in FIGURES else finished()[name]


@reader_may_leave()
def main() -> int:
    """Run the command line; return 1 if a page differs from the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="put the figures into the pages")
    action.add_argument("--check", action="store_true", help="say which pages differ, and exit 1")
    arguments = parser.parse_args()
    write, stale = arguments.write, []
    for page in (*PAGES, *FILES):
        if (new := current(page)) != (page.read_text(encoding="utf-8") if page.exists() else ""):
            stale.append(page.relative_to(ROOT))
            if write:
                page.write_text(new, encoding="utf-8")
    for page in stale:
        print(f"{page}: {'written' if write else 'not the figures of now: run this with --write'}")
    return int(bool(stale) and not write)


if __name__ == "__main__":
    sys.exit(main())
