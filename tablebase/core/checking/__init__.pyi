from tablebase.core.checking.findings import Contradiction, Difference, Report
from tablebase.core.checking.reach import load_successors
from tablebase.core.checking.sums import SumReport, compare_sums, format_sums, read_sums
from tablebase.core.checking.verify import check_file, check_table

__all__ = [
    "Contradiction",
    "Difference",
    "Report",
    "SumReport",
    "check_file",
    "check_table",
    "compare_sums",
    "format_sums",
    "load_successors",
    "read_sums",
]
