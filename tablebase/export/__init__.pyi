from tablebase.export.reports import Audit, Exported, Mismatch
from tablebase.export.syzygy_audit import audit_syzygy
from tablebase.export.syzygy_layout import syzygy_names
from tablebase.export.syzygy_writing import write_syzygy

__all__ = [
    "Audit",
    "Exported",
    "Mismatch",
    "audit_syzygy",
    "syzygy_names",
    "write_syzygy",
]
