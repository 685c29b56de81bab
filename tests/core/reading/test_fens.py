"""FENs: what compiled reading makes of them, against python-chess."""

import chess
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.any_position import read_position
from tablebase.core.positions.chess_board import board_words, words_of_boards
from tablebase.core.reading.fens import LEFT, PLAIN, read_plain_lines
from tablebase.core.reading.given import GivenPositions, read_given

# Some of each kind; parts of them are put together, and characters changed.
FENS = [
    chess.STARTING_FEN,
    "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
    "8/8/8/8/8/2k5/1R6/K7 b - - 12 40",
    "k7/8/8/2pP4/8/8/8/7K w - c6 0 2",
    "k7/8/8/8/2pP4/8/8/7K b - d3 0 2",
    "k7/8/8/8/2p1P3/8/8/7K b - e3 0 2",
    "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
    "r3k2r/8/8/8/8/8/8/4K3 b kq - 3 9",
    "4k3/8/8/8/8/8/8/R4K1R w AH - 0 1",
    "8/8/8/3k4/8/3K~4/8/8 w - - 0 1",
    "8/2k5/8/8/8/8/Pp6/K7 w - - 150 300",
    "KK6/8/8/8/8/8/8/k6P b - - 0 1",
]
FIELDS = [sorted({fen.split()[i] for fen in FENS}) for i in range(6)]
OTHERS = ["", "-", "a1", "h8", "e6", "Kk", "KQkq", "KQKQ", "kK", "+5", "-1", "1_0", "99999", "x"]
CHARACTERS = st.sampled_from("pnbrqkPNBRQK12345678/w b-_~;9acehx\t\n\r\x0b\xa0\u2155\u212a\udc80")


@st.composite
def mutated(draw):
    """Return something like a FEN."""
    fields = [
        draw(
            st.sampled_from(choice + OTHERS)
            if draw(st.integers(0, 4)) == 0
            else st.sampled_from(choice)
        )
        for choice in FIELDS[: draw(st.integers(0, 6))]
    ]
    text = draw(st.sampled_from([" ", " ", " ", "_", "  "])).join(fields)
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(CHARACTERS | st.just("")) + text[at + draw(st.integers(0, 2)) :]
    return text


def by_python_chess(text):
    try:
        return read_position(text).board
    except UnsupportedPositionError as error:
        return str(error)


@given(st.lists(mutated(), min_size=1, max_size=8))
@example(FENS)
@example(["", "\n", " ", "8/8\n8/8"])
def test_every_text_is_read_as_python_chess_does(texts):
    positions = GivenPositions(texts)
    for i, text in enumerate(texts):
        expected = by_python_chess(text)
        assert positions.errors.get(i, "") == (
            "" if isinstance(expected, chess.Board) else expected
        )
        if isinstance(expected, chess.Board):
            words = tuple(positions.words(slice(i, i + 1))[0].tolist())
            assert words == ((0,) * 8 if expected.castling_rights else board_words(expected))
            assert positions.clocks[i] == expected.halfmove_clock
            if not expected.castling_rights and expected.has_legal_en_passant():
                assert positions.singles[i].ep_square == expected.ep_square
            assert not expected.castling_rights or i in positions.singles


@given(st.lists(mutated(), min_size=1, max_size=8))
def test_values_are_those_of_boards(tables, texts):
    boards = [by_python_chess(text) for text in texts]
    if not all(isinstance(board, chess.Board) for board in boards):
        with pytest.raises(ValueError, match="position"):
            tables.probe_dtm_many(texts, skip_missing=True)
        return
    plies, valid = tables.probe_dtm_many(texts, skip_missing=True)
    assert [p if v else None for p, v in zip(plies.tolist(), valid, strict=True)] == [
        tables.get_dtm(board) for board in boards
    ]


@pytest.fixture(scope="module")
def tables():
    with open_tablebase("data") as tables:
        yield tables


def test_plain_ones_are_not_left_to_python_chess():
    choice = np.random.default_rng(5)
    boards = []
    for _ in range(200):
        board = chess.Board(None)
        for square, piece in zip(choice.permutation(64)[:5], "KkRpN", strict=True):
            board.set_piece_at(int(square), chess.Piece.from_symbol(piece))
        board.turn = bool(choice.integers(2))
        board.halfmove_clock = int(choice.integers(101))
        boards.append(board)
    boards.append(chess.Board(FENS[-1]))
    words, clocks, states = read_plain_lines([board.fen() for board in boards])
    assert (states == PLAIN).all()
    assert (words == words_of_boards(boards)).all()
    assert clocks.tolist() == [board.halfmove_clock for board in boards]
    assert read_plain_lines([FENS[3], FENS[6], FENS[9], ""])[2].tolist() == [LEFT] * 4


def test_a_class_of_texts_of_ones_own():
    class Text(str):
        __slots__ = ()

    assert len(read_given([Text(FENS[1]), FENS[2]])) == 2
