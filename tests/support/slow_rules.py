"""A slow solver for king and any piece against king, sharing nothing with the package.

A piece is a set of steps ``(files, ranks, most repetitions)`` as White sees them; the board is a
set of squares from 0 (a1) to 63 (h8). All positions are explicit: arrays by White's king, Black's
king and the piece. Each round plays every move of every position forwards.
"""

import numpy as np

from tablebase.core.board.geometry import Color

NEAR = np.array(
    [[max(abs(a % 8 - b % 8), abs(a // 8 - b // 8)) <= 1 for b in range(64)] for a in range(64)]
)
UNKNOWN = 999


def _walks(steps, squares):
    """Yield each origin with the squares met in each direction."""
    for origin in squares:
        for dx, dy, reach in steps:
            x, y, walk = origin % 8, origin // 8, []
            for _ in range(reach):
                x, y = x + dx, y + dy
                if not (0 <= x < 8 and 0 <= y < 8) or 8 * y + x not in squares:
                    break
                walk.append(8 * y + x)
            yield origin, walk


def _paths(steps, squares):
    """Return for each pair of squares the sets of squares that must be empty, one for each way."""
    paths = {}
    for origin, walk in _walks(steps, squares):
        for number, target in enumerate(walk):
            paths.setdefault((origin, target), []).append(walk[:number])
    return paths


class SlowEnding:
    """King and a piece of White's against king.

    Attributes
    ----------
    white, black : int16 [64, 64, 64]
        Plies with each side to move, by White's king, Black's king and the piece: odd for wins of
        White with White to move, even for losses with Black to move, -1 for draws, UNKNOWN where
        the position is not legal.
    """

    def __init__(self, steps, squares=range(64), *, stalemate_loses=False):
        squares = set(squares)
        on = np.array([square in squares for square in range(64)])
        kings = on[:, None] & on & ~NEAR
        different = ~np.eye(64, dtype=bool)
        board = kings[:, :, None] & on & different[:, None, :] & different[None, :, :]

        attacks = np.zeros((64, 64, 64), dtype=bool)  # White's king, piece, target
        reach = np.zeros((64, 64, 64, 64), dtype=np.float32)  # kings, piece, target
        for (origin, target), ways in _paths(steps, squares).items():
            for way in ways:
                free = np.ones(64, dtype=bool)
                free[way] = False
                attacks[:, origin, target] |= free
                both = free[:, None] & free
                both[target, :] = both[:, target] = False
                reach[:, :, origin, target] = np.maximum(reach[:, :, origin, target], both)
        checked = attacks.swapaxes(1, 2)  # White's king, Black's, piece

        self.legal_white, self.legal_black = board & ~checked, board
        self.white = np.where(self.legal_white, -1, UNKNOWN).astype(np.int16)
        self.black = np.where(self.legal_black, -1, UNKNOWN).astype(np.int16)
        self._neighbours = [
            [t for t in range(64) if NEAR[s, t] and s != t and on[t]] for s in range(64)
        ]
        self._attacks, self._reach = attacks, reach.reshape(64 * 64, 64, 64)

        _, moves = self._escapes(np.zeros_like(board))
        lost = board & ~moves & (checked | stalemate_loses)
        plies = 0
        while lost.any():
            self.black[lost] = plies
            won = self._reaches(lost) & self.legal_white & (self.white == -1)
            self.white[won] = plies + 1
            escapes, _ = self._escapes(self.white > 0)
            lost = board & ~escapes & (self.black == -1) & moves
            plies += 2

    def _escapes(self, won):
        """Return where Black has a move to a position that White has not won, and any move."""
        escapes, moves = (np.zeros((64, 64, 64), dtype=bool) for _ in range(2))
        for square in range(64):
            for target in self._neighbours[square]:
                goes = ~NEAR[:, target, None] & ~self._attacks[:, :, target]
                draws = ~won[:, target]
                draws[:, target] = True  # the piece is taken
                moves[:, square] |= goes
                escapes[:, square] |= goes & draws
        return escapes, moves

    def _reaches(self, lost):
        """Return where White has a move to positions of a set."""
        piece = self._reach @ lost.reshape(64 * 64, 64, 1).astype(np.float32)
        found = piece.reshape(64, 64, 64) > 0
        for square in range(64):
            for target in self._neighbours[square]:
                found[square] |= lost[target]
        return found


def assert_values_are(table, slow):
    """Fail unless a table has the values of all legal positions of a slow ending."""
    for color, plies in ((Color.WHITE, slow.white), (Color.BLACK, slow.black)):
        squares = np.argwhere(plies != UNKNOWN).astype(np.uint8)
        slots = table.index.encode_many(squares)
        outcomes = table.outcomes[color][table.codes[color][slots]]
        expected = plies[plies != UNKNOWN]
        expected = np.where(expected < 0, 0, np.where(expected % 2 == 1, expected, ~expected))
        assert np.array_equal(outcomes, expected)
