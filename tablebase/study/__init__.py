"""Studies of tables: counts, surveys, butterfly boards, reports, data frames.

It reads tables and never changes one.

- `analysis`: what there is to know about a table, as plain data for reports and statistics
- `annotation`: games judged by tables
- `attack_sums`: placements that leave a king unattacked, by inclusion and exclusion
- `burnside`: how many placements each symmetry keeps, by formula
- `butterfly`: how often a move from one square to another is the best there is
- `choices`: the words that conditions know
- `conditions`: what may be asked of the positions of a table
- `counting`: how many positions a material has: all, up to symmetry, and legal ones
- `countermoves`: the reply that is best most often, by the last move
- `dataset`: every legal position of a table with its value
- `enumeration`: how many positions a material has, by making them one by one
- `finding`: positions by conditions: which of them to take, and in which order
- `legal_positions`: how many legal positions chess has, up to eight men and with rights
- `parquet`: positions as Parquet files, however many there are
- `pgn`: the games of a PGN, and what is wrong with them
- `pictures`: what a table holds, drawn by matplotlib as SVG
- `position_counts`: numbers of positions, on the whole board and up to symmetry
- `positions`: positions of one material with their values, in columns
- `report`: pages for people: HTML that needs nothing else, or Markdown
- `searching`: looking through a table for positions that fit, some rows at a time
- `survey`: one pass over a table: where the men stand by result, mutual zugzwangs, symmetries

May import `jit`, `board`, `outcomes`, `rules`, `positions`, `index`, `tables`, `storage`, `moves`,
`probing`. Another view of a table is another module.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
