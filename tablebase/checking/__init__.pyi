from tablebase.checking.sums import SumReport, compare_sums, format_sums, read_sums
from tablebase.checking.verify import Difference, Report, check_file, check_table

__all__ = [
    "Difference",
    "Report",
    "SumReport",
    "check_file",
    "check_table",
    "compare_sums",
    "format_sums",
    "read_sums",
]
