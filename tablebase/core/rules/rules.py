"""Rules of a game, as data: which kinds of men there are, and how they move.

Chess is one value of this data, and `board.movement` has its steps; no kernel knows a rook.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import (
    FILES,
    MAX_KINDS,
    RANKS,
    SQUARES,
    PieceType,
    square_rank,
    squares_beside,
)
from tablebase.core.board.movement import (
    CHESS_STEPS,
    Movement,
    Step,
    Steps,
    has_two_ways,
    make_movement,
)
from tablebase.core.board.shape import FULL_BOARD, BoardShape
from tablebase.core.ground.capacity import MAX_MEN, MAX_MEN_OF_CHECKS
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.words import quoted
from tablebase.core.rules.flags import (
    COUNTED_ALONE,
    KNOWN_TOGETHER,
    LOST_BY_NOTHING_ELSE,
    ON_LAST_RANK,
    USUAL,
    WITHOUT_PAWNS,
    CaptureRule,
    CheckRule,
    StalemateRule,
    fields_of,
    flags_of,
)

LEAST_PROMOTION_RANK = 3  # above that on which White's pawns begin
LEAST_BEYOND_DOUBLE_PUSH = 5
CHECKS = 3  # the last of which wins where checks are counted


class Kind(NamedTuple):
    """A kind of men."""

    letter: str  # its capital letter in names of materials
    name: str
    steps: Steps  # how it moves and captures; of a pawn the captures
    quiet_steps: Steps | None = None  # how it moves to empty squares, if otherwise; not for pawns

    @property
    def quiet(self) -> Steps:
        """The steps of the kind to empty squares."""
        return self.steps if self.quiet_steps is None else self.quiet_steps

    @property
    def data(self) -> list[Any]:
        """The kind's letter and steps, as `Rules.text` has them."""
        captures, quiet = sorted(self.steps), sorted(self.quiet)
        return [self.letter, captures] if quiet == captures else [self.letter, captures, quiet]


