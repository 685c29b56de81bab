"""The engine for chess programs: UCI in, moves from tables out.

- `command`: `tablebase uci`
- `engine`: answers to a chess program, from tables

May import the core, `cli`, `practice`.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
