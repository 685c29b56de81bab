"""Board layouts: the facts of draughts and chess boards, by enumeration over files and rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.butterfly.layouts import CHESS_DIFFERENCES, BoardLayout, straight_step
from tablebase.core.board.geometry import PieceType, square
from tablebase.core.board.movement import (
    BISHOP_STEPS,
    KNIGHT_STEPS,
    ROOK_STEPS,
    ROYAL_STEPS,
    make_movement,
)

DRAUGHTS_SQUARES = [(x, y) for y in range(10) for x in range(10) if (x + y) % 2 == 1]
# The orthogonal single steps of Frisian draughts: to the next square of the same colour.
FRISIAN_STEPS = tuple((2 * x, 2 * y) for x, y in ROOK_STEPS)


def draughts(columns):
    return BoardLayout(10, 10, ghost_columns=columns - 10, parity=1)


def chess(columns):
    return BoardLayout(8, 8, ghost_columns=columns - 8)


def wraps(layout, step):
    """Return whether a step off the board meets a square's number, square by square."""
    squares = {(x, y): layout.number(x, y) for x, y in layout.squares}
    for (x, y), number in squares.items():
        target = x + step[0], y + step[1]
        if target in squares:
            assert squares[target] == number + layout.difference(step)
        elif number + layout.difference(step) in squares.values():
            return True
    return False


@st.composite
def layouts(draw):
    width, height = draw(st.integers(1, 9)), draw(st.integers(2, 9))
    ghosts, parity = draw(st.integers(0, 12)), draw(st.sampled_from((None, 0, 1)))
    ghosts += (width + ghosts + 1) % 2 * (parity is not None)
    # Never all squares: there are two or more in the first two rows.
    excluded = st.frozensets(st.tuples(st.integers(0, width - 1), st.integers(2, 8)), max_size=9)
    return BoardLayout(
        width,
        height,
        ghosts,
        parity=parity,
        left=draw(st.integers(0, ghosts)),
        ghost_rows=draw(st.integers(0, 3)),
        excluded=frozenset((x, y) for x, y in draw(excluded) if y < height),
    )


# Of the forum's four boards the first number of each row; each row has five in sequence.
@pytest.mark.parametrize(
    ("columns", "ghost_rows", "firsts", "size"),
    [
        (11, 0, [0, 5, 11, 16, 22, 27, 33, 38, 44, 49], 55),
        (11, 1, [6, 11, 17, 22, 28, 33, 39, 44, 50, 55], 66),
        (13, 0, [0, 6, 13, 19, 26, 32, 39, 45, 52, 58], 65),
        (19, 0, [0, 9, 19, 28, 38, 47, 57, 66, 76, 85], 95),
    ],
)
def test_draughts_boards_are_numbered_as_published(columns, ghost_rows, firsts, size):
    layout = BoardLayout(10, 10, columns - 10, parity=1, ghost_rows=ghost_rows)
    assert list(layout.squares) == DRAUGHTS_SQUARES
    rows = layout.numbers.reshape(10, 5).tolist()
    assert rows == [list(range(first, first + 5)) for first in firsts]
    assert layout.size == size
    assert layout.span == firsts[-1] - firsts[0] + 5


def test_ghost_rows_keep_steps_within_the_array():
    flat, framed = draughts(11), BoardLayout(10, 10, 1, parity=1, ghost_rows=1)
    assert not any(flat.guards(step) for step in BISHOP_STEPS)
    assert all(framed.guards(step) for step in BISHOP_STEPS)
    assert not any(framed.guards(step) for step in FRISIAN_STEPS)


def test_the_mailbox_board():
    mailbox = BoardLayout(8, 8, ghost_columns=2, left=1, ghost_rows=2)
    assert mailbox.size == 120
    assert mailbox.numbers.tolist() == [
        10 * row + file for row in range(2, 10) for file in range(1, 9)
    ]
    assert all(mailbox.guards(step) for step in ROYAL_STEPS + KNIGHT_STEPS)
    for fewer in ({"left": 0}, {"left": 1, "ghost_rows": 1}):
        board = BoardLayout(8, 8, **{"ghost_columns": 2, "ghost_rows": 2} | fewer)
        assert not all(board.guards(step) for step in KNIGHT_STEPS)


def test_steps_into_a_lake_meet_ghosts():
    lakes = frozenset(itertools.product((2, 3, 6, 7), (4, 5)))
    stratego = BoardLayout(10, 10, ghost_columns=1, ghost_rows=1, excluded=lakes)
    assert len(stratego.squares) == 92
    assert not {stratego.number(x, y) for x, y in lakes} & set(stratego.numbers.tolist())
    assert not any(stratego.wraps(step) for step in ROOK_STEPS)
    assert stratego.number(1, 4) + stratego.difference((1, 0)) == stratego.number(2, 4)


def test_a_board_of_10_by_12_fits_into_a_word_on_its_side_only():
    assert [BoardLayout(10, 12, 1, parity=parity).span for parity in (0, 1)] == [66, 65]
    assert [BoardLayout(12, 10, 1, parity=parity).span for parity in (0, 1)] == [65, 64]


@pytest.mark.parametrize("columns", [11, 13, 19])
def test_a_step_adds_the_same_number_everywhere(columns):
    layout = draughts(columns)
    for (x, y), (u, v) in itertools.product(DRAUGHTS_SQUARES, repeat=2):
        assert layout.number(u, v) - layout.number(x, y) == layout.difference((u - x, v - y))


@pytest.mark.parametrize("step", BISHOP_STEPS)
@pytest.mark.parametrize("columns", [11, 13, 19])
def test_diagonal_steps_never_wrap_in_draughts(columns, step):
    assert not wraps(draughts(columns), step)
    assert not draughts(columns).wraps(step)


