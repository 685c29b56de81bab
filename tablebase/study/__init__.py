"""What tables teach: counts, surveys, butterfly boards, reports, data frames.

It reads tables and never changes one.

- `analysis`: what there is to know about a table, as plain data for reports and statistics
- `annotation`: games judged by tables
- `butterfly`: how often a move from one square to another is the best there is
- `conditions`: what may be asked of the positions of a table
- `counting`: how many positions a material has: all, up to symmetry, and legal ones
- `countermoves`: the answer that is best most often, by the last move
- `dataset`: every inequivalent legal position with its value, in columns
- `finding`: positions of a table by conditions, some rows at a time
- `pictures`: what a table holds, drawn by matplotlib as SVG
- `report`: pages for people: HTML that needs nothing else, or Markdown
- `survey`: one pass over a table: where the men stand by result, mutual zugzwangs, symmetries

May import `jit`, `board`, `index`, `tables`, `storage`, `moves`, `probing`. Another view of a table
is another module.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
