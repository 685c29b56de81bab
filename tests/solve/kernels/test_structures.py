"""What is legal in a structure, where there is no move, and what is known of its children."""

import chess
import numpy as np
import pytest
from support.king_planes import Given, legal_boards, men_board, pairs_of

from tablebase.solve.kernels.fields import BOTH_ATTACKERS, NONE, Number, Sets, State, set_of
from tablebase.solve.kernels.lists import ADD, list_moves_out
from tablebase.solve.kernels.preparing import expand, prepare, release
from tablebase.solve.kernels.structures import write_positions
from tablebase.solve.places import structure_of


@pytest.mark.thorough
@pytest.mark.parametrize(("men", "few"), [
    ("Pa5 pa6 Ph2", False), ("Ph7 pa3", True), ("Qc7 pa4", True), ("qf2 Bh8", True),
])  # fmt: skip
def test_what_is_legal_and_where_there_is_no_move(men, few):
    given = Given(pieces=sum(man[0] not in "Pp" for man in men.split()), few=few)
    number, plane = given.structure(men)
    planes = 1 << 6 * int(given.fields.pieces[number])
    rows = list_moves_out(given.record, given.work, number, ADD)
    write_positions(given.record, given.work, number, rows, (1, 1))
    for turn in range(2):
        boards = legal_boards(men_board(men), turn)
        stale = {kings for kings, board in boards.items() if board.is_stalemate()}
        has_queen = bool(men_board(men).queens & men_board(men).occupied_co[turn == 0])
        claim = {
            kings
            for kings, board in boards.items()
            if few and has_queen and not board.is_check()
            and all(board.piece_type_at(move.from_square) == chess.QUEEN
                    for move in board.legal_moves)
        }  # fmt: skip
        for which, expected in ((Sets.LEGAL, boards), (Sets.STALE, stale), (Sets.CLAIM, claim)):
            start = set_of(planes, which, turn, plane)
            assert pairs_of(given.work.fields.sets[start : start + 64]) == set(expected), which


def test_all_children_are_known():
    given = Given()
    men = "Pa7 pb2 Pe2 pd4"
    number, _ = given.structure(men)
    given.fields.todo[number] = 1  # White's attack alone
    assert expand(given.record, given.work, np.array([number]), 0, 1) == 1
    found = {tuple(map(int, key)) for key in given.fields.keys[1 : given.region.count]}
    expected = set()
    for turn in range(2):
        for board in legal_boards(men_board(men), turn).values():
            for move in board.legal_moves:
                if board.is_zeroing(move):
                    after = board.copy(stack=False)
                    after.push(move)
                    expected.add(structure_of(after))
    passing = {structure_of_men("Pa7 pb2 pe3")}
    assert expected < found
    assert passing < found
    asked = given.fields.led_to[1 : given.region.count]
    assert set(asked.tolist()) <= {0, 1}
    assert asked.any()


def structure_of_men(men):
    given = Given(words=0)
    number, _ = given.structure(men)
    return tuple(map(int, given.fields.keys[number]))


def test_memory_is_given_where_something_changed():
    given = Given(few=True)
    number, _ = given.structure("Ph2")
    structures, chosen = np.array([number]), np.zeros(1, dtype=np.int64)
    given.fields.todo[number] = BOTH_ATTACKERS
    expand(given.record, given.work, structures, 0, 1)
    assert prepare(given.record, given.work, structures, 0, 1, chosen) == 1
    starts = [*given.fields.lower[number], *given.fields.upper[number]]
    assert sorted(starts) == [0, 128, 256, 384]
    assert given.fields.stale[number] == NONE  # no pawn may have just passed another
    given.fields.state[number] = State.EXACT
    release(given.record, structures, 1)
    assert (given.fields.upper[number] == given.fields.lower[number]).all()
    # Nothing has changed that its moves lead to.
    given.fields.todo[number] = BOTH_ATTACKERS
    assert prepare(given.record, given.work, structures, 0, 1, chosen) == 0
    given.fields.changed[1:] = 2
    given.fields.todo[number] = BOTH_ATTACKERS
    assert prepare(given.record, given.work, structures, 0, 1, chosen) == 1
    assert given.fields.todo[number] == 2


def test_too_little_memory_is_noticed():
    given = Given(words=128 * 3)
    first, second = (given.structure(men)[0] for men in ("Ph2 pa3", "Pg2 pb3"))
    structures, chosen = np.array([first, second]), np.zeros(2, dtype=np.int64)
    given.fields.todo[structures] = BOTH_ATTACKERS
    expand(given.record, given.work, structures, 0, 2)
    given.fields.todo[structures] = 1
    assert prepare(given.record, given.work, structures, 0, 2, chosen) == ~1
    assert chosen[0] == first
    assert given.fields.numbers[Number.SHORT]
