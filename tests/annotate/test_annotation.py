"""Annotating games: the same verdicts as probing move by move."""

import io
import random
import re

import chess
import chess.pgn
import pytest

from tablebase import difficulty
from tablebase.annotate.annotation import CHANGES, SLOWER, Annotations, annotate
from tablebase.annotate.pgn import read_game, split_games
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.outcomes.metrics import Wdl50

STARTS = [
    "8/8/8/4k3/8/8/2PK4/8 w - - 0 1",
    "8/8/2k5/8/8/3R4/8/K7 b - - 0 1",
    "8/8/8/8/2k5/8/1R6/K7 w - - 70 90",
    "8/3k4/8/8/4P3/8/8/3K4 w - - 0 1",
    # With more men than there are tables of.
    "8/8/8/1n1k4/2pP4/3R4/1p1K4/8 w - - 3 20",
    "8/8/8/3k4/2Rr4/1Pp1K3/8/8 b - - 40 90",
]


def game_of(text):
    """Return the only game of a text."""
    (one,) = split_games(text.splitlines())
    return read_game(one)


@pytest.fixture(scope="module")
def tables(folders_by_metric):
    with open_tablebase(folders_by_metric["both"]) as tables:
        yield tables


def random_game(choice):
    """Return a game of random moves, captures first, with a variation here and there."""
    board = chess.Board(choice.choice(STARTS))
    game = chess.pgn.Game()
    game.setup(board)
    node = game
    for _ in range(choice.randrange(30)):
        moves = list(board.legal_moves)
        if not moves:
            break
        choice.shuffle(moves)
        moves.sort(key=board.is_capture, reverse=True)
        node.add_variation(moves[0])
        if len(moves) > 1 and choice.random() < 0.2:
            node.add_variation(moves[1])
        node = node.variations[0]
        board.push(moves[0])
    return game


def every_node(node):
    yield node
    for child in node.variations:
        yield from every_node(child)


def is_known(board):
    """Return whether the tables know a position: they are those of up to three men."""
    return len(board.piece_map()) <= 3


def by_probing(tables, board, move):
    """Return result and distances to mate and zeroing after a move, for the side that makes it."""
    after = board.copy(stack=False)
    after.push(move)
    dtz, dtm = tables.probe_dtz(after), tables.probe_dtm(after)
    if dtz == 0 and not after.is_checkmate():
        return Wdl50.DRAW, 0, 0
    sign = 1 if dtz < 0 else -1
    in_time = after.is_checkmate() or abs(dtz) + after.halfmove_clock <= 100
    strength = 2 if in_time and board.halfmove_clock < 100 else 1
    late = 0 if after.is_checkmate() else abs(dtz)
    if board.is_zeroing(move):
        late = 0 if late <= 100 else 100
    return Wdl50(sign * strength), sign * (abs(dtm) + 1), sign * (late + 1)


@pytest.mark.thorough
def test_verdicts_are_those_of_probing_move_by_move(tables):
    choice = random.Random(7)
    seen, came_in, late = set(), 0, 0
    for _ in range(70):
        game = random_game(choice)
        summary = annotate(game, tables)
        counted = {(color, kind): 0 for color in chess.COLORS for kind in (CHANGES, SLOWER)}
        game = chess.pgn.read_game(io.StringIO(str(game)))
        assert not game.errors
        nodes = list(every_node(game))
        known = [node for node in nodes if is_known(node.board())]
        assert (summary.positions, summary.known) == (len(nodes), len(known))
        came_in += len(known) < len(nodes) and game.end() in known
        for node in nodes[1:]:
            board = node.parent.board()
            if node.parent not in known:
                assert not node.nags
                continue
            moves = {move: by_probing(tables, board, move) for move in board.legal_moves}
            order = sorted(moves, key=lambda move: (not board.is_zeroing(move), move.uci()))
            best = max(order, key=lambda move: (moves[move][0], -moves[move][1]))
            (result, *right), (played, *ours) = moves[best], moves[node.move]
            by_the_clock = abs(result) == 1  # DTZ decides where mate comes too late
            if played is not result:
                expected = {4} if result > Wdl50.DRAW > played else {2}
                counted[board.turn, CHANGES] += 1
            elif result is not Wdl50.DRAW and ours[by_the_clock] > right[by_the_clock]:
                expected = {6}
                counted[board.turn, SLOWER] += 1
                told = r"too late for the 50-move rule \(DTZ \d+\); \S+ has DTZ \d+\."
                assert bool(re.search(told, node.comment)) == by_the_clock
                late += by_the_clock
            else:
                expected = set()
            assert node.nags == expected, (board.fen(), node.move)
            named = [san for san in map(board.san, moves) if f"; {san} " in node.comment]
            assert bool(named) == bool(expected)
            for san in named:
                assert moves[board.parse_san(san)] == moves[best]
            seen |= expected
            after = node.board()
            if node in known and not after.is_game_over():
                mate = node.eval().white().mate()
                value = max(by_probing(tables, after, move)[0] for move in after.legal_moves)
                winner = {2: after.turn, -2: not after.turn}.get(int(value))
                assert (None if mate is None else mate > 0) == winner
        assert summary.faults == {key: number for key, number in counted.items() if number}
    assert seen == {2, 6}
    assert came_in > 7
    assert late > 0


