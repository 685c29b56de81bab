"""Betza's notation: what each letter means, and what is refused."""

import random
import re

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablebase.core.board.movement import UNLIMITED, Step
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.rules.betza import MOST_LETTERS, read_betza

ATOMS = "WFDNAHCZG"
ALL = UNLIMITED


def vectors(notation):
    return {(step.dx, step.dy) for step in read_betza(notation)}


def targets(notation, square):
    """Return where a piece goes on an empty board."""
    found = set()
    for dx, dy, reach in read_betza(notation):
        x, y = chess.square_file(square), chess.square_rank(square)
        for count in range(1, reach + 1):
            if 0 <= x + count * dx < 8 and 0 <= y + count * dy < 8:
                found.add(chess.square(x + count * dx, y + count * dy))
    return found


@pytest.mark.parametrize("letter", "KQRBN")
def test_pieces_of_chess_move_as_in_python_chess(letter):
    for square in chess.SQUARES:
        board = chess.Board(None)
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
        assert targets(letter, square) == set(board.attacks(square))


@pytest.mark.parametrize(
    ("notation", "expected"),
    [
        ("W", {(0, 1): 1, (0, -1): 1, (1, 0): 1, (-1, 0): 1}),
        ("fW", {(0, 1): 1}),
        ("fR", {(0, 1): ALL}),
        ("WfF", {(0, 1): 1, (0, -1): 1, (1, 0): 1, (-1, 0): 1, (1, 1): 1, (-1, 1): 1}),
        ("FfW", {(1, 1): 1, (-1, 1): 1, (1, -1): 1, (-1, -1): 1, (0, 1): 1}),
        ("fN", {(1, 2): 1, (-1, 2): 1}),
        ("fsN", {(2, 1): 1, (-2, 1): 1}),
        ("fhN", {(1, 2): 1, (-1, 2): 1, (2, 1): 1, (-2, 1): 1}),
        ("hrN", {(1, 2): 1, (2, -1): 1, (-1, -2): 1, (-2, 1): 1}),
        ("frF", {(1, 1): 1}),
        ("fsW", {(0, 1): 1, (1, 0): 1, (-1, 0): 1}),
        ("vN", {(1, 2): 1, (-1, 2): 1, (1, -2): 1, (-1, -2): 1}),
        ("rvN", {(1, 2): 1, (1, -2): 1}),
        ("rfN", {(1, 2): 1}),
        ("frN", {(2, 1): 1}),
        ("fRsRbK", {(0, 1): ALL, (1, 0): ALL, (-1, 0): ALL,
                    (0, -1): 1, (1, -1): 1, (-1, -1): 1}),
        ("sR2", {(1, 0): 2, (-1, 0): 2}),
        ("fW0", {(0, 1): ALL}),
        ("fDD", {(0, 2): ALL}),
        ("fWR", {(0, 1): ALL, (0, -1): ALL, (1, 0): ALL, (-1, 0): ALL}),
    ],
)  # fmt: skip
def test_notations(notation, expected):
    assert {(dx, dy): reach for dx, dy, reach in read_betza(notation)} == expected


def test_steps_come_in_order():
    assert list(read_betza("QN")) == sorted(read_betza("QN"))
    assert all(isinstance(step, Step) for step in read_betza("QN"))


@pytest.mark.parametrize(
    ("one", "other"),
    [("WW", "R"), ("FF", "B"), ("WF", "K"), ("KK", "Q"), ("RB", "Q"), ("W7", "R"), ("NN", "N3"),
     ("AA", "A3"), ("L", "C"), ("J", "Z"), ("fbW", "vW"), ("lrN", "sN"), ("WR", "R"),
     ("fffW", "fW")],
)  # fmt: skip
def test_the_same_moves_are_written_alike(one, other):
    assert read_betza(one) == read_betza(other)


@pytest.mark.parametrize(
    ("notation", "message"),
    [
        ("", "'' is not a piece's moves"),
        ("w", "'w' is not a piece's moves"),
        ("W-F", "'W-F' is not a piece's moves"),
        ("Wf", "'Wf' is not a piece's moves"),
        ("X", "unknown piece 'X' in 'X'"),
        ("pR", "unknown letter 'p' (hoppers) in 'pR'"),
        ("nN", "unknown letter 'n' (moves that can be blocked half-way) in 'nN'"),
        ("iW", "unknown letter 'i' (first moves) in 'iW'"),
        ("zW", "unknown letter 'z' in 'zW'"),
        ("sfW", "unknown pair of directions 'sf' in 'sfW'"),
        ("frK", "'frK' can be read in two ways: write its parts apart"),
        ("fhW", "in 'fhW', 'fh' chooses among the moves of N, C or Z only"),
        ("RR", "'R' stands twice in 'RR': once is enough"),
        ("W2R", "'W2R' repeats a step in two ways"),
    ],
)
def test_refusals(notation, message):
    with pytest.raises(InvalidRulesError, match=f"^{re.escape(message)}"):
        read_betza(notation)


