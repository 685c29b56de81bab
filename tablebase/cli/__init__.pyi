from tablebase.cli.game import Game, Verdict, judge, random_won_position
from tablebase.cli.program import main, make_parser

__all__ = [
    "Game",
    "Verdict",
    "judge",
    "main",
    "make_parser",
    "random_won_position",
]
