"""Play an ending to mate, both sides perfectly: ``python examples/best_move.py [FOLDER]``."""

import sys

import chess

import tablebase
from tablebase.core.ground.streams import reader_may_leave

FEN = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"

folder = sys.argv[1] if len(sys.argv) > 1 else "data"
board = chess.Board(FEN)
with reader_may_leave(), tablebase.open_tablebase(folder) as tables:
    print(f"result {tables.probe_wdl(board)}, mate in {tables.probe_dtm(board)} plies")
    for ranked in tables.rank_moves(board):
        print(f"  {board.san(ranked.move):5} {ranked.wdl:2} {ranked.dtm:4}")
    while not board.is_game_over(claim_draw=True):
        move = tables.best_move(board)
        print(board.san(move), end=" ")
        board.push(move)
    print(board.result(claim_draw=True))
