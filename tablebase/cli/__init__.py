"""The command line: parser, commands, and their output.

Commands import their modules when they run, so that `--help` stays fast.

- `arguments`: the parser, types of arguments, and options of all kinds of commands
- `choice`: the choice that arguments make: rules, folders, materials, tables
- `display`: a position on a terminal: board, result, moves by result
- `lines`: positions line by line: FENs and EPDs in, values as CSV or JSON lines out
- `mating`: who can still mate, in words, in JSON and in one word for arbiters
- `notice`: one line about a command that takes long
- `program`: parse arguments, run a command, report errors in one line
- `terminal`: tables of numbers whose digits are never cut
- `texts`: files of text that commands read, and standard input in their place
- `commands`: one module for each command

May import only the core. A command is a module in `commands/`, or in the folder of
its capability, and has a line in `tablebase.capabilities`.
"""
