"""Memory: whole tables that have no room are refused before anything is read."""

import pytest

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.rules.material import Material
from tablebase.core.storage import memory
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.table_names import table_path


def test_a_table_without_room_is_refused(tables_dir, monkeypatch):
    monkeypatch.setattr(memory, "ALWAYS_THERE", 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 3_000_000)
    path = table_path(tables_dir, Material.from_name("KRKN"))
    with pytest.raises(
        TablebaseError, match=r"table of KRKN takes 3\.7 MB of memory, but only 3\.0"
    ):
        read_table(path)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert read_table(path).index.size == 1_862_784
