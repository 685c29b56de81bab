"""What users import from the package itself; to take a name away is to break their programs."""

import tablebase

PUBLIC = [
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


def test_public_names():
    assert tablebase.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(tablebase, name).__name__ == name
        assert getattr(tablebase, name).__doc__
