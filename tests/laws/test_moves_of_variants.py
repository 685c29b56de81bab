"""Positions of the games that python-chess plays: moves and ends are its own."""

import random
from collections import Counter

import chess
import pytest
from support.variants import (
    ANTICHESS,
    ATOMIC,
    CHECKS,
    GIVEAWAY,
    NEAR,
    RACING,
    SUICIDE,
    UPPER,
    any_men,
    board_of,
    end_of,
    is_legal,
    random_boards,
)

from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME, WON_OUTCOME
from tablebase.core.positions.any_position import as_position

ROYAL = ATOMIC, CHECKS, RACING
KINDS = {RACING: "QRBN", ANTICHESS: "KQRBNPPPP", SUICIDE: "KQRBNPPPP"}
# Ends, the king's forced answers, and pawns taken in passing are too rare to leave them to chance.
STALEMATE = "KkQ", (6, 56, 41), chess.BLACK
KNOWN = {
    ATOMIC: [STALEMATE],
    CHECKS: [STALEMATE, ("KkQ", (46, 63, 8), chess.WHITE)],
    RACING: [
        ("Kkrn", (0, 7, 17, 18), chess.WHITE),
        *(("KkQ", (55, 0, at), chess.BLACK) for at in range(1, 54)),
    ],
}
ENDS = {
    ATOMIC: {"checkmate", "stalemate", "explosion"},
    CHECKS: {"checkmate", "stalemate", "third check"},
    RACING: {"goal", "stalemate"},
    **{rules: {"no pieces", "stalemate"} for rules in GIVEAWAY},
}


def boards_of(rules, count, rng):
    """Yield boards anywhere and close together, of any legality, and known ones."""
    men = any_men(rng, KINDS.get(rules, "QRBNPPP"), most=4 if rules in ROYAL else 5,
                  kings="Kk" if rules in ROYAL else "")  # fmt: skip
    for squares in (chess.SQUARES, UPPER if rules == RACING else NEAR):
        yield from random_boards(rules, men, count // 2, rng, squares=squares, legal=False)
    if rules == RACING:
        few = any_men(rng, "QR", most=1)
        yield from random_boards(rules, few, count // 2, rng, squares=chess.SQUARES[48:])
    for symbols, squares, turn in KNOWN.get(rules, []):
        yield board_of(rules, symbols, squares, turn)
    if rules != RACING:
        for others in random_boards(rules, any_men(rng, most=2), count // 4, rng, squares=UPPER):
            others.set_piece_map(others.piece_map() | {
                chess.D5: chess.Piece(chess.PAWN, chess.BLACK),
                chess.E5: chess.Piece(chess.PAWN, chess.WHITE),
            })  # fmt: skip
            for at in (chess.D6, chess.D7):
                others.remove_piece_at(at)
            others.turn, others.ep_square = chess.WHITE, chess.D6
            if rules in GIVEAWAY or (others.kings.bit_count() == 2 and is_legal(others)):
                yield others


def final_outcome(rules, board):
    """Return the outcome of a board on which the game is over, else None."""
    if (end := end_of(board)) is None:
        return None
    result, plies = end
    if rules in GIVEAWAY:
        plies += WON_OUTCOME
    elif result > 0:
        return ARRIVED_OUTCOME
    return plies if result > 0 else ~plies if result else 0


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        (ATOMIC, 200),
        (CHECKS, 80),
        (RACING, 240),
        *(pytest.param(rules, 300, marks=pytest.mark.thorough) for rules in GIVEAWAY),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)
def test_moves_and_ends_are_those_of_python_chess(rules, count):
    ends, seen = Counter(), Counter()
    for board in boards_of(rules, count, random.Random(2)):
        if rules in GIVEAWAY and not all(board.occupied_co):
            continue
        setup = as_position(board)
        assert setup.rules == rules
        assert setup.is_legal() == (rules in GIVEAWAY or is_legal(board)), board.fen()
        seen[setup.is_legal()] += 1
        if not setup.is_legal():
            continue
        assert setup.final_outcome() == final_outcome(rules, board), board.fen()
        ends[setup.end] += 1
        moves = {move.uci(): move for move in setup.moves()}
        legal = [] if board.is_variant_end() else [*board.legal_moves]
        assert {*moves} == {move.uci() for move in legal}
        passing = {move.uci() for move in legal if board.is_en_passant(move)}
        assert {move.uci() for move in setup.en_passant()} == passing
        seen["passing"] += len(passing)
        if rules in GIVEAWAY:
            captures = {move.uci() for move in legal if board.is_capture(move)}
            assert {move.uci() for move in setup.captures()} == captures
            seen["forced"] += bool(captures)
        for uci, move in moves.items():
            board.push_uci(uci)
            expected = as_position(board)
            assert move.after.men == expected.men
            assert move.after.checks == expected.checks
            assert move.after.is_legal()
            assert move.after.final_outcome() == final_outcome(rules, board)
            ends[move.after.end] += 1
            board.pop()
    assert {*ends} == ENDS[rules] | {None}
    assert rules == RACING or seen["passing"]
    assert seen["forced"] if rules in GIVEAWAY else seen[False]
