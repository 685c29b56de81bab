from tablebase.export.command import add_formats, tell_what_readers_miss
from tablebase.export.gaviota_audit import audit_gaviota
from tablebase.export.gaviota_index import gaviota_name
from tablebase.export.gaviota_reading import gaviota_material
from tablebase.export.gaviota_writing import write_gaviota
from tablebase.export.reports import Audit, Exported, Mismatch
from tablebase.export.syzygy_audit import audit_syzygy
from tablebase.export.syzygy_layout import syzygy_names
from tablebase.export.syzygy_writing import write_syzygy

__all__ = [
    "Audit",
    "Exported",
    "Mismatch",
    "add_formats",
    "audit_gaviota",
    "audit_syzygy",
    "gaviota_material",
    "gaviota_name",
    "syzygy_names",
    "tell_what_readers_miss",
    "write_gaviota",
    "write_syzygy",
]
