"""Define the numbers by which data sets keep the images of a position together.

Usage: python examples/orbits.py [FEN]

`orbit_of` is the number that a position shares with its images under the symmetries of the board,
and with the position of exchanged colours; `split_of` says whether an orbit is for training,
validation or testing. Only python-chess is needed.
"""

import sys

import chess


def mixed(number: int) -> int:
    """Return a step of the generator SplitMix64."""
    number = (number + 0x9E3779B97F4A7C15) % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


def sum_of(board: chess.Board) -> int:
    """Return a number of the men on their squares, the side to move apart."""
    men = [(man.symbol(), square) for square, man in board.piece_map().items()]
    men += [("-", board.ep_square)] * board.has_legal_en_passant()
    return mixed(sum(mixed(64 * ord(letter) + square) for letter, square in men) % 2**64)


def orbit_of(board: chess.Board) -> int:
    """Return the number of a position up to symmetry and exchanged colours."""
    images = [board if board.turn else board.mirror()]
    flips = chess.flip_horizontal, chess.flip_vertical, chess.flip_diagonal
    for flip in flips[:1] if board.pawns else flips:
        images += [one.transform(flip) for one in images]
    return mixed(min(map(sum_of, images)))


def split_of(orbit: int, seed: int = 0) -> str:
    """Return the part of a data set that an orbit belongs to: 80, 10 and 10 percent."""
    return (["train"] * 8 + ["valid", "test"])[mixed(orbit + mixed(seed)) % 10]


if __name__ == "__main__":
    board = chess.Board(" ".join(sys.argv[1:]) or "8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    print(hex(orbit_of(board)), split_of(orbit_of(board)))
