from tablebase.checking.sums import compare_sums, read_sums
from tablebase.checking.verify import Difference, Report, check_file, check_table

__all__ = [
    "Difference",
    "Report",
    "check_file",
    "check_table",
    "compare_sums",
    "read_sums",
]
