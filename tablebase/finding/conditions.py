"""What may be asked of the positions of a table, checked before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from tablebase.core.board.geometry import Color
from tablebase.core.board.shape import FULL_BOARD, BoardShape
from tablebase.core.ground.argument_readers import (
    Range,
    as_flag,
    as_number,
    as_range,
    as_words,
    check_choice,
)
from tablebase.core.ground.words import quoted
from tablebase.core.moves.legal_moves import CAPTURE, PROMOTION, PROMOTIONS_TO, UNDERPROMOTION
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import metric_named
from tablebase.core.reading.given import as_turn
from tablebase.core.rules.material import Material
from tablebase.finding.choices import (
    ALL_IMAGES,
    BEST,
    BEST_MOVES,
    CANONICAL,
    COLUMN_CHOICES,
    DIFFICULTY,
    HELP,
    IMAGE_CHOICES,
    MATED_SIDES,
    NEVER_SIDES,
    ORDERS,
    RESULT_NAMES,
    ZUGZWANG_SIDES,
)
from tablebase.finding.expression_text import as_condition
from tablebase.finding.expressions import TURN, Expression
from tablebase.finding.positions import man_names

_PROMOTIONS = [PROMOTIONS_TO[piece] for piece in sorted(PROMOTIONS_TO, reverse=True)]
BEST_MOVE_KINDS = dict(
    zip(BEST_MOVES, (CAPTURE, PROMOTION, UNDERPROMOTION, *_PROMOTIONS), strict=True)
)
_PIECES = BEST_MOVES[3:]
# The results of White and Black, each being to move, in the mutual zugzwangs that a side profits
# from: it would win (or draw) if the other had to move. In the last kind either side would.
ZUGZWANG_RESULTS = {"white": (0, -1), "black": (-1, 0), "both": (-1, -1)}


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Conditions on positions, which must all hold, and the selection of those that meet them.

    A range is a number or a pair of bounds (least, most), with None for no bound.

    Attributes
    ----------
    turn : bool, optional
        Side to move, True for White. None means the side that begins the `helpmate`; without one,
        both, but White if both sides have the same men, because the other positions are the same
        with colours exchanged.
    result : str or sequence of str
        Results for the side to move: ``win``, ``cursed_win``, ``draw``, ``blessed_loss``, ``loss``.
        Cursed wins and blessed losses need distances to zeroing. Without these every win is a
        ``win``, and every loss a ``loss``.
    plies, moves : range, optional
        Distance of a win or loss, in plies or in moves of the winning side.
    metric : str
        The distance of `plies`, `moves`, `longest` and `order`: ``dtm`` (to mate) or ``dtz`` (to
        zeroing).
    check : bool, optional
        Whether the side to move is in check.
    difficulty : pair of float, optional
        The least and largest difficulty for the side to move, from 0 to 1, as by
        `tablebase.difficulty` and its default sight.
    only_move : bool, optional
        Whether exactly one move keeps the result, without the 50-move rule.
    winning_moves : range, optional
        Number of winning moves.
    best_move : str, optional
        Kind of every best move (fastest mate, longest defence): ``capture``, ``promotion``,
        ``underpromotion``, or a promotion to ``queen``, ``rook``, ``bishop``, ``knight``.
    zugzwang : str, optional
        A mutual zugzwang: ``white`` or ``black`` in favour of this side (half a point), ``both`` if
        the side to move loses, ``any``.
    on : mapping of str to str or sequence of str
        Squares by men, as ``{"R": "a1-h1", "k": ["f7", "f8"]}``: letters of a FEN, with White as
        the stronger side; squares, and rectangles of squares by two corners. Some symmetric image
        of the position must have such a man on one of the squares, and this image is found.
    where : str, optional
        A condition on the squares and the side to move of what is found, such as
        ``"distance(white_king, black_king) == 2"``.
    never : str, optional
        Who can never mate, even if both sides help: ``white``, ``black``, or ``both`` in a dead
        position.
    helpmate : float, optional
        The moves of the shortest helpmate as composers count: in 3 moves the side that will be
        mated begins, and 6 plies follow; 3.5 moves begin with the other side and have 7 plies.
    mated : str
        Who is mated by `helpmate`, ``white`` or ``black``.
    unique : bool
        Whether there must be only one shortest helpmate.
    images : str
        ``canonical``: one of the symmetric images of a position; ``all``: each image that matches.
    longest : bool
        Whether to take only those of the longest distance.
    order : str
        ``index`` (that of the table), ``shortest`` or ``longest`` distance first, ``difficulty``:
        the hardest for the side to move first.
    limit : int, optional
        Most positions to take, the first ones.
    sample : int, optional
        Size of a random sample, drawn before `order` and `limit`.
    seed : int
        Seed of the sample.
    columns : str or sequence of str
        Further columns: ``orbit``, ``split``, ``best`` for `keeping` and `fastest`, or ``help`` for
        `help_white` and `help_black`.
    split_seed : int
        Seed of the column ``split``.
    """

    turn: bool | None = None
    result: str | Sequence[str] | None = None
    plies: Range | None = None
    moves: Range | None = None
    metric: str = "dtm"
    check: bool | None = None
    difficulty: tuple[float, float] | None = None
    only_move: bool | None = None
    winning_moves: Range | None = None
    best_move: str | None = None
    zugzwang: str | None = None
    on: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    where: Expression | str | None = None
    never: str | None = None
    helpmate: float | None = None
    mated: str = "black"
    unique: bool = False
    images: str = CANONICAL
    longest: bool = False
    order: str = "index"
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    columns: str | Sequence[str] = ()
    split_seed: int = 0

    def __post_init__(self) -> None:
        metric_named(self.metric)
        for one in fields(self):
            given, read = getattr(self, one.name), _READERS.get(one.name)
            if read and not (given is one.default is None):
                object.__setattr__(self, one.name, read(one.name, given))
        if self.unique and self.helpmate is None:
            raise ValueError("unique needs a helpmate in some moves, such as helpmate=3")

    def check_men(self, material: Material) -> None:
        """Raise a ValueError if a material, or its game, lacks what a condition is about."""
        men_on_squares(material, self.on)
        if self.check is not None and not material.rules.checking:
            raise ValueError(f"check: nobody is ever in check in {material.rules.name}")
        if self.where is not None:
            names = [TURN, *man_names(material)]
            as_condition(self.where).check(names, material.rules.board)
        promotions = [man.name.lower() for man in material.rules.promotions]
        if self.best_move in _PIECES and self.best_move not in promotions:
            message = f"best_move: pawns of {material.rules.name} never become a {self.best_move}"
            raise ValueError(message)
        if self.best_move == "underpromotion" and promotions[:1] != ["queen"]:
            message = f"best_move: underpromotion is a word of chess, not of {material.rules.name}"
            raise ValueError(message)

    @property
    def results(self) -> tuple[str, ...]:
        """The results that are wanted, none if all are."""
        return () if self.result is None else tuple(self.result)

    @property
    def all_images(self) -> bool:
        """Whether all images of a position are wanted."""
        return self.images == ALL_IMAGES

    @property
    def need_zeroing(self) -> bool:
        """Whether distances to zeroing must be known."""
        return (
            self.need_difficulty
            or self.metric == "dtz"
            or not {"cursed_win", "blessed_loss"}.isdisjoint(self.results)
        )

    def colors(self, material: Material) -> list[Color]:
        """Return the sides to move that are looked at."""
        if self.turn is not None:
            return [Color.WHITE if self.turn else Color.BLACK]
        if self.helpmate is not None and self.mating is not None:  # whose move is the last ply
            return [self.mating.opponent if self.helpmate.is_integer() else self.mating]
        return [Color.WHITE] if material.is_symmetric else [*Color]

    def none_found(self, material: Material) -> str:
        """Return that a list is empty, and which default left positions out of it."""
        said = f"no position of {material} matches"
        if self.where is not None and not (self.all_images or self.on):
            return f"{said}; one of several symmetric positions is listed: try --images all"
        if material.is_symmetric and self.turn is self.helpmate is None:
            return f"{said}; only White is to move if both have the same pieces: try --turn black"
        return said

    def helpmate_codes(self) -> list[tuple[Color, int]]:
        """Return the stored codes that a position must have, with the colour that mates."""
        found = [(color, DRAW) for color in Color if self.never in (color.name.lower(), "both")]
        if self.helpmate is not None and self.mating is not None:
            found.append((self.mating, int(2 * self.helpmate)))
        return found

    @property
    def mating(self) -> Color | None:
        """The colour that mates in `helpmate`, None if none is asked for."""
        if self.helpmate is None:
            return None
        return Color.BLACK if self.mated == "white" else Color.WHITE

    @property
    def need_helpmates(self) -> set[Color]:
        """The colours whose helpmates must be known."""
        return set(Color) if HELP in self.columns else {one for one, _ in self.helpmate_codes()}

    @property
    def need_difficulty(self) -> bool:
        """Whether difficulties must be known."""
        return self.order == DIFFICULTY or self.difficulty is not None

    @property
    def need_moves(self) -> bool:
        """Whether moves must be made."""
        asked = (self.only_move, self.winning_moves, self.best_move)
        return any(condition is not None for condition in asked)

    @property
    def need_subtables(self) -> bool:
        """Whether what moves lead to must be known."""
        return self.need_moves or BEST in self.columns


