"""Positions on a terminal: what stands where, whole on terminals of any width."""

import chess
import pytest
from rich.console import Console

from tablebase.cli.display import (
    LEAST_WIDTH,
    board_text,
    line_text,
    move_table,
    new_console,
    position_words,
    side_by_side,
)
from tablebase.cli.terminal import print_trimmed
from tablebase.core.answers.known import Known
from tablebase.core.answers.ranking import RankedMove
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.chess_position import ChessPosition


def shown(*things, width=80):
    """Return the lines that a console without colours shows."""
    console = Console(width=width, highlight=False)
    with console.capture() as captured:
        print_trimmed(console, *things)
    return captured.get().splitlines()


def wdl_of(dtm):
    return Wdl((dtm > 0) - (dtm < 0))


def known(dtm, dtz=None, wdl50=None):
    return Known(wdl_of(dtm), wdl50, dtm, dtz, dtz_without_rule50=None, moves=[])


def ranked_move(move, dtm, dtz=None, wdl50=None):
    return RankedMove(move, wdl_of(dtm), dtm, mate=False, zeroing=False, dtz=dtz, wdl50=wdl50)


def test_a_board():
    rows = board_text(ChessPosition(chess.Board())).plain.splitlines()
    assert rows[0].split() == ["8", *"rnbqkbnr"]
    assert rows[7].split() == ["1", *"RNBQKBNR"]
    assert rows[8].split() == list("abcdefgh")


def test_squares_have_their_colors():
    text = board_text(ChessPosition(chess.Board()))
    a8, b8 = (text.get_style_at_offset(Console(), offset).bgcolor for offset in (2, 4))
    a1 = text.get_style_at_offset(Console(), text.plain.index("1 ") + 2).bgcolor
    assert a8 != b8
    assert a1 == b8  # dark


@pytest.mark.parametrize(
    ("fen", "dtm", "words"),
    [
        ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", 31, "White to move|White wins: mate in 16 moves"),
        ("k7/8/1K6/8/8/8/8/R7 b - - 0 1", -2, "Black to move and is in check|White wins"),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", 0, "Black is checkmated"),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0, "Stalemate: draw"),
        ("k7/8/1K6/8/8/8/8/8 b - - 0 1", 0, "Black to move|Draw"),
    ],
)
def test_results(fen, dtm, words):
    said = position_words(ChessPosition(chess.Board(fen)), known(dtm)).plain.replace("\n", "|")
    assert said.startswith(words)


@pytest.mark.parametrize(
    ("clock", "dtm", "dtz", "wdl50", "words"),
    [
        (0, 31, 31, Wdl50.WIN, "DTZ 31 plies: in time for the 50-move rule"),
        (7, -30, -1, Wdl50.LOSS, "DTZ 1 ply, clock 7: in time for the 50-move rule"),
        (70, 31, 31, Wdl50.CURSED_WIN, "DTZ 31 plies, clock 70: a draw by the 50-move rule"),
        (0, -120, -103, Wdl50.BLESSED_LOSS, "DTZ 103 plies: a draw by the 50-move rule"),
        (7, 31, None, Wdl50.WIN, ""),
        (7, 0, 0, Wdl50.DRAW, ""),
    ],
)
def test_results_by_the_clock(clock, dtm, dtz, wdl50, words):
    board = chess.Board(f"8/8/8/8/8/2k5/1R6/K7 w - - {clock} 80")
    said = position_words(ChessPosition(board), known(dtm, dtz, wdl50)).plain.splitlines()
    assert said[2:] == [words] * bool(words)


@pytest.mark.parametrize("clock", [0, 70, 99, 100, 120])
@pytest.mark.parametrize("dtz", [None, 1, 31, 101])
@pytest.mark.parametrize("dtm", [31, 0, -30])
def test_no_headline_contradicts_what_is_below(dtm, dtz, clock):
    board = chess.Board(f"8/8/8/8/8/2k5/1R6/K7 w - - {clock} 80")
    winner = "White" if dtm > 0 else "Black"
    sign = wdl_of(dtm)
    for wdl50 in {2 * sign, sign} | ({None} if dtz is None else set()):
        result = None if wdl50 is None else Wdl50(wdl50)
        signed = None if dtz is None else dtz * sign
        mover, headline, *below = position_words(
            ChessPosition(board), known(dtm, signed, result)
        ).plain.splitlines()
        assert mover == "White to move"
        assert len(below) == bool(signed)
        if not dtm:
            assert (headline, below) == ("Draw", [])
        elif wdl50 == sign:
            assert headline.startswith(f"{winner} would mate in 1")
            assert headline.endswith("but the 50-move rule draws")
            assert all("a draw by the 50-move rule" in line for line in below)
        else:
            assert headline.startswith(f"{winner} wins: mate in 1")
            assert all("in time for the 50-move rule" in line for line in below)


