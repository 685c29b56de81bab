"""What moves out lead to, as bounds on placements of the kings, against sets in Python."""

import chess
import numpy as np
import pytest
from support.king_planes import (
    PAIRS,
    STEPS,
    Given,
    legal_boards,
    men_board,
    pairs_of,
    some_plane,
    words_of,
)

from tablebase.solve.kernels.fields import HOLD, WIN, How, Move, Out, State, answer_at, make_men
from tablebase.solve.kernels.lists import ADD, list_moves_out, list_plane
from tablebase.solve.kernels.rows import (
    add_answer,
    add_answer_complement,
    push_forward,
    write_answer,
    write_unknown,
)

WHITE, BLACK, LOWER, UPPER = 0, 1, 0, 1
EVERYWHERE = set(PAIRS)
MASK = chess.SquareSet([chess.C3, chess.D4])


@pytest.fixture
def rng():
    return np.random.default_rng(11)


# Kings


def before(how, pairs):
    """Return from where a move out leads to some placements of the kings; a king captures on e4."""
    if how == How.KINGS_STAY:
        return {pair for pair in pairs if not set(pair) & set(MASK)}
    if how == How.WHITE_KING:
        return {(white, black) for white, black in PAIRS
                if white in STEPS[chess.E4] and (chess.E4, black) in pairs}  # fmt: skip
    return {(white, black) for white, black in PAIRS
            if black in STEPS[chess.E4] and (white, chess.E4) in pairs}  # fmt: skip


def after(how, pairs):
    """Return where that move leads to from some placements."""
    if how == How.KINGS_STAY:
        return before(how, pairs)
    if how == How.WHITE_KING:
        return {(chess.E4, black) for white, black in pairs if white in STEPS[chess.E4]}
    return {(white, chess.E4) for white, black in pairs if black in STEPS[chess.E4]}


@pytest.mark.parametrize("how", How)
def test_moves_out_change_the_kings(rng, how):
    out = np.zeros((1, len(Out)), dtype=np.int64)
    out[0, Out.HOW], out[0, Out.SQUARE] = how, chess.E4
    out[0, Out.MASK] = int(MASK) if how == How.KINGS_STAY else 0
    source, target = some_plane(rng) & some_plane(rng), some_plane(rng) & some_plane(rng)
    expected = pairs_of(target) | before(how, pairs_of(source))
    add_answer(source, 0, out, 0, target, 0)
    assert pairs_of(target) == expected
    target[:] = 0
    add_answer_complement(source, 0, out, 0, target, 0)
    assert pairs_of(target) == before(how, EVERYWHERE - pairs_of(source))
    push_forward(source, 0, out, 0, target, 0)
    assert pairs_of(target) == after(how, pairs_of(source))


# Bounds


def bounds_of(given, structure, mover, turn, plane=0):
    """Return where a side that may or may not be to move wins by both bounds, None if unknown."""
    if given.fields.state[structure, mover] == State.CLOSED:
        return None
    return [pairs_of(given.bound(structure, bound, mover, turn, plane)) for bound in range(2)]


def answers(given, men, mover):
    """Yield the moves out of a plane: row, plane, and the four sets of the answer."""
    number, plane = given.structure(men)
    rows = list_moves_out(given.record, given.work, number, ADD)
    work = given.work.fields
    for i in range(list_plane(given.record, given.work, number, rows, plane, mover)):
        write_answer(given.record, given.work, i, mover)
        row = work.moves[work.here.fields.out[i, Out.ROW]].copy()
        starts = [answer_at(part, bound) for part in (WIN, HOLD) for bound in range(2)]
        sets = [pairs_of(work.answer[start : start + 64]) for start in starts]
        yield row, int(work.here.fields.out[i, Out.PLANE]), sets


