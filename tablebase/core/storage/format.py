"""The layout of table files in HDF5, and their attributes.

``docs/format.md`` describes it for strangers.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any
from zlib import crc32

import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import NOBODY, NOBODY_NAME, SIDES, square_name
from tablebase.core.board.shape import FULL_BOARD, BoardShape
from tablebase.core.board.symmetry import DIAGONAL, GROUPS, MIRROR
from tablebase.core.index.kings import king_pair_count
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import DRAW, EPOCH_PLIES, MAX_EPOCHS
from tablebase.core.outcomes.metrics import DTM, DTZ, HELPMATES, METRICS, Metric
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.damage import FlawError, require
from tablebase.core.storage.encodings import (
    CHECKS_ENCODING,
    ENCODINGS,
    LAYERS_SCHEME,
    LEADS_SCHEME,
    LONG_ENCODING,
    OFFSET_ENCODING,
)
from tablebase.core.tables.table import Outcomes, join_bytes

FORMAT = "chess-tablebase"
# Files of this version have the texts below word for word: other words are another version.
FORMAT_VERSION = 3
# Files of other rules than chess, which say by which.
RULES_VERSION = 5
# Files in which other men than kings lead, and distances are one ply longer, or with layers.
LEADS_VERSION = 7
# The next number is that of files with distances to mate that a byte does not hold: they have data
# sets of epochs, too.
LONG_VERSIONS = (FORMAT_VERSION + 1, RULES_VERSION + 1, LEADS_VERSION + 1)
RULES_VERSIONS = (RULES_VERSION, RULES_VERSION + 1, LEADS_VERSION, LEADS_VERSION + 1)
READ_VERSIONS = (FORMAT_VERSION, RULES_VERSION, LEADS_VERSION, *LONG_VERSIONS)
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
_SYMMETRY = dict(
    zip(
        GROUPS,
        (
            "all eight of the square",
            "four of a rectangle",
            "a1-h8 diagonal",
            "left-right mirror",
            "none",
        ),
        strict=True,
    )
)
# Older files lack the checksum, CRC-32 of the other attributes here: of all that change values.
CHECKSUM = "attributes_crc32"
VALUED = (
    "format_version",
    "rules_sha256",
    "material",
    "metrics",
    *(f"{metric.prefix}outcomes" for metric in METRICS if metric.outcomes is None),
)

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FEN = re.compile(r"(\S+) [wb] - - (?:[1-3]\+[1-3] )?0 1")
_RANK = re.compile(r"(?:[1-8]?[A-Za-z*])*[1-8]?")
# Names the data sets of helpmates, which older programs do not look for.
HELPMATES_STORED = "helpmates"
# Distances that there can be.
_PLIES = {
    DTM: {
        "win": range(1, EPOCH_PLIES * MAX_EPOCHS, 2),
        "loss": range(0, EPOCH_PLIES * MAX_EPOCHS + 1, 2),
    },
    DTZ: {"win": range(1, 255), "loss": range(255)},
}
_HELP_PLIES = range(DRAW)


class ValueDigest:
    """The SHA-256 of the values of a metric, in the order of the file.

    First comes the SHA-256 of the rules (nothing for chess), then the outcomes of the codes, if the
    table has its own, the lower bytes of all codes, and, with epochs, the SHA-256 of these.
    """

    def __init__(self, metric: Metric, outcomes: Outcomes, rules: Rules) -> None:
        self._digest = hashlib.sha256(rules.mark)
        self._epochs: Any = None
        if metric.outcomes is None:
            for side in outcomes:
                self._digest.update(side.astype("<i2").data)

    def update(self, codes: NDArray[Any]) -> None:
        """Add codes, of one byte or two."""
        low, *epochs = split_codes(codes)
        self._digest.update(low.data)
        for part in epochs:
            self._epochs = self._epochs or hashlib.sha256()
            self._epochs.update(part.data)

    def hexdigest(self) -> str:
        """Return the digest of all that was added, in hexadecimal."""
        digest = self._digest.copy()
        if self._epochs is not None:
            digest.update(self._epochs.digest())
        return digest.hexdigest()


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


def long_attributes(material: Material, metric: Metric) -> dict[str, str | int]:
    """Return the attributes in which a file with epochs differs from one without."""
    version = version_of(material, long=True)
    encoding = _encoding(metric, version, material.rules)
    return {"format_version": version, f"{metric.prefix}encoding": encoding}


def version_of(material: Material, *, long: bool) -> int:
    """Return the version of a material's files, with epochs or without."""
    version = RULES_VERSION if material.rules.mark else FORMAT_VERSION
    if not material.rules.royal or material.rules.check_counting:
        version = LEADS_VERSION
    return version + 1 if long else version


