"""Moves by what is proven of them: nothing is given up needlessly, and each win ends in mate."""

import random
from itertools import product

import chess
import numpy as np
import pytest
from support.captures import prey_of
from support.random_positions import random_board

import tablebase
from tablebase.board import SOLVED_PIECES, WORTH, Material, Wdl
from tablebase.solving import Budget, solve_position
from tablebase.solving.conversions import distance_of, index_of
from tablebase.solving.kernels import BOTH
from tablebase.solving.places import place_of
from tablebase.solving.plans import Distance, ProvenMove, drawing_line, proven_line
from tablebase.solving.solved import Solved
from tablebase.solving.solver import Solver
from tablebase.storage import RegionFile

LASKER = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
DECOY = "8/8/8/3pK3/1PkP4/8/8/8 w - - 0 1"
RETI = "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"


def whole_region(board):
    """Return a solver that has solved all that can be reached."""
    solver = Solver(board, Budget(600, 4 * 10**9), threads=1)
    solver._begin(few=False, most_pieces=SOLVED_PIECES)
    solver.number(place_of(board))
    done = 0
    while done < solver.region.count:
        known = np.arange(done, solver.region.count)
        solver._expand(known)
        done += len(known)
    solver.region.fields.todo[: solver.region.count] = BOTH
    solver._solve()
    solver._learn()
    return solver


# How far a conversion is, and what is given up on the way


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
    conversions = solved._conversions_of(root)
    with tablebase.open_tablebase(tables_dir) as tables:
        expected, results = distances_by_iteration(tables, boards)
    found = {}
    for board in boards:
        value = int(conversions._values[index_of(place_of(board), 1)])
        distance = distance_of(value)
        found[board.epd()] = distance and (distance.given_up, distance.plies)
        if distance and distance.plies:
            assert conversions.after(board, results[board.epd()]) is None  # of the other sign
            before = Distance(distance.given_up, is_crowded=False, plies=distance.plies + 1)
            assert conversions.after(board, -results[board.epd()]) == before
    decided = {key for key, result in results.items() if result}
    assert {key for key, one in found.items() if one} == decided
    assert {key: found[key] for key in decided} == {key: expected[key] for key in decided}
    assert {cost for cost, _ in filter(None, found.values())} == costs


# Moves and lines


def play_out(tables, board, choose):
    """Play the best moves of the winner against another's until mate; no position comes twice."""
    board = board.copy(stack=False)
    winner = board.turn if tables.probe_wdl(board) > 0 else not board.turn
    seen = {board.epd()}
    while not board.is_checkmate():
        move = tables.best_move(board) if board.turn == winner else choose(board)
        board.push(move)
        assert board.epd() not in seen
        seen.add(board.epd())
    assert board.turn != winner


def won_positions(tables, path, rng, count):
    """Yield random won and lost positions of a region."""
    with RegionFile(path) as file:
        keys = file.header.keys
    while count:
        white, black, pieces = map(int, keys[rng.randrange(len(keys))])
        board = chess.Board(None)
        for color, pawns in ((chess.WHITE, white), (chess.BLACK, black)):
            for square in chess.SquareSet(pawns):
                board.set_piece_at(square, chess.Piece(chess.PAWN, color))
        free = [square for square in chess.SQUARES if not board.piece_at(square)]
        kinds = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
        men = [chess.Piece(chess.KING, color) for color in chess.COLORS]
        for code in range(8):
            men += [chess.Piece(kinds[code % 4], code < 4)] * (pieces >> 4 * code & 15)
        for square, man in zip(rng.sample(free, len(men)), men, strict=True):
            board.set_piece_at(square, man)
        board.turn = rng.random() < 0.5
        if len(men) > 4 or not board.is_valid() or not tables.get_wdl(board):
            continue
        if tables.rank_proven(board):
            count -= 1
            yield board


