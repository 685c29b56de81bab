from tablebase.cli.program import main, make_parser

__all__ = [
    "main",
    "make_parser",
]
