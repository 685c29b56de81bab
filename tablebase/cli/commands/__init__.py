"""The commands of the command line, one a module.

Each module has ``add_parser(commands)``, which adds it to the parser, and what it needs beyond
the standard library it imports when it runs, so that ``--help`` stays fast.
"""