def _encoding(metric: Metric, version: int, rules: Rules) -> str:
    encoding = LONG_ENCODING if has_epoch_data(version, metric) else ENCODINGS[metric]
    encoding += OFFSET_ENCODING if rules.ply_offset else ""
    return encoding + CHECKS_ENCODING if rules.check_counting else encoding


def has_epoch_data(version: object, metric: Metric) -> bool:
    """Return whether files of a version have data sets of epochs for a metric."""
    return version in LONG_VERSIONS and metric == DTM


def checksum(attributes: Mapping[str, object]) -> int:
    """Return the CRC-32 of the attributes of a file that change values."""
    found = {name: attributes.get(name) for name in VALUED}
    lines = [f"{name}={value}\n" for name, value in found.items() if value is not None]
    return crc32("".join(lines).encode())


def read_attributes(stored: Mapping[str, str | int], material: Material) -> dict[str, Any]:
    """Return the stored attributes of a file by name, JSON as Python objects.

    Raises `ValueError` if one is missing, malformed, or not of the material.
    """
    version = stored.get("format_version")
    require(version in READ_VERSIONS, f"the attribute format_version is not that of a {material}")
    metrics = read_metrics(version, stored.get("metrics"))
    metrics += read_helpmates(stored.get(HELPMATES_STORED))
    fixed = fixed_attributes(material, metrics, long=version in LONG_VERSIONS)
    for name, value in fixed.items():
        require(stored.get(name) == value, f"the attribute {name} is not that of a {material}")
    readers: dict[str, Callable[[Any], Any]] = {
        "men": json.loads,
        "created": _read_time,
        "generator_version": _read_text,
    }
    board = material.rules.board
    for metric in metrics:
        own: dict[str, Callable[[Any], Any]] = {
            "subtables": partial(_read_subtables, material=material),
            "sha256": read_digest,
        }
        if metric in HELPMATES:
            own["counts"] = partial(_read_help_counts, board=board)
        else:
            own["counts"] = partial(_read_counts, metric=metric, rules=material.rules)
            own["longest_wins"] = partial(_read_longest_wins, metric=metric, rules=material.rules)
        if metric.outcomes is None:
            own["outcomes"] = read_outcomes
        readers |= {f"{metric.prefix}{name}": reader for name, reader in own.items()}
    found: dict[str, Any] = dict(stored)
    for name, reader in readers.items():
        require(name in stored, f"the attribute {name} is missing")
        try:
            found[name] = reader(stored[name])
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise FlawError(f"the attribute {name} is malformed") from error
    return found


def read_metrics(version: object, text: object) -> tuple[Metric, ...]:
    """Return the metrics of a file by its format version and its attribute `metrics`.

    Raises `ValueError` if the version is not supported, or the text does not name metrics.
    """
    if version not in READ_VERSIONS:
        known = " or ".join(map(str, READ_VERSIONS))
        raise FlawError(f"format version {version} is not {known}, which this program reads")
    metrics = tuple(metric for metric in METRICS if metric.name in str(text).split())
    named = " ".join(map(str, metrics))
    require(metrics and text == named, "the attribute metrics is malformed")
    return metrics


def read_helpmates(text: object) -> tuple[Metric, ...]:
    """Return the helpmates of a file by its attribute, None without any; else `ValueError`."""
    named = "" if text is None else str(text)
    found = tuple(metric for metric in HELPMATES if metric.name in named.split())
    stated = " ".join(map(str, found)) if found else None
    require(text == stated, f"the attribute {HELPMATES_STORED} is malformed")
    return found


