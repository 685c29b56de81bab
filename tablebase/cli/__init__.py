"""The command line: parser, commands, and what they print.

Commands import what they need when they run, so that `--help` stays fast.

- `arguments`: what several commands take, and what it means
- `display`: a position on a terminal: board, result, moves by what they lead to
- `game`: a game against the tables: every move of the person is judged, every reply is the best
- `lines`: positions line by line: FENs and EPDs in, values as CSV or JSON lines out
- `notice`: one line about a command that takes long
- `found`: positions found in tables, as FEN, EPD, CSV, JSON lines or PGN
- `program`: read the arguments, carry out a command, say in one line what went wrong
- `terminal`: tables of numbers of which no digit is ever cut
- `commands`: one module for each command

May import `board`, `tables`, `storage`, `checking`, `probing`, `solving`, `study`, `export`,
`building`, `web`, `uci`. A command is a module in `commands/`, with its name in `program`.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
