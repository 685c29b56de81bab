"""Files of proofs: what proves the result of one position, for third-party programs to check."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.core.storage.atomic import complete_or_absent

FORMAT, VERSION = "chess-tablebase proof", 1
# Columns of a position: a word of squares for each kind of men, White's men, and the square behind
# a pawn that may be captured en passant.
POSITION_WORDS = 8


@dataclass(frozen=True)
class ProofPart:
    """One side's moves, and the positions that they are made in."""

    name: str  # `white_wins`, `black_wins`, `white_holds` or `black_holds`
    positions: NDArray[np.uint64]  # with that side to move, [n, 8]
    moves: NDArray[np.uint16]  # one in each position: from + 64 * to + 4096 * promotion
    # for a win, numbers that fall from each position to the positions after the reply
    ranks: NDArray[np.uint32] | None


@dataclass(frozen=True)
class Proof:
    """The proof of a position's result."""

    fen: str
    claim: str  # the result for the side to move, as in `tablebase.Solution`
    parts: tuple[ProofPart, ...]  # one for a win or half a result, two for a draw
    exits: NDArray[np.uint64]  # positions that tables have, [m, 8]
    turns: NDArray[np.uint8]  # of the exits: White's (0) or Black's (1) move
    results: NDArray[np.int8]  # of the exits, for the side to move: 1, 0 or -1
    tables: dict[str, str]  # SHA-256 of the values of these tables, by material

    @property
    def positions(self) -> int:
        """Number of positions in which the proof has a move."""
        return sum(len(part.positions) for part in self.parts)


def write_proof(path: Path, proof: Proof) -> None:
    """Write a proof into a file, which is complete or absent; `OSError` if that is impossible."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "fen": proof.fen,
        "claim": proof.claim,
        "tables": proof.tables,
    }
    arrays: dict[str, NDArray[Any]] = {
        "header": np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    }
    for part in proof.parts:
        arrays[f"{part.name}/positions"] = part.positions.astype("<u8")
        arrays[f"{part.name}/moves"] = part.moves.astype("<u2")
        if part.ranks is not None:
            arrays[f"{part.name}/ranks"] = part.ranks.astype("<u4")
    arrays["exits/positions"] = proof.exits.astype("<u8")
    arrays["exits/turns"], arrays["exits/results"] = proof.turns, proof.results
    with complete_or_absent(path) as partial, partial.open("rb+") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # the stubs take names for bools
