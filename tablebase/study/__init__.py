"""Studies of tables: counts, surveys, butterfly boards, reports, data frames.

It reads tables and never changes one.

- `analysis`: what there is to know about a table, as plain data for reports and statistics
- `annotate_command`: `tablebase annotate`
- `annotation`: games judged by tables
- `attack_sums`: placements that leave a king unattacked, by inclusion and exclusion
- `burnside`: how many placements each symmetry keeps, by formula
- `butterfly`: how often a move from one square to another is the best there is
- `butterfly_command`: `tablebase butterfly`
- `choices`: the words that conditions know
- `conditions`: what may be asked of the positions of a table
- `count_command`: `tablebase count`
- `countermoves`: the reply that is best most often, by the last move
- `counting`: how many positions a material has: all, up to symmetry, and legal ones
- `dataset`: every legal position of a table with its value
- `enumeration`: how many positions a material has, by making them one by one
- `find_command`: `tablebase find`
- `finding`: positions by conditions: which of them to take, and in which order
- `found`: positions found in tables, as FEN, EPD, CSV, JSON lines or PGN
- `layouts`: boards of any size with ghost columns, and what differences of square numbers mean
- `legal_moves`: every legal move of every position of a table, and which are best
- `legal_positions`: how many legal positions chess has, up to eight men and with rights
- `parquet`: positions as Parquet files, however many there are
- `parquet_options`: options of the commands that write Parquet files
- `pgn`: the games of a PGN, and what is wrong with them
- `pictures`: what a table holds, drawn by matplotlib as SVG
- `position_counts`: numbers of positions, on the whole board and up to symmetry
- `positions`: positions of one material with their values, in columns
- `report`: pages for people: HTML that needs nothing else, or Markdown
- `report_command`: `tablebase report`
- `searching`: looking through a table for positions that fit, some rows at a time
- `survey`: one pass over a table: where the men stand by result, mutual zugzwangs, symmetries

May import the core, `cli`, `practice`. Another view of a table is another module.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
