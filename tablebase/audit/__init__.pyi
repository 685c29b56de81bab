from tablebase.audit.prober_audit import AnsweredMove, ProberAudit, ProberFinding, audit_prober
from tablebase.audit.prober_rule import Answer, Prober
from tablebase.audit.prober_server import ServerProber

__all__ = [
    "Answer",
    "AnsweredMove",
    "Prober",
    "ProberAudit",
    "ProberFinding",
    "ServerProber",
    "audit_prober",
]
