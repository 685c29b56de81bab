"""What users import from the package itself; to take a name away is to break their programs."""

import pytest

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
    "Wdl50",
    "difficulty",
    "find",
    "load_table",
    "open_tablebase",
    "read_table",
    "solve_position",
]


def test_public_names():
    assert tablebase.__all__ == PUBLIC
    for name in PUBLIC:
        assert getattr(tablebase, name).__name__ == name
        assert getattr(tablebase, name).__doc__
    assert set(PUBLIC) <= set(dir(tablebase))


def test_other_names_are_told_apart():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = tablebase.no_such_name
