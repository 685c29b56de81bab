"""Moves out of a slice: values, where children lie, and whole tables on top of noise."""

import numpy as np
import pytest
from lookup import noise_table, stored_code
from oracle import worth

from tablebase import conversion
from tablebase._jit import Record
from tablebase.boards import board_of
from tablebase.material import Material
from tablebase.solve import solve
from tablebase.values import DRAW
from tablebase.verify import check_table


def test_values_are_in_order_of_preference():
    codes = np.arange(256)
    values = conversion.VALUE_OF_CODE[codes].tolist()
    assert sorted(codes.tolist(), key=worth) == sorted(codes.tolist(), key=values.__getitem__)
    assert len(set(values)) == 256
    assert np.array_equal(conversion.CODE_OF_VALUE[conversion.VALUE_OF_CODE], codes)


def test_values_after_a_move_are_one_ply_longer():
    for code in range(255 - 1):
        after = conversion.VALUE_AFTER_MOVE[code]
        assert conversion.CODE_OF_VALUE[after] == code + 1
        assert conversion.NEGATED[conversion.VALUE_OF_CODE[code]] == after
    assert conversion.CODE_OF_VALUE[conversion.VALUE_AFTER_MOVE[DRAW]] == DRAW


@pytest.mark.parametrize("name", ["KRKN", "KRKP", "KBPK", "KPKP", "KNNK"])
def test_children_lie_where_the_index_says(name):
    material = Material.from_name(name)
    tables = {m: noise_table(m, n) for n, m in enumerate([material, *material.dependencies()])}
    codes = {m: table.codes for m, table in tables.items()}
    children = conversion.make_children(material, codes, np.zeros(16, dtype=np.int64))
    record = Record(children)
    rng = np.random.default_rng(71)
    identity = np.arange(256, dtype=np.uint8)
    for move, child in conversion._child_kinds(material).items():
        captured, promoting, new = move
        kind = children.kind[move]
        for side in range(2):
            men = rng.choice(np.arange(8, 56), len(material.men) - 2, replace=False)
            if promoting:
                is_white = material.men[promoting + 1][0] == 0
                men[promoting - 1] = rng.integers(8) + (56 if is_white else 0)
            bases, values = np.empty(8, dtype=np.int64), np.zeros(4096, dtype=np.uint8)
            conversion.find_child(record, kind, men.astype(np.uint8), bases)
            conversion.gather_plane(record, kind, np.int64(side), bases, identity, values)
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


@pytest.mark.parametrize("name", ["KPK", "KRKN", "KNNK", "KQKP", "KBPK", "KPKP", "KPPK", "KNKP"])
def test_whatever_the_subtables_say_counts(name):
    """On sub-tables of noise every capture and promotion has a value of its own."""
    material = Material.from_name(name)
    subtables = {m: noise_table(m, n) for n, m in enumerate(material.dependencies())}
    table = solve(material, subtables)
    report = check_table(table, subtables)
    assert report.passed, report.differences
