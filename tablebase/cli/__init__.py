"""The command line: parser, commands, and what they print.

Commands import what they need when they run, so that `--help` stays fast.

- `arguments`: arguments that several commands take, and what they mean
- `display`: a position as people read it on a terminal: board, result, moves by what they lead to
- `game`: a game against the tables: every move of the person is weighed, every reply is the best
  one
- `program`: the command line: read the arguments, carry out a command, say in one line what went
  wrong
- `terminal`: what people see on a terminal: tables of numbers, of which no digit is ever cut
- `commands`: the commands, one a module

May import `board`, `index`, `tables`, `storage`, `checking`, `probing`, `study`, `building`, `web`,
`uci`. A command is a module in `commands/`, with its name in `program`.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
