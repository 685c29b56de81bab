"""Figures about a table, as plain data: the ground of reports and statistics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tablebase.butterfly.boards import ButterflyBoards, count_best_moves, require_chess
from tablebase.core.answers.known import best_line
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.board.symmetry import SYMMETRY_NAMES
from tablebase.core.ground.argument_readers import as_flag, as_number
from tablebase.core.ground.errors import InvalidMaterialError, MissingTableError
from tablebase.core.ground.parallel import as_threads
from tablebase.core.outcomes.codes import signed_plies
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS, Metric, signed
from tablebase.core.positions.any_position import position_of
from tablebase.core.positions.position import M, Position
from tablebase.core.positions.setup import Setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.refusals import has_mates
from tablebase.core.rules.rules import Rules
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.storage.table_names import tables_folder
from tablebase.core.tables.search import setup_at, setups_with
from tablebase.core.tables.table import Table, stored_sides
from tablebase.count.burnside import fixed_placements
from tablebase.finding.find import MOST_VALUES, hardest_positions
from tablebase.report.survey import RESULTS, ZUGZWANGS, Survey, kinds_of, survey_table

_EXAMPLES = 6
# Neighbours in the index are alike, so examples are spread over this many of the longest wins.
CANDIDATES = 1000


@dataclass(frozen=True)
class Line:
    """A position with the best play of both sides up to checkmate."""

    fen: str
    plies: int  # to mate, signed as by `Tablebase.probe_dtm`; 0 for a draw
    moves: tuple[str, ...] = ()  # in algebraic notation; none in a draw

    @property
    def text(self) -> str:
        """The moves with their numbers, as in a game score."""
        number, white_to_move = 1, self.fen.split()[1] == "w"
        words = [] if white_to_move or not self.moves else [f"{number}..."]
        for move in self.moves:
            if white_to_move:
                words.append(f"{number}.")
            words.append(move)
            number += not white_to_move
            white_to_move = not white_to_move
        return " ".join(words)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {"fen": self.fen, "plies": self.plies, "moves": list(self.moves)}


@dataclass(frozen=True)
class ZugzwangExample:
    """A mutual zugzwang with both its values."""

    kind: str  # one of `survey.ZUGZWANGS`
    placement: str  # the first field of a FEN
    white_to_move: int  # plies to mate for this side, 0 for a draw
    black_to_move: int
    checks: str = ""  # left to each side, like ``2+3``, where they are counted

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {
            "kind": self.kind,
            "placement": self.placement,
            "white_to_move": self.white_to_move,
            "black_to_move": self.black_to_move,
            **({"checks": self.checks} if self.checks else {}),
        }


@dataclass(frozen=True)
class HardPosition:
    """A position in which it is hard to keep the result."""

    fen: str
    result: str  # of the side to move: `win` or `draw`
    difficulty: float  # from 0 to 1, see `tablebase.difficulty`

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        return {"fen": self.fen, "result": self.result, "difficulty": self.difficulty}


@dataclass(frozen=True, eq=False)
class Analysis:
    """The contents of a report on a table."""

    material: Material
    attributes: dict[str, Any]  # see `tablebase.core.storage.reading.TableFile.attributes`
    # by side to move, of all metrics, as `tablebase info` gives them
    counts: dict[str, dict[str, Any]]
    size: int  # bytes of the file
    survey: Survey
    # some of the longest wins by `SIDES`, in the order of the index
    longest: dict[str, tuple[Line, ...]]
    zugzwangs: tuple[ZugzwangExample, ...]  # those that lead to the longest wins and losses
    butterfly: ButterflyBoards | None  # None if not counted, as for other games
    # to win and to hold, hardest first; None if not sought: the table is larger than `MOST_VALUES`
    # or of another game, or distances to zeroing are missing
    hardest: tuple[HardPosition, ...] | None = None

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that the file has."""
        return [metric for metric in METRICS if f"{metric.prefix}sha256" in self.attributes]

    @property
    def placements(self) -> tuple[int, int]:
        """The number of placements, legal or not: on the whole board, and inequivalent."""
        side = self.counts[SIDES[0]]
        return _total(side), _total(side["inequivalent"])

    @property
    def symmetries(self) -> list[tuple[str, int]]:
        """The symmetries that keep values, and how many placements each maps to themselves.

        None are listed where no king is royal.
        """
        chosen = self.material.symmetries
        if not self.material.rules.royal:  # the formula counts pairs of kings
            return []
        fixed = fixed_placements(self.material)
        layers = self.material.layer_count
        return [(SYMMETRY_NAMES[symmetry], layers * fixed[i]) for i, symmetry in enumerate(chosen)]

    def longest_win(self, side: str) -> tuple[int, int]:
        """Return the plies of a side's longest win, and its number of inequivalent positions."""
        wins = self.counts[side]["inequivalent"]["dtm_histogram"]["win"]
        plies = max(map(int, wins), default=0)
        return plies, wins.get(str(plies), 0)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures in types that JSON knows."""
        whole, inequivalent = self.placements
        return {
            "material": self.material.name,
            "bytes": self.size,
            **self.counts,
            "placements": {
                "whole_board": whole,
                "inequivalent": inequivalent,
                "orbits": {str(size): count for size, count in self.survey.orbits.items()},
                "fixed": dict(self.symmetries),
            },
            "longest_wins": {
                side: [line.as_dict() for line in lines] for side, lines in self.longest.items()
            },
            "mutual_zugzwangs": {
                **self.survey.zugzwang_counts(),
                "examples": [one.as_dict() for one in self.zugzwangs],
            },
            "hardest": None if self.hardest is None else [one.as_dict() for one in self.hardest],
            "squares": self._squares(),
            **{
                name: self.attributes[name]
                for name in (f"{metric.prefix}sha256" for metric in self.metrics)
            },
        }

    def _squares(self) -> dict[str, Any]:
        """Return the counts by square for each kind of man, results as seen by the side to move."""
        names = kinds_of(self.material)
        return {
            side: {
                result: dict(zip(names, self.survey.squares[i, j].tolist(), strict=True))
                for j, result in enumerate(RESULTS)
            }
            for i, side in enumerate(SIDES)
        }


def _total(counts: Mapping[str, int]) -> int:
    return sum(counts[result] for result in (*RESULTS, "illegal"))


def analyse(
    path: str | os.PathLike[str],
    *directories: str | os.PathLike[str],
    examples: int = _EXAMPLES,
    butterfly: bool = True,
    threads: int | None = None,
    rules: Rules | None = None,
) -> Analysis:
    """Find out what there is to know about a table file.

    Parameters
    ----------
    path
        The file.
    directories
        Where sub-tables may lie that are not beside it.
    examples
        How many longest wins of each side and mutual zugzwangs to describe; half as many hardest
        positions of each kind.
    butterfly
        Whether to count best moves, which takes far longer than all the rest.
    threads
        How many threads to use; by default one for each processor.
    rules
        The rules of the table with the names of their kinds of men, which a file does not have; of
        a game that is built in they are known.

    Returns
    -------
    Analysis
        The figures. Counts are read from the file, all else is computed.

    Raises
    ------
    MissingTableError
        If the file or a sub-table is missing, or has no distances to mate.
    CorruptTableError
        If a file is damaged.
    """
    examples, butterfly = as_number("examples", examples), as_flag("butterfly", butterfly)
    threads = as_threads(threads)
    with open_table(path) as file:
        attributes, counts = file.attributes, file.counts
        table = _with_names(file.read(threads=threads), rules)
    there = [one for one in directories if Path(one).is_dir()]
    folders = [tables_folder(Path(path), table.material), *there]
    survey = survey_table(table, threads=threads)
    return Analysis(
        material=table.material,
        attributes=attributes,
        counts=counts,
        size=Path(path).stat().st_size,
        survey=survey,
        longest=_lines(longest_wins(table, counts, examples), table.material.rules, folders),
        zugzwangs=zugzwang_examples(table, survey, examples),
        butterfly=_butterfly(table, folders, threads) if butterfly else None,
        hardest=_hardest(table, attributes, folders, max(1, examples // 2), threads),
    )


def _with_names(table: Table, rules: Rules | None) -> Table:
    """Return a table with the names that rules have for its kinds of men, if they are the same."""
    if rules != table.material.rules:
        return table
    return replace(table, material=Material(table.material.white, table.material.black, rules))


def _lines(
    longest: Mapping[str, list[Setup]],
    rules: Rules,
    directories: Sequence[str | os.PathLike[str]],
) -> dict[str, tuple[Line, ...]]:
    """Return positions by side to move with the best play."""
    with Tablebase(directories, rules=rules) as tables:
        return {
            side: tuple(position_and_line(tables, position_of(setup)) for setup in setups)
            for side, setups in longest.items()
        }


def position_and_line(tables: Tablebase, position: Position[M]) -> Line:
    """Return a position with the best play of both sides, the 50-move rule aside.

    Errors are those of `Tablebase.mainline`.
    """
    names, after = [], position
    for move in best_line(tables, position, rule50=False):
        names.append(after.name_of(move))
        after = after.after(move)
    metric = DTM.offset_by(position.rules.ply_offset)
    plies = signed(tables.probe_outcome(position.board), metric)
    return Line(position.fen, plies, tuple(names))


def longest_wins(
    table: Table, counts: Mapping[str, Any], number: int = _EXAMPLES
) -> dict[str, list[Setup]]:
    """Return some of the longest wins by side to move; Black's as well if the sides differ.

    Of each side they are the first one, and others far apart in the index.
    """
    found: dict[str, list[Setup]] = {}
    for color in stored_sides(table.material):
        side = SIDES[color]
        plies = max(map(int, counts[side]["dtm_histogram"]["win"]), default=0)
        code = plies + table.material.rules.ply_offset  # 0 if there is no win
        setups = setups_with(table, color, code) if plies else iter(())
        found[side] = _spread(list(islice(setups, CANDIDATES)), number)
    return found


def _spread(setups: list[Setup], number: int) -> list[Setup]:
    """Return a number of positions, as far apart as possible, the first among them."""
    step = max(1.0, len(setups) / max(1, number))
    return [setups[int(i * step)] for i in range(min(number, len(setups)))]


def zugzwang_examples(
    table: Table, survey: Survey, number: int = _EXAMPLES
) -> tuple[ZugzwangExample, ...]:
    """Return the mutual zugzwangs with the longest wins and losses, of every kind there is."""
    by_kind = [
        sorted(
            (one for one in survey.zugzwangs if one.kind == kind), key=lambda z: (-z.plies, z.slot)
        )
        for kind in reversed(ZUGZWANGS)
    ]
    kinds = sum(map(bool, by_kind))
    chosen = [one for found in by_kind for one in found[: max(1, number // max(1, kinds))]]
    examples = []
    for one in chosen[:number]:
        setup = setup_at(table, one.slot, Color.WHITE)
        assert setup is not None, "a mutual zugzwang is legal with either side to move"
        offset = table.material.rules.ply_offset
        white, black = (
            far - offset * ((far > 0) - (far < 0))
            for far in map(signed_plies, (one.white, one.black))
        )
        checks = "{}+{}".format(*setup.checks) if setup.rules.check_counting else ""
        placement = setup.fen.split()[0]
        examples.append(ZugzwangExample(one.kind, placement, white, black, checks))
    return tuple(examples)


def _butterfly(
    table: Table, directories: Sequence[str | os.PathLike[str]], threads: int | None
) -> ButterflyBoards | None:
    """Return the best moves by squares, None of a game that has other moves than chess."""
    with suppress(InvalidMaterialError):
        require_chess(table.material)
        return count_best_moves(
            table, read_subtables(table.material, *directories), threads=threads
        )
    return None


def _hardest(
    table: Table,
    attributes: Mapping[str, Any],
    directories: Sequence[str | os.PathLike[str]],
    number: int,
    threads: int | None,
) -> tuple[HardPosition, ...] | None:
    """Return the hardest positions of each kind, None where they are not looked for."""
    has_zeroing = f"{DTZ.prefix}sha256" in attributes
    if table.index.size > MOST_VALUES or not (has_zeroing and has_mates(table.material.rules)):
        return None
    folders = list(map(Path, directories))
    try:
        kinds = hardest_positions(table.material, folders, number, threads=threads)
    except MissingTableError:
        return None
    return tuple(
        HardPosition(position.setup().fen, result, round(position.difficulty or 0.0, 4))
        for (_, result), found in kinds.items()
        for position in found
    )
