"""Sets of positions: preimages, attacks and legality, bit by bit against python-chess."""

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.variants import ATOMIC, material_board

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.movement import make_movement
from tablebase.core.board.symmetry import ALL_SYMMETRIES, D4
from tablebase.core.engine.sets import bits
from tablebase.core.jit.kernels import kernel
from tablebase.core.jit.records import KernelRecord
from tablebase.core.jit.vectors import load_line, store_line
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS

MOVEMENT = KernelRecord(make_movement())
WHITE = np.int64(0)
SEEDS = st.integers(0, 2**32)
PIECES = (PieceType.KNIGHT, PieceType.BISHOP, PieceType.ROOK, PieceType.QUEEN)


def random_plane(rng):
    """Return 64 words, some full, some thin."""
    words = rng.integers(2**64, size=(2, 64), dtype=np.uint64)
    return np.where(rng.random(64) < 0.5, words[0], words[0] & words[1])


def unpack(words):
    """Return words as booleans [words, 64]."""
    return ((words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).astype(bool)


@kernel
def transformed(words, symmetry, out):
    for k in range(8):
        line = bits.transform_words(load_line(words, np.int64(k * 8)), symmetry)
        store_line(out, np.int64(k * 8), line)


@pytest.mark.parametrize("symmetry", ALL_SYMMETRIES)
def test_words_are_transformed_as_boards_are(symmetry):
    words = random_plane(np.random.default_rng(41))
    out = np.empty_like(words)
    transformed(words, symmetry, out)
    assert np.array_equal(unpack(out)[:, D4[symmetry]], unpack(words))


@kernel
def loaded(words, plane, symmetry, out):
    for k in range(8):
        store_line(out, np.int64(k * 8), bits.load_image(words, plane, np.int64(k), symmetry))


@kernel
def added(lines, words, plane, symmetry, used):
    for k in range(8):
        line = load_line(lines, np.int64(k * 8))
        bits.or_image(line, words, plane, np.int64(k), symmetry, used)


@kernel
def removed(lines, words, plane, symmetry):
    for k in range(8):
        line = load_line(lines, np.int64(k * 8))
        bits.remove_image(line, words, plane, np.int64(k), symmetry)


@pytest.mark.parametrize("symmetry", ALL_SYMMETRIES)
def test_images_of_planes(symmetry):
    rng = np.random.default_rng(42)
    planes = np.concatenate([random_plane(rng) for _ in range(3)])
    image = D4[symmetry].astype(int)
    symmetry = np.uint8(symmetry)
    stored = unpack(planes[64:128])
    out = np.empty(64, dtype=np.uint64)
    loaded(planes, np.int64(1), symmetry, out)
    assert np.array_equal(unpack(out), stored[image][:, image])
    for change, law in ((added, np.logical_or), (removed, lambda a, b: a & ~b)):
        words, lines = planes.copy(), random_plane(rng)
        expected = np.empty_like(stored)
        expected[image[:, None], image] = unpack(lines)
        used = np.zeros(3, dtype=np.uint8)
        change(lines, words, np.int64(1), symmetry, *([used] if change is added else []))
        assert np.array_equal(unpack(words[64:128]), law(stored, expected))
        assert np.array_equal(words[:64], planes[:64])
        assert np.array_equal(words[128:], planes[128:])
        if change is added:
            in_use = [expected[8 * k : 8 * k + 8].any() for k in range(8)]
            assert [bool(used[1] >> k & 1) for k in range(8)] == in_use
            assert used[0] == used[2] == 0


@kernel
def king_preimages(color, words, plane, out):
    for k in range(8):
        store_line(out, np.int64(k * 8), bits.king_preimage(color, words, plane, np.int64(k)))


@given(SEEDS)
@settings(max_examples=30)
def test_kings_move_as_in_python_chess(seed):
    rng = np.random.default_rng(seed)
    words = np.concatenate([random_plane(rng) & random_plane(rng) for _ in range(2)])
    goal = unpack(words[64:])
    near = np.array([[target in chess.SquareSet(chess.BB_KING_ATTACKS[s]) for target in range(64)]
                     for s in range(64)])  # fmt: skip
    out = np.empty(64, dtype=np.uint64)
    king_preimages(np.int64(0), words, np.int64(1), out)
    assert np.array_equal(unpack(out), near @ goal)
    king_preimages(np.int64(1), words, np.int64(1), out)
    assert np.array_equal(unpack(out), goal @ near)


@given(st.integers(0, 255))
def test_kings_reach_neighbouring_lines(lines):
    in_use = [bool(lines >> k & 1) for k in range(8)]
    reached = [any(in_use[max(k - 1, 0) : k + 2]) for k in range(8)]
    assert bits.king_lines(np.int64(0), np.int64(lines)) == sum(
        r << k for k, r in enumerate(reached)
    )
    assert bits.king_lines(np.int64(1), np.int64(lines)) == lines


def sources(rng, k, blocked):
    """Return random sets for each square of a piece: no king, no other man on that square."""
    source = rng.integers(2**64, size=(64, 8), dtype=np.uint64)
    source &= rng.integers(2**64, size=(64, 8), dtype=np.uint64)
    for s in range(64):
        source[s] &= ~(np.uint64(1) << np.uint64(s))
        if s // 8 == k:
            source[s, s % 8] = 0
        if blocked >> s & 1:
            source[s] = 0
    return source


@given(SEEDS, st.sampled_from(PIECES), st.integers(0, 7), st.integers(0, 3))
@settings(max_examples=60)
def test_pieces_move_as_in_python_chess(seed, piece_type, k, men):
    rng = np.random.default_rng(seed)
    blockers = rng.choice(64, men, replace=False).tolist()
    blocked = sum(1 << s for s in blockers)
    source = sources(rng, k, blocked)
    images = np.empty(512, dtype=np.uint64)
    kind, line = np.int64(piece_type), np.int64(k)
    free = bits.free_of_leads((False, False))[line]
    bits.piece_preimages(MOVEMENT, WHITE, kind, free, np.uint64(blocked), source.ravel(), images)
    images = images.reshape(64, 8)
    for square, file, black in zip(*rng.integers([[64], [8], [64]], size=(3, 80)), strict=True):
        white = 8 * k + int(file)
        if len({square, white, black, *blockers}) < 3 + men:
            continue
        board = chess.Board(None)
        for blocker in blockers:
            board.set_piece_at(blocker, chess.Piece(chess.KNIGHT, bool(rng.integers(2))))
        board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(int(black), chess.Piece(chess.KING, chess.BLACK))
        board.set_piece_at(int(square), chess.Piece(int(piece_type), chess.WHITE))
        targets = board.attacks(int(square)) - chess.SquareSet(board.occupied)
        expected = any(int(source[target, file]) >> int(black) & 1 for target in targets)
        assert int(images[square, file]) >> int(black) & 1 == expected, board.fen()


@given(SEEDS, st.sampled_from(PIECES), st.integers(0, 63))
def test_attacks_are_those_of_python_chess(seed, piece_type, square):
    rng = np.random.default_rng(seed)
    others = [int(s) for s in rng.choice(64, 6, replace=False) if s != square]
    board = chess.Board(None)
    for other in others:
        board.set_piece_at(other, chess.Piece(chess.PAWN, chess.BLACK))
    board.set_piece_at(square, chess.Piece(int(piece_type), chess.WHITE))
    if piece_type is PieceType.KNIGHT:
        board.occupied = 0  # it jumps
    occupied = np.uint64(sum(1 << other for other in others))
    found = bits.attacked_squares(MOVEMENT, WHITE, np.int64(piece_type), np.int64(square), occupied)
    assert int(found) == int(board.attacks(square))


NAMES = ["KRKN", "KQKB", "KPKP", "KQRKP", "KBPKN", "KNNKR", "KK"]


@given(SEEDS, st.sampled_from(NAMES), st.sampled_from([CHESS, ATOMIC]))
@settings(max_examples=80)
def test_legality_is_that_of_python_chess(seed, name, rules):
    material = Material.from_name(name, rules)
    rng = np.random.default_rng(seed)
    colors, types = np.array([*material.men[2:], (0, 0)], dtype=np.int64)[:-1].T.copy()
    squares = rng.choice(np.arange(8, 56), len(colors), replace=False).astype(np.uint8)
    occupied = np.uint64(sum(1 << int(s) for s in squares))
    attacked, legal = np.empty(64, dtype=np.uint64), np.empty(64, dtype=np.uint64)
    for color in range(2):
        shields = material.rules.shields
        bits.attack_plane(MOVEMENT, shields, np.int64(color), colors, types, squares, attacked)
        bits.legal_plane(MOVEMENT, shields, occupied, attacked, legal)
        for white, black in rng.integers(64, size=(60, 2)).tolist():
            found = bool(int(legal[white]) >> black & 1)
            if len({white, black, *squares.tolist()}) < 2 + len(squares):
                assert not found
                continue
            board = material_board(material, [white, black, *squares], color == 0)
            assert found == (not board.was_into_check()), board.fen()
