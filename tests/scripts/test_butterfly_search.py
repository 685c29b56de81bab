"""The search with butterfly boards: its values, its orders, and the figures made of its nodes."""

import re
from pathlib import Path

import chess
import figures
import numpy as np
import pytest

import tablebase
from scripts import butterfly_search as search
from tablebase.butterfly.boards import count_best_moves
from tablebase.core.building.generator import generate
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import read_table
from tablebase.core.storage.subtables import read_subtables

FENS = [
    "8/8/8/8/2k5/8/1R6/K7 w - - 0 1",
    "8/8/8/8/8/2K5/8/1k1R4 b - - 0 1",
    "8/P7/8/8/8/1K6/8/k7 w - - 0 1",
]


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    generate([Material.from_name("KRK"), Material.from_name("KPK")], folder, metrics=[DTM])
    with tablebase.open_tablebase(folder) as tables:
        yield search.Knowledge(folder, tables)


def minimax(board, depth):
    """Return the value for the side to move, and how many nodes there are."""
    if depth == 0:
        return search.evaluate(board), 1
    moves = list(board.legal_moves)
    if not moves or len(board.piece_map()) == 2:
        return (-search.MATE - depth if board.is_checkmate() else 0), 1
    best, nodes = -2 * search.MATE, 1
    for move in moves:
        board.push(move)
        value, below = minimax(board, depth - 1)
        board.pop()
        best, nodes = max(best, -value), nodes + below
    return best, nodes


@pytest.mark.thorough
@pytest.mark.parametrize("fen", FENS)
@pytest.mark.parametrize("order", search.ORDERS)
def test_every_order_finds_the_value_of_all_moves_with_fewer_nodes(knowledge, fen, order):
    board = chess.Board(fen)
    value, nodes = minimax(board, 3)
    one = search.Search(knowledge, order, {}, reducing=False)
    assert one.value(board, 3, -2 * search.MATE, 2 * search.MATE) == value
    assert one.nodes < nodes
    assert board.fen() == fen


@pytest.mark.thorough
def test_shares_are_those_of_the_boards_for_both_colours(knowledge, monkeypatch):
    monkeypatch.setattr(search, "ROWS", 10**6)  # all
    board = chess.Board(FENS[0])
    share, flip = knowledge.share(board)
    other, flipped = knowledge.share(board.mirror())
    assert (flip, flipped) == (0, 56)
    assert (share == other).all()
    table = read_table(knowledge.folder / "KRK.h5")
    counted = count_best_moves(table, read_subtables(table.material, knowledge.folder))
    assert ((share > 0) == (counted.whole_board[0] > 0)).all()
    assert share.max() <= 1


@pytest.mark.thorough
def test_orders_put_first_what_they_know(knowledge):
    board = chess.Board(FENS[0])
    moves, best = list(board.legal_moves), knowledge.tables.best_move(board)

    def ordered(order, found=()):
        one = search.Search(knowledge, order, dict(found), reducing=False)
        one.history[True, chess.B2, chess.B7] = 4
        one.counters[True, chess.Move.null()] = moves[-1]
        return one.ordered(board, moves, 2)

    assert ordered("none") == moves
    assert ordered("perfect")[0] == best
    assert ordered("history")[0] == chess.Move.from_uci("b2b7")
    assert ordered("own", {(board.epd(), 2): moves[3]})[0] == moves[3]
    share, _ = knowledge.share(board)
    shares = [share[move.from_square, move.to_square] for move in ordered("butterfly")]
    assert (np.diff(shares) <= 0).all()


def test_the_share_of_nodes_is_a_geometric_mean_with_its_interval():
    rows, without = [[50], [200]], [[100], [100]]
    assert figures.share_of_nodes(rows, without, 0) == "1.00 (0.26 to 3.89)"
    assert figures.share_of_nodes(without, without, 0) == "1.00 (1.00 to 1.00)"


def test_the_page_tells_what_exceeds_chance():
    endings = figures.load("butterfly_search")["results"]["endings"]

    def interval(name):
        share = figures.share_of_nodes(endings[name]["butterfly"], endings[name]["history"], 0)
        return [float(one) for one in re.findall(r"[\d.]+", share)]

    better = [name for name in endings if interval(name)[2] < 1]
    assert not [name for name in endings if interval(name)[1] > 1]
    page = " ".join(Path("docs/butterfly.md").read_text(encoding="utf-8").split())
    assert f"Only in {' and '.join(better)} do the boards save more than history by more" in page
    for rows in figures.all_searches(endings).values():
        changes = np.array([reduced - plain for _, plain, _, reduced in rows])
        assert abs(changes.mean()) <= 1.96 * changes.std() / np.sqrt(len(changes))
    assert f"{len(next(iter(endings.values()))['none'])} won or lost positions" in page


def test_the_page_says_how_often_the_first_guess_was_right():
    found = figures.load("butterfly")["results"]["materials"]

    def right(name, order):
        return round(100 * np.mean([one[0] for one in found[name][f"White, {order}"]]))

    page = Path(__file__).parents[2] / "docs" / "butterfly.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    names = ("KRK", "KPK", "KBNK")
    boards, squares = (
        "{}, {} and {} %".format(*(right(name, order) for name in names))
        for order in ("butterfly, share", "centre")
    )
    assert f"in {boards} of the positions, instead of {squares}" in text
    last, first = (
        [right(name, order) for name in ("KRK", "KQKR")]
        for order in ("after the last move", "butterfly, share")
    )
    assert f"right in {last[0]} instead of {first[0]} % for White in KRK" in text
    assert f"in {last[1]} instead of {first[1]} % in KQKR" in text