def test_orthogonal_steps_wrap_in_11_columns_and_not_in_13():
    assert [wraps(draughts(11), step) for step in FRISIAN_STEPS] == [True, False, True, False]
    assert not any(wraps(draughts(13), step) for step in FRISIAN_STEPS)
    assert not any(draughts(13).wraps(step) for step in FRISIAN_STEPS)


def test_19_columns_are_the_least_with_unique_differences_in_draughts():
    for columns in (11, 13, 15, 17):
        assert not draughts(columns).has_unique_differences
    assert draughts(19).has_unique_differences


def test_a_table_of_179_directions_replaces_one_of_50_by_50():
    layout = draughts(19)
    assert layout.directions.shape == (179, 2)
    assert len(layout.vectors) == 179  # no entry is wasted
    for (x, y), (u, v) in itertools.product(DRAUGHTS_SQUARES, repeat=2):
        difference = layout.number(u, v) - layout.number(x, y)
        found = tuple(layout.directions[difference + 89])
        away = (u - x, v - y)
        on_a_line = 0 in away or abs(away[0]) == abs(away[1])
        expected = (np.sign(away[0]), np.sign(away[1])) if on_a_line else (0, 0)
        assert found == expected


def test_chess_needs_9_columns_for_kings_10_for_knights_and_15_for_differences():
    assert all(wraps(chess(8), step) for step in BISHOP_STEPS)
    assert not any(wraps(chess(9), step) for step in ROYAL_STEPS)
    assert any(wraps(chess(9), step) for step in KNIGHT_STEPS)
    assert not any(wraps(chess(10), step) for step in ROYAL_STEPS + KNIGHT_STEPS)
    assert not any(chess(columns).has_unique_differences for columns in range(8, 15))
    assert chess(15) == CHESS_DIFFERENCES
    assert CHESS_DIFFERENCES.has_unique_differences


@pytest.mark.parametrize(("columns", "entries"), [(15, 225), (16, 239)])
def test_chess_has_225_vectors(columns, entries):
    assert len(chess(columns).directions) == entries
    assert len(chess(columns).vectors) == 15 * 15


def test_without_ghosts_chess_is_numbered_as_everywhere_else():
    assert all(chess(8).number(x, y) == square(x, y) for x, y in chess(8).squares)
    assert chess(8).numbers.tolist() == list(range(64))


def test_one_table_of_differences_tells_all_attacks_on_an_empty_board():
    layout = CHESS_DIFFERENCES

    def men(vector):
        leaps = [(PieceType.KNIGHT, KNIGHT_STEPS), (PieceType.KING, ROYAL_STEPS)]
        rides = [
            (PieceType.BISHOP, BISHOP_STEPS),
            (PieceType.ROOK, ROOK_STEPS),
            (PieceType.QUEEN, ROYAL_STEPS),
        ]
        found = sum(1 << man for man, steps in leaps if vector in steps)
        return found + sum(1 << man for man, steps in rides if straight_step(vector) in steps)

    table, attacks = layout.difference_table(men, np.uint8), make_movement().attacks[0]
    assert table.shape == (225,)
    for (a, here), (b, there) in itertools.product(enumerate(layout.numbers), repeat=2):
        for man in range(PieceType.KNIGHT, PieceType.KING + 1):
            expected = int(attacks[man, a]) >> b & 1
            assert int(table[there - here + layout.span - 1]) >> man & 1 == expected


@given(layouts(), st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_wrapping_is_found_on_any_board(layout, step):
    if layout.parity is not None and sum(step) % 2:
        with pytest.raises(ValueError, match="leads off"):
            layout.difference(step)
    else:
        assert layout.wraps(step) == wraps(layout, step)
        ends = {number + layout.difference(step) for number in layout.numbers.tolist()}
        inside = ends <= set(range(layout.size))
        assert layout.guards(step) == (inside and not layout.wraps(step))


@given(layouts())
def test_squares_have_numbers_of_their_own_and_vectors_add_up(layout):
    assert (np.diff(layout.numbers) > 0).all()
    for difference, vectors in layout.vectors.items():
        assert {layout.difference(vector) for vector in vectors} == {difference}
    vectors = {
        (u - x, v - y) for (x, y), (u, v) in itertools.product(layout.squares, layout.squares)
    }
    assert layout.has_unique_differences == (len(layout.vectors) == len(vectors))


@given(st.integers(1, 9), st.integers(2, 9))
def test_twice_the_width_less_one_is_the_least_number_of_columns(width, height):
    enough = BoardLayout(width, height, ghost_columns=width - 1)
    assert enough.has_unique_differences
    if width > 1:
        fewer = BoardLayout(width, height, ghost_columns=width - 2)
        assert not fewer.has_unique_differences


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0, 8), {}, "has no squares"),
        ((8, 0), {}, "has no squares"),
        ((1, 1), {"parity": 1}, "has no squares"),
        ((1, 1), {"excluded": {(0, 0)}}, "has no squares"),
        ((8, 8), {"excluded": {(8, 0)}}, "must be on the board"),
        ((8, 8, -1), {}, "take 0 or more"),
        ((8, 8), {"ghost_rows": -1}, "take 0 or more"),
        ((8, 8, 1), {"left": 2}, "take 0 to all"),
        ((8, 8, 1), {"parity": 2}, "take 0, 1 or None"),
        ((10, 10, 2), {"parity": 1}, "take an odd number of columns"),
    ],
)
def test_no_such_layout(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        BoardLayout(*arguments, **options)


def test_directions_need_unique_differences():
    with pytest.raises(ValueError, match="a board of 8 files needs 15"):
        _ = chess(14).directions


def test_tables_are_read_only():
    for table in (CHESS_DIFFERENCES.numbers, CHESS_DIFFERENCES.directions):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0
