"""Moves by what is proven of them: nothing is given up needlessly, and each win ends in mate."""

import random

import chess
import pytest
from support.random_positions import random_board

import tablebase
from tablebase.core.answers.proven import proven_line
from tablebase.core.answers.ranking import KnownMove
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import Material
from tablebase.solve.answers import solve_position
from tablebase.solve.plans import drawing_line
from tablebase.solve.region_file import RegionFile
from tablebase.solve.regions import rank_proven

LASKER = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"
DECOY = "8/8/8/3pK3/1PkP4/8/8/8 w - - 0 1"
RETI = "7K/8/k1P5/7p/8/8/8/8 w - - 0 1"


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
        if rank_proven(tables, board):
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


@pytest.mark.thorough
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
        known = {"dtm": None, "mate": False, "zeroing": False, "dtz_without_rule50": int(result)}
        return [KnownMove(move, result, **known)]

    position = ChessPosition(chess.Board("8/8/8/8/8/8/8/K6k w - - 0 1"))
    line = proven_line(position, rank, lambda _position: None)
    assert 2 < len(line) < 20
