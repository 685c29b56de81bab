"""Children: values, where they lie, and which of them are needed."""

import numpy as np
import pytest
from lookup import noise_table, stored_code
from oracle import worth

from tablebase import children
from tablebase._jit import KernelRecord
from tablebase.boards import board_of
from tablebase.geometry import Color, PieceType
from tablebase.material import Material, all_materials
from tablebase.solve import solve
from tablebase.values import DRAW


def test_values_are_in_order_of_preference():
    codes = np.arange(256)
    values = children.VALUE_OF_CODE[codes].tolist()
    assert sorted(codes.tolist(), key=worth) == sorted(codes.tolist(), key=values.__getitem__)
    assert len(set(values)) == 256
    assert [children.code_of_value(value) for value in children.VALUE_OF_CODE] == codes.tolist()


def test_values_after_a_move_are_one_ply_longer():
    for code in range(255 - 1):
        after = children.VALUE_AFTER_MOVE[code]
        assert children.code_of_value(after) == code + 1
        assert children.NEGATED[children.VALUE_OF_CODE[code]] == after
    assert children.code_of_value(children.VALUE_AFTER_MOVE[DRAW]) == DRAW


@pytest.mark.parametrize("name", ["KRKN", "KRKP", "KBPK", "KPKP", "KNNK"])
def test_children_lie_where_the_index_says(name):
    material = Material.from_name(name)
    tables = {m: noise_table(m, n) for n, m in enumerate([material, *material.dependencies()])}
    codes = {m: table.codes for m, table in tables.items()}
    made = children.make_children(material, codes)
    record = KernelRecord(made)
    rng = np.random.default_rng(71)
    identity = np.arange(256, dtype=np.uint8)
    for move, child in children._child_kinds(material).items():
        captured, promoting, new = move
        kind = made.kind[move]
        for side in range(2):
            men = rng.choice(np.arange(8, 56), len(material.men) - 2, replace=False)
            if promoting:
                is_white = material.men[promoting + 1][0] == 0
                men[promoting - 1] = rng.integers(8) + (56 if is_white else 0)
            bases, values = np.empty(8, dtype=np.int64), np.zeros(4096, dtype=np.uint8)
            children.find_child(record, kind, men.astype(np.uint8), bases)
            children.gather_plane(record, kind, np.int64(side), bases, identity, values)
            left = [
                ((color, new if n == promoting else man), square)
                for n, ((color, man), square) in enumerate(
                    zip(material.men[2:], men, strict=True), 1
                )
                if n != captured
            ]
            order = [*child.men[2:]]
            left.sort(key=lambda entry: order.index(entry[0]))
            squares = [int(square) for _, square in left]
            for white, black in rng.integers(64, size=(40, 2)).tolist():
                if max(abs(white % 8 - black % 8), abs(white // 8 - black // 8)) < 2:
                    continue
                if len({white, black, *squares}) < 2 + len(squares):
                    continue
                board = board_of(child, [white, black, *squares], side == 0)
                assert values[white * 64 + black] == stored_code(tables, board), (move, board)


@pytest.mark.parametrize("men", [3, 4, 5])
def test_what_is_needed_are_the_dependencies(men):
    for material in all_materials(men):
        assert set(children.needed_positions(material)) == set(material.dependencies())


def test_promotions_need_one_side_and_one_rank():
    need = children.needed_positions(Material.from_name("KPPKP"))
    queen = need[Material.from_name("KQPKP")]
    assert queen.sides == {Color.BLACK}
    assert queen.promoted == {(Color.WHITE, PieceType.QUEEN)}
    assert need[Material.from_name("KPPKQ")].promoted == {(Color.BLACK, PieceType.QUEEN)}
    assert not need[Material.from_name("KPKP")].promoted  # any position, after a capture


@pytest.mark.parametrize("name", ["KPPK", "KPKP", "KRPK", "KNKP"])
def test_what_is_not_needed_is_not_used(name, solved):
    material = Material.from_name(name)
    subtables = {}
    for needed, need in children.needed_positions(material).items():
        rows = children.rows_after_promotion(needed, need.promoted)
        pairs = solved[needed].index.king_pairs
        subtables[needed] = tuple(
            np.where(np.repeat(rows, pairs), codes, 7).astype(np.uint8)
            if side in need.sides
            else None
            for side, codes in zip(Color, solved[needed].codes, strict=True)
        )
    table = solve(material, subtables)
    assert all(map(np.array_equal, table.codes, solved[material].codes))