class ConditionArguments(TypedDict, total=False):
    """The attributes of `Conditions` as keyword arguments of another function."""

    turn: bool | None
    result: str | Sequence[str] | None
    plies: Range | None
    moves: Range | None
    metric: str
    check: bool | None
    difficulty: tuple[float, float] | None
    only_move: bool | None
    winning_moves: Range | None
    best_move: str | None
    zugzwang: str | None
    on: Mapping[str, str | Sequence[str]]
    where: Expression | str | None
    never: str | None
    helpmate: float | None
    mated: str
    unique: bool
    images: str
    longest: bool
    order: str
    limit: int | None
    sample: int | None
    seed: int
    columns: str | Sequence[str]
    split_seed: int


def _choice(known: Sequence[str]) -> Callable[[str, Any], str]:
    def read(name: str, given: Any) -> str:
        check_choice(name, given, known)
        return str(given)

    return read


def _results(name: str, given: Any) -> tuple[str, ...]:
    if not (words := as_words(name, given, RESULT_NAMES)):
        message = f"{name} names none: leave it out for all, or choose of {', '.join(RESULT_NAMES)}"
        raise ValueError(message)
    return words


def _men_on(name: str, given: Any) -> dict[str, str]:
    """Return squares by letters, each a text like ``a1-h1,f7``, which may be given as a list."""
    found = {}
    items = {} if given is None else given
    for letter, squares in items.items() if isinstance(items, Mapping) else [("", given)]:
        parts = [squares] if isinstance(squares, str) else squares
        are_texts = isinstance(parts, list | tuple) and all(isinstance(one, str) for one in parts)
        if not letter or not are_texts:
            example = "{'R': 'a1-h1', 'k': 'f7,f8'}"
            message = f"{name} is squares by letter, like {example}, not {quoted(given)}"
            raise ValueError(message)
        found[letter] = ",".join(parts)
        squares_named(found[letter])
    return found


