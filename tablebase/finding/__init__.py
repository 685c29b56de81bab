"""Positions of tables by conditions, in columns and files, and rules of thumb on trial.

- `choices`: the words that conditions know
- `command`: `tablebase find`
- `conditions`: the conditions that positions of a table may have to meet
- `data_card`: what a Parquet file holds and where it comes from, as a page beside it
- `dataset`: every legal position of a table with its value
- `expression_text`: expressions from text, as a person writes them
- `expressions`: rules about the squares of positions, as expressions over columns
- `find`: positions by conditions: the choice of them, and their order
- `functions`: the functions of squares that expressions have
- `move_columns`: the moves that keep the result, as columns of data
- `orbit_keys`: a number for a position up to symmetry, and the split of data by it
- `parquet`: positions as Parquet files, however many there are
- `parquet_options`: options of the commands that write Parquet files
- `positions`: positions of one material with their values, in columns
- `printing`: positions found in tables, as FEN, EPD, CSV, JSON lines or PGN
- `scan`: looking through a table for positions that fit, some rows at a time
- `sheet`: exercises to print, with their solutions
- `trials`: rules of thumb on trial, with precision, coverage and exceptions

May import the core, `cli`, `practice`. Another condition is a field of `conditions`.
"""
