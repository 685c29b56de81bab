"""Files of proofs: what the checker accepts is true, and no other file is believed in anything."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import chess
import numpy as np
from fuzzing.mutations import change_text, damage
from fuzzing.tables import make_tables
from fuzzing.target import (
    EXAMPLES,
    REFUSED,
    RIGHT,
    Mutant,
    Target,
    WrongAnswerError,
    run_command,
    run_program,
)

from tablebase import open_tablebase, solve_position
from tablebase.core.ground.errors import TablebaseError

BUDGET = "60s,1GB"
# A draw without tables and with them; a win; a mate.
FENS = (
    ("8/k7/8/1PK5/8/8/8/8 b - - 0 1", False),
    ("8/1P1k4/8/1K6/8/8/8/8 b - - 0 1", True),
    ("8/8/8/8/8/k7/5P2/5K2 w - - 0 1", True),
    ("7k/6R1/6K1/8/8/8/8/8 w - - 0 1", True),
)
_HEADER = "header"
_CLAIMS = {
    "win": (1, 1),
    "draw": (0, 0),
    "loss": (-1, -1),
    "at_least_draw": (0, 1),
    "at_most_draw": (-1, 0),
}
_TABLE = re.compile(r"(assumed|looked up): [KQRBNP]+ [0-9a-f]{64}")
_ODD_NAMES = ("KPK", "x\nlooked up: KRK", "\x1b[32mKQK", "../KQK", "K" * 3000, "", "é")
_SURPLUS = (
    "other",
    "exits/ranks",
    "white_wins/moves",
    "header",
    "../header",
    "\x1b[2J",
    "a" * 5000,
)
_SHAPES = ((1 << 40,), (1 << 31, 8), (-1,), (0, 8), (3, 7), ())
_LARGE = 1 << 26  # bytes of zeros, which take some 65 kB in a file

Arrays = dict[str, np.ndarray]
Change = Callable[[random.Random, Arrays], bytes]


def make_proofs(base: Path) -> Path:
    """Return a folder with proofs, made if it is not there."""
    tables, folder = make_tables(base), base / "proofs"
    if not folder.exists():
        new = base / "new"
        new.mkdir()
        with open_tablebase(tables) as complete:
            for number, (fen, with_tables) in enumerate(FENS):
                options: dict[str, Any] = {"tables": complete} if with_tables else {}
                path = new / f"{number}.proof"
                solve_position(chess.Board(fen), BUDGET, proof=path, threads=1, **options)
        new.rename(folder)
    return folder


def packed(arrays: Arrays, **members: bytes) -> bytes:
    """Return an archive of arrays, and of other members by their names."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive, catch_warnings():
        simplefilter("ignore")  # a name may come twice
        for name, array in arrays.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
            # Without the time, so that equal arrays are equal files.
            archive.writestr(_dateless(f"{name}.npy"), file.getvalue())
        for name, data in members.items():
            archive.writestr(_dateless(name), data)
    return content.getvalue()