def test_a_loss_made_of_a_win_is_a_blunder(tables_dir):
    game = chess.pgn.Game()
    game.setup(chess.Board("k7/8/8/8/3r4/8/3R4/6K1 w - - 0 1"))
    game.add_variation(chess.Move.from_uci("g1f1"))
    with open_tablebase(tables_dir) as tables:
        assert annotate(game, tables).faults == {(chess.WHITE, CHANGES): 1}
    assert game.variations[0].nags == {4}
    assert game.variations[0].comment.startswith("Loses in ")
    assert "; Rxd4 wins in " in game.variations[0].comment


def test_what_stood_there_stays_but_for_contrary_marks(tables):
    text = '[FEN "8/4k3/4P3/4K3/8/8/8/8 b - - 0 1"]\n\n1... Kd8! $18 {natural} (1... Ke8!) *'
    game = chess.pgn.read_game(io.StringIO(text))
    for _ in range(2):  # again makes no difference
        summary = annotate(game, tables)
        assert summary.faults == {(chess.BLACK, CHANGES): 1}
        bad, good = game.variations
        assert bad.nags == {2, 18}
        assert good.nags == {1}
        assert bad.comment == ("natural Loses in 10 moves (20 plies); Ke8 draws. [%eval #10]")


def test_positions_that_tables_do_not_know_pass(tables):
    text = "1. e4 e5 2. Nf3 *"
    game = chess.pgn.read_game(io.StringIO(text))
    summary = Annotations()
    summary += annotate(game, tables)
    assert (summary.positions, summary.known, summary.missing) == (4, 0, set())
    assert game.end().comment == ""
    game = chess.pgn.Game()
    game.setup(chess.Board("8/8/8/8/8/2k5/1N6/KB6 w - - 0 1"))
    summary += annotate(game, tables)
    assert summary.missing == {"KBNK"}


def test_loss_of_time_may_pass_and_the_50_move_rule_counts(tables):
    game = chess.pgn.Game()
    game.setup(chess.Board("8/8/8/8/8/1P3k2/2K5/8 w - - 99 80"))
    for move in ("c2c3", "b3b4"):
        game.add_variation(chess.Move.from_uci(move))
    annotate(game, tables, only_results=True)
    slow, right = game.variations
    assert slow.nags == {2}
    assert "b4 wins in 23 moves" in slow.comment
    assert "too late for the 50-move rule" in slow.comment
    assert not right.nags
    slower = chess.pgn.Game()
    slower.setup(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))
    ranked = tables.rank_moves(slower.board())
    slower.add_variation([one for one in ranked if one.dtm > 31][-1].move)
    annotate(slower, tables, only_results=True)
    assert not slower.variations[0].nags
    annotate(slower, tables)
    assert slower.variations[0].nags == {6}


def test_a_comment_never_says_the_same_of_both_moves(tables):
    """At the end of the count both moves come too late; the pawn's begins it anew."""
    game = game_of('[FEN "8/8/8/8/8/1P3k2/2K5/8 w - - 98 80"]\n\n80. Kd3 Kf4 81. b4 (81. Kd4) *')
    annotate(game, tables)
    zeroing, other = game.variations[0].variations[0].variations
    assert not zeroing.nags
    assert "too late" not in zeroing.comment
    assert not other.nags
    # The other way round: both lose too late, and the distance to zeroing tells them apart.
    game = game_of('[FEN "8/8/8/8/2k5/8/1R6/K7 b - - 95 90"]\n\n1... Kc3 (1... Kd3) (1... Kc5) *')
    annotate(game, tables)
    comments = [node.comment for node in game.variations if node.nags]
    assert len(comments) == 2
    for text in comments:
        ours, right = re.fullmatch(
            r"Loses, but too late for the 50-move rule \(DTZ (\d+)\); \S+ has DTZ (\d+)\..*", text
        ).groups()
        assert int(ours) < int(right)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ('[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. -- Kc4 2. Rb8 *', 4),
        ('[FEN "nonsense"]\n\n1. e4 *', 0),
        ('[Variant "nonsense"]\n\n1. e4 *', 0),
    ],
)
def test_odd_games_are_annotated_as_far_as_possible(tables, text, known):
    game = game_of(text)
    assert annotate(game, tables).known == known
    assert bool(game.errors) == (known == 0)


def test_difficulty_of_mistakes(tables, folders_by_metric):
    """It is in the comments and the sums if it is asked for, and nothing else changes."""
    choice = random.Random(3)
    total, marked = Annotations(), 0
    for _ in range(25):
        game = random_game(choice)
        plain, told = (game_of(str(game)) for _ in range(2))
        before = annotate(plain, tables)
        found = annotate(told, tables, difficulty=True)
        assert found.faults == before.faults
        assert not before.judged
        assert sum(found.judged.values()) <= found.known
        for one, other in zip(every_node(plain), every_node(told), strict=True):
            is_mistake = bool({chess.pgn.NAG_MISTAKE, chess.pgn.NAG_BLUNDER} & one.nags)
            if not is_mistake:
                assert other.comment == one.comment
                continue
            marked += 1
            text = f" Difficulty {difficulty(tables, one.parent.board()):.2f}."
            assert other.comment.count(text) == 1
            assert other.comment.replace(text, "") == one.comment
        total += found
    assert marked > 5
    for color in chess.COLORS:
        assert 0 < total.difficulty[color] < total.judged[color]
    with open_tablebase(folders_by_metric["dtm"]) as to_mate:
        assert not annotate(game, to_mate, difficulty=True).judged