@given(st.sampled_from(ATOMS + "KRBQ"), st.sampled_from(["", "2", "3"]))
def test_directions_share_out_the_moves(atom, number):
    every = set(read_betza(atom + number))
    assert set(read_betza(f"ffbbllrr{atom}{number}")) == every
    assert set(read_betza(f"vvss{atom}{number}")) == every
    left, right = read_betza(f"l{atom}{number}"), read_betza(f"r{atom}{number}")
    assert {(-dx, dy, reach) for dx, dy, reach in left} == set(right)


def _random_term(rng):
    letter = rng.choice("WFDNAHCZGKRBQLJ")
    pairs = [
        "fr",
        "fl",
        "fs",
        "br",
        "bl",
        "bs",
        "rf",
        "lf",
        "rb",
        "lb",
        "rv",
        "lv",
        "fh",
        "bh",
        "rh",
        "lh",
        "hr",
        "hl",
    ]
    directions = rng.choices([*"fbvrls", *pairs], k=rng.choice((0, 0, 1, 1, 2)))
    return "".join([*directions, letter, rng.choice(("", "", "2", "3"))])


@pytest.mark.thorough
def test_fairy_stockfish_reads_the_same():
    """Moves of random pieces between random men, by pyffish."""
    pyffish = pytest.importorskip("pyffish")
    rng, compared = random.Random(3), 0
    for number in range(400):
        notation = "".join(_random_term(rng) for _ in range(rng.choice((1, 1, 2))))
        try:
            steps = read_betza(notation)
        except InvalidRulesError:
            continue
        # It does not know other riders, whose pieces then have no moves.
        if any(reach > 1 and sorted(map(abs, (dx, dy))) not in ([0, 1], [1, 1], [1, 2])
               for dx, dy, reach in steps):  # fmt: skip
            continue
        pyffish.load_variant_config(f"[v{number}:chess]\ncustomPiece1 = a:{notation}\n")
        squares = rng.sample(range(8, 56), 9)
        # White's king on the last rank is out of the black pawns' way.
        men = {rng.randrange(8): "k", rng.randrange(56, 64): "K", squares[0]: "A"}
        men |= dict(zip(squares[1:], "PPPPpppp", strict=True))
        found = set()
        for dx, dy, reach in steps:
            x, y = squares[0] % 8 + dx, squares[0] // 8 + dy
            for _ in range(reach):
                man = men.get(8 * y + x, "") if 0 <= x < 8 and 0 <= y < 8 else "P"
                if man in {"", "p"}:
                    found.add(chess.SQUARE_NAMES[8 * y + x])
                if man:
                    break
                x, y = x + dx, y + dy
        board = chess.Board(None)
        board.set_piece_map({square: chess.Piece.from_symbol(man) for square, man in men.items()
                             if man != "A"})  # fmt: skip
        board.set_piece_at(squares[0], chess.Piece(chess.QUEEN, chess.WHITE))
        fen = f"{board.board_fen().replace('Q', 'A')} w - - 0 1"
        origin = chess.SQUARE_NAMES[squares[0]]
        moves = [move for move in pyffish.legal_moves(f"v{number}", fen, []) if move[:2] == origin]
        theirs = {move[2:4] for move in moves if men.get(chess.parse_square(move[2:4])) != "k"}
        assert found == theirs, (notation, fen)
        compared += 1
    assert compared > 150


@pytest.mark.parametrize(
    ("notation", "captures", "quiet"),
    [
        ("mWcF", "F", "W"),
        ("mKcQ", "Q", "K"),
        ("NmB", "N", "NB"),
        ("mfRcbW", "bW", "fR"),
        ("fmWcfF", "fF", "fW"),
        ("mcR", "R", "R"),
    ],
)
def test_captures_and_other_moves(notation, captures, quiet):
    assert read_betza(notation) == read_betza(captures)
    assert read_betza(notation, captures=False) == read_betza(quiet)


def test_a_piece_that_captures_alone():
    assert read_betza("cR", captures=False) == ()


def test_a_long_notation_is_refused_at_once():
    assert read_betza("fRsW" * (MOST_LETTERS // 4)) == read_betza("fRsW")
    for text in ("f", "hh", "mc", "W", "WF"):
        with pytest.raises(
            InvalidRulesError, match="too long: moves take up to 200 letters"
        ) as found:
            read_betza(text * 1_000_000)
        assert len(str(found.value)) < 300
