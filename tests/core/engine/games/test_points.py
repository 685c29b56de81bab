"""A game by kernels of its own: what `Game` names is all that a solver asks of it."""

import numpy as np
import pytest
from support import naive

from tablebase.core.engine import driver
from tablebase.core.engine.games.chess import CHESS_GAME
from tablebase.core.engine.games.chess import stand as stand_in_chess
from tablebase.core.engine.out.moves_out import play_king as play_king_in_chess
from tablebase.core.jit.kernels import kernel
from tablebase.core.outcomes.codes import Wdl, decode_dtm
from tablebase.core.rules.material import Material

CORNERS = np.uint64(sum(1 << square for square in (0, 7, 56, 63)))
ONE = np.uint64(1)
RESULTS = {Wdl.WIN: "win", Wdl.LOSS: "loss", Wdl.DRAW: "draw"}


@kernel
def stand(law, men, color, occupied, scratch):
    stand_in_chess(law, men, color, occupied, scratch)
    for white in range(64):
        is_corner = (CORNERS >> np.uint64(white)) & ONE
        scratch.legal[white] &= np.uint64(0) if is_corner else ~CORNERS


@kernel
def play_king(children, men, captured, scratch, values, plane):
    if not (CORNERS >> np.uint64(men.squares[captured])) & ONE:
        play_king_in_chess(children, men, captured, scratch, values, plane)


@pytest.fixture
def naively_solved(monkeypatch):
    """Return the values of king and rook against king by the slow solver."""
    corners, is_legal = {0, 7, 56, 63}, naive.is_legal
    steps = [[ray for ray in rays if ray[0] not in corners] for rays in naive.RAYS["K"]]
    with monkeypatch.context() as patch:
        patch.setitem(naive.RAYS, "K", steps)
        patch.setattr(
            naive, "is_legal", lambda *each: not corners.intersection(each[1:3]) and is_legal(*each)
        )
        patch.setattr(naive, "canonical_positions", naive.canonical_positions.__wrapped__)
        return naive.solve("R")


@pytest.mark.thorough
def test_kings_that_may_not_stand_in_corners(naively_solved, monkeypatch):
    """They can neither go there nor take there, so that a rook in a corner always wins."""
    own = CHESS_GAME._replace(stand=stand, play_king=play_king)
    monkeypatch.setattr(driver, "game_of", lambda _: own)
    tables = {}
    for name in ("KK", "KRK"):
        material = Material.from_name(name)
        tables[material] = driver.solve(material, dict(tables), threads=1)
    table = tables[Material.from_name("KRK")]
    positions = list(naively_solved.items())
    slots = table.index.encode_many(np.array([at[:3] for at, _ in positions], dtype=np.uint8))
    found = zip(*(codes[slots].tolist() for codes in table.codes), strict=True)
    for (position, value), (white, black) in zip(positions, found, strict=True):
        result, plies = decode_dtm(white if position[3] else black)
        assert (RESULTS[result], plies) == value, position
    assert {value for value, _ in naively_solved.values()} == {"win", "loss", "draw"}
    assert {value[0] for position, value in positions if position[2] == 0} == {"win", "loss"}
