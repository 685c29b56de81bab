"""Who can still mate without tables: suites for adjudicators, lines that python-chess plays."""

import random
import re
from collections import Counter
from pathlib import Path

import chess
import pytest
from support.walls import random_wall
from support.winnable import read_winnable

from tablebase import open_tablebase
from tablebase.arbiter.helpmate_search import is_mate_within_walls
from tablebase.core.answers.mating_chances import find_chance
from tablebase.core.board.geometry import Color
from tablebase.core.positions.any_position import as_position

ROOT = Path(__file__).parents[2]


def chances(tables, board):
    """Return the chances of White and Black, after checking that python-chess plays their lines."""
    found = [find_chance(tables, as_position(board), color) for color in (Color.WHITE, Color.BLACK)]
    for chance, color in zip(found, (chess.WHITE, chess.BLACK), strict=True):
        if chance.line:
            after = board.copy()
            for move in chance.line:
                assert move in after.legal_moves, board.fen()
                after.push(move)
            assert after.is_checkmate(), board.fen()
            assert after.turn != color
    return found


def undecided_of(folder, rows):
    """Return how many answers are open; all others are checked."""
    undecided = 0
    with open_tablebase(folder) as tables:
        for fen, right in rows:
            for chance, can in zip(chances(tables, chess.Board(fen)), right, strict=True):
                assert chance.can_mate in {can, None}, f"{fen}: {chance}"
                undecided += chance.can_mate is None
    return undecided


def test_every_sixty_first_position_of_the_suites(helped_folder):
    rows = read_winnable()[::61]
    assert len(rows) == 28
    assert undecided_of(helped_folder, rows) <= 1


@pytest.mark.thorough
def test_the_suites(helped_by_four):
    rows = read_winnable()
    assert len(rows) == 1708
    assert undecided_of(helped_by_four, rows) <= 0.02 * 2 * len(rows)


def test_the_page_says_how_often_a_rule_of_material_is_right():
    verdicts = Counter()
    for fen, right in read_winnable():
        board = chess.Board(fen)
        for color, can in zip((chess.WHITE, chess.BLACK), right, strict=True):
            verdicts[can, board.has_insufficient_material(color)] += 1
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "who-can-mate.md").read_text(encoding="utf-8"))
    never = verdicts[False, True] + verdicts[False, False]
    assert f"{never:,} of {verdicts.total():,} sides can never mate" in page
    assert f"finds {verdicts[False, True]} of them" in page
    assert verdicts[True, True] == 1  # two bishops give check at once, as they never do in a game
    assert "takes the win from one side" in page


def random_position(chance, men):
    """Return a legal position with some men besides the kings."""
    while True:
        board = chess.Board(None)
        squares = chance.sample(range(64), men + 2)
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        for square in squares[2:]:
            piece = chess.Piece(chance.choice([1, 1, 1, 2, 3, 4, 5]), chance.random() < 0.5)
            board.set_piece_at(square, piece)
        board.turn = chance.random() < 0.5
        if board.is_valid():
            return board


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.thorough)])
def test_lines_of_random_positions_end_in_mate(helped_folder, count):
    chance, lines = random.Random(5), 0
    with open_tablebase(helped_folder) as tables:
        for _ in range(count):
            found = chances(tables, random_position(chance, chance.randrange(4, 11)))
            lines += sum(bool(one.can_mate) for one in found)
    assert lines > 1.5 * count


def mates_found_by_playing(board, color, nodes, chance):
    """Return whether a mate by a colour is found in some random games of python-chess."""
    after = board.copy(stack=False)
    for _ in range(nodes):
        moves = list(after.legal_moves)
        if not moves:
            if after.is_checkmate() and after.turn != color:
                return True
            after = board.copy(stack=False)
            continue
        after.push(chance.choice(moves))
    return False


@pytest.mark.parametrize(
    ("count", "nodes"), [(8, 300), pytest.param(300, 20_000, marks=pytest.mark.slow)]
)
def test_no_random_game_refutes_a_wall(count, nodes):
    chance, held = random.Random(7), 0
    while held < count:
        board = random_wall(chance)
        color = chance.choice(chess.COLORS)
        is_bare = board.has_insufficient_material(color)
        if is_bare or board.is_game_over() or is_mate_within_walls(board, color):
            continue
        held += 1
        assert not mates_found_by_playing(board, color, nodes, chance), board.fen()


@pytest.mark.parametrize(
    ("fen", "square"),
    [
        ("2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1", chess.D5),
        ("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", chess.A5),
    ],
)
def test_a_hole_in_a_wall_turns_the_answer(tmp_path, fen, square):
    board = chess.Board(fen)
    with open_tablebase(tmp_path) as tables:
        for color in chess.COLORS:
            assert tables.has_insufficient_material(board, color)
        assert tables.is_dead(board)
        board.remove_piece_at(square)
        assert not tables.has_insufficient_material(board, chess.WHITE)
        assert tables.help_line(board, chess.WHITE)


def test_rights_of_chess960_leave_a_proof_open():
    """King and rook may change places, which no other moves do on a closed rank."""
    board = chess.Board("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    assert is_mate_within_walls(board, chess.BLACK)
    board.castling_rights = chess.BB_EMPTY
    assert not is_mate_within_walls(board, chess.BLACK)
