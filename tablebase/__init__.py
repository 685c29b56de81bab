"""Chess endgame tablebases: generate, store and probe exact distances to mate."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tablebase._version import __version__ as __version__  # known, but not in `__all__`

if TYPE_CHECKING:
    from tablebase.dataset import load_table
    from tablebase.errors import (
        CorruptTableError,
        InvalidMaterialError,
        MissingTableError,
        TablebaseError,
        UnsupportedPositionError,
    )
    from tablebase.material import Material
    from tablebase.probe import Tablebase, open_tablebase
    from tablebase.ranking import RankedMove
    from tablebase.storage import read_table
    from tablebase.table import Table
    from tablebase.values import Wdl

__all__ = [
    "CorruptTableError",
    "InvalidMaterialError",
    "Material",
    "MissingTableError",
    "RankedMove",
    "Table",
    "Tablebase",
    "TablebaseError",
    "UnsupportedPositionError",
    "Wdl",
    "load_table",
    "open_tablebase",
    "read_table",
]

# Where each public name is defined: modules are imported when a name is first used.
_HOMES = {
    "CorruptTableError": "errors",
    "InvalidMaterialError": "errors",
    "Material": "material",
    "MissingTableError": "errors",
    "RankedMove": "ranking",
    "Table": "table",
    "Tablebase": "probe",
    "TablebaseError": "errors",
    "UnsupportedPositionError": "errors",
    "Wdl": "values",
    "load_table": "dataset",
    "open_tablebase": "probe",
    "read_table": "storage",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
