"""What is kept of tables for the builds to come: what they need, no more than there is room for."""

import h5py
import numpy as np
import pytest
from support.few import few

from tablebase.core.board.geometry import Color
from tablebase.core.building import subtable_store
from tablebase.core.building.subtable_store import SubtableStore
from tablebase.core.engine.needs import needed_positions, rows_after_promotion
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table

NAMES = ["KK", "KQK", "KRK", "KBK", "KNK", "KPK", "KQPK", "KRPK"]
KQPK, KRPK, KPPK, KQQK = (Material.from_name(name) for name in ("KQPK", "KRPK", "KPPK", "KQQK"))


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    """Four-man tables are large ones here, so that those of five need not be made."""
    monkeypatch.setattr(subtable_store, "MAX_KEPT_MEN", 3)


def with_dtm(*materials):
    return [(material, DTM) for material in materials]


def assert_right(codes, table, need):
    """Assert that the codes of all positions that are needed are right."""
    rows = rows_after_promotion(table.material, need.promoted)
    needed = np.repeat(rows, table.index.king_pairs)
    marks = mark_slots(table.index)
    for side in need.sides:
        positions = needed & is_legal(marks, side)
        assert np.array_equal(codes[side][positions], table.codes[side][positions])


def test_a_table_that_is_added_is_not_read(solved, tmp_path):
    store = SubtableStore(tmp_path, 1, with_dtm(KQPK, KPPK))
    for table in solved.values():
        store.add(table)
    for coming in (KQPK, KPPK):
        for needed, need in needed_positions(coming).items():
            part = store.subtables(coming, DTM)[needed]
            if isinstance(part, Table):
                assert part is solved[needed]
            else:
                assert_right(part.codes, solved[needed], need)
        store.finish(coming, DTM)
    assert (KQPK, DTM) not in store


def test_a_table_that_was_read_is_not_read_again(tables_dir, solved, monkeypatch):
    store = SubtableStore(tables_dir, 1, with_dtm(KQPK, KQPK))
    first = store.subtables(KQPK, DTM)
    store.finish(KQPK, DTM)
    monkeypatch.setattr(subtable_store, "open_table", None)
    again = store.subtables(KQPK, DTM)
    assert all(again[needed] is first[needed] for needed in first if needed.piece_count < 4)
    for needed, need in needed_positions(KQPK).items():
        if needed.piece_count == 4:
            assert_right(again[needed].codes, solved[needed], need)
    store.finish(KQPK, DTM)
    assert not any((needed, DTM) in store for needed in first if needed.piece_count == 4)


def test_what_is_needed_last_makes_room(tables_dir):
    store = SubtableStore(tables_dir, 1, with_dtm(KQPK, KRPK, KPPK, KRPK, KPPK))
    store.subtables(KRPK, DTM)  # read early
    store.subtables(KPPK, DTM)
    soon = {(one, DTM) for one in KRPK.dependencies() if one.piece_count == 4}
    late = {(one, DTM) for one in KPPK.dependencies() if one.piece_count == 4} - soon
    assert all(one in store for one in soon | late)
    kept = sum(part.size for part in store._parts.values())
    of_late = sum(store._parts[one].size for one in late)
    store.make_room(kept)
    assert all(one in store for one in soon | late)
    store.make_room(kept - of_late)
    assert all(one in store for one in soon)
    assert not any(one in store for one in late)
    store.make_room(0)
    assert not any(one in store for one in soon)


def kept_in(store):
    return sum(part.size for part in store._parts.values())


@pytest.mark.thorough
@pytest.mark.parametrize("share", few([0, 0.3, 0.6, 1], 0, 0.6))
def test_no_more_is_kept_than_there_is_room_for(tables_dir, solved, share):
    coming = with_dtm(KQPK, KPPK, KRPK, KQPK, KPPK, KRPK)
    unlimited = SubtableStore(tables_dir, 1, coming)
    for material, _ in coming[:3]:
        unlimited.subtables(material, DTM)
    room = int(share * kept_in(unlimited))
    assert kept_in(unlimited) > 0
    store, expected = (SubtableStore(tables_dir, 1, coming) for _ in range(2))
    most = 0
    for material, metric in coming:
        store.make_room(room)
        expected.make_room(room)
        parts = store.subtables(material, metric)
        for needed, need in needed_positions(material).items():
            if needed.piece_count == 4:
                assert_right(parts[needed].codes, solved[needed], need)
        assert kept_in(store) <= room
        most = max(most, kept_in(store))
        expected.expect(material, metric)
        store.add(solved[material])
        store.finish(material, metric)
        assert store._parts.keys() == expected._parts.keys()
    assert most >= 0.3 * room


def test_what_one_build_needs_is_read_for_it_alone(tables_dir):
    """The last build that needs a table does not read what others needed."""
    store = SubtableStore(tables_dir, 1, with_dtm(KPPK, KRPK))
    (shared,) = {one for one in KPPK.dependencies() if one.name == "KRPK"}
    part = store.subtables(KPPK, DTM)[shared]
    assert (shared, DTM) not in store
    assert part.codes[Color.WHITE] is None or part.codes[Color.BLACK] is None


def test_copies_take_the_memory_of_their_rows(solved):
    rows = rows_after_promotion(KQPK, needed_positions(KPPK)[KQPK].promoted)
    assert 0 < rows.mean() < subtable_store.SHARE_TO_COPY
    codes = solved[KQPK].white
    copy = subtable_store._copied(codes, rows).reshape(len(rows), -1)
    assert np.array_equal(copy[rows], codes.reshape(len(rows), -1)[rows])
    assert not copy[~rows].any()


def test_values_are_compared_with_their_digest(tmp_path, solved):
    kqq = table_path(tmp_path, KQQK)
    noise = np.random.default_rng(1).integers(0, 9, solved[KQQK].index.size, dtype=np.uint8)
    write_table(solved[KQQK], kqq)
    with open_table(kqq) as file:
        digest = file.sha256_of(DTM)
    write_table(Table(KQQK, noise, noise), kqq)
    with h5py.File(kqq, "r+") as file:
        file.attrs.modify("sha256", digest.encode())
    store = SubtableStore(tmp_path, 1)
    need = needed_positions(KQPK)[KQQK]
    with pytest.raises(CorruptTableError, match="SHA-256"):
        store._get((KQQK, DTM), need)


def test_without_a_plan_nothing_large_is_kept(tables_dir):
    store = SubtableStore(tables_dir, 1)
    part = store.subtables(KQPK, DTM)[KQQK]
    assert part.codes[Color.BLACK] is not None
    assert (KQQK, DTM) not in store


def test_a_table_whose_file_was_not_completed_is_dropped(solved, tmp_path):
    store = SubtableStore(tmp_path, 1)
    krk, kqk = Material.from_name("KRK"), Material.from_name("KQK")
    for material in (krk, kqk):
        store.add(solved[material])
    store.set_digest(kqk, DTM, "its digest")
    store.keep_only({(kqk, DTM): "its digest"})
    assert list(store._tables) == [(kqk, DTM)]