def _shares(name: str, given: Any) -> tuple[float, float]:
    """Return the bounds of a difficulty."""
    try:
        least, most = map(float, given)
    except (TypeError, ValueError):
        least, most = 1, 0
    if not 0 <= least <= most <= 1:
        raise ValueError(f"{name} is a range from 0 to 1, like 0.2 to 0.6, not {quoted(given)}")
    return least, most


def _helpmate_moves(name: str, given: Any) -> float:
    """Return moves of a helpmate, of which the first may be half a one."""
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not (is_number and 0 < given < DRAW / 2 and 2 * given == int(2 * given)):
        raise ValueError(f"{name} is a number of moves like 3 or 3.5, not {quoted(given)}")
    return float(given)


# How each condition is read that is given; None is no condition.
_READERS: dict[str, Callable[[str, Any], Any]] = {
    "turn": lambda _, given: as_turn(given),
    "result": _results,
    **dict.fromkeys(("plies", "moves", "winning_moves"), as_range),
    **dict.fromkeys(("check", "only_move", "longest", "unique"), as_flag),
    "best_move": _choice(BEST_MOVES),
    "difficulty": _shares,
    "zugzwang": _choice(ZUGZWANG_SIDES),
    "never": _choice(NEVER_SIDES),
    "helpmate": _helpmate_moves,
    "mated": _choice(MATED_SIDES),
    "on": _men_on,
    "where": lambda _, given: as_condition(given),
    "images": _choice(IMAGE_CHOICES),
    "order": _choice(ORDERS),
    **dict.fromkeys(("limit", "sample", "seed"), as_number),
    "columns": lambda name, given: as_words(name, () if given is None else given, COLUMN_CHOICES),
    "split_seed": partial(as_number, most=2**64 - 1),
}


