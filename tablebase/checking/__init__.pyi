from tablebase.checking.findings import Contradiction, Difference, Report
from tablebase.checking.prober_audit import (
    AnsweredMove,
    ProberAudit,
    ProberFinding,
    audit_prober,
)
from tablebase.checking.prober_rule import Answer, Prober
from tablebase.checking.prober_server import ServerProber
from tablebase.checking.reach import load_successors
from tablebase.checking.sums import SumReport, compare_sums, format_sums, read_sums
from tablebase.checking.verify import check_file, check_table

__all__ = [
    "Answer",
    "AnsweredMove",
    "Contradiction",
    "Difference",
    "Prober",
    "ProberAudit",
    "ProberFinding",
    "Report",
    "ServerProber",
    "SumReport",
    "audit_prober",
    "check_file",
    "check_table",
    "compare_sums",
    "format_sums",
    "load_successors",
    "read_sums",
]