def fixed_attributes(
    material: Material, metrics: Sequence[Metric], *, long: bool = False
) -> dict[str, str | int]:
    """Return the attributes that all files of a material with some metrics have alike."""
    index = table_index(material)
    rules, version = material.rules, version_of(material, long=long)
    names = [
        NOBODY_NAME if man is NOBODY else rules.letter_of(man) if rules.mark else man.name.lower()
        for _, man in material.men
    ]
    helpmates = " ".join(metric.name for metric in metrics if metric in HELPMATES)
    men = [
        f"{color.name.lower()} {name}" for (color, _), name in zip(material.men, names, strict=True)
    ]
    return {
        "format": FORMAT,
        "format_version": version,
        "material": material.name,
        "metrics": " ".join(metric.name for metric in metrics if metric not in HELPMATES),
        **({HELPMATES_STORED: helpmates} if helpmates else {}),
        "unit": "ply",
        **({"ply_offset": rules.ply_offset} if rules.ply_offset else {}),
        **({"layers": "{}x{}".format(*material.layers)} if rules.check_counting else {}),
        **{f"{metric.prefix}encoding": _encoding(metric, version, rules) for metric in metrics},
        "index_scheme": _index_scheme(material),
        "board": f"{rules.files}x{rules.ranks}",
        "symmetry": _SYMMETRY[material.symmetries],
        "men": json.dumps(men),
        "king_pairs": index.king_pairs,
        "ranks": index.ranks,
        "slices": index.slices,
        **({"rules": rules.text, "rules_sha256": rules.digest} if rules.mark else {}),
    }


def _index_scheme(material: Material) -> str:
    """Return the numbering of positions, in words."""
    if not material.rules.mark:
        return INDEX_SCHEME
    board, pairs = material.rules.board, king_pair_count(material)
    others = {"queens, rooks, bishops, knights": "of the attribute rules, the last kind first"}
    if board != FULL_BOARD:
        others["Squares a1 = 0, b1 = 1, ..., h8 = 63."] = (
            "Squares are those of a board of 8x8, a1 = 0, b1 = 1, ..., h8 = 63, within which the "
            f"board begins on {square_name(board.squares[0])}; only its own are numbered."
        )
    if material.has_pawns:
        others["all 3612 pairs"] = f"all {pairs} pairs"
        if MIRROR not in material.symmetries:
            others[" up to exchange of left and right, by the smaller of both keys"] = ", by key"
    else:
        others["the 462 pairs"] = f"the {pairs} pairs"
    if not material.has_pawns and (material.symmetries != GROUPS[0] or board != FULL_BOARD):
        if DIAGONAL not in material.symmetries:
            others[" and, if it stands on the diagonal a1-h8, black king not above it"] = ""
        others["in the triangle a1-d1-d4"] = (
            "on the lowest square of its images under the attribute symmetry"
        )
    if material.rules.leads_touch:
        others[" that do not touch"] = ""
        others.setdefault("the 462 pairs", "the 518 pairs")
        others.setdefault("all 3612 pairs", "all 4032 pairs")
    scheme = INDEX_SCHEME
    for words, own in others.items():
        scheme = scheme.replace(words, own)
    if material.rules.check_counting:
        scheme = f"{scheme} {LAYERS_SCHEME}"
    return scheme if material.rules.royal else f"{scheme} {LEADS_SCHEME}"


def _read_time(text: Any) -> str:
    datetime.fromisoformat(text)
    return str(text)


def _read_text(text: Any) -> str:
    require(isinstance(text, str), "not a text")
    return str(text)


def _read_counts(text: Any, metric: Metric, rules: Rules) -> Any:
    found, distances = json.loads(text), _plies_of(metric, rules)
    require(found.keys() == set(SIDES), "not the sides to move")
    for side in found.values():
        _check_results(side, metric, distances)
        _check_results(side["inequivalent"], metric, distances)
        for result, plies in distances.items():
            _check_extreme(side[f"longest_{result}"], plies, rules.board)
    return found


def _check_results(counts: Any, metric: Metric, distances: Mapping[str, range]) -> None:
    require(
        all(_is_count(counts[result]) for result in ("win", "draw", "loss", "illegal")),
        "not numbers of positions",
    )
    for result, plies in distances.items():
        histogram = counts[f"{metric}_histogram"][result]
        require(histogram.keys() <= set(map(str, plies)), "not distances")
        require(all(map(_is_count, histogram.values())), "not numbers of positions")
        require(sum(histogram.values()) == counts[result], "distances do not add up")


