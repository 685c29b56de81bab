from tablebase.practice.exercises import Exercise, Exercises, draw_exercises
from tablebase.practice.mistakes import MistakeCounter
from tablebase.practice.resistance import LONGEST_DEFENCE, PRACTICAL, RESISTANCES, practical_move
from tablebase.practice.sight import (
    SIGHT,
    MovesBySight,
    difficulty,
    moves_by_sight,
    rank_by_difficulty,
)

__all__ = [
    "LONGEST_DEFENCE",
    "PRACTICAL",
    "RESISTANCES",
    "SIGHT",
    "Exercise",
    "Exercises",
    "MistakeCounter",
    "MovesBySight",
    "difficulty",
    "draw_exercises",
    "moves_by_sight",
    "practical_move",
    "rank_by_difficulty",
]
