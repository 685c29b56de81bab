"""Preimages along lines: pushing and escaping, dense and sparse, against moves one by one."""

from collections import defaultdict
from typing import NamedTuple

import chess
import numpy as np
import pytest
from support.few import few

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import CHESS_STEPS, UNLIMITED, Step, make_movement
from tablebase.core.board.symmetry import ALL_SYMMETRIES, D4
from tablebase.core.engine.plies.sets import make_sets
from tablebase.core.engine.sets import preimages
from tablebase.core.engine.sets.planes import make_planes
from tablebase.core.engine.sets.values import LOSS
from tablebase.core.jit.records import KernelRecord
from tablebase.core.rules.law import make_law
from tablebase.core.rules.material import Material

# A lead in the triangle with and without other pieces, twins, and a piece beside pawns.
NAMES = ["KRK", "KNK", "KBKN", "KRRK", "KRKP"]
# Men that chess does not have: some go to an end of the board one way only, some not to any. Those
# of materials without pawns move alike in all symmetric images.
STEPS = {
    "KRPKR": {PieceType.ROOK: (*CHESS_STEPS[PieceType.BISHOP], Step(0, 2), Step(0, -1, 2))},
    "KNKP": {PieceType.KNIGHT: (Step(0, 1, UNLIMITED), Step(1, 1), Step(-1, 1), Step(1, 0, 3))},
    "KRKN": {
        PieceType.ROOK: tuple(Step(dx, dy, 3) for dx, dy, _ in CHESS_STEPS[PieceType.ROOK]),
        PieceType.KNIGHT: tuple(
            step._replace(reach=UNLIMITED) for step in CHESS_STEPS[PieceType.KNIGHT]
        ),
    },
}
PAWN_SQUARE = 28
# Few positions are pushed one by one, many by whole tracks.
SPARSE, DENSE = 60, 2_000


class Problem(NamedTuple):
    """What `preimages` reads of the record that solves a material."""

    planes: KernelRecord
    law: KernelRecord


