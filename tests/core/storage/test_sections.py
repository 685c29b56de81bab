"""Files written section by section: the same as those written at once."""

import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.index.legality import find_legal, is_legal, mark_slots
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.storage import writing
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.sections import write_sections
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table, join_bytes, stored_sides


def with_epochs(table, first):
    """Return a table with results in three epochs from a slot on: of codes, and of their bytes."""
    rng = np.random.default_rng(5)
    epochs = []
    for codes in table.codes:
        high = rng.integers(3, size=len(codes)).astype(np.uint8)
        high[:first] = 0
        high[codes == DRAW] = 0
        epochs.append(high)
    wide = [join_bytes(*both) for both in zip(table.codes, epochs, strict=True)]
    return Table(table.material, *wide), Table(table.material, *table.codes, epochs=tuple(epochs))


@pytest.mark.parametrize(
    ("name", "chunk_size", "first"),
    [
        ("KPK", 1 << 16, None),
        ("KPK", 5003, 0),
        ("KPK", 5003, 40_000),
        pytest.param("KRPK", 1 << 16, 40_000, marks=pytest.mark.slow),
        ("KPKP", 5003, None),
    ],
)
def test_sections_give_the_chunks_of_a_whole_table(
    name, chunk_size, first, solved, tmp_path, monkeypatch
):
    monkeypatch.setattr(writing, "CHUNK_SIZE", chunk_size)
    table = parts = solved[Material.from_name(name)]
    if first is not None:
        table, parts = with_epochs(table, first)
    index = table.index
    size = index.size // index.slices
    legal = find_legal(index)
    subtables = {needed.name: "0" * 64 for needed in table.material.dependencies()}
    digest = write_table(table, tmp_path / "whole.h5", subtables=subtables)
    told = []

    def fill(write):
        for number in np.random.default_rng(3).permutation(index.slices).tolist():
            slots = range(number * size, (number + 1) * size)
            rows = slice(number * index.ranks, (number + 1) * index.ranks)
            own = np.zeros_like(legal)
            own[:, rows] = legal[:, rows]
            write(slots, own)
        return take_census(parts), subtables

    report = lambda: told.append(1)  # noqa: E731
    assert write_sections(parts, tmp_path / "parts.h5", fill, report=report) == digest
    assert told
    assert read_table(tmp_path / "parts.h5").material == table.material
    with open_table(tmp_path / "whole.h5") as whole, open_table(tmp_path / "parts.h5") as parts:
        assert parts.attributes.keys() == whole.attributes.keys()
        for key, value in whole.attributes.items():
            assert key == "created" or parts.attributes[key] == value
        assert parts.parts(DTM) == ["dtm"] if first is None else ["dtm", "dtm_epoch"]
        for color in stored_sides(table.material):
            for part in parts.parts(DTM):
                both = (file.chunks.stored(color, part) for file in (whole, parts))
                assert all(one == other for one, other in zip(*both, strict=True))


def test_nothing_is_left_of_a_file_that_was_not_finished(solved, tmp_path):
    table = solved[Material.from_name("KPK")]

    def fill(write):
        write(range(table.index.size // 24), find_legal(table.index))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sections(table, tmp_path / "KPK.h5", fill)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("together", [False, True])
def test_rows_can_be_read_without_gaps(together, solved, tables_dir):
    table = solved[Material.from_name("KRPK")]
    rows = np.random.default_rng(4).random(table.index.size // table.index.king_pairs) < 0.02
    with open_table(tables_dir / "KRPK.h5") as file:
        codes, _ = file.read_sides([Color.WHITE], rows, check=True, together=together)
    legal = is_legal(mark_slots(table.index), Color.WHITE).reshape(len(rows), -1)[rows]
    expected = table.white.reshape(len(rows), -1)[rows]
    found = codes.reshape(-1, table.index.king_pairs)
    assert len(found) == (np.count_nonzero(rows) if together else len(rows))
    assert np.array_equal((found if together else found[rows])[legal], expected[legal])
