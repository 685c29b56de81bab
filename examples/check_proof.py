"""Check a proof of a position: ``python examples/check_proof.py study.proof``.

It knows docs/format.md, and nothing of the program. It prints what is proven, and which tables that
assumes; ``--tables DIR`` looks the exits up in these. The exit code is 1 for a proof that proves
nothing, 2 for bad input, of which nothing is believed: names, sizes and texts are checked first.
"""

import argparse
import json
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import chess
import numpy as np

CLAIMS = {  # what each claim needs: for the side to move, and for the other one
    "win": ("wins", None),
    "loss": (None, "wins"),
    "draw": ("holds", "holds"),
    "at_least_draw": ("holds", None),
    "at_most_draw": (None, "holds"),
}
SAID = {
    "win": "{0} wins", "loss": "{1} wins", "draw": "the position is a draw",
    "at_least_draw": "{0} does not lose", "at_most_draw": "{1} does not lose",
}  # fmt: skip
TYPES = {"positions": "<u8", "moves": "<u2", "ranks": "<u4", "turns": "|u1", "results": "|i1"}
NAMES = ("white", "black")
PARTS = (*(f"{name}_{goal}" for name in NAMES for goal in ("wins", "holds")), "exits")
MEMBERS = {f"{name}.npy" for name in ("header", *(f"{p}/{kind}" for p in PARTS for kind in TYPES))}
# Bytes of all arrays, unpacked: a position takes 64 and some, so there may be some six million.
MOST_BYTES, LONGEST_HEADER = 400_000_000, 1_000_000
DIGEST = re.compile("[0-9a-f]{64}")
BAD_INPUT = (
    *(AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError),
)
PIECES = "QRBNP"
WORDS = struct.Struct("<8Q")
Key = tuple[bytes, bool]  # the eight words of a position, and whether White is to move


class WrongProof(Exception):  # noqa: N818 (it is what the program looks for)
    """The file proves nothing; the message names the position."""


def key_of(board: chess.Board) -> Key:
    """Return a position as the file has it."""
    passing = 1 << board.ep_square if board.ep_square and board.has_legal_en_passant() else 0
    words = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return WORDS.pack(*words, board.occupied_co[chess.WHITE], passing), board.turn


def board_of(words: bytes, turn: bool) -> chess.Board:  # noqa: FBT001
    """Return the position of eight words, which must be legal."""
    board = chess.Board(None)
    *kinds, white, passing = WORDS.unpack(words)
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = kinds
    for word in kinds:
        if board.occupied & word:
            raise WrongProof("two men on one square")
        board.occupied |= word
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = white, board.occupied & ~white
    board.turn, board.ep_square = turn, passing.bit_length() - 1 if passing else None
    if white & ~board.occupied or not board.is_valid():
        raise WrongProof(f"not legal: {board.fen()}")
    if key_of(board)[0] != words:
        raise WrongProof(f"no en passant capture is legal: {board.fen()}")
    return board


def cannot_be_mated(board: chess.Board, side: bool) -> bool:  # noqa: FBT001
    """Return whether no moves at all lead to mate of a side."""
    if board.occupied_co[not side].bit_count() == 1:
        return True
    return board.occupied.bit_count() == 3 and bool(board.knights | board.bishops)


def material_of(board: chess.Board) -> frozenset[str]:
    """Return both names of a material, like KPK and KKP."""
    sides = [
        "K" + "".join(kind * len(board.pieces(chess.PIECE_SYMBOLS.index(kind.lower()), color))
                      for kind in PIECES)
        for color in chess.COLORS
    ]  # fmt: skip
    return frozenset((sides[0] + sides[1], sides[1] + sides[0]))


