"""What notebooks show: boards by python-chess, moves under headings, tables in rows."""

import copy
import pickle
import re
from pathlib import Path

import chess
import chess.svg

from tablebase import open_tablebase
from tablebase.core.answers.notebooks import table_html

DATA = Path(__file__).parents[3] / "data"
HEADINGS = r"<th[^>]*>([^<]*)"
CELLS = r"<td[^>]*>([^<]*)"


def test_moves_stand_under_headings_beside_the_board(tables):
    board = chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    ranked = tables.rank_moves(board)
    html = ranked._repr_html_()
    assert chess.svg.board(board, size=240) in html
    assert re.findall(HEADINGS, html) == ["Winning", "Drawn"]
    cells = re.findall(CELLS, html)
    assert cells[::2] == [board.san(one.move) for one in ranked]
    assert cells[1:17:2] == ["DTM 31, DTZ 31"] * 8
    assert cells[-1] == ""
    mate = tables.rank_moves(chess.Board("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"))._repr_html_()
    assert re.findall(CELLS, mate)[1] == "Checkmate"
    late = tables.rank_moves(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 90 1"))._repr_html_()
    assert re.findall(HEADINGS, late) == ["Win prevented by 50-move rule", "Drawn"]


def test_ranked_moves_stay_a_list(tables):
    ranked = tables.rank_moves(chess.Board("8/8/8/8/8/2k5/1R6/K7 w - - 0 1"))
    for again in (pickle.loads(pickle.dumps(ranked)), copy.deepcopy(ranked), list(ranked)):
        assert again == ranked
    assert pickle.loads(pickle.dumps(ranked))._repr_html_() == ranked._repr_html_()


def test_tables_are_listed(tables):
    cells = re.findall(CELLS, tables._repr_html_())
    assert cells[:3] == ["KK", "10.2 kB", str(DATA / "KK.h5")]
    assert len(cells) == 3 * len(tables.available_tables)


def test_other_games_are_shown_in_letters_and_texts_escaped(games_dir):
    with open_tablebase(games_dir, rules="shatranj") as tables:
        html = tables.rank_moves("8/8/8/3k4/8/1KQ5/8/q7 w")._repr_html_()
    assert "<pre>. . . . . . . .\n" in html
    assert ". K Q . . . . .\n" in html
    assert (
        table_html([("a<b",)])
        == '<table><tr><th colspan="1" style="text-align: left">a&lt;b</table>'
    )
