"""Check tables by the rules of chess alone: ``python examples/check_table.py data/KPK.h5``.

It knows docs/format.md, and nothing of the program: each value must be the best of those after the
moves. Sub-tables lie beside the file. The exit code is 1 for a wrong value, 2 for bad input.
"""

import argparse
import functools
import json
import sys
from collections.abc import Iterator
from itertools import islice, permutations, repeat
from math import comb
from pathlib import Path

import chess
import h5py
import numpy as np

Men = dict[str, list[int]]  # the squares of each kind, ascending; White's letters are capitals
MATE = 10_000  # a win in n plies is MATE - n, a loss n - MATE, a draw 0
BLOCK = 65_536  # values read at once
FLIPS = [[square ^ mask for square in range(64)] for mask in (0, 7, 56, 63)]
SYMMETRIES = [*FLIPS, *([s % 8 * 8 + s // 8 for s in squares] for squares in FLIPS)]
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
        if not path.exists():
            raise ValueError(f"no such file: tablebase build {path.stem} --dir '{path.parent}'")
        self.path, self.file = path, h5py.File(path)
        text = {k: v.decode() for k, v in self.file.attrs.items() if isinstance(v, bytes)}
        version, self.ranks = (int(self.file.attrs[k]) for k in ("format_version", "ranks"))
        known, name = version in {3, 4} and text["format"] == "chess-tablebase", path.stem
        if not known or text["material"] != name:
            raise ValueError(f"this is no table of {name} in chess, of version 3 or 4")
        white, black = name[1:].split("K")
        self.letters, self.metrics = f"Kk{white}{black.lower()}", text["metrics"].split()
        self.turns, self.has_epochs = [True, False][: 2 - (white == black)], version == 4
        self.meanings = json.loads(text.get("dtz_outcomes", "{}"))
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
        side, place = "white_to_move" if turn else "black_to_move", slot % BLOCK
        code = int(block(self, f"{side}/{metric}", slot // BLOCK)[place])
        if metric == "dtz" and code < 255:
            meant = self.meanings[side][code] if code < len(self.meanings[side]) else 3 * MATE
            return MATE - meant if meant > 0 else -meant - 1 - MATE
        if self.has_epochs and code < 255:
            code += 254 * int(block(self, f"{side}/dtm_epoch", slot // BLOCK)[place])
        return 0 if code == 255 else MATE - code if code % 2 else code - MATE


@functools.lru_cache(2_000)
def block(table: Table, name: str, number: int) -> np.ndarray:
    """Return 65,536 values of a data set."""
    try:
        return table.file[name][number * BLOCK : (number + 1) * BLOCK]
    except (KeyError, OSError) as error:
        raise ValueError(f"{table.path.name}: {name}: {error}") from error


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
        return values(folder, board.mirror(), metrics)
    slot = table.slot(men)
    return [table.value(slot, board.turn, metric) for metric in metrics]


def by_moves(folder: Path, board: chess.Board, metrics: list[str]) -> list[int]:
    """Return the best values that moves lead to."""
    found = []
    for move in board.legal_moves:
        zeroing = board.is_zeroing(move)
        board.push(move)
        after = zip(values(folder, board, metrics), metrics, strict=True)
        found.append([before(value, zeroing and metric == "dtz") for value, metric in after])
        board.pop()
    if not found:
        return [-MATE if board.is_check() else 0 for _ in metrics]
    return [max(column) for column in zip(*found, strict=True)]


def before(value: int, zeroing: bool) -> int:  # noqa: FBT001
    """Return what a move is worth from the opponent's value after it."""
    plies = MATE - abs(value)
    plies = (101 if plies > 100 else 1) if zeroing else plies + 1
    return (MATE - plies) * ((value < 0) - (value > 0))


def said(value: int) -> str:
    """Return a value in words."""
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


def main() -> None:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--positions", type=int, metavar="N", help="check N random positions")
    parser.add_argument("--seed", type=int, default=1, help="of the random positions (1)")
    arguments = parser.parse_args()
    for path in arguments.files:
        try:
            table, count = Table(path), 0
            limit = arguments.positions or (10_000 if len(table.letters) > 3 else None)
            for board in islice(positions(table, limit and arguments.seed), limit):
                count += 1
                both = [get(path.parent, board, table.metrics) for get in (values, by_moves)]
                for metric, one, other in zip(table.metrics, *both, strict=True):
                    if one != other:
                        wrong = f"{metric} {said(one)}, but {said(other)} by its moves"
                        sys.exit(f"{path}: {board.fen()}: {wrong}")
            print(f"{path}: {count} positions, {' and '.join(table.metrics)} right", flush=True)
        except (LookupError, OSError, ValueError) as error:
            parser.error(f"{path}: {' '.join(str(error).split())}")


if __name__ == "__main__":
    main()
