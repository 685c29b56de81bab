from tablebase.strategies.after_moves import After, Preference, after, maximise, minimise, where
from tablebase.strategies.game_graph import GOALS
from tablebase.strategies.proving import StrategyProof, prove
from tablebase.strategies.refuting import PlayedLine

__all__ = [
    "GOALS",
    "After",
    "PlayedLine",
    "Preference",
    "StrategyProof",
    "after",
    "maximise",
    "minimise",
    "prove",
    "where",
]