class Proof:
    """A file, and what it says.

    The arrays are checked for their types and shapes here, and for all else below.
    """

    def __init__(self, path: Path) -> None:
        try:
            self.arrays = read_arrays(path)
        except Exception as error:  # NumPy and zipfile have many for files that are damaged
            raise ValueError(f"it cannot be read: {error}") from error
        text = self.arrays.pop("header", np.zeros(0))
        if text.dtype != np.uint8 or text.size > LONGEST_HEADER:
            raise ValueError("it has no header")
        header = json.loads(text.tobytes())
        if (header["format"], header["version"]) != ("chess-tablebase proof", 1):
            raise ValueError("it is no proof of version 1")
        self.root, self.claim = chess.Board(header["fen"]), header["claim"]
        self.tables = {str(name): str(digest) for name, digest in header["tables"].items()}
        if self.claim not in CLAIMS or not self.root.is_valid() or self.root.castling_rights:
            raise ValueError("its position or its claim is not valid")
        if not all(map(DIGEST.fullmatch, self.tables.values())):
            raise ValueError("a digest of its tables is no SHA-256")
        for name, array in self.arrays.items():
            kind = name.rpartition("/")[2]
            shape = (*array.shape[:1], *([8] if kind == "positions" else []))
            if TYPES.get(kind) != array.dtype.str or array.shape != shape:
                raise ValueError(f"{name} has a wrong type or shape")
        self.exits = self.read_exits()

    def columns(self, part: str, *names: str) -> Iterator[tuple]:
        """Yield the rows of a part: eight words as bytes, then one number of each array."""
        positions = self.arrays.get(f"{part}/positions")
        others = [self.arrays.get(f"{part}/{name}") for name in names]
        if positions is None or any(one is None or len(one) != len(positions) for one in others):
            raise ValueError(f"{part} lacks an array, or its arrays have different lengths")
        rows = map(bytes, np.ascontiguousarray(positions))
        return zip(rows, *(one.tolist() for one in others), strict=True)

    def read_exits(self) -> dict[Key, int]:
        """Return the results of the exits, from the side to move; each belongs to a table.

        The names of the tables are then those of materials, and may be printed.
        """
        exits, used = {}, set()
        for words, turn, result in self.columns("exits", "turns", "results"):
            board = board_of(words, turn == 0)
            if turn not in (0, 1) or result not in (-1, 0, 1):
                raise WrongProof(f"a side to move or a result is none: {board.fen()}")
            names = material_of(board) & self.tables.keys()
            if not names:
                raise WrongProof(f"the proof names no table of {board.fen()}")
            used |= names
            exits[words, board.turn] = result
        if used != self.tables.keys():
            raise ValueError("it names a table that no exit needs")
        return exits


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file, whose names and sizes are looked at before it is unpacked."""
    with path.open("rb") as stream, ZipFile(stream) as archive:
        stream.seek(0)
        if stream.read(4) != b"PK\3\4":
            raise ValueError("it is no archive from its first byte on")
        members = archive.infolist()
        names = [one.filename for one in members]
        if len(set(names)) < len(names) or not MEMBERS.issuperset(names):
            raise ValueError("it has an array that no proof has")
        if any(one.compress_type not in {ZIP_STORED, ZIP_DEFLATED} for one in members):
            raise ValueError("an array is packed in another way than NumPy's")
        if sum(one.file_size for one in members) > MOST_BYTES:
            raise ValueError(f"its arrays have more than {MOST_BYTES:,} bytes")
        return {name.removesuffix(".npy"): read_array(archive, name) for name in names}


def read_array(archive: ZipFile, name: str) -> np.ndarray:
    """Return an array of as many numbers as there are bytes for, whatever its shape says."""
    with archive.open(name) as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("an array is not of version 1.0 of its format")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        if by_columns or dtype.hasobject:
            raise ValueError("an array is none of numbers, row by row")
        return np.frombuffer(stream.read(), dtype).reshape(shape)


class Part:
    """What proves that one side wins, or that it does not lose."""

    def __init__(self, proof: Proof, side: bool, goal: str) -> None:  # noqa: FBT001
        self.name = f"{NAMES[not side]}_{goal}"
        self.side, self.wins, self.exits = side, goal == "wins", proof.exits
        rows = proof.columns(self.name, "moves", *(["ranks"] if self.wins else []))
        self.moves = {words: rest for words, *rest in rows}

    def rank(self, words: bytes) -> int:
        """Return the rank of a position that has a move; all are 0 unless the side wins."""
        return self.moves[words][1] if self.wins else 0

    def is_settled(self, board: chess.Board, key: Key) -> bool:
        """Return whether a position needs no move: by an exit, or since no mate is possible."""
        result = self.exits.get(key)
        if result is not None:
            result = result if board.turn == self.side else -result
            return result == 1 if self.wins else result >= 0
        return not self.wins and cannot_be_mated(board, self.side)

    def check_replies(self, board: chess.Board, rank: int | None) -> None:
        """Check a position with the other side to move: all replies lead to what is proven.

        The ranks after them are less than `rank`, unless that is None.
        """
        if self.is_settled(board, key_of(board)):
            return
        replies = list(board.legal_moves)
        if self.wins and not replies and not board.is_check():
            raise WrongProof(f"stalemate: {board.fen()}")
        for reply in replies:
            board.push(reply)
            self.check_known(board, rank)
            board.pop()

    def check_known(self, board: chess.Board, rank: int | None) -> None:
        """Check that a position with the side to move is proven, by a rank less than `rank`."""
        key = key_of(board)
        if key[0] in self.moves:
            if self.wins and rank is not None and self.rank(key[0]) >= rank:
                raise WrongProof(f"the rank does not fall: {board.fen()}")
        elif not self.is_settled(board, key) and (self.wins or not board.is_stalemate()):
            raise WrongProof(f"no move is given: {board.fen()}")

    def check(self, root: chess.Board) -> None:
        """Check all positions, and that the root is among them or leads to them."""
        board = root.copy(stack=False)
        (self.check_known if board.turn == self.side else self.check_replies)(board, None)
        for words, (code, *_) in self.moves.items():
            board = board_of(words, self.side)
            move = chess.Move(code & 63, code >> 6 & 63, code >> 12 or None)
            if code >> 12 > chess.QUEEN or not board.is_legal(move):
                squares = (chess.SQUARE_NAMES[one] for one in (move.from_square, move.to_square))
                raise WrongProof(f"the move {'-'.join(squares)} is not legal: {board.fen()}")
            board.push(move)
            self.check_replies(board, self.rank(words))


def check_exits(proof: Proof, folder: Path) -> None:
    """Look all exits up in the tables of a folder, by ``check_table.py`` beside this program."""
    import check_table  # noqa: PLC0415 (only if tables are given)
    import h5py  # noqa: PLC0415

    for name, digest in proof.tables.items():
        with h5py.File(folder / f"{name}.h5") as file:
            stated = file.attrs["sha256"]
            if (stated.decode() if isinstance(stated, bytes) else stated) != digest:
                raise WrongProof(f"{folder / name}.h5 has other values than the proof assumes")
    for (words, turn), result in proof.exits.items():
        board = board_of(words, turn)
        (value,) = check_table.values(folder, board, ["dtm"])
        if (value > 0) - (value < 0) != result:
            raise WrongProof(f"the table has another result: {board.fen()}")


def check(path: Path, folder: Path | None) -> str:
    """Check a file; return what it proves."""
    proof = Proof(path)
    sides = (proof.root.turn, not proof.root.turn)
    goals = zip(sides, CLAIMS[proof.claim], strict=True)
    parts = [Part(proof, side, goal) for side, goal in goals if goal]
    surplus = {name.split("/")[0] for name in proof.arrays} - {part.name for part in parts}
    if surplus != {"exits"}:
        raise ValueError(f"it has parts that its claim does not need: {', '.join(sorted(surplus))}")
    for part in parts:
        part.check(proof.root)
    if folder is not None:
        check_exits(proof, folder)
    said = SAID[proof.claim].format(*(NAMES[not side].capitalize() for side in sides))
    count = sum(len(part.moves) for part in parts)
    lines = [f"{path}: {said}: {proof.root.fen()}"]
    checked = f"{count:,} positions" if count else "only the position itself"
    lines.append(f"{checked} checked, {len(proof.exits):,} exits into tables")
    state = "looked up" if folder is not None else "assumed"
    lines += [f"{state}: {name} {digest}" for name, digest in proof.tables.items()]
    return "\n".join(map(printable, lines))


def printable(text: str) -> str:
    """Return a text with what a terminal would obey, or cannot show, escaped."""
    return "".join(sign if " " <= sign <= "~" else ascii(sign)[1:-1] for sign in text)


def main() -> None:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="look the exits up in tables")
    arguments = parser.parse_args()
    for path in arguments.files:
        try:
            print(check(path, arguments.tables), flush=True)
        except WrongProof as error:
            sys.exit(printable(f"{path}: {error}"))
        except BAD_INPUT as error:
            parser.error(printable(f"{path}: {str(error) or type(error).__name__}"))


if __name__ == "__main__":
    main()
