"""Errors: what each is caught as, and how it reads."""

import pytest

from tablebase.errors import (
    CorruptTableError,
    InvalidMaterialError,
    MissingTableError,
    TablebaseError,
    UnsupportedPositionError,
)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (MissingTableError, KeyError),
        (UnsupportedPositionError, ValueError),
        (UnsupportedPositionError, KeyError),  # as chess.gaviota
        (InvalidMaterialError, ValueError),
        (CorruptTableError, OSError),
    ],
)
def test_errors_have_one_root_and_a_builtin_family(error, builtin):
    assert issubclass(error, TablebaseError)
    assert issubclass(error, builtin)
    assert str(error("KRK: no such table")) == "KRK: no such table"
