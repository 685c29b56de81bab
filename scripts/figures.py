"""Put the measured figures into README and docs, or check that they are there.

Usage::

    python scripts/figures.py --write | --check
    python scripts/figures.py --compare COMPARISON SOURCE --dir TABLES [--save]

``--compare`` compares tables with those of others, and prints what was compared and what differs.
COMPARISON is a key of `comparisons.COMPARISONS`, SOURCE what it is made with: a folder of files, or
a file of statistics. ``--save`` keeps the numbers in benchmarks/results/ledger.json.

Between ``<!-- figures: NAME -->`` and ``<!-- end of figures -->`` a page has what the function NAME
below makes of benchmarks/results (written by the benchmarks' ``--save``), of the tables in data/ or
of tablebase/core/building/costs.json.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import measurement
import simulate_scale
from benchmark_castling import castling_times
from castling import castling_changes, castling_counts, castling_longest
from comparisons import COMPARISONS
from leaks import leaks
from leapers import leapers_won
from makruk import thai_counts
from measurement import load, save
from resistance import resistance
from rules_of_thumb import (
    rules_conditions,
    rules_corners,
    rules_exceptions,
    rules_found,
    rules_tried,
)
from shatranj import diamond, shatranj_endings, verdicts
from strategies_on_trial import strategy_lines, strategy_verdicts
from weak_players import difficulty_classes

from tablebase.core.building.estimate import Run, load_costs
from tablebase.core.building.graph import plan
from tablebase.core.building.schedule import simulate
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import bytes_in_words, counted, time_in_words
from tablebase.core.rules.material import Material, all_materials

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
BLOCK = re.compile(
    r"(?P<begin><!-- figures: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end of figures -->)",
    re.DOTALL,
)


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
    rows = [
        (
            row["material"],
            f"{significant(row['positions'] / 1e6, 3)} M",
            significant(row["seconds"], 3),
            significant(row["peer_seconds"], 3),
            f"{ratio:.1f}",
            f"{row['peak_megabytes']:,.0f}",
        )
        for row, ratio in both
        if len(row["material"]) != 4
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


def sets() -> str:
    """Return what building whole sets takes, beside Prophet's generator."""
    measured = load("sets")
    rows = []
    for name, ours in measured["results"].items():
        threads = counted(ours["threads"], "thread")
        for whose, one in (("ours", ours), ("Prophet", ours.get("prophet"))):
            if one:
                rows.append(
                    (
                        f"{ours['tables']}, up to {in_pieces(name)}, {threads}",
                        whose,
                        f"{one['processor_seconds']:,.1f}",
                        f"{one['wall_seconds']:,.1f}",
                        f"{one['bytes'] / 1e6:,.1f}",
                        f"{one['megabytes']:,.0f}",
                    )
                )
    headings = (
        "tables",
        "program",
        "processor s",
        "wall s",
        "MB of files",
        "peak MB",
    )
    return table(headings, rows, left=2)


def peer_ratios() -> list[float]:
    """Return how many times as long Syzygy's generator takes."""
    rows = load("generate")["results"]
    if not all(row.get("peer_seconds") for row in rows):
        raise SystemExit("generate.json has no times of the peer: see scripts/benchmark.py")
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


WAYS = {
    "reduced": "reduced, symmetry looked up",
    "reduced, images in turn": "reduced, images tried in turn",
    "expanded": "expanded to all images",
}


