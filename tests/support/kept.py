"""Boards that belong to others."""

import chess

PASSING = "8/8/7k/8/1pP5/7K/8/8 b - c3 0 1"
KEPT_FENS = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", PASSING]


class Kept(chess.Board):
    """A board that belongs to others: only copies of it can be changed."""

    belongs_to_others = False

    def push(self, move):
        assert not self.belongs_to_others
        super().push(move)

    def pop(self):
        assert not self.belongs_to_others
        return super().pop()
