"""The engine for chess programs: UCI in, moves from tables out.

- `command`: `tablebase uci`
- `engine`: answers to a chess program, from tables
- `gui_words`: positions, options and moves in the words of a chess program

May import the core, `cli`, `practice`.
"""