def _steps_of(data: list[list[int]]) -> Steps:
    return tuple(Step(*map(int, step)) for step in data)


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules that tables are built by.

    Rules are equal if they have the same `text`, whatever their name is.

    Attributes
    ----------
    name : str
        What the game is called.
    kinds : tuple of Kind or None
        The kinds of men by number, stronger ones later but for the king; `PieceType` has the
        numbers of chess. There is none with number 0, nor where a chess kind is not in the game.
    promotions : tuple of PieceType
        The kinds that a pawn can become, strongest first.
    double_push : bool
        Whether a pawn may make two steps from where it begins.
    promotion_rank : int
        The rank on which White's pawns promote, counted from 1; by default the last one.
    captures : str
        What a capture does. One that is ``plain`` takes a man. A ``blast`` takes the capturing man
        off, too, and every man beside the square but pawns; then a side whose king explodes has
        lost, no king captures, and kings may stand side by side, where neither is in check. If they
        are ``forced``, a side that can capture must, and has won once it has no men left; then a
        king is a man like others.
    checks : str
        ``free``, or ``none`` if no move may give check, or ``counted`` if a side that gives check
        for the third time has won.
    stalemate : str
        What a side that has no move and is not in check gets: ``draw`` or ``loss``, or where
        captures are forced ``win``, or ``fewer men win``, and with as many it is a draw.
    bare_king : bool
        Whether a side that has only its king left loses, unless it takes the opponent's last man at
        once.
    files, ranks, walls : int, int, str
        The board, see `BoardShape`.
    goal : str
        Names of squares, as `walls`: a king that reaches one wins.
    flag_move : bool
        Whether Black may answer once if White's king reaches the goal first: it is a draw if that
        move takes Black's king there as well.
    fifty_moves : bool
        Whether a game is drawn after fifty moves without a capture or the move of a pawn. If not,
        there are no distances to zeroing; so it changes no value, and is not part of `text`.
    source : str
        What the option ``--rules`` takes to mean them, if they were read from there.

    Raises
    ------
    InvalidRulesError
        If letters are not different capitals, pawn or king is not chess's, a piece reaches a square
        in two ways, a promotion is not to one of the other kinds, or there are too many kinds. If
        board or walls do not look the same from both sides, or pawns have no room to promote. If
        rules are known only together with others.
    """

    name: str
    kinds: tuple[Kind | None, ...]
    promotions: tuple[PieceType, ...] = ()
    double_push: bool = True
    promotion_rank: int = 0
    captures: CaptureRule = "plain"
    checks: CheckRule = "free"
    stalemate: StalemateRule = "draw"
    bare_king: bool = False
    files: int = FILES
    ranks: int = RANKS
    walls: str = ""
    goal: str = ""
    flag_move: bool = False
    fifty_moves: bool = True
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "walls", self.board.walls)
        object.__setattr__(self, "goal", " ".join(map(self.board.name_of, self.goal_squares)))
        object.__setattr__(self, "promotion_rank", self.promotion_rank or self.ranks)
        if len(self.kinds) > MAX_KINDS + 1:
            raise InvalidRulesError(f"{len(self.kinds) - 1} kinds of pieces, at most {MAX_KINDS}")
        for letter, count in Counter(kind.letter for kind in self.kinds if kind).items():
            if not (len(letter) == 1 and "A" <= letter <= "Z"):
                raise InvalidRulesError(f"{quoted(letter)} is not a letter from A to Z")
            if count > 1:
                raise InvalidRulesError(f"the letter {letter} stands for {count} kinds of pieces")
        for man in (PieceType.PAWN, PieceType.KING):
            kind = self.kinds[man]
            if kind and (kind.letter, set(kind.steps)) != (man.letter, set(CHESS_STEPS[man])):
                raise InvalidRulesError(f"the {man.name.lower()} must be that of chess")
            if self.letters.get(man.letter, man) != man:
                raise InvalidRulesError(f"the letter {man.letter} is the {man.name.lower()}'s")
        if not LEAST_PROMOTION_RANK <= self.promotion_rank <= self.ranks:
            raise InvalidRulesError(f"pawns cannot promote on rank {self.promotion_rank}")
        if self.double_push and self.promotion_rank < LEAST_BEYOND_DOUBLE_PUSH:
            raise InvalidRulesError(
                f"two steps lead a pawn to rank 4, and it promotes on rank {self.promotion_rank}: "
                "write doubleStep = false"
            )
        for kind in filter(None, self.kinds[PieceType.PAWN + 1 :]):
            if has_two_ways(kind.steps) or has_two_ways(kind.quiet):
                raise InvalidRulesError(
                    f"{kind.letter} reaches a square in two ways, as RD does by ride and by leap: "
                    "tables need one"
                )
        if self.royal and not self.kinds[PieceType.KING]:
            raise InvalidRulesError("there is no king")
        self._check_ends()
        fixed = {PieceType.PAWN, PieceType.KING} if self.royal else {PieceType.PAWN}
        for man in self.promotions:
            if man in fixed or man not in self.letters.values():
                raise InvalidRulesError(f"pawns cannot become the kind of piece with number {man}")

    def _check_ends(self) -> None:
        """Refuse values that there are not, and what is not known together."""
        chosen = {self.captures: CaptureRule, self.checks: CheckRule, self.stalemate: StalemateRule}
        for value, rule in chosen.items():
            if value not in get_args(rule):
                raise InvalidRulesError(f"{quoted(value)}: write {' or '.join(get_args(rule))}")
        if self.bare_king and self.blast:
            raise InvalidRulesError("a bare king cannot lose where captures explode")
        if self.royal != (self.stalemate in ("draw", "loss")):
            raise InvalidRulesError(KNOWN_TOGETHER)
        if not self.royal and (self.ends != {"extinction"} or self.board != FULL_BOARD):
            raise InvalidRulesError(LOST_BY_NOTHING_ELSE)
        others = self.captures != "plain" or self.stalemate != "draw"
        if self.check_counting and (others or self.ends):
            raise InvalidRulesError(COUNTED_ALONE)
        others = others or self.bare_king or self.kinds[PieceType.PAWN] is not None
        if others and (self.one_sided or not self.checking):
            raise InvalidRulesError(WITHOUT_PAWNS)
        last = {at for at in self.board.squares if square_rank(at) == self.board.last_rank}
        if self.flag_move and (self.checking or {*self.goal_squares} != last):
            raise InvalidRulesError(ON_LAST_RANK)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Rules) and self.text == other.text)

    def __hash__(self) -> int:
        return self._hash  # asked for with each look-up of a material in a cache

    @cached_property
    def _hash(self) -> int:
        return int(self.digest[:15], 16)  # the same in all processes, unlike that of a text

    @cached_property
    def letters(self) -> dict[str, PieceType]:
        """The kinds by letter, in the order of their numbers."""
        return {kind.letter: PieceType(n) for n, kind in enumerate(self.kinds) if kind}

    @cached_property
    def steps(self) -> tuple[Steps, ...]:
        """How each kind moves, by number."""
        return tuple(kind.steps if kind else () for kind in self.kinds)

    @cached_property
    def quiet_steps(self) -> tuple[Steps, ...]:
        """How each kind moves to empty squares, by number."""
        return tuple(kind.quiet if kind else () for kind in self.kinds)

    @cached_property
    def board(self) -> BoardShape:
        """The board."""
        shape = BoardShape(self.files, self.ranks, self.walls)
        return FULL_BOARD if shape == FULL_BOARD else shape

    @property
    def ends(self) -> frozenset[str]:
        """What ends a game besides mate, stalemate, and the loss of a king or the last check."""
        goal = "race" if self.flag_move else "goal"
        ends = {goal: self.goal, "bare king": self.bare_king, "extinction": not self.royal}
        return frozenset(end for end, ends_game in ends.items() if ends_game)

    @property
    def royal(self) -> bool:
        """Whether each side has one king, which must not be lost."""
        return self.captures != "forced"

    @property
    def blast(self) -> bool:
        """Whether captures explode."""
        return self.captures == "blast"

    @property
    def checking(self) -> bool:
        """Whether moves may give check."""
        return self.checks != "none"

    @property
    def check_counting(self) -> bool:
        """Whether the last of `CHECKS` wins."""
        return self.checks == "counted"

    @property
    def fewest_win(self) -> bool:
        """Whether the side that has fewer men has won if there is no move."""
        return self.stalemate == "fewer men win"

    @property
    def ply_offset(self) -> int:
        """The plies by which outcomes are longer than distances, see `Metric.offset_by`."""
        return 0 if self.royal else 1

    @property
    def distance_tells(self) -> bool:
        """Whether the distance to the end tells who wins: not where fewer men win."""
        return not self.fewest_win

    @property
    def leads_touch(self) -> bool:
        """Whether the leads of both sides, as kings, may stand side by side."""
        return self.blast or not self.royal

    @cached_property
    def one_sided(self) -> bool:
        """Whether a position with the colours exchanged, turned upside down, is another one."""
        flipped = {int(self.board.flip[one]) for one in self.goal_squares}
        return flipped != {*self.goal_squares}

    @property
    def most_men(self) -> int:
        """The most men of a table, kings included."""
        return MAX_MEN_OF_CHECKS if self.check_counting else MAX_MEN

    @property
    def ends_by_mate(self) -> bool:
        """Whether nothing but a mate wins: no goal, bare king, stalemate, explosion or check."""
        plain = self.captures == "plain" and self.stalemate == "draw" and self.checks != "counted"
        return plain and not self.ends

    @cached_property
    def goal_squares(self) -> tuple[int, ...]:
        """The squares on which a king wins, ascending."""
        return tuple(sorted({self.board.square_of(name) for name in self.goal.split()}))

    @cached_property
    def shields(self) -> NDArray[np.uint64]:
        """The squares beside each on which a king keeps the other king out of check, uint64 [64].

        None in chess, where kings do not stand side by side, and all where no king is royal.
        """
        beside = [sum(1 << one for one in squares_beside(at)) for at in range(SQUARES)]
        words = np.array(beside if self.blast else [0] * SQUARES, dtype=np.uint64)
        if not self.royal:
            words = ~words
        words.setflags(write=False)
        return words

    @property
    def movement(self) -> Movement:
        """Where men of each colour and kind go on the empty board, as arrays for kernels."""
        return make_movement(self.steps, self.board.word, self.quiet_steps)

    @cached_property
    def text(self) -> str:
        """All that changes a value, as canonical JSON.

        Kinds come in their order: it decides which side of a table is White, and how slots are
        numbered. What is as in chess is left out.
        """
        data: dict[str, Any] = {
            "kinds": [kind.data if kind else None for kind in self.kinds],
            "promotions": [self.letter_of(man) for man in self.promotions],
        }
        data |= {
            key: value
            for key, value in self.said.items()
            if value != (self.ranks if USUAL[key] is None else USUAL[key])
        }
        return json.dumps(data, separators=(",", ":"), sort_keys=True)

    @property
    def said(self) -> dict[str, Any]:
        """All that may be other than in chess but kinds, by the keys of `flags.USUAL`."""
        flags = flags_of(self.captures, self.checks, self.stalemate)
        return {key: flags[key] if key in flags else getattr(self, key) for key in USUAL}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of `text`, as hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def push_ranks(self) -> tuple[int, int]:
        """Ranks from which pawns of each side may make two steps, -1 if they never do.

        These and other ranks are those of the board of 8 x 8, counted from 0: see `BoardShape`.
        """
        board = self.board
        return (board.first_rank + 1, board.last_rank - 1) if self.double_push else (-1, -1)

    @property
    def promotion_ranks(self) -> tuple[int, int]:
        """Ranks on which pawns of each side promote, as `push_ranks`."""
        board = self.board
        return board.first_rank + self.promotion_rank - 1, board.last_rank + 1 - self.promotion_rank

    @cached_property
    def pawn_squares(self) -> tuple[frozenset[int], frozenset[int]]:
        """Squares on which pawns of each side may stand."""
        of_white, of_black = self.promotion_ranks
        first, last = self.board.first_rank, self.board.last_rank
        return (
            frozenset(s for s in self.board.squares if first < square_rank(s) < of_white),
            frozenset(s for s in self.board.squares if of_black < square_rank(s) < last),
        )

    @property
    def mark(self) -> bytes:
        """A mark on values by these rules against other games' values, empty for chess."""
        return b"" if self == CHESS else bytes.fromhex(self.digest)

    @property
    def folder(self) -> str:
        """Folder of its tables within a folder of tables: that itself for chess."""
        return "" if self == CHESS else f"{self.name}-{self.digest[:8]}"

    @classmethod
    def from_text(cls, name: str, text: str) -> Rules:
        """Return the rules that a `text` describes.

        Raises
        ------
        InvalidRulesError
            If it describes none.
        """
        try:
            data = json.loads(text)
            kinds = tuple(
                kind and Kind(kind[0], kind[0], *map(_steps_of, kind[1:])) for kind in data["kinds"]
            )
            letters = {kind.letter: PieceType(n) for n, kind in enumerate(kinds) if kind}
            promotions = tuple(letters[letter] for letter in data["promotions"])
            said = {key: data.get(key, usual) for key, usual in USUAL.items()}
            rules = cls(name, kinds, promotions, **fields_of(said))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise InvalidRulesError(f"not rules as a file of a table has them: {error}") from None
        if rules.text != text:
            raise InvalidRulesError("rules as a file of a table has them in another form")
        return rules

    def kind_of(self, man: int) -> Kind:
        """Return the kind that has a number; an `InvalidRulesError` if there is none."""
        kind = self.kinds[man] if 0 < man < len(self.kinds) else None
        if kind is None:
            raise InvalidRulesError(f"{self.name} has no kind of piece with the number {man}")
        return kind

    def name_of(self, man: int) -> str:
        """Return a kind in words, as `kind_of`, or its letter; a king is one also if not royal."""
        letter, name = self.kind_of(man).letter, self.kind_of(man).name
        shown = letter if name.startswith("customPiece") else name
        return PieceType.KING.name.lower() if man == PieceType.KING else shown

    def letter_of(self, man: int) -> str:
        """Return the letter of a kind, as `kind_of`."""
        return self.kind_of(man).letter


CHESS = Rules(
    "chess",
    (
        None,
        *(Kind(man.letter, man.name.lower(), CHESS_STEPS[man]) for man in PieceType),
    ),
    (PieceType.QUEEN, PieceType.ROOK, PieceType.BISHOP, PieceType.KNIGHT),
)
