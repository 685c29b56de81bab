from tablebase.export.gaviota_audit import audit_gaviota
from tablebase.export.gaviota_index import gaviota_name
from tablebase.export.gaviota_reading import gaviota_material
from tablebase.export.gaviota_writing import write_gaviota
from tablebase.export.reports import Audit, Exported, Mismatch

__all__ = [
    "Audit",
    "Exported",
    "Mismatch",
    "audit_gaviota",
    "gaviota_material",
    "gaviota_name",
    "write_gaviota",
]
