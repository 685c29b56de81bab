from tablebase.checking.findings import Contradiction, Difference, Report
from tablebase.checking.reach import load_successors
from tablebase.checking.sums import SumReport, compare_sums, format_sums, read_sums
from tablebase.checking.verify import check_file, check_table

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
