"""Other programs' probers and tables, checked by tables or by the laws of the game alone.

- `command`: `tablebase audit`
- `prober_audit`: readers of anyone's tables, asked about positions, and what contradicts what
- `prober_positions`: random and edge positions to ask about
- `prober_rule`: what an answer leaves open, and what moves leave of a position
- `prober_server`: servers that answer as lichess's does, as such readers
- `probers`: `audit` of what other programs and servers answer

May import the core, `cli`, `export`.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