class Space:
    """All positions of some planes' pieces and kings, as bits of a set and as squares."""

    def __init__(self, name):
        self.material = Material.from_name(name)
        self.planes, self.law = make_planes(self.material), make_law(self.material)
        self.pieces = [man for man in self.material.men[2:] if man[1] is not PieceType.PAWN]
        self.pawns = [PAWN_SQUARE] if self.material.has_pawns else []
        self.symmetries = (0,) if self.pawns else ALL_SYMMETRIES
        # If the lead has a twin, each may be the one in the triangle.
        self.planes_of = defaultdict(list)
        for plane, row in enumerate(self.planes.plane_squares.tolist()):
            self.planes_of[self.key(row)].append(plane)

    @property
    def problem(self):
        return KernelRecord(Problem(KernelRecord(self.planes), self.law))

    def key(self, squares):
        return tuple(sorted(zip(self.pieces, squares, strict=True)))

    def images(self, squares):
        """Return the plane, row and bit of all images of kings and pieces that are stored."""
        found = set()
        for t in self.symmetries:
            white, black, *men = (int(D4[t, s]) for s in squares)
            found.update((plane, white, black) for plane in self.planes_of.get(self.key(men), ()))
        return found

    def random(self, rng, count):
        """Yield squares of kings and pieces, all different."""
        for _ in range(count):
            squares = rng.choice(64, 2 + len(self.pieces), replace=False).tolist()
            if PAWN_SQUARE not in squares or not self.pawns:
                yield squares

    def words(self, positions):
        """Return a set of positions, as stored, as words, and which lines are in use."""
        words = np.zeros(len(self.planes.plane_squares) * 64, dtype=np.uint64)
        lines = np.zeros(len(self.planes.plane_squares), dtype=np.uint8)
        for plane, white, black in positions:
            words[plane * 64 + white] |= np.uint64(1) << np.uint64(black)
            lines[plane] |= np.uint8(1 << (white // 8))
        return words, lines

    def positions(self, words):
        """Return the stored positions of a set with all men on squares of their own."""
        bits = (words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        found = set()
        for place, black in np.argwhere(bits).tolist():
            plane, white = divmod(place, 64)
            men = self.planes.plane_squares[plane].tolist()
            if len({white, black, *men, *self.pawns}) == 2 + len(men) + len(self.pawns):
                found.add((plane, white, black))
        return found

    def moved(self, squares, mover):
        """Yield the squares after every move of a piece without capture, kings in the way."""
        board = chess.Board(None)
        for square in (*squares, *self.pawns):
            board.set_piece_at(square, chess.Piece(chess.PAWN, chess.WHITE))
        for place, man in enumerate(self.pieces, 2):
            if man != mover:
                continue
            board.set_piece_at(squares[place], chess.Piece(int(man[1]), chess.WHITE))
            targets = board.attacks(squares[place]) - chess.SquareSet(board.occupied)
            board.set_piece_at(squares[place], chess.Piece(chess.PAWN, chess.WHITE))
            for target in targets:
                yield [*squares[:place], target, *squares[place + 1 :]]

    def unmoved(self, squares, mover):
        """Yield the squares before every such move, which can be taken back."""
        return self.moved(squares, mover)

    def movers(self):
        """Return for each man the number and the lines of its mover; twins of a lead have two."""
        planes = self.planes
        movers = defaultdict(list)
        for mover, man in enumerate(zip(planes.mover_color, planes.mover_type, strict=True)):
            movers[man].append((mover, *planes.track_bounds[mover : mover + 2].tolist()))
        return movers.items()


class OtherSpace(Space):
    """The same with men of `STEPS`."""

    def __init__(self, name):
        super().__init__(name)
        self.steps = {**dict(enumerate(CHESS_STEPS)), **STEPS[name]}
        movement = make_movement(tuple(self.steps.values()))
        law = make_law(self.material).fields._replace(movement=KernelRecord(movement))
        self.law = KernelRecord(law)

    def moved(self, squares, mover, way=1):
        for place, man in enumerate(self.pieces, 2):
            for dx, dy, reach in self.steps[man[1]] if man == mover else ():
                up = dy if man[0] is Color.WHITE else -dy
                x, y = squares[place] % 8, squares[place] // 8
                for _ in range(reach):
                    x, y = x + way * dx, y + way * up
                    if not (0 <= x < 8 and 0 <= y < 8) or 8 * y + x in (*squares, *self.pawns):
                        break
                    yield [*squares[:place], 8 * y + x, *squares[place + 1 :]]

    def unmoved(self, squares, mover):
        return self.moved(squares, mover, -1)


OF_OTHERS = [f"{name} of others" for name in STEPS]


@pytest.fixture(
    scope="module", params=few([*NAMES, *OF_OTHERS], "KRK", "KRRK", "KRKP", "KNKP of others")
)
def space(request):
    name, *of_others = request.param.split()
    return OtherSpace(name) if of_others else Space(name)


@pytest.mark.thorough
@pytest.mark.parametrize("count", [SPARSE, DENSE])
def test_pushing_finds_the_predecessors(space, count):
    count = min(count, 600 * len(space.planes.plane_squares))
    rng = np.random.default_rng(61)
    targets = list(space.random(rng, count))
    source, source_lines = space.words(set().union(*map(space.images, targets)))
    pawns = np.uint64(sum(1 << s for s in space.pawns))
    problem = space.problem
    for man, movers in space.movers():
        sets = make_sets(len(source_lines), 0, 2)
        reach, lines = sets.reach[man[0]], sets.reach_lines[man[0]]
        sets.frontier[LOSS, 1 - man[0]] = source
        sets.frontier_lines[LOSS, 1 - man[0], : len(source_lines)] = source_lines
        for mover in movers:
            preimages.push_tracks(problem, *mover, pawns, LOSS, KernelRecord(sets))
        expected = set()
        for squares in targets:
            for before in space.unmoved(squares, man):
                expected |= space.images(before)
        assert space.positions(reach) == expected
        used = np.flatnonzero(reach.reshape(-1, 8).any(axis=1))
        assert all(lines[line // 8] >> (line % 8) & 1 for line in used.tolist())


@pytest.mark.thorough
@pytest.mark.parametrize("count", [SPARSE, DENSE])
def test_escaping_removes_those_with_a_way_out(space, count):
    count = min(count, 600 * len(space.planes.plane_squares))
    rng = np.random.default_rng(62)
    candidates = list(space.random(rng, count))
    havens = set().union(*map(space.images, space.random(rng, 20 * SPARSE)))
    for man, movers in space.movers():
        # Havens that are met by some candidates, besides those at random.
        met = [next(space.moved(squares, man), squares) for squares in candidates[::7]]
        safe = havens.union(*map(space.images, met))
        words, lines = space.words(set().union(*map(space.images, candidates)))
        sets = make_sets(len(lines), 0, 2)
        sets.not_won[1 - man[0]], _ = space.words(safe)
        reach = sets.reach[man[0]]
        reach[:], sets.reach_lines[man[0], : len(lines)] = words, lines
        pawns = np.uint64(sum(1 << s for s in space.pawns))
        problem = space.problem
        for mover in movers:
            preimages.escape_tracks(problem, *mover, pawns, KernelRecord(sets))
        left = set()
        for squares in candidates:
            if not any(safe & space.images(after) for after in space.moved(squares, man)):
                left |= space.images(squares)
        assert space.positions(reach) == left
        assert left
