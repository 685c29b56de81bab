"""A slow solver for king and one man against king, sharing nothing with the package.

Positions are ``(white king, black king, man, white to move)`` with squares from 0 (a1) to 63
(h8). Values are what the side to move gets: ``("win", plies)``, ``("loss", plies)`` or ``DRAW``.
It goes by plies through a dictionary of all positions and the moves between them.
"""

from collections import defaultdict
from itertools import product

DRAW = ("draw", 0)
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
OBLIQUE = [(1, 1), (-1, 1), (1, -1), (-1, -1)]
JUMPS = [(x, y) for x, y in product((-2, -1, 1, 2), repeat=2) if abs(x) != abs(y)]
STEPS = {"K": STRAIGHT + OBLIQUE, "Q": STRAIGHT + OBLIQUE, "R": STRAIGHT, "B": OBLIQUE, "N": JUMPS}


def walk(square, step, length):
    """Return the squares from a square on in one direction."""
    x, y = square % 8, square // 8
    found = []
    for _ in range(length):
        x, y = x + step[0], y + step[1]
        if not (0 <= x < 8 and 0 <= y < 8):
            break
        found.append(8 * y + x)
    return found


RAYS = {
    man: [
        [walk(s, step, 1 if man in "KN" else 7) for step in steps if walk(s, step, 1)]
        for s in range(64)
    ]
    for man, steps in STEPS.items()
}
NEAR = [{s, *(ray[0] for ray in RAYS["K"][s])} for s in range(64)]
PAWN_TAKES = [
    [8 * (s // 8 + 1) + x for x in (s % 8 - 1, s % 8 + 1) if 0 <= x < 8] for s in range(64)
]


def is_attacked(man, origin, target, blocker):
    """Return whether White's man attacks a square, with one more man on the board."""
    if man == "P":
        return target in PAWN_TAKES[origin]
    for ray in RAYS[man][origin]:
        for square in ray:
            if square == target:
                return True
            if square == blocker:
                break
    return False


def is_legal(man, white, black, square, turn):
    """Return whether this is a position in which no king can be captured."""
    if black in NEAR[white] or square in (white, black) or (man == "P" and not 8 <= square < 56):
        return False
    return not (turn and is_attacked(man, square, black, white))


def children(man, white, black, square, turn):
    """Return the men and positions that the legal moves lead to; no man is left: None."""
    found = []
    if not turn:
        for (target,) in RAYS["K"][black]:
            if target in NEAR[white]:
                continue
            if target == square:
                found.append(None)
            elif not is_attacked(man, square, target, white):
                found.append((man, (white, target, square, True)))
        return found
    for (target,) in RAYS["K"][white]:
        if target != square and target not in NEAR[black]:
            found.append((man, (target, black, square, False)))
    if man != "P":
        for ray in RAYS[man][square]:
            for target in ray:
                if target in (white, black):
                    break
                found.append((man, (white, black, target, False)))
        return found
    for target in (square + 8, square + 16)[: 2 if square < 16 else 1]:
        if target in (white, black):
            break
        found += [(new, (white, black, target, False)) for new in ("P" if target < 56 else "QRBN")]
    return found


TRIANGLE = {0, 1, 2, 3, 9, 10, 11, 18, 19, 27}
IMAGES = [[s ^ flip for s in range(64)] for flip in (0, 7, 56, 63)]
IMAGES += [[image[s % 8 * 8 + s // 8] for s in range(64)] for image in IMAGES]
TO_TRIANGLE = [[image for image in IMAGES if image[s] in TRIANGLE] for s in range(64)]


def canonical(man, position):
    """Return one of the symmetric images of a position, always the same."""
    white, black, square, turn = position
    images = (IMAGES[0], IMAGES[1]) if man == "P" else TO_TRIANGLE[white]
    return min((image[white], image[black], image[square], turn) for image in images)


def solve(man, promoted=None):
    """Return the values of all canonical positions; `promoted` are those of each new piece.

    White's lone man can neither be lost by force nor lose, so only Black's moves are counted down.
    """
    seen = {
        canonical(man, (white, black, square, turn))
        for white, black, square in product(range(64), repeat=3)
        for turn in (True, False)
        if (man == "P" or white in TRIANGLE) and is_legal(man, white, black, square, turn)
    }
    parents, left, values = defaultdict(list), {}, {}
    waiting = defaultdict(set)  # by plies
    for position in seen:
        moves = children(man, *position)
        left[position] = len(moves)
        for move in moves:
            if move is None:
                continue
            if move[0] == man:
                parents[canonical(*move)].append(position)
            elif (value := promoted[move[0]][canonical(*move)])[0] == "loss":
                waiting[value[1] + 1].add((position, "win"))
        white, black, square, turn = position
        if not moves and not turn and is_attacked(man, square, black, white):
            waiting[0].add((position, "loss"))
    plies = 0
    while waiting:
        for position, result in waiting.pop(plies, ()):
            if position in values:
                continue
            values[position] = result, plies
            for parent in parents[position]:
                left[parent] -= 1
                if result == "loss":
                    waiting[plies + 1].add((parent, "win"))
                elif left[parent] == 0:
                    waiting[plies + 1].add((parent, "loss"))
        plies += 1
    return {position: values.get(position, DRAW) for position in seen}
