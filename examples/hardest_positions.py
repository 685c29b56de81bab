"""Print the longest wins with king and pawn: ``python examples/hardest_positions.py [FOLDER]``."""

import sys

import tablebase
from tablebase.core.ground.streams import reader_may_leave

MATERIAL = "KPK"

folder = sys.argv[1] if len(sys.argv) > 1 else "data"
# No two positions are images of each other.
positions = tablebase.load_table(MATERIAL, folder).positions(turn=True)
hardest = positions.where(positions.dtm == positions.dtm.max())
with reader_may_leave():
    print(f"{len(hardest)} of {len(positions):,} positions of {MATERIAL} with White to move")
    for position in hardest:
        print(f"  {position.board().fen()}  mate in {(position.dtm + 1) // 2} moves")