def check_games(folder, rng, count):
    """Play out random won positions of a region: against the longest defence, against any.

    Any defence prefers rooks and bishops, which the region may have left out.
    """
    (path,) = folder.glob("*.region")
    with tablebase.open_tablebase(folder) as tables:

        def any_move(board):
            moves = list(board.legal_moves)
            odd = [move for move in moves if move.promotion in (chess.ROOK, chess.BISHOP)]
            return rng.choice(odd or moves)

        for board in won_positions(tables, path, rng, count):
            play_out(tables, board, tables.best_move)
            play_out(tables, board, any_move)


def test_the_showpieces_are_won_like_a_player():
    """No man of the winner is ever lost for nothing, though being captured is near, too."""
    with tablebase.open_tablebase("data") as tables:
        for fen in (LASKER, DECOY):
            board = chess.Board(fen)
            solution = solve_position(board, "600s,4GB", tables=tables)
            for uci in solution.plan:
                move = chess.Move.from_uci(uci)
                if board.turn == chess.BLACK and board.is_capture(move):
                    assert board.piece_type_at(move.to_square) == chess.PAWN
                board.push(move)
            assert board.is_checkmate()


@pytest.mark.parametrize(("name", "count"), [
    ("KPPKP", 3),
    *(pytest.param(name, 60, marks=pytest.mark.slow) for name in
      ("KPPKP", "KPPKPP", "KPPPKP", "KNPKP", "KRPKP", "KBPKP", "KPKP", "KPPPKPP", "KQPKP")),
])  # fmt: skip
def test_what_is_won_is_mated(tmp_path, name, count):
    rng = random.Random(name)
    while count > 0:
        board = random_board(rng, Material.from_name(name))
        folder = tmp_path / str(count)
        folder.mkdir(exist_ok=True)
        solution = solve_position(board, "600s,4GB", save=folder / "a.region")
        if solution.result != "draw":
            check_games(folder, rng, min(count, 10))
            count -= 10


@pytest.mark.parametrize("fen", [RETI, "8/8/8/2p1k3/2P1P3/4K3/8/8 w - - 0 1"])
def test_a_draw_has_a_line(fen):
    """Also where one region proved that White does not win, and another one the same of Black."""
    solution = solve_position(chess.Board(fen), "600s,4GB")
    assert solution.result == "draw"
    assert len(solution.plan) >= 10


def test_a_drawing_line_sets_problems(tables_dir):
    """Each move leaves the opponent the fewest moves that hold the draw."""
    rng, lines = random.Random("draws"), 0
    with tablebase.open_tablebase(tables_dir) as tables:

        def drawing(board):
            found = []
            for move in board.legal_moves:
                after = board.copy(stack=False)
                after.push(move)
                found += [after] if tables.probe_wdl(after) == 0 else []
            return found

        while lines < 4:
            board = random_board(rng, Material.from_name("KPKP"))
            if tables.probe_wdl(board) or board.is_stalemate():
                continue
            lines += 1
            line = drawing_line(board, tables.get_wdl)
            assert line
            seen = {board.epd()}
            for number, move in enumerate(line):
                choices = {after.epd(): len(drawing(after)) for after in drawing(board)}
                fresh = {key: count for key, count in choices.items() if count and key not in seen}
                board.push(move)
                assert tables.probe_wdl(board) == 0
                if board.epd() in fresh and not board.is_insufficient_material():
                    least = min(
                        count for key, count in fresh.items()
                        if not chess.Board(f"{key} 0 1").is_insufficient_material()
                    )  # fmt: skip
                    assert fresh[board.epd()] == least
                assert number == len(line) - 1 or board.epd() not in seen
                seen.add(board.epd())
            assert len(line) == 20 or board.is_game_over() or len(seen) == len(line)


def test_a_line_in_a_circle_ends():
    """As bounds that somebody has changed may give it."""

    def rank(board):
        move = min(board.legal_moves, key=lambda move: move.uci())
        result = Wdl.WIN if board.turn else Wdl.LOSS
        return [ProvenMove(move, result, int(result), mate=False, zeroing=False)]

    line = proven_line(chess.Board("8/8/8/8/8/8/8/K6k w - - 0 1"), rank, lambda _board: None)
    assert 2 < len(line) < 20
