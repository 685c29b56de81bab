"""Studies of tables: counts, surveys, butterfly boards, reports, data frames.

It reads tables and never changes one.

- `analysis`: all facts about a table, as plain data for reports and statistics
- `annotate_command`: `tablebase annotate`
- `annotation`: games judged by tables
- `argument_readers`: words, flags, numbers and ranges as arguments of functions
- `attack_sums`: placements that leave a king unattacked, by inclusion and exclusion
- `burnside`: the number of placements that each symmetry keeps, by formula
- `butterfly`: how often a move from one square to another is the best move
- `butterfly_command`: `tablebase butterfly`
- `choices`: the words that conditions know
- `conditions`: the conditions that positions of a table may have to meet
- `count_command`: `tablebase count`
- `countermoves`: the reply that is best most often, by the last move
- `counting`: the number of positions of a material: all, up to symmetry, and legal ones
- `dataset`: every legal position of a table with its value
- `enumeration`: the number of positions of a material, by making them one by one
- `expression_text`: expressions from text, as a person writes them
- `expressions`: rules about the squares of positions, as expressions over columns
- `find_command`: `tablebase find`
- `finding`: positions by conditions: the choice of them, and their order
- `found`: positions found in tables, as FEN, EPD, CSV, JSON lines or PGN
- `layouts`: boards of any size with ghost columns, and the meaning of differences of numbers
- `legal_moves`: every legal move of every position of a table, with the best moves
- `legal_positions`: the number of legal positions of chess, up to eight men and with rights
- `move_columns`: the moves that keep the result, as columns of data
- `orbit_keys`: a number for a position up to symmetry, and the split of data by it
- `parquet`: positions as Parquet files, however many there are
- `parquet_options`: options of the commands that write Parquet files
- `pgn`: the games of a PGN, and their faults
- `pictures`: the contents of a table, drawn by matplotlib as SVG
- `position_counts`: numbers of positions, on the whole board and up to symmetry
- `positions`: positions of one material with their values, in columns
- `report`: pages for people: HTML that needs nothing else, or Markdown
- `report_command`: `tablebase report`
- `searching`: looking through a table for positions that fit, some rows at a time
- `summary`: games counted by ending, by player and by position up to symmetry
- `summary_page`: a page of the mistakes of games
- `survey`: one pass over a table: squares of men by result, mutual zugzwangs, symmetries
- `trials`: rules of thumb on trial, with precision, coverage and exceptions

May import the core, `cli`, `practice`. Another view of a table is another module.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
