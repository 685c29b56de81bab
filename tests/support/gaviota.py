"""Gaviota files as python-chess reads them, and positions to ask for."""

import random

import chess
import chess.gaviota

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.positions.chess_board import board_of

DIAGONAL = range(0, 64, 9)


def random_squares(material, rng):
    """Return squares of all men in the order of `Material.men`; kings do not touch."""
    while True:
        squares = [
            rng.randrange(8, 56) if man is PieceType.PAWN else rng.randrange(64)
            for _, man in material.men
        ]
        if rng.random() < 0.2:  # cells of a file that stand for one position
            squares[:2] = rng.sample(DIAGONAL, 2)
        if len({*squares}) == len(squares) and chess.square_distance(*squares[:2]) > 1:
            return squares


def random_boards(material, count, seed=1):
    """Yield legal positions of both sides to move."""
    rng = random.Random(seed)
    while count:
        board = board_of(material, random_squares(material, rng), rng.random() < 0.5)
        if not board.was_into_check():
            count -= 1
            yield board


def cell_of(material, squares):
    """Return the cell of a position by python-chess."""
    sides = [
        [
            (place, int(man))
            for place, (owner, man) in zip(squares, material.men, strict=True)
            if owner is color
        ]
        for color in Color
    ]
    (white, white_types), (black, black_types) = (zip(*side, strict=True) for side in sides)
    request = chess.gaviota.Request(list(white), white_types, list(black), black_types, 0)
    request.white_piece_squares = request.white_squares
    request.black_piece_squares = request.black_squares
    return chess.gaviota.EGKEY[material.name.lower()].pctoi(request)
