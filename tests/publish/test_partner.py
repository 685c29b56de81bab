"""The explorer's partner who fights: in JavaScript as in Python."""

import json
import random
from pathlib import Path

import chess
import pytest
from support.published import in_node, needs_node
from support.random_positions import random_board

from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material
from tablebase.practice.resistance import (
    _STEP,
    _steps_left,
    _way_to_pawn,
    disarms,
    practical_move,
)
from tablebase.practice.sight import rank_by_difficulty
from tablebase.serve.lichess import describe_standard

DATA = Path(__file__).parents[2] / "data"
DRAWN = "8/8/3k4/8/2p5/8/8/4K3 b - - 0 1"


def line_of(tables, board):
    """Return what the page knows of a game: the server's answer and the positions so far."""
    past, fens = board.copy(), [board.fen()]
    while past.move_stack:
        past.pop()
        fens.insert(0, past.fen())
    return json.dumps({"moves": describe_standard(tables, board, difficulty=True)["moves"],
                       "fens": fens})  # fmt: skip


def boards_of(name, number):
    """Return random positions after some moves to and fro, so that positions come again."""
    rng = random.Random(name)
    while number:
        board = random_board(rng, Material.from_name(name))
        for _ in range(6):
            moves = list(board.legal_moves)
            back = [one for one in moves if board.move_stack[-2:-1]
                    and one.to_square == board.move_stack[-2].from_square
                    and one.from_square == board.move_stack[-2].to_square]  # fmt: skip
            if not moves:
                break
            board.push(rng.choice(back or moves))
        if any(board.legal_moves) and not board.is_insufficient_material():
            number -= 1
            yield board


def worth(tables, board, uci):
    """Return what the choice of a move depends on."""
    (one,) = (one for one in rank_by_difficulty(tables, board) if one.move.uci() == uci)
    after = board.copy()
    after.push(one.move)
    past, times = board.copy(), 0
    while True:
        times += past.epd() == after.epd()
        if not past.move_stack:
            break
        past.pop()
    position = as_position(after)
    taken = [disarms(position, moves) for moves in (1, 2) if one.result == 0]
    left = _STEP * _steps_left(position) if one.result == 0 else 0
    return one.result, taken, times, left - one.difficulty, _way_to_pawn(position)


@pytest.mark.thorough
@needs_node
@pytest.mark.parametrize("name", ["KPK", "KRK", "KRNK"])
def test_the_page_chooses_as_python_does(tables, name):
    boards = list(boards_of(name, 25))
    chosen = in_node("partner_in_node.mjs", lines=[line_of(tables, board) for board in boards])
    for board, uci in zip(boards, chosen, strict=True):
        expected = practical_move(tables, board, tables.rank_moves(board))
        assert worth(tables, board, uci) == worth(tables, board, expected.move.uci()), board.fen()


@needs_node
def test_without_difficulties_there_is_none(tables):
    answer = describe_standard(tables, chess.Board(DRAWN))
    line = json.dumps({"moves": answer["moves"], "fens": [DRAWN]})
    assert in_node("partner_in_node.mjs", lines=[line]) == ["none"]


def test_difficulties_come_only_if_they_are_asked_for(tables):
    board = chess.Board(DRAWN)
    plain = describe_standard(tables, board)
    asked = describe_standard(tables, board, difficulty=True)
    hard = {move["uci"]: move.pop("difficulty") for move in asked["moves"]}
    assert asked == plain
    ranked = rank_by_difficulty(tables, board)
    assert hard == {one.move.uci(): one.difficulty for one in ranked}
    assert max(hard.values()) == hard["d6c6"] == 0.4
