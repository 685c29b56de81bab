"""The results of whole planes are those of their positions, asked one by one."""

import numpy as np
import pytest

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.reading.locate import PAGE_SIZE
from tablebase.core.rules.material import Material
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table

PLANES = 70  # more than are read at once


def some_squares(material, seed):
    """Return squares of the men besides the kings in some planes; some men share one."""
    squares = np.random.default_rng(seed).integers(0, 64, (PLANES, material.piece_count - 2), "u1")
    for column, (_, man) in enumerate(material.men[2:]):
        if man is PieceType.PAWN:
            squares[:, column] = 8 + squares[:, column] % 48
    return squares


def one_by_one(tables, squares, material, turn):
    """Return what `probe_wdl_planes` should, from single positions."""
    positions = np.empty((len(squares), 64, 64, material.piece_count), dtype=np.uint8)
    positions[..., 0] = np.arange(64)[:, None]
    positions[..., 1] = np.arange(64)
    positions[..., 2:] = squares[:, None, None]
    results, valid = tables.probe_wdl_many(
        positions.reshape(-1, material.piece_count), material, turn
    )
    sets = np.stack([results > 0, results < 0, np.ones_like(valid)]) & valid
    bits = np.packbits(sets.reshape(3, -1, 64, 64), axis=-1, bitorder="little")
    return bits.view("<u8")[..., 0].swapaxes(0, 1)


@pytest.mark.parametrize("turn", [True, False])
@pytest.mark.parametrize(
    "name",
    ["KvK", "KRvK", "KvKR", "KPvK", "KvKP", "KRvKR", "KRvKN", "KNvKR", "KBBvK", "KPvKP", "KPPvK",
     "KQvKP", "KPvKQ"],
)  # fmt: skip
def test_results_are_those_of_positions(tables_dir, name, turn):
    material = Material.from_name(name)
    squares = some_squares(material, seed=len(name))
    with Tablebase(directories=[tables_dir]) as tables:
        found = tables.probe_wdl_planes(squares, material, turn=turn)
        assert (found == one_by_one(tables, squares, material, turn)).all()
        assert found.any()


@pytest.mark.parametrize("turn", [True, False])
def test_little_memory_is_enough(tables_dir, turn):
    material = Material.from_name("KRvKP")
    squares = some_squares(material, seed=3)
    with (
        Tablebase(directories=[tables_dir]) as tables,
        Tablebase(directories=[tables_dir], cache_size=2 * PAGE_SIZE) as small,
    ):
        expected = tables.probe_wdl_planes(squares, material, turn=turn)
        assert (small.probe_wdl_planes(squares, material, turn=turn) == expected).all()


def test_codes_of_two_bytes(solved, tmp_path):
    """A table whose distances are longer than a byte, made up: every result is an epoch later."""
    material = Material.from_name("KRKN")
    sides = [
        codes.astype("uint16") | ((codes > 40) & (codes != 255)).astype("uint16") << 9
        for codes in solved[material].codes
    ]
    write_table(Table(material, *sides), table_path(tmp_path, material))
    squares = some_squares(material, seed=5)
    with Tablebase(directories=[tmp_path]) as tables:
        for turn in (True, False):
            found = tables.probe_wdl_planes(squares, material, turn=turn)
            assert (found == one_by_one(tables, squares, material, turn)).all()


def test_a_missing_table_is_an_error(tmp_path):
    material = Material.from_name("KRvKN")
    with (
        Tablebase(directories=[tmp_path]) as tables,
        pytest.raises(MissingTableError, match="KRKN"),
    ):
        tables.probe_wdl_planes(some_squares(material, seed=1), material, turn=True)


@pytest.mark.parametrize("square", [3, 60, 64, 255, -1])
def test_pawns_that_cannot_stand_there_leave_no_position(tables_dir, square):
    material = Material.from_name("KPvK")
    with Tablebase(directories=[tables_dir]) as tables:
        assert not tables.probe_wdl_planes(np.array([[square]]), material, turn=True).any()


@pytest.mark.parametrize(
    ("name", "squares", "error", "message"),
    [
        ("KRvK", [1, 2], ValueError, r"expected squares of shape \[n, 1\] for KRK, got \[2\]"),
        ("KRvK", [[1, 2]], ValueError, r"got \[1, 2\]"),
        ("KRvK", [[1.5]], ValueError, "squares are integers"),
        ("KRRRvKRR", [[1, 2, 3, 4, 5]], UnsupportedPositionError, "at most 6 pieces"),
    ],
)
def test_wrong_input_is_refused(tables_dir, name, squares, error, message):
    with Tablebase(directories=[tables_dir]) as tables, pytest.raises(error, match=message):
        tables.probe_wdl_planes(squares, Material.from_name(name), turn=True)
