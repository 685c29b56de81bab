"""``tablebase verify``: check every value against the values one move ahead."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tablebase.cli.arguments import (
    BOTH,
    METRIC_CHOICES,
    Parser,
    add_json,
    add_threads,
    positive_number,
)
from tablebase.cli.choice import add_rules, add_tables, choose
from tablebase.cli.terminal import complain, explain, print_json, showing_progress
from tablebase.core.checking.castling_check import ALL_OF_MEN
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.words import counted, listed

if TYPE_CHECKING:
    from tablebase.core.checking.findings import Report
    from tablebase.core.checking.sums import SumReport
    from tablebase.core.ground.seams import FileKind
    from tablebase.core.ground.verdicts import Checked

DIFFERENT, NOT_CHECKED = 1, 2
_MOST_NAMES = 8  # in a line
_Found = TypeVar("_Found")


def add_arguments(command: Parser) -> None:
    """Add the arguments of the command to its parser."""
    examples = {
        "": "all tables, the smallest materials first",
        "KQKR mine/KRKN.h5": "a table and a file",
        "KRBKR --sample 100000": "a random sample, which proves nothing",
        "KRKP --castling": "positions with castling rights, which are in no file",
    }
    command.set_up(run, examples, "checking tables")
    add_tables(command)
    add_rules(command)
    command.add_argument(
        "--sample",
        type=positive_number,
        metavar="N",
        help="check only a random sample (up to 2N positions)",
    )
    command.add_argument(
        "--castling",
        action="store_true",
        help="check positions with castling rights instead of tables, by python-chess's moves: all "
        f"of up to {ALL_OF_MEN} pieces, a random sample of five",
    )
    command.add_argument(
        "--sums",
        metavar="FILE",
        help="only compare the SHA-256 of the values with a list, like data/SHA256SUMS",
    )
    command.add_argument(
        "--values",
        action="store_true",
        help="with --sums: hash the values instead of trusting the hashes that the files state",
    )
    command.add_argument(
        "--metric",
        choices=METRIC_CHOICES,
        default=BOTH,
        help="distances to check: to mate, to zeroing or those of helpmates; both means all that a "
        "table has (default: both)",
    )
    add_threads(command)
    add_json(command)


def run(arguments: argparse.Namespace) -> int:
    """Carry the command out."""
    from tablebase.core.checking.verify import check_file
    from tablebase.core.ground.seams import kinds_of_files
    from tablebase.core.outcomes.metrics import distances_named

    if arguments.sums:
        return _compare_sums(arguments)
    if arguments.castling:
        return _check_castling(arguments)
    if arguments.values:
        raise TablebaseError("--values needs --sums: without it, all values are checked anyway")

    choice = choose(arguments)
    metrics = () if arguments.metric == BOTH else distances_named(arguments.metric)

    def check(path: Path) -> Report:
        with showing_progress(f"checking {path.name}") as progress:
            return check_file(
                path,
                *choice.directories,
                metric=metrics,
                sample=arguments.sample,
                threads=arguments.threads,
                progress=progress,
            )

    kinds = kinds_of_files()
    paths = [path for path in choice.paths if path.suffix not in kinds]
    others = [path for path in choice.paths if path.suffix in kinds]
    described, reports = [], []
    for path, report, reason in each_file(paths, check):
        if report is None:
            described.append(_describe_unchecked(path, reason))
            continue
        described.append(_describe_report(path, report))
        reports.append(report)
        if not arguments.json:
            _show_report(path, report)
    found = list(_check_others(others, kinds, arguments))
    described += [one for _, one in found]
    if arguments.json:
        print_json(described)
    all_reports: list[Checked] = [*reports, *(report for report, _ in found if report is not None)]
    passed = sum(report.passed for report in all_reports)
    return exit_code(all_reports, unchecked=len(choice.paths) - passed)


def _compare_sums(arguments: argparse.Namespace) -> int:
    """Compare the SHA-256 of tables with the digests of a list."""
    from tablebase.core.checking.sums import compare_sums, read_sums

    stated, choice = read_sums(arguments.sums), choose(arguments)

    def check(path: Path) -> list[SumReport]:
        options = {"read_values": arguments.values, "threads": arguments.threads}
        return compare_sums([path], stated, **options)

    found = list(each_file(choice.paths, check))
    unchecked = sum(of_file is None for _, of_file, _ in found)
    reports = [report for _, of_file, _ in found for report in of_file or ()]
    compared = [report for report in reports if report.expected is not None]
    wrong = [report for report in compared if report.differs]
    if not (compared or unchecked):
        raise TablebaseError(f"{arguments.sums} has no sum of the {counted(len(found), 'table')}")
    if choice.names:  # a table that was asked for and is not in the list is not checked
        unchecked += sum(
            of_file is not None and not _has_listed(of_file) for _, of_file, _ in found
        )
    if arguments.json:
        print_json(
            [
                _describe_sum(path, report)
                for path, of_file, _ in found
                for report in of_file or (None,)
            ]
        )
        return exit_code(wrong, unchecked)
    for one in wrong:
        print(f"{one.name}: WRONG, other values than in {arguments.sums} ({one.path})")
    unlisted = [report.name for report in reports if report.expected is None]
    if unlisted:
        names = ", ".join(unlisted[:_MOST_NAMES])
        more = f" and {len(unlisted) - _MOST_NAMES:,} more" * (len(unlisted) > _MOST_NAMES)
        print(f"not compared, because {arguments.sums} has no sum of them: {names}{more}")
    tables = counted(len({report.path for report in compared}), "table")
    right = f"{len(compared) - len(wrong)} of {len(compared)} sums"
    if arguments.values:
        print(f"{right} of values agree with {arguments.sums} ({tables})")
    else:
        print(f"{right} agree with {arguments.sums} ({tables}): --values also hashes the values")
    return exit_code(wrong, unchecked)


def each_file(
    paths: Iterable[Path], check: Callable[[Path], _Found]
) -> Iterator[tuple[Path, _Found | None, str]]:
    """Check files one by one; yield and print the reason if a file cannot be checked."""
    for path in paths:
        found, reason = None, ""
        try:
            found = check(path)
        except (TablebaseError, OSError) as error:
            reason = explain(error)
            complain(reason)
        yield path, found, reason


def _has_listed(reports: Iterable[SumReport]) -> bool:
    return any(report.expected is not None for report in reports)


def _describe_sum(path: Path, report: SumReport | None) -> dict[str, Any]:
    if report is None:  # it cannot be read
        names = ("material", "metric", "sha256", "expected")
        return dict.fromkeys(names) | {"path": str(path), "passed": False}
    return {
        "material": report.material.name,
        "metric": report.metric.name,
        "path": str(path),
        "sha256": report.sha256,
        "expected": report.expected,
        "passed": None if report.expected is None else not report.differs,
    }


def exit_code(reports: Iterable[Checked], unchecked: int) -> int:
    """Return the exit code for reports, and the number of files that could not be checked."""
    different = any(report.differs for report in reports)
    return DIFFERENT if different else NOT_CHECKED if unchecked else 0


def _check_castling(arguments: argparse.Namespace) -> int:
    """Check positions with castling rights, and print what is found."""
    from tablebase.core.castling.solved_sets import MOST_CASTLING_MEN
    from tablebase.core.checking.castling_check import check_castling_values, has_castling
    from tablebase.core.outcomes.metrics import HELP, METRICS, metric_named

    if arguments.metric == HELP:
        raise TablebaseError("castling rights have no helpmates: leave --castling or --metric out")
    choice = choose(arguments)
    choice.refuse_other_games("castling rights", "name no rules")
    metrics = METRICS if arguments.metric == BOTH else (metric_named(arguments.metric),)
    reports = []
    with choice.open_tables() as tables:
        materials = [one.normalized() for one in choice.materials]
        for one in materials:
            if not has_castling(one):
                reason = f"castling needs a rook and at most {MOST_CASTLING_MEN} pieces"
                raise TablebaseError(f"{one}: {reason}, like `tablebase verify --castling KRK`")
        materials = materials or list(filter(has_castling, tables.available_materials))
        for material in materials:
            with showing_progress(f"checking {material} with castling rights"):
                report = check_castling_values(tables, material, metrics, arguments.sample)
            reports.append(report)
            if not arguments.json:
                print(report)
    if arguments.json:
        print_json([asdict(one) | {"passed": one.passed} for one in reports])
    return exit_code(reports, sum(not one.passed for one in reports))


def _describe_unchecked(path: Path, reason: str) -> dict[str, Any]:
    return {
        "material": None,
        "path": str(path),
        "metrics": [],
        "passed": False,
        "complete": False,
        "checked": 0,
        "different": 0,
        "contradicting": 0,
        "problems": [reason],
        "differences": [],
        "contradictions": [],
    }


def _describe_report(path: Path, report: Report) -> dict[str, Any]:
    return {
        "material": report.material.name,
        "path": str(path),
        "metrics": [metric.name for metric in report.metrics],
        "passed": report.passed,
        "complete": report.is_complete,
        "checked": report.checked,
        "different": report.different,
        "contradicting": report.contradicting,
        "problems": list(report.problems),
        "differences": [
            {
                "fen": one.fen,
                "index": one.index,
                "metric": one.metric.name,
                "stored": _describe_outcome(one.stored),
                "expected": _describe_outcome(one.expected),
            }
            for one in report.differences
        ],
        "contradictions": [
            {
                "fen": one.fen,
                "index": one.index,
                "dtm": _describe_outcome(one.dtm),
                "dtz": _describe_outcome(one.dtz),
            }
            for one in report.contradictions
        ],
    }


def _describe_outcome(outcome: int | None) -> dict[str, int] | None:
    """Return result and plies of an outcome, None for a code without a meaning."""
    from tablebase.core.outcomes.metrics import Outcome

    if outcome is None:
        return None
    return {"wdl": int(Outcome(outcome).result), "plies": Outcome(outcome).plies}


def _show_report(path: Path, report: Report) -> None:
    kind = "" if report.is_complete else "a sample of "
    differences = counted(report.different, "difference")
    positions = f"{kind}{counted(report.checked, 'position')}"
    metrics = listed(map(str, report.metrics))
    if report.contradicting:
        differences += f", {report.contradicting:,} between dtm and dtz"
    found = f"{report.verdict}, {metrics} of {positions}, {differences}"
    print(f"{report.material.name}: {found} ({path})")
    for finding in (*report.problems, *report.differences, *report.contradictions):
        print(f"  {finding}")


def _check_others(
    paths: Iterable[Path], kinds: Mapping[str, FileKind], arguments: argparse.Namespace
) -> Iterator[tuple[Checked | None, dict[str, Any]]]:
    """Check files of other kinds; print and yield the reports."""

    def check(path: Path) -> Checked:
        with showing_progress(f"checking {path.name}"):
            return kinds[path.suffix].check(path, arguments.sample)

    for path, report, reason in each_file(paths, check):
        if report is None:
            yield None, {"path": str(path), "passed": False, "problems": [reason]}
            continue
        if not arguments.json:
            kinds[path.suffix].show_report(report)
        described = asdict(report) | {"path": str(path), "passed": report.passed}
        yield report, described
