"""The commands of the command line, one a module.

``add_parser(commands)`` of each module adds its parser. Modules beyond the standard library are
imported when the command runs, so that ``--help`` stays fast.
"""
