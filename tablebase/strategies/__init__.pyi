from tablebase.strategies.after_moves import After, Preference, after, maximise, minimise, where
from tablebase.strategies.game_graph import GOALS
from tablebase.strategies.proving import Proof, prove
from tablebase.strategies.refuting import Line

__all__ = [
    "GOALS",
    "After",
    "Line",
    "Preference",
    "Proof",
    "after",
    "maximise",
    "minimise",
    "prove",
    "where",
]
