"""Where a side can force a win within a structure, against a slow attractor of sets in Python."""

from itertools import product

import numpy as np
import pytest
from support.king_planes import PAIRS, Given, legal_boards, men_board, pairs_of, words_of

from tablebase.solve.kernels.attractor import attract
from tablebase.solve.kernels.fields import Sets, saved_at, set_of
from tablebase.solve.kernels.keys import read_pieces

LOWER, UPPER = 0, 1
# Pawns, a piece, and on which squares it may stand: on all others no position is legal.
STRUCTURES = [("Pe4 pe5", "", [""]), ("Pa2 pa7", "R", ["b1", "b4", "e4"]),
              ("Pa2 pa7", "n", ["c5", "e4"])]  # fmt: skip


def quiet_moves(boards):
    """Return where moves of kings and pieces lead to, by the side that makes them.

    `boards` has the legal positions by the side to move; a position is its plane and its kings.
    """
    moves = [{}, {}]
    for turn in range(2):
        for (plane, kings), board in boards[turn].items():
            moves[turn][plane, kings] = []
            for move in board.pseudo_legal_moves:
                if board.is_zeroing(move):
                    continue
                after = (plane, kings)
                if move.from_square == kings[turn]:
                    pair = (move.to_square, kings[1]) if turn == 0 else (kings[0], move.to_square)
                    after = (plane, pair)
                else:
                    after = (move.to_square, kings)
                if after in boards[1 - turn]:
                    moves[turn][plane, kings].append(after)
    return moves


def slow_attractor(moves, attacker, won, saved):
    """Return the attacker's won and the defender's lost positions, each to move."""
    won, lost, changed = set(won), set(), True
    while changed:
        done = lost | saved
        new_lost = {
            position
            for position, after in moves[1 - attacker].items()
            if position not in done and all(one in won for one in after)
        }
        lost |= new_lost
        new_won = {
            position
            for position, after in moves[attacker].items()
            if position not in won and any(one in lost for one in after)
        }
        won |= new_won
        changed = bool(new_lost or new_won)
    return won, lost


def chosen(rng, positions, part):
    """Return a part of some positions, by chance."""
    positions = sorted(positions)
    return {positions[i] for i in rng.permutation(len(positions))[: int(part * len(positions))]}


@pytest.mark.thorough
@pytest.mark.parametrize(("attacker", "bound"), [(0, UPPER), (1, LOWER)])
@pytest.mark.parametrize(("pawns", "piece", "squares"), STRUCTURES)
def test_wins_within_a_structure(pawns, piece, squares, attacker, bound):
    rng, given, defender = np.random.default_rng(attacker), Given(pieces=len(piece)), 1 - attacker
    men = {given.structure(f"{pawns} {piece}{square}" if piece else pawns): square
           for square in squares}  # fmt: skip
    ((number, _),) = {(number, 0) for number, _ in men}
    given.solved(number, rng)
    work, planes = given.work.fields, 64 ** len(piece)
    read_pieces(given.record, number, work.here)
    boards = [{}, {}]
    for (_, plane), square in men.items():
        board = men_board(f"{pawns} {piece}{square}" if piece else pawns)
        for turn in range(2):
            legal = legal_boards(board, turn)
            boards[turn] |= {(plane, kings): one for kings, one in legal.items()}
    moves = quiet_moves(boards)
    # By moves out some positions are won, and others are saved. Stalemates are no losses.
    won, saved = chosen(rng, boards[attacker], 0.6), chosen(rng, boards[defender], 0.05)
    stale = {one for one, after in moves[defender].items()
             if not after and not boards[defender][one].is_check()}  # fmt: skip
    illegal = set(product((plane for _, plane in men), PAIRS)) - set(boards[attacker])
    sure = chosen(rng, boards[attacker], 0.01)  # by the lower bound, which the upper one contains
    work.sets[:] = work.valid[:] = 0
    for place in range(2):  # bounds; where no piece may stand, no position is legal
        for plane in range(planes):
            given.bound(number, place, attacker, attacker, plane)[:] = 2**64 - 1
            given.bound(number, place, attacker, defender, plane)[:] = 0
    for _, plane in men:
        work.valid[plane] = True
        for turn in range(2):
            write(work.sets, set_of(planes, Sets.LEGAL, turn, plane), boards[turn], plane)
            write(work.sets, set_of(planes, Sets.STALE, turn, plane), stale, plane)
        write(work.sets, saved_at(planes, bound, attacker, plane), saved, plane)
        write(given.bound(number, LOWER, attacker, attacker, plane), 0, sure | illegal, plane)
        write(given.bound(number, bound, attacker, attacker, plane), 0, won | illegal, plane)
    attract(given.record, given.work, number, bound, attacker)
    found = [
        {(plane, kings) for _, plane in men
         for kings in pairs_of(given.bound(number, bound, attacker, turn, plane))}
        for turn in range(2)
    ]  # fmt: skip
    won |= sure if bound == UPPER else set()
    expected = slow_attractor(moves, attacker, won, saved | stale)
    assert found[attacker] - illegal == expected[0]
    assert found[defender] == expected[1]
    assert len(expected[0]) > len(won) + 10
    assert 10 < len(expected[1]) < len(boards[defender])


def write(words, start, positions, plane):
    """Write the positions of a plane."""
    words[start : start + 64] = words_of({kings for one, kings in positions if one == plane})
