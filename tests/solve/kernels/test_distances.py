"""How far positions of a structure are from leaving it, against a slow iteration."""

from itertools import product

import chess
import numpy as np
import pytest
from support.captures import prey_of

import tablebase
from tablebase.core.board.geometry import WORTH
from tablebase.solve.budget import Budget
from tablebase.solve.kernels.fields import BOTH_ATTACKERS, LOWER, State, make_men
from tablebase.solve.measuring import ZeroingDistances, distance_of, index_of
from tablebase.solve.places import place_of
from tablebase.solve.plans import Distance
from tablebase.solve.saving import unknown_bounds
from tablebase.solve.solved import Solved
from tablebase.solve.solver import Solver


def whole_region(board):
    """Return a solver that has solved all that can be reached."""
    solver = Solver(board, Budget(600, 4 * 10**9), threads=1)
    solver._begin(few=False)
    solver.number(place_of(board))
    done = 0
    while done < solver.region.count:
        known = np.arange(done, solver.region.count)
        solver._expand(known)
        done += len(known)
    solver.region.fields.todo[: solver.region.count] = BOTH_ATTACKERS
    solver._solve()
    solver._learn()
    return solver


def distances_by_iteration(tables, boards):
    """Return the distances of a structure's positions, by python-chess and results of tables."""
    quiet, best, results = {}, {}, {}
    for board in boards:
        key = board.epd()
        results[key] = tables.probe_wdl(board)
        quiet[key], best[key] = [], []
        for move in board.legal_moves:
            taken = WORTH.get(board.piece_type_at(move.to_square), 0)
            gain = taken + (WORTH[move.promotion] - 1 if move.promotion else 0)
            is_zeroing = board.is_zeroing(move)
            board.push(move)
            result = -tables.probe_wdl(board)
            if not is_zeroing:
                quiet[key].append(board.epd())
            elif result == results[key] == 1:
                best[key].append((max(prey_of(board) - gain, 0), 1))
            elif result == results[key] == -1:
                best[key].append((taken, 1))
            board.pop()
    far = {key: (0, 0) if not quiet[key] and not best[key] else None for key in quiet}
    changed = True
    while changed:
        changed = False
        for key, result in results.items():
            if result == 0 or far[key] == (0, 0):
                continue
            after = [far[other] for other in quiet[key] if results[other] == -result]
            known = [*best[key], *((cost, plies + 1) for cost, plies in filter(None, after))]
            if result == 1:
                found = min(known, default=None)
            else:
                found = max(known) if known and None not in after else None
            if found != far[key]:
                far[key], changed = found, True
    return far, results


@pytest.mark.slow
@pytest.mark.parametrize(("fen", "costs"), [
    ("8/8/8/8/1P4P1/8/8/K6k w - - 0 1", {0, 1}),
    pytest.param("8/8/8/3p4/1P6/8/8/K6k w - - 0 1", {0}, marks=pytest.mark.slow),
    pytest.param("8/6P1/8/8/8/3p4/8/K6k w - - 0 1", {0}, marks=pytest.mark.slow),
])  # fmt: skip
def test_distances_of_a_structure(tables_dir, fen, costs):
    root = chess.Board(fen)
    boards = []
    for white, black, turn in product(range(64), range(64), chess.COLORS):
        board = chess.Board(None)
        board.pawns, board.occupied = root.pawns, root.pawns
        for color in chess.COLORS:
            for square in root.pieces(chess.PAWN, color):
                board.set_piece_at(square, chess.Piece(chess.PAWN, color))
        if white == black or {white, black} & set(chess.SquareSet(root.pawns)):
            continue
        board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
        board.turn = turn
        if board.is_valid():
            boards.append(board)
    solved = Solved(whole_region(root))
    distances = solved._distances_of(root)
    with tablebase.open_tablebase(tables_dir) as tables:
        expected, results = distances_by_iteration(tables, boards)
    found = {}
    for board in boards:
        value = int(distances._values[index_of(place_of(board), 1)])
        distance = distance_of(value)
        found[board.epd()] = distance and (distance.given_up, distance.plies)
        if distance and distance.plies:
            assert distances.after(board, results[board.epd()]) is None  # of the other sign
            before = Distance(distance.given_up, is_crowded=False, plies=distance.plies + 1)
            assert distances.after(board, -results[board.epd()]) == before
    decided = {key for key, result in results.items() if result}
    assert {key for key, one in found.items() if one} == decided
    assert {key: found[key] for key in decided} == {key: expected[key] for key in decided}
    assert {cost for cost, _ in filter(None, found.values())} == costs


@pytest.mark.thorough
def test_what_has_a_distance_is_in_the_lower_bound():
    """Moves out may prove more than a bound that was found before; no line may rest on that."""
    solver = Solver(chess.Board("2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"), Budget(600, 10**9), threads=1)
    solver.run()
    region, found = solver.region, 0
    for structure, attacker in np.argwhere(region.fields.state[: region.count] != State.CLOSED):
        if region.fields.pieces[structure] > 1:
            continue
        won = won_with_distance(region, structure, attacker)
        bound = region.bound(structure, attacker, LOWER)
        assert not (won & ~bound).any()
        # All else in a bound are illegal positions of the attacker.
        lost = np.split(won, 2)[1 - attacker]
        np.testing.assert_array_equal(lost, np.split(bound, 2)[1 - attacker])
        found += np.count_nonzero(won)
        kept = bound.copy()
        bound[:] = unknown_bounds(region, make_men(), structure, attacker)[0]
        assert not won_with_distance(region, structure, attacker).any()
        bound[:] = kept  # distances in others rest on it
    assert found > 100


def won_with_distance(region, structure, attacker):
    """Return the positions that an attacker wins and that have a distance, as bounds have them."""
    values = ZeroingDistances(region, structure)._values
    is_known = np.array([distance_of(value) is not None for value in values.tolist()])
    sides = np.repeat([attacker == 0, attacker == 1], len(values) // 2)  # by side to move
    won = is_known & ((values > 0) == sides)
    return np.packbits(won, bitorder="little").view(np.uint64)
