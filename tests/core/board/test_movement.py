"""Movement: python-chess as judge of chess, and slow walks of men that chess does not have."""

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.core.board.geometry import Color, PieceType, square, square_file, square_rank
from tablebase.core.board.movement import (
    CHESS_STEPS,
    UNLIMITED,
    Movement,
    Step,
    from_to_pairs,
    is_attacked_by,
    make_movement,
    movement_of,
)

CHESS = make_movement()
PIECES = tuple(PieceType)[1:]  # all but the pawn
GOLD = (*(Step(dx, dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1))),)
LANCE = (Step(0, 1, UNLIMITED),)
SHORT_ROOK = tuple(Step(dx, dy, 3) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)))
# A bishop that leaps to the second square ahead, and goes back by up to two squares.
MIXED = (*CHESS_STEPS[PieceType.BISHOP], Step(0, 2), Step(0, -1, 2))
NIGHTRIDER = tuple(Step(dx, dy, UNLIMITED) for dx, dy, _ in CHESS_STEPS[PieceType.KNIGHT])
KINDS = (GOLD, LANCE, SHORT_ROOK, MIXED, NIGHTRIDER)
steps = st.builds(
    Step, st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([1, 1, 2, 3, UNLIMITED])
).filter(lambda step: (step.dx, step.dy) != (0, 0))


def squares_of(word):
    return set(chess.SquareSet(int(word)))


def walk(kind, color, origin):
    """Return the squares on the way to each square that a man reaches."""
    reached = {}
    for dx, dy, reach in kind:
        passed, file, rank = [], square_file(origin), square_rank(origin)
        for _ in range(reach):
            file, rank = file + dx, rank + (dy if color is Color.WHITE else -dy)
            if not (0 <= file < 8 and 0 <= rank < 8):
                break
            target = square(file, rank)
            assert target not in reached
            reached[target] = list(passed)
            passed.append(target)
    return reached


def ways(rays):
    """Return the same of rays [n, 7], which are empty from the first -1 on."""
    reached = {}
    for ray in rays.tolist():
        length = ray.index(-1) if -1 in ray else len(ray)
        assert set(ray[length:]) <= {-1}
        for count, target in enumerate(ray[:length]):
            assert target not in reached
            reached[target] = ray[:count]
    return reached


def parts(movement, color, kind, origin):
    """Return the same of lanes, leaps and rides."""
    reached = {}
    for axis in movement.lanes[color, kind].tolist():
        for lane in " ".join(map(str, axis)).split("-1"):
            found = [int(s) for s in lane.split()]
            if origin in found:
                at = found.index(origin)
                for way in (found[at + 1 :], found[:at][::-1]):
                    reached |= {target: way[:count] for count, target in enumerate(way)}
    for first, *targets in movement.leaps[color, kind].tolist():
        if first == origin:
            reached |= {target: [] for target in targets if target >= 0}
    rides = movement.rides[color, kind]
    return reached | ways(rides[rides[:, 0] == origin][:, 1:])


@pytest.mark.parametrize("color", Color)
@pytest.mark.parametrize("kind", PieceType)
def test_men_attack_as_in_python_chess(color, kind):
    for s in chess.SQUARES:
        board = chess.BaseBoard.empty()
        board.set_piece_at(s, chess.Piece(kind, color is Color.WHITE))
        assert int(CHESS.attacks[color, kind, s]) == board.attacks_mask(s)
        for target, passed in ways(CHESS.rays[color, kind, s]).items():
            leaps = kind is PieceType.KNIGHT
            assert set(passed) == (set() if leaps else squares_of(chess.between(s, target)))


def test_pieces_of_chess_have_the_same_rays_both_ways_and_for_both_colors():
    for color in Color:
        assert np.array_equal(CHESS.rays[color, PIECES], CHESS.rays[0, PIECES])
        assert np.array_equal(CHESS.unrays[color, PIECES], CHESS.rays[0, PIECES])


@pytest.mark.parametrize("kinds", [CHESS_STEPS, KINDS, KINDS[1:2], KINDS[2:3], ((),)])
def test_all_tables_are_those_of_a_slow_walk(kinds):
    check_tables(kinds)


