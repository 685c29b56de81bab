"""Files of regions as one of the kinds of files that folders of tables hold; see `seams`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.core.ground.words import counted
from tablebase.solve.region_file import RegionFile
from tablebase.solve.regions import Regions

if TYPE_CHECKING:
    from tablebase.core.reading.reader import OutcomeReader
    from tablebase.solve.verifying import RegionReport


def open_source(reader: OutcomeReader) -> Regions:
    """Return the results in the files of regions in the folders of a reader."""
    return Regions(reader)


def describe(path: Path) -> dict[str, Any]:
    """Return the contents of a file as JSON types."""
    with RegionFile(path) as file:
        header = file.header
    return {
        "path": str(path),
        "bytes": path.stat().st_size,
        "fen": header.fen,
        "structures": len(header.keys),
        "exact_structures": header.exact,
        "planes": int(header.planes.sum()),
        "promotions": "QN" if header.few else "QRBN",
        "tables": list(header.tables),
    }


def show(descriptions: Iterable[dict[str, Any]]) -> None:
    """Print the contents of files for a person."""
    from tablebase.cli.terminal import new_table, printable
    from tablebase.cli.terminal import show as print_table

    table = new_table("region", "solved for", "structures", "exact", "planes", "bytes")
    for one in descriptions:
        numbers = ("structures", "exact_structures", "planes", "bytes")
        texts = (printable(text) for text in (Path(one["path"]).name, one["fen"]))
        table.add_row(*texts, *(f"{one[name]:,}" for name in numbers))
    print_table(table)


def check(path: Path, sample: int | None) -> RegionReport:
    """Check a file; see `verifying.check_region`."""
    from tablebase.solve.verifying import SAMPLE, check_region

    return check_region(path, sample=sample or SAMPLE)


def show_report(report: RegionReport) -> None:
    """Print the result of a check for a person."""
    print(
        f"{report.path.name}: {report.verdict}, bounds of "
        f"{counted(report.structures, 'structure')} and {counted(report.sampled, 'position')} of a "
        f"sample, {counted(report.different, 'difference')} ({report.path})"
    )
    if report.from_tables:
        print(f"  {counted(report.from_tables, 'structure')} with values of complete tables")
    for difference in report.differences:
        print(f"  {difference}")
