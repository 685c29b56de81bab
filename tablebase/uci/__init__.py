"""The engine for chess programs: UCI in, moves from tables out.

- `command`: `tablebase uci`
- `engine`: answers to a chess program, from tables

May import the core, `cli`, `practice`.
"""