def look_ups() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the lines of the three ways of looking up, by material and way."""
    results = load("probe")["results"]
    found = {}
    for section in results:
        if section.startswith("lookup "):
            name, lines = section.removeprefix("lookup "), lines_of(results, section)
            found[name] = {way: lines[f"{name} {way}, in a loop"] for way in WAYS}
    return found


def looking_up() -> str:
    """Return what the three ways of looking a position up take."""
    found = look_ups()
    rows = [
        (
            words,
            *(
                f"{significant(lines[way]['seconds'] * 1e9, 2)} ns"
                + f", {lines[way]['note']}" * (way != "reduced, images in turn")
                for lines in found.values()
            ),
        )
        for way, words in WAYS.items()
    ]
    return table(("", *found), rows)


def walks() -> dict[str, dict[str, float]]:
    """Return the seconds of looking up a position of a walk, by material and way."""
    results = load("walk")["results"]
    return {
        section.removeprefix("walk "): {
            what.partition(" ")[2]: line["seconds"]
            for what, line in lines_of(results, section).items()
        }
        for section in results
    }


def walk_ratios(way: str) -> list[float]:
    """Return how many times as long a way takes along a walk as looking the symmetry up."""
    return [seconds[way] / seconds["reduced"] for seconds in walks().values()]


def rotation() -> str:
    """Return what keeping copies in all orientations takes."""
    copies = span(walk_ratios("reduced, oriented copies"))
    return paragraph(
        f"Copies that are kept up to date take {copies} times as long as turning the query, moves "
        "included."
    )


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


def ledger() -> str:
    """Return what was compared with the work of others."""
    found = load("ledger")["results"]
    rows, unexplained = [], []
    for name, one in COMPARISONS.items():
        if name in found:
            numbers = found[name]
            of = one.parts if numbers["parts"] > 1 else one.parts.removesuffix("s")
            compared = f"{numbers['compared']:,} {one.unit} of {numbers['parts']:,} {of}"
            rows.append((f"{one.whom} (`{name}`)", one.what, compared))
            if numbers["different"]:
                unexplained.append(f"- {one.whom}: {numbers['first']}")
    found_table = table(("compared with (name)", "what", "compared"), rows, left=3)
    if not unexplained:
        return f"{found_table}\n\nNothing differs."
    listed = "\n".join(unexplained)
    return f"{found_table}\n\nDifferences that we cannot explain, the first of each:\n{listed}"


def conformance() -> str:
    """Return how readers did at the conformance suite, and the first failure of each."""
    rows, failed = [], []
    for one in load("conformance")["results"]:
        numbers = [str(one[key]) for key in ("asked", "right", "wrong", "no_answer")]
        rows.append([one["reader"], one["version"], one["tables"], *numbers])
        if one["failures"]:
            name, (fen, *faults) = next(iter(one["failures"].items()))
            where = f"{one['reader']}, {one['tables']}: `{name}`, `{fen}`"
            failed.append(f"- {where}: {min(faults, key=len)}")
    headings = ("reader", "version", "tables", "asked", "right", "wrong", "no answer")
    return "\n\n".join([table(headings, rows, left=3), *(["\n".join(failed)] if failed else [])])


def checkers() -> str:
    """Return the times of the two programs that check tables by themselves."""
    rows = [
        f"`{one['program']}` {one['seconds']:,.0f} s for {in_pieces(one['what'])} "
        f"({one['positions']:,})"
        for one in load("checkers")["results"]
    ]
    return paragraph(f"No value differed. In processor time, these took: {'; '.join(rows)}.")


ORDERS = {
    "random": "all scores are equal",
    "centre": "a plain piece-square order: the gain in closeness to the centre for any piece",
    "piece and to": "counters by piece and to-square",
    "butterfly": "the counters over the whole board",
    "butterfly, share": "the same, divided by how often the move was legal",
    "butterfly, turned": "the counters of the one stored image, to which each position is turned",
    "countermove": "the answer on the countermove board first, the others by share",
    "after the last move": "counters by the last move and the answer, 1,792 · 1,792",
    "threats, share": "four boards, by what the other side attacks, divided likewise",
}


def butterfly() -> str:
    """Return how often a best move of White is the first guess, by order and material."""
    measured = load("butterfly")["results"]["materials"]
    shares: dict[str, list[str]] = {}
    for orders in measured.values():
        for name, seeds in orders.items():
            side, _, order = name.partition(", ")
            if side == "White":
                mean = sum(first for first, *_ in seeds) / len(seeds)
                shares.setdefault(order, []).append(f"{100 * mean:.0f}")
    rows = [(order, ORDERS[order], *of) for order, of in shares.items()]
    return table(("order", "scores", *measured), rows, left=2)


EVERY_ORDER = ("random", "butterfly, share", "countermove", "threats, share")


def butterfly_every() -> str:
    """Return the mean rank of the best move and how often it is the first guess, over endings."""
    endings = load("butterfly_every")["results"]["endings"]
    rows = []
    for men in sorted({*map(len, endings)}):
        for side in ("White", "Black"):
            of = [
                one
                for name, one in endings.items()
                if len(name) == men and f"{side}, random" in one
            ]
            cells = []
            for order in EVERY_ORDER:
                found = [one[f"{side}, {order}"] for one in of]
                rank, first = (sum(figures) / len(found) for figures in zip(*found, strict=True))
                cells.append(f"{rank:.2f} · {100 * first:.0f}")
            rows.append((str(men), side, str(len(of)), *cells))
    return table(("pieces", "to move", "endings", *EVERY_ORDER), rows, left=2)


def butterfly_gains() -> str:
    """Return where boards with threats help most and least."""
    endings = load("butterfly_every")["results"]["endings"]
    gains = sorted(
        (
            one[f"{side}, threats, share"][1] - one[f"{side}, butterfly, share"][1],
            f"{side} in {name}",
        )
        for name, one in endings.items()
        for side in ("White", "Black")
        if f"{side}, random" in one
    )
    better = sum(gain > 0 for gain, _ in gains)
    told = [f"{name} ({100 * gain:+.0f})" for gain, name in (*gains[:-4:-1], *gains[:3])]
    return paragraph(
        f"With threats, the first guess is right more often in {better} of {len(gains)} cases, an "
        f"ending with a side to move. The most is gained by {', '.join(told[:3])}, the least by "
        f"{', '.join(told[3:])}, in percentage points."
    )


def scale() -> str:
    """Return the simulation of building all tables of up to six men on many workers."""
    costs = load_costs()
    graph = simulate_scale.up_to(6, costs.threads)
    longest = sum(graph[material].seconds for material in graph.critical_path())
    one, *more = simulate_scale.WORKERS
    assert one == 1
    times = [
        f"{workers} workers {time_in_words(simulate(graph, workers).seconds)}" for workers in more
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


def proofs() -> str:
    """Return the sizes of proofs of known positions, and how long they take."""
    headings = ("position", "tables", "positions", "file", "written", "checked")
    rows = [
        (
            f"{name}: {one['claim']}",
            ", ".join(one["tables"]) or "none",
            f"{one['positions']:,}",
            bytes_in_words(one["bytes"]),
            f"{one['written']:,.1f} s",
            f"{one['checked']:,.1f} s",
        )
        for name, one in load("proofs")["results"].items()
    ]
    return table(headings, rows, left=2)


SECTIONS = {
    "generate": "solving a table",
    "sets": "whole sets",
    "probe": "probing, looking up",
    "walk": "a walk over the board",
    "proofs": "proofs",
    "butterfly": "butterfly boards",
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


def every_ending() -> str:
    """Return the positions of all materials, by the laws and as NULP counts en passant."""
    kinds = {
        "no_right": "without rights",
        "castling": "castling rights",
        "en_passant": "en passant capture",
        "both": "both",
    }
    rows = []
    for men, one in load("count_all")["results"].items():
        law, other = one["by_law"], one["as_nulp"]
        by_kind = (f"{law[kind]:,}" for kind in kinds)
        rows.append((men, *by_kind, f"**{sum(law.values()):,}**", f"{sum(other.values()):,}"))
    return table(("pieces", *kinds.values(), "all", "as NULP counts"), rows)


FIGURES = {
    function.__name__.replace("_", "-"): function
    for function in (
        measured, summary, generation, builds, sets, longest_build, probing, looking_up, rotation,
        butterfly, butterfly_every, butterfly_gains, scale, six_men,
        shatranj_endings, diamond, verdicts, thai_counts,
        leapers_won, ledger, conformance, checkers, proofs, resistance, every_ending,
        castling_counts, castling_changes, castling_longest, castling_times,
        rules_tried, rules_conditions, rules_exceptions, rules_corners, rules_found,
        leaks, difficulty_classes, strategy_verdicts, strategy_lines,
    )
}  # fmt: skip


def filled(text: str) -> str:
    """Return a page with the figures of now between its markers."""
    return BLOCK.sub(
        lambda block: f"{block['begin']}\n{FIGURES[block['name']]()}\n\n{block['end']}", text
    )


def compare(name: str, source: str, folder: Path, *, keep: bool = False) -> dict[str, Any]:
    """Carry out a comparison, print the differences, and return the numbers, which may be kept.

    Raises `TablebaseError` if there is no such comparison, or nothing to compare: that is no
    agreement.
    """
    if name not in COMPARISONS:
        raise TablebaseError(f"no comparison {name!r}: choose from {', '.join(COMPARISONS)}")
    one = COMPARISONS[name]
    tables = compared = different = 0
    first = ""
    for found in one.find(source, folder):
        tables, compared = tables + 1, compared + found.compared
        different += found.different
        if found.different:
            first = first or f"{found.name}: {found.first}"
            print(f"{found.name}: {found.different} of {found.compared} differ: {found.first}")
    if not compared:
        raise TablebaseError(f"nothing to compare with in {source}: name another source")
    print(f"{name}: {compared:,} {one.unit} of {tables} {one.parts}, {different} differences")
    numbers = {
        "parts": tables,
        "compared": compared,
        "different": different,
        "first": first,
        "date": datetime.now(UTC).date().isoformat(),
    }
    if keep:
        there = (measurement.RESULTS / "ledger.json").exists()
        save("ledger", (load("ledger")["results"] if there else {}) | {name: numbers})
    return numbers


@reader_may_leave()
def main() -> int:
    """Run the command line; return 1 if a page differs from the results, or a table from others."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="put the figures into the pages")
    action.add_argument("--check", action="store_true", help="say which pages differ, and exit 1")
    action.add_argument(
        "--compare", nargs=2, metavar=("COMPARISON", "SOURCE"), help="compare tables with others"
    )
    parser.add_argument("--dir", type=Path, default=Path("data"), help="folder of our tables")
    parser.add_argument("--save", action="store_true", help="keep the numbers of a comparison")
    arguments = parser.parse_args()
    if arguments.compare:
        try:
            found = compare(*arguments.compare, arguments.dir, keep=arguments.save)
        except (TablebaseError, OSError) as error:
            parser.error(" ".join(str(error).split()))
        return int(found["different"] > 0)
    write, stale = arguments.write, []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if (new := filled(text)) != text:
            stale.append(page.relative_to(ROOT))
            if write:
                page.write_text(new, encoding="utf-8")
    for page in stale:
        print(f"{page}: {'written' if write else 'not the figures of now: run this with --write'}")
    return int(bool(stale) and not write)


if __name__ == "__main__":
    sys.exit(main())
