"""Build a table and those that it needs, and ask it: ``python examples/own_table.py [FOLDER]``."""

import sys
import tempfile

import chess

import tablebase
from tablebase.core.building.generator import generate
from tablebase.core.ground.streams import reader_may_leave

folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()

built = generate([tablebase.Material.from_name("KQK")], folder)
board = chess.Board("8/8/8/3k4/8/8/1Q6/K7 w - - 0 1")
with reader_may_leave(), tablebase.open_tablebase(folder) as tables:
    for one in built:
        print(f"{one.material}: {one.seconds:.2f} s")
    print(f"mate in {(tables.probe_dtm(board) + 1) // 2} moves:")
    print(board.variation_san(tables.mainline(board)))
