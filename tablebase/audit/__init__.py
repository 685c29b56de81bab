"""Other programs' probers and tables, checked by tables or only by the laws of the game.

- `command`: `tablebase audit`
- `prober_audit`: third-party probers, asked about positions, and contradictions in their answers
- `prober_positions`: random and edge positions to ask about
- `prober_rule`: the outcomes that an answer leaves open, and those that moves leave to a position
- `prober_server`: servers that answer as lichess's does, as probers
- `probers`: audits of what other programs and servers answer

May import the core, `cli`, `export`.
"""