def test_moves_have_a_column_for_the_distance_to_zeroing():
    board = chess.Board("6k1/8/8/8/8/8/8/K6R w - - 70 80")
    moves = [chess.Move.from_uci(uci) for uci in ("a1b1", "a1a2", "h1h2", "h1h3", "h1h8")]
    values = [
        (45, 1, Wdl50.WIN),
        (31, 31, Wdl50.CURSED_WIN),
        (31, 29, Wdl50.CURSED_WIN),
        (31, 31, Wdl50.CURSED_WIN),
        (0, 0, Wdl50.DRAW),
    ]
    ranked = [ranked_move(move, *value) for move, value in zip(moves, values, strict=True)]
    rows = [
        words for line in shown(move_table(ChessPosition(board), ranked)) if (words := line.split())
    ]
    assert rows[0] == ["result", "mate", "in", "plies", "DTZ", "moves"]
    assert rows[2:] == [
        ["win", "23", "45", "1", "Kb1"],
        ["cursed", "win", "16", "31", "31", "Ka2", "Rh3"],
        ["cursed", "win", "16", "31", "29", "Rh2"],
        ["draw", "Rh8+"],
    ]


def test_moves_that_lead_to_the_same_share_a_row():
    board = chess.Board("6k1/8/8/8/8/8/8/K6R w - - 0 1")
    moves = [chess.Move.from_uci(uci) for uci in ("a1b1", "a1a2", "h1h8", "h1h2")]
    values = [31, 31, 0, -4]
    ranked = [ranked_move(*both) for both in zip(moves, values, strict=True)]
    rows = [line.split() for line in shown(move_table(ChessPosition(board), ranked))]
    assert ["win", "16", "31", "Kb1", "Ka2"] in rows
    assert ["draw", "Rh8+"] in rows
    assert ["loss", "2", "4", "Rh2"] in rows


@pytest.mark.parametrize("width", [LEAST_WIDTH, 40, 60, 71, 72, 80, 200])
def test_moves_fit_on_every_terminal(width):
    board = chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")
    ranked = [ranked_move(move, 31) for move in board.legal_moves]
    console = Console(width=width)
    others = (
        position_words(ChessPosition(board), known(15)),
        move_table(ChessPosition(board), ranked),
    )
    lines = shown(side_by_side(console, board_text(ChessPosition(board)), *others), width=width)
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    words = " ".join(lines).split()
    assert all(board.san(move) in words for move in board.legal_moves)
    assert all(word in words for word in ("result", "mate", "in", "plies", "moves", "16", "31"))
    beside = lines[0].endswith("White to move")
    assert beside == (width >= 72)


def test_a_narrow_terminal_has_several_moves_in_a_row():
    board = chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")
    ranked = [ranked_move(move, 31, 31) for move in board.legal_moves]
    lines = shown(move_table(ChessPosition(board), ranked, 40), width=40)
    assert max(map(len, lines)) <= 40
    assert len(lines) < 2 + len(ranked) / 2
    assert "plies" not in " ".join(lines)


def test_a_very_narrow_terminal_breaks_lines_itself(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    assert new_console().width == LEAST_WIDTH
    monkeypatch.setenv("COLUMNS", "90")
    assert new_console().width == 90


def test_moves_stay_with_their_numbers():
    board = chess.Board("k7/8/8/8/8/8/8/K7 w - - 0 1")
    line = [chess.Move.from_uci(uci) for uci in ("a1b1", "a8b8", "b1a1", "b8a8") * 6]
    rows = line_text(ChessPosition(board), line, 30).splitlines()
    assert len(rows) > 3
    assert all(len(row) <= 30 for row in rows)
    assert not any(row.endswith(".") for row in rows)
    assert " ".join(rows) == board.variation_san(line)
