"""What a table file is called, how HDF5 lays it out, and what stands in it besides the values.

``docs/format.md`` describes it for strangers.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import h5py

from tablebase.board import SIDES, Material
from tablebase.index import table_index

SUFFIX = ".h5"
FORMAT = "chess-tablebase"
# Files of this version have the texts below word for word: other words are another version.
FORMAT_VERSION = 2
ENCODING = (
    "Each byte is the distance to mate of one position with one side to move, in plies (single "
    "moves), with best play: an odd number n means the side to move wins in n plies, an even "
    "number n that it loses in n (0: it is checkmated), 255 is a draw. Illegal positions, with "
    "the side not to move in check, have no value of their own: their bytes mean nothing. The "
    "50-move rule, castling and en passant are left out."
)
INDEX_SCHEME = (
    "slot = (slice * king_pairs + first) * ranks + rank * count + king_pair - first, where the "
    "pairs with the black king on the same square as king_pair's are the `count` ones from "
    "`first` on. Squares a1 = 0, b1 = 1, ..., h8 = 63. king_pair: without pawns, the 462 pairs "
    "(white king, black king) that do not touch, white king in the triangle a1-d1-d4 and, if it "
    "stands on the diagonal a1-h8, black king not above it, ordered by black king, then white "
    "king, ascending; with pawns all 3612 pairs that do not touch, in the same way but squares "
    "file by file, up and down in turn: a1 ... a8, b8 ... b1, c1 ... c8, .... rank: for "
    "the groups of identical pieces in the order queens, rooks, bishops, knights, White's before "
    "Black's, mixed radix, first group most significant; each group is the combination of its "
    "squares, numbered among the squares free of pawns and of earlier groups (kings do not "
    "count) in the combinatorial number system: sum of binomial(square number, 1 + place). "
    "slice: the sets of pawns' squares up to exchange of left and right, by the smaller of both "
    "keys, ascending; key = sum of (square - 8) * 48**i over the pawns, White's first, each "
    "side's squares ascending. A position that is its own mirror image but for some men has two "
    "slots; that of the smaller rank counts, then of the smaller king_pair."
)
BOARD = "8x8"

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FEN = re.compile(r"(\S+) [wb] - - 0 1")
_RANK = re.compile(r"(?:[1-8]?[KQRBNPkqrbnp])*[1-8]?")
# Distances that a byte holds.
_PLIES = {"win": range(1, 255, 2), "loss": range(0, 256, 2)}


def table_path(directory: str | os.PathLike[str], material: Material) -> Path:
    """Return where the table of a material lies in a directory."""
    return Path(directory) / f"{material.normalized().name}{SUFFIX}"


@cache
def file_access() -> Any:
    """Return the properties with which files are created."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    access.set_meta_block_size(0)  # blocks of metadata would end in unused space
    # `atomic` holds a lock on the file already; a second one would wait for the first.
    access.set_file_locking(False, True)  # noqa: FBT003 (use locks; ignore where they are off)
    return access


def fixed_attributes(material: Material) -> dict[str, str | int]:
    """Return the attributes that all files of a material have alike."""
    index = table_index(material)
    men = [f"{color.name.lower()} {man.name.lower()}" for color, man in material.men]
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "material": material.name,
        "metric": "dtm",
        "unit": "ply",
        "encoding": ENCODING,
        "index_scheme": INDEX_SCHEME,
        "board": BOARD,
        "symmetry": "left-right mirror" if material.has_pawns else "all eight of the square",
        "men": json.dumps(men),
        "king_pairs": index.king_pairs,
        "ranks": index.ranks,
        "slices": index.slices,
    }


def require(condition: object, message: str) -> None:
    """Raise a ValueError unless a condition holds."""
    if not condition:
        raise ValueError(message)


def read_digest(text: object) -> str:
    """Return a SHA-256 in hexadecimal.

    Raises
    ------
    ValueError
        If the text is something else.
    """
    require(isinstance(text, str) and _DIGEST.fullmatch(text), "a SHA-256 is malformed")
    return str(text)


def read_attributes(stored: Mapping[str, str | int], material: Material) -> dict[str, Any]:
    """Return the attributes of a file, those in JSON as Python objects.

    Parameters
    ----------
    stored
        The attributes as they are stored, by name.
    material
        The men of the table.

    Raises
    ------
    ValueError
        If one is missing, malformed, or not that of the material.
    """
    for name, value in fixed_attributes(material).items():
        require(stored.get(name) == value, f"the attribute {name} is not that of a {material}")
    readers: dict[str, Callable[[Any], Any]] = {
        "counts": _read_counts,
        "longest_wins": _read_longest_wins,
        "subtables": lambda text: _read_subtables(text, material),
        "men": json.loads,
        "sha256": read_digest,
        "created": _read_time,
        "generator_version": _read_text,
    }
    found: dict[str, Any] = dict(stored)
    for name, reader in readers.items():
        require(name in stored, f"the attribute {name} is missing")
        try:
            found[name] = reader(stored[name])
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            message = f"the attribute {name} is malformed"
            raise ValueError(message) from error
    return found


def _read_text(text: Any) -> str:
    require(isinstance(text, str), "not a text")
    return str(text)


def _read_time(text: Any) -> str:
    datetime.fromisoformat(text)
    return str(text)


def _read_subtables(text: Any, material: Material) -> dict[str, str]:
    found = json.loads(text)
    names = {needed.name for needed in material.dependencies()}
    require(found.keys() <= names, "not sub-tables")
    return {name: read_digest(digest) for name, digest in found.items()}


def _read_longest_wins(text: Any) -> Any:
    found = json.loads(text)
    require(found.keys() == set(SIDES), "not the sides to move")
    for extreme in found.values():
        _check_extreme(extreme, "win")
    return found


def _read_counts(text: Any) -> Any:
    found = json.loads(text)
    require(found.keys() == set(SIDES), "not the sides to move")
    for side in found.values():
        _check_results(side)
        _check_results(side["inequivalent"])
        for result in _PLIES:
            _check_extreme(side[f"longest_{result}"], result)
    return found


def _is_count(number: Any) -> bool:
    return type(number) is int and number >= 0


def _check_results(counts: Any) -> None:
    require(
        all(_is_count(counts[result]) for result in ("win", "draw", "loss", "illegal")),
        "not numbers of positions",
    )
    for result, plies in _PLIES.items():
        histogram = counts["dtm_histogram"][result]
        require(histogram.keys() <= set(map(str, plies)), "not distances")
        require(all(map(_is_count, histogram.values())), "not numbers of positions")
        require(sum(histogram.values()) == counts[result], "distances do not add up")


def _check_extreme(extreme: Any, result: str) -> None:
    if extreme is None:
        return
    plies = extreme["plies"]
    require(type(plies) is int and plies in _PLIES[result], "not a distance")
    match = _FEN.fullmatch(extreme["fen"])
    ranks = match[1].split("/") if match else []
    require(len(ranks) == 8 and all(map(_is_rank, ranks)), "not a position")


def _is_rank(text: str) -> bool:
    width = sum(int(sign) if sign.isdigit() else 1 for sign in text)
    return width == 8 and _RANK.fullmatch(text) is not None
