"""Check tables by the rules of chess alone: ``python examples/check_table.py data/KPK.h5``.

It knows docs/format.md, and nothing of the program: each value must be the best of those after the
moves. Sub-tables lie beside the file. The exit code is 1 for a wrong value, and 2 for bad input or
if nothing was compared.
"""

import argparse
import contextlib
import functools
import json
import re
import sys
import zlib
from collections.abc import Iterator
from itertools import islice, permutations, repeat
from math import comb
from pathlib import Path

import chess
import h5py
import numpy as np

Men = dict[str, list[int]]  # the squares of each kind, ascending; White's letters are capitals
MATE = 100_000  # a win in n plies is MATE - n, a loss n - MATE, a draw 0
LARGEST_CHUNK, LARGEST_TEXT = 1 << 20, 1 << 16  # bytes
NAME, MOST_MEN = re.compile("KQ*R*B*N*P*KQ*R*B*N*P*"), 6
FLIPS = [[square ^ mask for square in range(64)] for mask in (0, 7, 56, 63)]
SYMMETRIES = [*FLIPS, *([s % 8 * 8 + s // 8 for s in squares] for squares in FLIPS)]
SIDES, METRICS = ("white_to_move", "black_to_move"), ("dtm", "dtz", "dtm_epoch")
# Distances by colour, each with what it is when the colours are exchanged.
HELPMATES = {"white_mates": "black_mates", "black_mates": "white_mates"}
SNAKE = [8 * (7 - r if f % 2 else r) + f for f in range(8) for r in range(8)]


def men_of(board: chess.Board) -> Men:
    """Return the squares of all men."""
    men: Men = {}
    for square in chess.scan_forward(board.occupied):
        men.setdefault(board.piece_at(square).symbol(), []).append(square)
    return men


def pawn_key(men: Men, image: list[int]) -> int:
    """Return the key of the pawns' squares after a symmetry."""
    pawns = [s for kind in "Pp" for s in sorted(image[s] for s in men.get(kind, ()))]
    return sum((square - 8) * 48**i for i, square in enumerate(pawns))


class Table:
    """An open file of one material."""

    def __init__(self, path: Path) -> None:
        name = path.stem
        if not NAME.fullmatch(name) or len(name) > MOST_MEN or path.suffix != ".h5":
            raise ValueError("not named like KRK.h5")
        if not path.is_file():
            raise ValueError(f"no such file: tablebase build {name} --dir '{path.parent}'")
        self.path, self.file = path, h5py.File(path)
        version, form = attribute(self.file, "format_version"), attribute(self.file, "format")
        known = version in {3, 4} and form == "chess-tablebase"
        if not known or attribute(self.file, "material") != name:
            raise ValueError(f"this is no table of {name} in chess, of version 3 or 4")
        white, black = name[1:].split("K")
        self.letters, self.has_epochs = f"Kk{white}{black.lower()}", version == 4
        self.turns = [True, False][: 2 - (white == black)]
        n, pawns = white.count("P"), name.count("P")
        self.symmetries, squares = (FLIPS[:2], SNAKE) if pawns else (SYMMETRIES, range(64))
        whites = SNAKE if pawns else [s for s in squares if s // 8 <= s % 8 <= 3]
        pairs = [(w, b) for b in squares for w in whites if chess.square_distance(w, b) > 1]
        pairs = [(w, b) for w, b in pairs if pawns or w % 9 or b // 8 <= b % 8]
        self.pairs, blacks = {pair: i for i, pair in enumerate(pairs)}, [b for _, b in pairs]
        self.lines = {black: (blacks.index(black), blacks.count(black)) for black in {*blacks}}
        sets = ({"P": s[:n], "p": s[n:]} for s in map(list, permutations(range(8, 56), pawns)))
        keys = {min(pawn_key(men, image) for image in FLIPS[:2]) for men in sets}
        self.slices = {key: i for i, key in enumerate(sorted(keys))}
        self.ranks, free = 1, 64 - pawns
        for count in (self.letters[2:].count(kind) for kind in "QRBNqrbn"):
            self.ranks, free = self.ranks * comb(free, count), free - count
        self.sets = self.open_sets(len(self.slices) * len(pairs) * self.ranks)
        self.meanings = self.read_meanings() if "dtz" in self.metrics else {}

    def open_sets(self, slots: int) -> dict[str, h5py.Dataset]:
        """Return the data sets of the metrics that the file states, for all sides to move."""
        self.metrics = str(attribute(self.file, "metrics")).split(" ")
        if self.metrics not in (["dtm"], ["dtz"], ["dtm", "dtz"]):
            raise ValueError("its metrics are not dtm, dtz or both")
        if "helpmates" in self.file.attrs:
            helpmates = str(attribute(self.file, "helpmates")).split(" ")
            if not helpmates or helpmates != [one for one in HELPMATES if one in helpmates]:
                raise ValueError("its helpmates are not white_mates, black_mates or both")
            self.metrics += helpmates
        found, stated = {}, [*self.metrics, *(["dtm_epoch"] if self.has_epochs else [])]
        known = [*METRICS, *HELPMATES]
        for name in (f"{s}/{m}" for s in SIDES[: len(self.turns)] for m in known):
            data = self.file.get(name)
            has_data = isinstance(data, h5py.Dataset)
            if has_data != (name.partition("/")[2] in stated):
                raise ValueError(f"{name} is missing, or it is not among the metrics stated")
            if has_data:
                kind = data.file.filename, data.shape, data.dtype, data.compression, data.fletcher32
                if kind != (self.file.filename, (slots,), np.uint8, "gzip", True) or (
                    data.id.get_create_plist().get_nfilters() > 2 or data.chunks[0] > LARGEST_CHUNK
                ):
                    raise ValueError(f"{name} has another type, size, or form of chunks")
                found[name] = data
        return found

    def read_meanings(self) -> dict[str, list[int]]:
        """Return the meanings of the codes of distances to zeroing."""
        found = json.loads(str(attribute(self.file, "dtz_outcomes")))
        for side in SIDES[: len(self.turns)]:
            if not all(type(one) is int and 0 < abs(one) < MATE for one in found[side]):
                raise ValueError("its dtz_outcomes are not numbers of plies")
        return found

    def slot(self, men: Men) -> int:
        """Return the slot of a position, that of the smaller rank if two images have one."""
        found = []
        for image in self.symmetries:
            white, black = image[men["K"][0]], image[men["k"][0]]
            pair = self.pairs.get((white, black))
            if pair is None or (place := self.slices.get(pawn_key(men, image))) is None:
                continue
            crossed, rank = [image[s] for kind in "Pp" for s in men.get(kind, ())], 0
            for kind in filter(men.get, "QRBNqrbn"):
                squares = sorted(image[square] for square in men[kind])
                numbers = [square - sum(s < square for s in crossed) for square in squares]
                rank *= comb(64 - len(crossed), len(squares))
                rank += sum(comb(number, i + 1) for i, number in enumerate(numbers))
                crossed += squares
            first, count = self.lines[black]
            slot = (place * len(self.pairs) + first) * self.ranks + rank * count + pair - first
            found.append((rank, pair, slot))
        return min(found)[2]

    def value(self, slot: int, turn: bool, metric: str) -> int:  # noqa: FBT001
        """Return what the file says of a slot."""
        side = SIDES[not turn]
        code = self.code(f"{side}/{metric}", slot)
        if metric == "dtz" and code < 255:
            meant = self.meanings[side][code] if code < len(self.meanings[side]) else 3 * MATE
            return MATE - meant if meant > 0 else -meant - 1 - MATE
        if metric in HELPMATES:  # both sides prefer the shortest
            return 0 if code == 255 else MATE - code
        if self.has_epochs and code < 255:
            code += 254 * self.code(f"{side}/dtm_epoch", slot)
        return 0 if code == 255 else MATE - code if code % 2 else code - MATE

    def code(self, name: str, slot: int) -> int:
        """Return the code of a slot in a data set."""
        if name not in self.sets:
            raise ValueError(f"{self.path.name} has no {name}")
        number, place = divmod(slot, self.sets[name].chunks[0])
        return chunk(self, name, number)[place]


def attribute(file: h5py.File, name: str) -> int | str:
    """Return a number or a text of limited length."""
    found = file.attrs.get_id(name)
    if found.dtype.kind not in "iS" or found.shape or found.get_storage_size() > LARGEST_TEXT:
        raise ValueError(f"{name} is no number and no text")
    value = file.attrs[name]
    return value.decode() if isinstance(value, bytes) else int(value)


@functools.lru_cache(500)
def chunk(table: Table, name: str, number: int) -> bytes:
    """Return the codes of a chunk, which are not unpacked any further than its size."""
    data, size, codes = table.sets[name], table.sets[name].chunks[0], b""
    with contextlib.suppress(OSError, ValueError, zlib.error):
        mask, packed = data.id.read_direct_chunk((number * size,))
        codes = b"" if mask else zlib.decompressobj().decompress(packed[:-4], size + 1)
    if len(codes) != size:
        raise ValueError(f"{table.path.name}: a chunk of {name} is damaged")
    return codes


@functools.cache
def find(folder: Path, name: str) -> Table:
    """Return the table of a material like ``KRK``, or that with colours exchanged."""
    names = [name, name[name.rindex("K") :] + name[: name.rindex("K")]]
    name = next((one for one in names if (folder / f"{one}.h5").exists()), name)
    try:
        return Table(folder / f"{name}.h5")
    except (LookupError, OSError, ValueError) as error:
        raise ValueError(f"{name}.h5: {error}") from error


def values(folder: Path, board: chess.Board, metrics: list[str]) -> list[int]:
    """Return what the files say of a position."""
    if board.has_legal_en_passant():  # such a position has no slot
        return by_moves(folder, board, metrics)
    men = men_of(board)
    name = "".join(kind * len(men.get(kind, ())) for kind in "KQRBNPkqrbnp").upper()
    table = find(folder, name)
    if table.path.stem != name or board.turn not in table.turns:
        return values(folder, board.mirror(), [HELPMATES.get(one, one) for one in metrics])
    slot = table.slot(men)
    return [table.value(slot, board.turn, metric) for metric in metrics]


def by_moves(folder: Path, board: chess.Board, metrics: list[str]) -> list[int]:
    """Return the best values that moves lead to."""
    found = []
    for move in board.legal_moves:
        zeroing = board.is_zeroing(move)
        board.push(move)
        after = zip(values(folder, board, metrics), metrics, strict=True)
        found.append([before(value, metric, zeroing) for value, metric in after])
        board.pop()
    if not found:
        mated = {one: MATE for one in HELPMATES if board.turn != (one == "white_mates")}
        lost = {**dict.fromkeys(HELPMATES, 0), **mated}
        return [lost.get(one, -MATE) if board.is_check() else 0 for one in metrics]
    return [max(column) for column in zip(*found, strict=True)]


def before(value: int, metric: str, zeroing: bool) -> int:  # noqa: FBT001
    """Return what a move is worth from the opponent's value after it."""
    if metric in HELPMATES:
        return value and value - 1
    plies = MATE - abs(value)
    plies = (101 if plies > 100 else 1) if zeroing and metric == "dtz" else plies + 1
    return (MATE - plies) * ((value < 0) - (value > 0))


def said(value: int, metric: str) -> str:
    """Return a value in words."""
    if metric in HELPMATES:
        return f"a helpmate in {MATE - value}" if value else "none"
    words = f"{'won' if value > 0 else 'lost'} in {MATE - abs(value)}" if value else "drawn"
    return "a code without a meaning" if abs(value) > MATE else words


def positions(table: Table, seed: int | None) -> Iterator[chess.Board]:
    """Yield all legal positions, without images, or random ones without end."""
    rng, count = np.random.default_rng(seed), len(table.letters)
    every = permutations(range(64), count)
    for squares in every if seed is None else (rng.permutation(64)[:count] for _ in repeat(None)):
        if (squares[0], squares[1]) in table.pairs:
            board, pieces = chess.Board(None), map(chess.Piece.from_symbol, table.letters)
            board.set_piece_map(dict(zip(map(int, squares), pieces, strict=True)))
            key = -1 if board.pawns & chess.BB_BACKRANKS else pawn_key(men_of(board), FLIPS[0])
            for board.turn in table.turns if key in table.slices else ():
                if not board.was_into_check():
                    yield board


def check(path: Path, limit: int | None, seed: int) -> str:
    """Check a file, or up to so many random positions; return what was compared."""
    table, count = Table(path), 0
    limit = 10_000 if limit is None and len(table.letters) > 3 else limit
    for board in islice(positions(table, limit and seed), limit):
        count += 1
        both = [get(path.parent, board, table.metrics) for get in (values, by_moves)]
        for metric, one, other in zip(table.metrics, *both, strict=True):
            if one != other:
                said_of = said(one, metric), said(other, metric)
                wrong = f"{metric} {said_of[0]}, but {said_of[1]} by its moves"
                sys.exit(printable(f"{path}: {board.fen()}: {wrong}"))
    if not count:
        raise ValueError("no position was compared")
    return f"{count} positions, {' and '.join(table.metrics)} right"


def printable(text: str) -> str:
    """Return a text with what a terminal would obey, or cannot show, escaped."""
    return "".join(sign if " " <= sign <= "~" else ascii(sign)[1:-1] for sign in text)


def main() -> None:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--positions", type=int, metavar="N", help="check N random positions")
    parser.add_argument("--seed", type=int, default=1, help="of the random positions (1)")
    arguments = parser.parse_args()
    if min(arguments.positions or 0, arguments.seed) < 0:
        parser.error("--positions and --seed: write numbers from 0 on")
    for path in arguments.files:
        try:
            right = check(path, arguments.positions, arguments.seed)
            print(printable(f"{path}: {right}"), flush=True)
        except (LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as error:
            parser.error(printable(f"{path}: {str(error) or type(error).__name__}"))


if __name__ == "__main__":
    main()
