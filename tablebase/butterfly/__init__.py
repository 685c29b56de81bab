"""Butterfly boards: how often a move from one square to another is the best one.

- `boards`: how often a move from one square to another is the best move
- `command`: `tablebase butterfly`
- `countermoves`: the reply that is best most often, by the last move
- `drawing`: sheets of from-to pairs, drawn by matplotlib as SVG
- `layouts`: boards of any size with ghost columns, and the meaning of differences of numbers

May import the core, `cli`.
"""