def check_tables(kinds):
    movement = make_movement(kinds)
    for color in Color:
        for number, kind in enumerate(kinds):
            back = {origin: {} for origin in chess.SQUARES}
            for origin in chess.SQUARES:
                reached = walk(kind, color, origin)
                assert ways(movement.rays[color, number, origin]) == reached
                assert parts(movement, color, number, origin) == reached
                assert squares_of(movement.attacks[color, number, origin]) == set(reached)
                between = movement.between[color, number, origin]
                for target in chess.SQUARES:
                    assert squares_of(between[target]) == set(reached.get(target, ()))
                for target, passed in reached.items():
                    back[target][origin] = passed[::-1]
            for target in chess.SQUARES:
                assert ways(movement.unrays[color, number, target]) == back[target]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(steps, max_size=6).map(tuple), min_size=1, max_size=2).map(tuple))
def test_any_steps(kinds):
    try:
        for kind in kinds:
            for origin in chess.SQUARES:
                walk(kind, Color.WHITE, origin)
    except AssertionError:
        with pytest.raises(ValueError, match="two ways to the same square"):
            make_movement(kinds)
    else:
        check_tables(kinds)


def test_rays_that_exist_come_first():
    for kinds in (CHESS_STEPS, KINDS):
        movement = make_movement(kinds)
        for rays in (movement.rays, movement.unrays):
            exists = (rays[..., 0] >= 0).astype(int)
            assert (np.diff(exists, axis=-1) <= 0).all()
        assert (np.diff((movement.leaps >= 0).astype(int), axis=-1) <= 0).all()
        assert (np.diff((movement.rides[..., 0] >= 0).astype(int), axis=-1) <= 0).all()


def test_kinds_with_lanes_have_only_the_leaps_that_they_need():
    """A kernel may then write the images of leaps where nothing has been written yet."""
    for kinds in (CHESS_STEPS, KINDS):
        movement = make_movement(kinds)
        has_lanes = (movement.lanes >= 0).any(axis=(2, 3))
        leaps = (movement.leaps[..., 1:] >= 0).any(axis=(2, 3))
        has_rows = np.repeat((leaps | ~has_lanes)[..., np.newaxis], 64, axis=2)
        assert np.array_equal(movement.leaps[..., 0] >= 0, has_rows)


@pytest.mark.parametrize(
    "men", [[], [(Color.BLACK, PieceType.PAWN), (Color.WHITE, PieceType.QUEEN)]]
)
def test_movement_of_men_has_an_axis_of_men(men):
    for found, every in zip(movement_of(men), CHESS, strict=True):
        assert found.flags.c_contiguous
        assert found.shape == (len(men), *every.shape[2:])
        for one, man in zip(found, men, strict=True):
            assert np.array_equal(one, every[man])


@pytest.mark.parametrize("name", Movement._fields)
def test_tables_are_read_only(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(CHESS, name)[:] = 0


def test_squares_are_attacked_as_in_python_chess():
    men = [(color, kind) for color in Color for kind in (PieceType.KING, *PieceType)]
    rng = np.random.default_rng(6)
    squares = np.array([rng.permutation(48)[: len(men)] + 8 for _ in range(200)], dtype=np.uint8)
    target = rng.integers(64, size=len(squares)).astype(np.uint8)
    occupied = np.bitwise_or.reduce(np.uint64(1) << squares.astype(np.uint64), axis=1)
    for color in Color:
        found = is_attacked_by(men, squares.T, color, target, occupied)
        at_first = is_attacked_by(men, squares.T, color, int(target[0]), occupied)
        for i, row in enumerate(squares.tolist()):
            board = chess.BaseBoard(None)
            for (owner, kind), origin in zip(men, row, strict=True):
                board.set_piece_at(origin, chess.Piece(int(kind), owner is Color.WHITE))
            assert found[i] == board.is_attacked_by(color is Color.WHITE, int(target[i]))
            assert at_first[i] == board.is_attacked_by(color is Color.WHITE, int(target[0]))


def test_butterfly_counts():
    counts = {
        piece_type: int(from_to_pairs((piece_type,)).sum())
        for piece_type in (PieceType.ROOK, PieceType.BISHOP, PieceType.KNIGHT)
    }
    assert counts == {PieceType.ROOK: 896, PieceType.BISHOP: 560, PieceType.KNIGHT: 336}
    assert int(from_to_pairs().sum()) == sum(counts.values()) == 1792


def test_from_to_pairs_hold_every_move_of_every_man():
    pairs = from_to_pairs()
    assert np.array_equal(pairs, pairs.T)
    assert not (from_to_pairs((PieceType.KING,)) & ~pairs).any()
    for words in CHESS.attacks[:, PieceType.PAWN]:
        for s, word in enumerate(words):
            assert all(pairs[s, target] for target in squares_of(word))