def conditions_for(function: str, arguments: ConditionArguments) -> Conditions:
    """Return the conditions that are keyword arguments of a function.

    `TypeError` for an unknown name, as Python has it; `ValueError` if a condition makes no sense.
    """
    known = [condition.name for condition in fields(Conditions)]
    for name in arguments:
        if name not in known:
            message = (
                f"{function}() got an unexpected keyword argument {quoted(name)}; "
                f"the conditions are {', '.join(known)}"
            )
            raise TypeError(message)
    return Conditions(**arguments)


def men_on_squares(
    material: Material, on: Mapping[str, str | Sequence[str]]
) -> list[tuple[list[int], NDArray[np.bool_]]]:
    """Return for each letter where its men stand in ``material.men``, and the squares for them.

    Raises `ValueError` if there is no such man or no such square.
    """
    colors = (color for color, _ in material.men)
    letters = [
        letter if color is Color.WHITE else letter.lower()
        for color, letter in zip(colors, material.letters, strict=True)
    ]
    found = []
    for letter, squares in on.items():
        if letter not in letters:
            there = " ".join(dict.fromkeys(filter(None, letters)))
            message = f"there is no {letter} in {material}, whose pieces are {there}"
            raise ValueError(message)
        men = [man for man, other in enumerate(letters) if other == letter]
        found.append((men, squares_named(str(squares), material.rules.board)))
    return found


def within(values: NDArray[Any], asked: Range | tuple[float, float] | None) -> NDArray[np.bool_]:
    """Return whether values are in a range; without a range all are.

    >>> within(np.arange(5), (None, 1)).tolist(), within(np.arange(3), 2).tolist()
    ([True, True, False, False, False], [False, False, True])
    """
    least, most = asked if isinstance(asked, tuple) else (asked, asked)
    found = np.ones(values.shape, dtype=np.bool_)
    if least is not None:
        found &= values >= least
    if most is not None:
        found &= values <= most
    return found


def squares_named(text: str, board: BoardShape = FULL_BOARD) -> NDArray[np.bool_]:
    """Return whether squares are named by a text like ``a1-h1,f7``, bool [64]; else `ValueError`.

    >>> [FULL_BOARD.name_of(one) for one in np.flatnonzero(squares_named("b3-a2,f7"))]
    ['a2', 'b2', 'a3', 'b3', 'f7']
    """
    found = np.zeros(64, dtype=np.bool_)
    for part in text.split(","):
        corners = part.strip().split("-")
        if len(corners) > 2 or any(one not in board.numbers for one in corners):
            message = (
                f"{quoted(part.strip())} is neither a square like f7 nor a rectangle like a1-h1"
            )
            raise ValueError(message)
        ranks, files = zip(*(divmod(board.numbers[one], 8) for one in corners), strict=True)
        block = found.reshape(8, 8)[min(ranks) : max(ranks) + 1]
        block[:, min(files) : max(files) + 1] = True
    return found
