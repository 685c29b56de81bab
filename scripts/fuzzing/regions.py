"""Files of regions: a result that is read from a changed one is right, or the file is refused."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import chess
import h5py
import numpy as np
from fuzzing import hdf5
from fuzzing.mutations import damage
from fuzzing.target import Answers, Mutant, Target, WrongAnswerError, run_command

from tablebase import Tablebase, open_tablebase, solve_position
from tablebase.core.ground.errors import MissingTableError, TablebaseError
from tablebase.solve.regions import rank_proven
from tablebase.solve.verifying import check_region

BUDGET = "60s,1GB"
# Zugzwang for both; a double push that can be answered en passant; a promotion.
FENS = {
    "trebuchet": "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1",
    "passing": "8/2p5/8/1P1k4/8/8/8/3K4 b - - 0 1",
    "promotion": "8/P7/8/8/8/k7/8/K7 w - - 0 1",
}
_GAMES, _PLIES, _SINGLE = 12, 8, 2
_SAMPLE = 30  # positions of a check, besides all structures
_HUGE = (1 << 20, 10**8, (1 << 31) - 1, 1 << 40)


def edit_header(rng: random.Random, file: h5py.File) -> None:
    """Change structures or their states; their chunks get right checksums."""
    kind = rng.randrange(3)
    if kind == 0:
        states = file["region/states"]
        states[rng.randrange(states.size)] = rng.choice((0, 1, 2, 3, 5, 9, 17, 33, 49, 64, 255))
        return
    keys = file["region/keys"]
    words = keys[:].view("<u8").reshape(-1, 3)
    row, column = rng.randrange(len(words)), rng.randrange(3)
    if kind == 1:
        words[row, column] ^= np.uint64(1 << rng.randrange(64 if column < 2 else 33))
        if rng.random() < 0.5:  # as if they were in order
            words = words[np.lexsort(words.T[::-1])]
    else:
        words[row] = words[rng.randrange(len(words))]
    keys[:] = words.view(np.uint8).ravel()


def edit_size(rng: random.Random, file: h5py.File) -> None:
    """State another number of structures, with data sets of that size that are never written."""
    count = rng.choice(_HUGE)
    for name, size in (("keys", 24 * count), ("states", count)):
        chunks = file[f"region/{name}"].chunks
        del file[f"region/{name}"]
        file.create_dataset(
            f"region/{name}", (size,), "u1", chunks=chunks, compression="gzip", fletcher32=True
        )
    file.attrs.modify("structures", count)


EDITS: dict[str, hdf5.Edit] = {
    "attribute": hdf5.edit_attribute,
    "data set": hdf5.edit_layout,
    "chunk": hdf5.edit_chunk,
    "values": hdf5.edit_values,
    "header": edit_header,
    "size": edit_size,
}
# What rewrites values with right checksums: only a check of the region tells.
REWRITTEN = {"attribute", "values", "header"}


class Regions(Target):
    """Regions with pawns, and with a queen."""

    name = "regions"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        folder = make_regions(base)
        self._files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        self._known: dict[str, list[tuple[chess.Board, int]]] = {}
        with open_tablebase(folder) as tables:
            for name in self._files:
                boards = _boards(FENS[name.partition(".")[0]])
                found = [(board, tables.get_wdl(board)) for board in boards]
                self._known[name] = [(one, wdl) for one, wdl in found if wdl is not None]

    def valid(self) -> list[Mutant]:
        """Return the regions as they are."""
        return [Mutant(name, "nothing", data) for name, data in self._files.items()]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return a changed region."""
        name = rng.choice(list(self._files))
        data, others = self._files[name], list(self._files.values())
        kind = rng.randrange(6)
        if kind == 0:
            return Mutant(name, *damage(rng, data, others))
        if kind == 1:
            return Mutant(name, "metadata", hdf5.change_metadata(rng, data))
        how = rng.choice(list(EDITS))
        return Mutant(name, how, hdf5.rewrite(rng, data, EDITS[how]))

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Ask for results and moves, list the file, check it, and go on from it."""
        answers = Answers()
        report = answers.ask(lambda: check_region(path, sample=_SAMPLE))
        # What complete tables gave is taken as it is.
        sound = report is not None and report.passed and not report.from_tables
        guarded = sound or mutant.how not in REWRITTEN
        known = self._known[mutant.name]
        with open_tablebase(path.parent) as tables:
            for question, truth in self._questions(tables, known):
                answers.ask(question, truth if guarded else None)
        run_command("info", str(path))
        copied = path.with_suffix(".copy.region")
        shutil.copyfile(path, copied)
        answers.ask(partial(_solved_again, known[0][0], copied), known[0][1] if guarded else None)
        if mutant.how not in REWRITTEN:
            self._check_beside(path)
        return answers.verdict

    def _check_beside(self, path: Path) -> None:
        """Raise an error if a sound region is not read because this one is in its folder."""
        name = next(name for name in self._files if name != path.name)
        folder = path.parent / "beside"
        folder.mkdir()
        shutil.copyfile(path, folder / "a.region")
        (folder / "b.region").write_bytes(self._files[name])
        with open_tablebase(folder) as tables:
            for board, wdl in self._known[name]:
                try:
                    found = tables.get_wdl(board)
                except TablebaseError as error:
                    raise WrongAnswerError("a sound region beside it is not read") from error
                if found != wdl:
                    raise WrongAnswerError(f"a sound region beside it gives {found}, not {wdl}")

    @staticmethod
    def _questions(
        tables: Tablebase, known: list[tuple[chess.Board, int]]
    ) -> list[tuple[Callable[[], Any], Any]]:
        """Return what is asked, with the right answers where there is only one."""
        questions: list[tuple[Callable[[], Any], Any]] = []
        for board, wdl in known:
            questions.append((partial(tables.probe_wdl, board), wdl))
        for board, wdl in [one for one in known if any(one[0].legal_moves)][:_SINGLE]:
            questions += [
                (partial(_rank, tables, board), wdl),
                (partial(_play, tables, board), True),
            ]
        return questions


def _boards(fen: str) -> list[chess.Board]:
    """Return the position and others that moves by chance lead to."""
    rng, boards = random.Random(2004), [chess.Board(fen)]
    for _ in range(_GAMES):
        board = chess.Board(fen)
        for _ in range(rng.randrange(1, _PLIES)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        boards.append(board.copy(stack=False))
    return boards


def _rank(tables: Tablebase, board: chess.Board) -> int:
    """Return the result of a position by its moves."""
    return max(one.wdl for one in rank_proven(tables, board) if one.wdl is not None)


def _play(tables: Tablebase, board: chess.Board) -> bool:
    """Return whether the main line is made of legal moves; python-chess would raise an error."""
    board = board.copy()
    for move in tables.mainline(board):
        board.push_uci(move.uci())
    return True


def _solved_again(board: chess.Board, path: Path) -> int:
    """Return the result that is found if solving goes on from a file."""
    solution = solve_position(board, BUDGET, save=path, threads=1)
    if not solution.proven:
        raise MissingTableError(f"the result is not proven: {solution.stopped}")
    return {"win": 1, "draw": 0, "loss": -1}[solution.result]


def make_regions(base: Path) -> Path:
    """Return a folder with regions, made if it is not there."""
    folder = base / "regions"
    if not folder.exists():
        (base / "new").mkdir()
        for name, fen in FENS.items():
            path = base / "new" / f"{name}.region"
            solve_position(chess.Board(fen), BUDGET, save=path, threads=1)
            path.write_bytes(hdf5.undated(path.read_bytes()))
        (base / "new").rename(folder)
    return folder
