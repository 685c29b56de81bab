"""Files of proofs: what proves the result of one position, for programs of others to check."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.storage import complete_or_absent

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT, VERSION = "chess-tablebase proof", 1
# Columns of a position: a word of squares for each kind of men, White's men, and the square behind
# a pawn that may be captured en passant.
POSITION_WORDS = 8


@dataclass(frozen=True)
class ProofPart:
    """One side's moves, and the positions that they are made in.

    Attributes
    ----------
    name : str
        ``white_wins``, ``black_wins``, ``white_holds`` or ``black_holds``.
    positions : NDArray[np.uint64]
        The positions with that side to move, [n, 8].
    moves : NDArray[np.uint16]
        Its move in each: from + 64 * to + 4096 * promotion.
    ranks : NDArray[np.uint32] or None
        For a win, numbers that fall from each position to those after the reply.
    """

    name: str
    positions: NDArray[np.uint64]
    moves: NDArray[np.uint16]
    ranks: NDArray[np.uint32] | None


@dataclass(frozen=True)
class Proof:
    """What proves the result of a position.

    Attributes
    ----------
    fen : str
        The position.
    claim : str
        The result for the side to move, as in `tablebase.Solution`.
    parts : tuple of ProofPart
        One for a win or for half a result, two for a draw.
    exits : NDArray[np.uint64]
        Positions that tables have, [m, 8].
    turns : NDArray[np.uint8]
        Whether it is White's (0) or Black's (1) move in them.
    results : NDArray[np.int8]
        Their results for the side to move: 1, 0 or -1.
    tables : dict of str to str
        SHA-256 of the values of these tables, by material.
    """

    fen: str
    claim: str
    parts: tuple[ProofPart, ...]
    exits: NDArray[np.uint64]
    turns: NDArray[np.uint8]
    results: NDArray[np.int8]
    tables: dict[str, str]

    @property
    def positions(self) -> int:
        """Number of positions in which the proof has a move."""
        return sum(len(part.positions) for part in self.parts)


def write_proof(path: Path, proof: Proof) -> None:
    """Write a proof into a file, which is complete or absent.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
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