def _dateless(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def with_header(arrays: Arrays, text: bytes) -> Arrays:
    """Return a proof with another header."""
    return arrays | {_HEADER: np.frombuffer(text, dtype=np.uint8)}


def _header(arrays: Arrays) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(arrays[_HEADER].tobytes())
    return found


def change_numbers(rng: random.Random, arrays: Arrays) -> bytes:
    """Change a bit of an array, or leave out, double or exchange its rows."""
    name = rng.choice([name for name in sorted(arrays) if arrays[name].size])
    array = arrays[name].copy()
    kind = rng.randrange(4)
    if kind == 0:
        flat = array.reshape(-1).view(np.uint8)
        flat[rng.randrange(flat.size)] ^= 1 << rng.randrange(8)
    elif kind == 1:
        part = f"{name.rpartition('/')[0]}/"
        row = rng.randrange(len(array))
        some = {one for one in arrays if one.startswith(part)} if name != _HEADER else {name}
        return packed(arrays | {one: np.delete(arrays[one], row, axis=0) for one in some})
    elif kind == 2:
        array = np.concatenate([array, array[: rng.randrange(len(array) + 1)]])
    else:
        one, other = rng.randrange(len(array)), rng.randrange(len(array))
        array[[one, other]] = array[[other, one]]
    return packed(arrays | {name: array})


def change_header(rng: random.Random, arrays: Arrays) -> bytes:
    """Change the text of the header."""
    text = arrays[_HEADER].tobytes()
    for _ in range(rng.choice((1, 1, 2))):
        text = change_text(rng, text)
    return packed(with_header(arrays, text or b" "))


def change_claim(rng: random.Random, arrays: Arrays) -> bytes:
    """Claim something else, of a position that may be another one."""
    header = _header(arrays) | {"claim": rng.choice(sorted(_CLAIMS))}
    if rng.random() < 0.5:
        board = chess.Board(header["fen"])
        board.turn = not board.turn
        header["fen"] = board.fen()
    if rng.random() < 0.5:
        arrays = {name: array for name, array in arrays.items() if rng.random() < 0.8}
    return packed(with_header(arrays, json.dumps(header).encode()))


def change_tables(rng: random.Random, arrays: Arrays) -> bytes:
    """Name other tables or digests."""
    header = _header(arrays)
    digest = rng.choice(("0" * 64, "f" * 63, "\x1b[31m", "0" * 63 + "\n", 7, None, ["0" * 64]))
    header["tables"] = header["tables"] | {rng.choice(_ODD_NAMES): digest}
    return packed(with_header(arrays, json.dumps(header).encode()))


def change_members(rng: random.Random, arrays: Arrays) -> bytes:
    """Add a member, or say of an array that it is large."""
    kind = rng.randrange(4)
    if kind == 0:
        return packed(arrays, **{f"{rng.choice(_SURPLUS)}.npy": rng.randbytes(200)})
    if kind == 1:
        return packed(arrays, **{"white_wins/ranks.npy": bytes(_LARGE)})
    name = rng.choice(sorted(arrays))
    if kind == 2:
        dtype = rng.choice(("<f8", ">u8", "|O", "<U9", "<u2", "|V1000000000"))
        head = {"descr": dtype, "fortran_order": rng.random() < 0.5, "shape": rng.choice(_SHAPES)}
        file = io.BytesIO()
        np.lib.format.write_array_header_1_0(file, head)
        left = {one: array for one, array in arrays.items() if one != name}
        return packed(left, **{f"{name}.npy": file.getvalue() + arrays[name].tobytes()})
    deep = rng.choice((b"[", b'{"a":')) * rng.choice((500, 100_000))
    return packed(with_header(arrays, deep))


CHANGES: dict[str, Change] = {
    "numbers": change_numbers,
    "header": change_header,
    "claim": change_claim,
    "tables": change_tables,
    "members": change_members,
}


class Proofs(Target):
    """Proofs of positions of three men, with their tables and without."""

    name = "proofs"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._tables = make_tables(base)
        self._files = {path.name: path.read_bytes() for path in sorted(make_proofs(base).iterdir())}
        self._arrays = {}
        for name, data in self._files.items():
            with np.load(io.BytesIO(data)) as file:
                self._arrays[name] = {one: file[one] for one in file.files}

    def valid(self) -> list[Mutant]:
        """Return the proofs as they are."""
        return [Mutant(name, "nothing", data) for name, data in self._files.items()]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return a changed proof."""
        name = rng.choice(list(self._files))
        if rng.random() < 0.2:
            return Mutant(name, *damage(rng, self._files[name], list(self._files.values())))
        how = rng.choice(list(CHANGES))
        return Mutant(name, how, CHANGES[how](rng, self._arrays[name]))

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Check the file with tables and without; what is accepted with them is true."""
        del mutant  # only its file is read
        ended = [
            run_program(EXAMPLES / "check_proof.py", str(path), *tables)
            for tables in ([], ["--tables", str(self._tables)])
        ]
        for code, out, err in ended:
            first, *others = out.splitlines() or [""]
            if (
                bool(code) != bool(err)
                or err.count("\n") > 1
                or first.startswith(str(path)) == bool(code)
            ):
                raise WrongAnswerError(f"check_proof.py ended with {code}: {out}{err}")
            if not all(map(_TABLE.fullmatch, others[1:])):
                raise WrongAnswerError(f"it printed {others[1:]}")
        if ended[1].code == 0 and not self._is_true(path):
            raise WrongAnswerError(f"it accepted {ended[1].out.splitlines()[0]}")
        if run_command("verify", str(path)).code != 2:
            raise WrongAnswerError("verify took a proof for a table")
        return REFUSED if all(one.code for one in ended) else RIGHT

    def _is_true(self, path: Path) -> bool:
        """Return whether tables agree with the claim of a proof, or do not know its position."""
        with np.load(path) as file:
            header = json.loads(file[_HEADER].tobytes())
        least, most = _CLAIMS[header["claim"]]
        with open_tablebase(self._tables) as tables:
            try:
                return least <= tables.probe_wdl(chess.Board(header["fen"])) <= most
            except TablebaseError:
                return True