@pytest.mark.thorough
@pytest.mark.parametrize("mover", [WHITE, BLACK])
@pytest.mark.parametrize("solved_for", [(), (WHITE,), (WHITE, BLACK)])
def test_bounds_of_a_capture(rng, mover, solved_for):
    men = "Rb2 pe6" if mover == WHITE else "rb2 Pe6"
    given = Given(pieces=1)
    number, _ = given.structure(men)
    list_moves_out(given.record, given.work, number, ADD)
    child, _ = given.structure("Re6" if mover == WHITE else "re6")
    given.solved(child, rng)
    for attacker in {WHITE, BLACK} - set(solved_for):
        given.fields.state[child, attacker] = State.CLOSED
    enemy, seen = 1 - mover, 0
    for row, plane, (win, may_win, hold, may_hold) in answers(given, men, mover):
        if row[Move.CHILD] != child or seen == 3:
            continue
        seen += 1
        piece = men_board(f"{'R' if mover == WHITE else 'r'}{chess.square_name(plane)}")
        legal = set(legal_boards(piece, enemy))
        wins = bounds_of(given, child, mover, enemy, plane)
        loses = bounds_of(given, child, enemy, enemy, plane)
        assert [win, may_win] == (wins or [set(), legal])
        if loses:
            assert [hold, may_hold] == [EVERYWHERE - one for one in loses]
        else:
            assert [hold, may_hold] == [legal, set()]
    assert seen


@pytest.mark.parametrize("closed", [False, True])
def test_bounds_of_a_double_push(rng, closed):
    given, men = Given(), "Pe2 pd4"
    after, taken = given.structure("Pe4 pd4")[0], given.structure("pe3")[0]
    given.solved(after, rng)
    given.solved(taken, rng)
    if closed:
        given.fields.state[taken] = State.CLOSED
    stale = given.fields.stale[after] = given.room(after)
    given.plane_at(stale + 64)[:] = words_of({(chess.A1, chess.C1)})  # with Black to move
    (answer,) = [sets for row, _, sets in answers(given, men, WHITE) if row[Move.CHILD] == after]
    wins = bounds_of(given, after, WHITE, BLACK)
    holds = [EVERYWHERE - one for one in bounds_of(given, after, BLACK, BLACK)]
    legal = set(legal_boards(men_board("pe3"), WHITE))
    for bound in range(2):  # a stalemate that the capture may lift
        wins[bound] |= {(chess.A1, chess.C1)} & legal
    if closed:  # White is not sure to win after the capture, and may have lost
        wins[LOWER] -= legal
        holds[UPPER] -= legal
    else:
        for bound in range(2):
            wins[bound] &= bounds_of(given, taken, WHITE, WHITE)[bound]
            holds[bound] -= bounds_of(given, taken, BLACK, WHITE)[bound]
    assert answer == [*wins, *holds]


def test_bounds_of_a_promotion_whose_piece_can_be_captured(rng):
    given, men = Given(), "Pa7"
    number, _ = given.structure(men)
    list_moves_out(given.record, given.work, number, ADD)
    queen, back = given.structure("Qa8")[0], given.structure("")[0]
    given.solved(back, rng)
    found = {int(row[Move.CHILD]): sets for row, _, sets in answers(given, men, WHITE)}
    legal = set(legal_boards(men_board("Qa8"), BLACK))
    win, may_win, hold, may_hold = found[queen]

    def taking(pairs):
        """Return from where Black's king captures on a8 so that positions of a set arise."""
        return {(white, black) for white, black in PAIRS
                if black in STEPS[chess.A8] and (white, chess.A8) in pairs}  # fmt: skip

    saved = taking(EVERYWHERE - bounds_of(given, back, WHITE, WHITE)[UPPER])
    lost = taking(bounds_of(given, back, BLACK, WHITE)[LOWER])
    assert (win, may_hold) == (set(), set())
    assert may_win == legal - saved
    assert hold == legal - lost


@pytest.mark.parametrize("attacker", [WHITE, BLACK])
def test_bounds_that_say_nothing(attacker):
    given = Given()
    number, _ = given.structure("Pe4 pd4")
    sets = np.empty((2, 2, 64), dtype=np.uint64)
    write_unknown(given.record, make_men(), number, attacker, sets.ravel())
    for turn in range(2):
        legal = set(legal_boards(men_board("Pe4 pd4"), turn))
        least, most = (EVERYWHERE - legal, EVERYWHERE) if turn == attacker else (set(), legal)
        assert [pairs_of(sets[bound, turn]) for bound in range(2)] == [least, most]
