"""Which structures outside a flood comes to, against a search by python-chess."""

import chess
import numpy as np
import pytest
from support.king_planes import Given, legal_boards, men_board, words_of

from tablebase.solve.kernels.flood import begin_flood, follow_flood
from tablebase.solve.kernels.preparing import expand
from tablebase.solve.places import place_of, structure_of

MEN = "Pe4 pe5 Pa2 ph7 Pg5"
FILES = chess.BB_FILES
HALVES = {
    "left and right": (FILES[0] | FILES[1] | FILES[2], FILES[5] | FILES[6] | FILES[7]),
    "below and above": (0xFFFFFFFF, 0xFFFFFFFF << 32),
    "everywhere": (chess.BB_ALL, chess.BB_ALL),
    "one square for White": (chess.BB_A1, chess.BB_ALL),
}


def reached(boards, start):
    """Return which of some positions can be reached by moves of the kings through them alone."""
    found, fresh = {start}, [start]
    while fresh:
        board = boards[fresh.pop()]
        for move in board.legal_moves:
            if not board.is_zeroing(move):
                board.push(move)
                after = key_of(board)
                board.pop()
                if after in boards and after not in found:
                    found.add(after)
                    fresh.append(after)
    return found


def key_of(board):
    return place_of(board)[2:]


@pytest.mark.thorough
@pytest.mark.parametrize("attacker", [0, 1])
@pytest.mark.parametrize("name", HALVES)
def test_structures_that_a_flood_comes_to(name, attacker):
    rng, given = np.random.default_rng(2), Given()
    number, plane = given.structure(MEN)
    expand(given.record, given.work, np.array([number]), 0, 1)
    given.solved(number, rng)
    # Positions are open where the kings stand in their halves, but for some.
    legal = [legal_boards(men_board(MEN), turn) for turn in range(2)]
    boards = {}
    for turn in range(2):
        is_open = {pair: board for pair, board in legal[turn].items() if rng.random() < 0.9
                   and all(half >> king & 1 for half, king in zip(HALVES[name], pair, strict=True))
                   }  # fmt: skip
        boards |= {(turn, *pair): board for pair, board in is_open.items()}
        lower = given.bound(number, 0, attacker, turn)
        lower[:] = ~words_of(legal[turn]) if turn == attacker else 0
        given.bound(number, 1, attacker, turn)[:] = lower | words_of(is_open)
    start = next(iter(boards))
    begin_flood(given.record, given.work, number, attacker, plane, *start)
    follow_flood(given.record, given.work, np.array([number]), 1, attacker)
    hits = given.fields.hits[:, attacker]
    found = {tuple(map(int, given.fields.keys[n])) for n in np.flatnonzero(hits) if n != number}
    expected = set()
    for key in reached(boards, start):
        for move in boards[key].legal_moves:
            if boards[key].is_zeroing(move):
                after = boards[key].copy()
                after.push(move)
                expected.add(structure_of(after))
                for passing in list(after.generate_legal_ep()):
                    after.push(passing)
                    expected.add(structure_of(after))
                    after.pop()
    assert found == expected
    assert len(found) > 1
    assert not given.fields.hits[:, 1 - attacker].any()
    assert (given.fields.reached == -1).all()


def test_a_flood_does_not_begin_where_nothing_is_open():
    given = Given()
    number, plane = given.structure(MEN)
    given.solved(number, np.random.default_rng(0))
    given.fields.arena[:] = 0
    begin_flood(given.record, given.work, number, 0, plane, 0, chess.A1, chess.H8)
    follow_flood(given.record, given.work, np.array([number]), 1, 0)
    assert not given.fields.hits.any()