def _read_help_counts(text: Any, board: BoardShape) -> Any:
    found = json.loads(text)
    require(found.keys() == set(SIDES), "not the sides to move")
    for side in found.values():
        for counts in (side, side["inequivalent"]):
            numbers = [counts[name] for name in ("mates", "never", "illegal")]
            histogram = counts["histogram"]
            require(all(map(_is_count, [*numbers, *histogram.values()])), "not numbers")
            require(histogram.keys() <= set(map(str, _HELP_PLIES)), "not distances")
            require(sum(histogram.values()) == counts["mates"], "distances do not add up")
        _check_extreme(side["longest"], _HELP_PLIES, board)
    return found


def _is_count(number: Any) -> bool:
    return type(number) is int and number >= 0


def _plies_of(metric: Metric, rules: Rules) -> dict[str, range]:
    """Return the distances that there can be by results."""
    if not rules.ply_offset:
        return _PLIES[metric]
    return {
        # None is negative: where no side can be mated, the least loss is one step later.
        result: range((plies.start - rules.ply_offset) % plies.step, plies.stop, plies.step)
        for result, plies in _PLIES[metric].items()
    }


def _check_extreme(extreme: Any, distances: range, board: BoardShape) -> None:
    if extreme is None:
        return
    require(type(extreme["plies"]) is int and extreme["plies"] in distances, "not a distance")
    match = _FEN.fullmatch(extreme["fen"])
    ranks = match[1].split("/") if match else []
    is_board = len(ranks) == board.ranks and all(_is_rank(text, board.files) for text in ranks)
    require(is_board, "not a position")


def _is_rank(text: str, files: int) -> bool:
    width = sum(int(sign) if sign.isdigit() else 1 for sign in text)
    return width == files and _RANK.fullmatch(text) is not None


def _read_longest_wins(text: Any, metric: Metric, rules: Rules) -> Any:
    found, distances = json.loads(text), _plies_of(metric, rules)
    require(found.keys() == set(SIDES), "not the sides to move")
    for extreme in found.values():
        _check_extreme(extreme, distances["win"], rules.board)
    return found


def _read_subtables(text: Any, material: Material) -> dict[str, str]:
    found = json.loads(text)
    names = {needed.name for needed in material.dependencies()}
    require(found.keys() <= names, "not sub-tables")
    return {name: read_digest(digest) for name, digest in found.items()}


def read_digest(text: object) -> str:
    """Return a SHA-256 in hexadecimal; `ValueError` if the text is something else."""
    require(isinstance(text, str) and _DIGEST.fullmatch(text), "a SHA-256 is malformed")
    return str(text)


def read_outcomes(text: Any) -> dict[str, list[int]]:
    """Return the outcomes of codes by side to move; `ValueError` if the text is something else."""
    found: dict[str, list[int]] = json.loads(text)
    require(found.keys() == set(SIDES), "not the sides to move")
    for outcomes in found.values():
        require(len(outcomes) <= DRAW, "too many outcomes")
        require(all(type(n) is int and n and ~DRAW < n < DRAW for n in outcomes), "no outcome")
        require(len(set(outcomes)) == len(outcomes), "two codes of one outcome")
    return found


def merge_counts(counts: dict[str, Any], found: Mapping[str, Any], metric: Metric) -> None:
    """Add the counts of a metric to the counts of other metrics, which have the same results."""
    for name, value in found.items():
        if name == "inequivalent":
            merge_counts(counts.setdefault(name, {}), value, metric)
        else:
            is_longest = name.startswith("longest")
            counts.setdefault(f"{metric.prefix}{name}" if is_longest else name, value)


def split_codes(codes: NDArray[Any]) -> list[NDArray[np.uint8]]:
    """Return codes as they are stored: their lower bytes, and upper bytes if they have any."""
    if codes.itemsize == 1:
        return [codes]
    return [codes.astype(np.uint8), (codes >> 8).astype(np.uint8)]


def join_codes(parts: Sequence[NDArray[np.uint8]]) -> NDArray[Any]:
    """Return codes from their stored bytes, see `split_codes`; `ValueError` for too many epochs."""
    if len(parts) == 1:
        return parts[0]
    low, epochs = parts
    require(int(epochs.max(initial=0)) < MAX_EPOCHS, "an epoch is one that no distance has")
    return join_bytes(low, epochs)
