from tablebase.export.reports import Audit, Exported, Mismatch

__all__ = ["Audit", "Exported", "Mismatch"]
