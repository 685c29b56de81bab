"""A slow solver for king and one man against king, sharing nothing with the package.

Positions are ``(white king, black king, man, white to move)`` with squares from 0 (a1) to 63
(h8). Values are what the side to move gets: ``("win", plies)``, ``("loss", plies)`` or ``DRAW``.
It goes by plies through a dictionary of all positions and the moves between them.

Distances to zeroing are found likewise, by `solve_to_zeroing`, as the outcomes of `zeroing`.
"""

from collections import defaultdict
from functools import cache
from itertools import product

from support.zeroing import before, preference

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
    """Return the men and positions that the legal moves lead to; if no man is left, it is ""."""
    found = []
    if not turn:
        for (target,) in RAYS["K"][black]:
            if target in NEAR[white]:
                continue
            if target == square:
                found.append(("", (white, target, None, True)))
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
    if man == "P":  # White's king on the files a to d
        return position if white % 8 < 4 else (white ^ 7, black ^ 7, square ^ 7, turn)
    first, *others = [
        (image[white], image[black], image[square], turn) for image in TO_TRIANGLE[white]
    ]
    return min(first, *others) if others else first


@cache
def canonical_positions(man):
    """Return one of the symmetric images of every legal position."""
    return {
        canonical(man, (white, black, square, turn))
        for white, black, square in product(range(64), repeat=3)
        for turn in (True, False)
        if (man == "P" or white in TRIANGLE) and is_legal(man, white, black, square, turn)
    }


def solve(man, promoted=None):
    """Return the values of all canonical positions; `promoted` are those of each new piece.

    White's lone man can neither be lost by force nor lose, so only Black's moves are counted down.
    """
    seen = canonical_positions(man)
    parents, left, values = defaultdict(list), {}, {}
    waiting = defaultdict(set)  # by plies
    for position in seen:
        moves = children(man, *position)
        left[position] = len(moves)
        for move in moves:
            if not move[0]:
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


def solve_to_zeroing(man, elsewhere, files=range(8)):
    """Return the outcomes in plies to zeroing of all canonical positions.

    `elsewhere` gives the outcome of a position after a capture or promotion, by the man that is
    left ("" if none is) and the position. A pawn may be kept to some files and their mirror images.
    """
    if man != "P":
        return _solve_between_zeroing(man, canonical_positions(man), elsewhere, {})
    outcomes = {}
    for rank in range(6, 0, -1):  # a pawn's moves are zeroing, too
        squares = {8 * rank + file for file in files}
        seen = [position for position in canonical_positions(man) if position[2] in squares]
        outcomes |= _solve_between_zeroing(man, seen, elsewhere, outcomes)
    return outcomes


def _solve_between_zeroing(man, seen, elsewhere, known):
    """Return the outcomes of positions whose zeroing moves lead to others or to known ones."""
    parents, left, found = defaultdict(list), {}, {}
    zeroing = {}  # the best outcome by such a move
    waiting = defaultdict(list)  # by plies
    for position in seen:
        quiet, out = [], []
        for new, after in children(man, *position):
            if new == man and (man != "P" or after[2] == position[2]):
                quiet.append(canonical(man, after))
            else:
                outcome = known[canonical(man, after)] if new == man else elsewhere(new, after)
                out.append(before(outcome, zeroing=True))
        left[position] = len(quiet)
        for child in quiet:
            parents[child].append(position)
        if out:
            best = zeroing[position] = max(out, key=preference)
            if best > 0:
                waiting[best].append((position, best))
            elif best < 0 and not quiet:
                waiting[~best].append((position, best))
        elif not quiet:
            white, black, square, turn = position
            if not turn and is_attacked(man, square, black, white):
                waiting[0].append((position, ~0))
    plies = 0
    while waiting:
        for position, outcome in waiting.pop(plies, ()):
            if position in found:
                continue
            found[position] = outcome
            for parent in parents[position]:
                if outcome < 0:
                    waiting[plies + 1].append((parent, plies + 1))
                    continue
                left[parent] -= 1
                at_best = zeroing.get(parent, ~0)
                if not left[parent] and at_best < 0:
                    longest = max(plies + 1, ~at_best)
                    waiting[longest].append((parent, ~longest))
        plies += 1
    return {position: found.get(position, 0) for position in seen}
