"""The records of answers, each field with its description, and their JSON Schema."""

from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Side = Literal["w", "b"]
Category = Literal[
    "win", "maybe-win", "cursed-win", "draw", "blessed-loss", "maybe-loss", "loss", "unknown"
]
Proof = Literal["win", "draw", "loss", "at_least_draw", "at_most_draw", "unknown"]


class Named(TypedDict):
    """A move."""

    uci: Annotated[str, {"examples": ["a1a2"]}]
    san: Annotated[str, {"examples": ["Ka2"]}]


class Distances(TypedDict):
    """Distances in plies: positive if the side to move wins, negative if it loses, 0 for a draw."""

    dtz: Annotated[
        int | None,
        "Distance to zeroing (the next capture, pawn move or mate of best play) in plies: positive"
        " if the side to move wins, negative if it loses (-1 if checkmated), 0 for a draw, null if"
        " the table does not have it. Beyond 100 for a result that the 50-move rule turns into a"
        " draw even if the halfmove clock is 0.",
    ]
    precise_dtz: Annotated[int | None, "The same as dtz, because dtz is never rounded."]
    dtm: Annotated[
        int | None,
        "Distance to mate in plies: positive if the side to move wins, negative if it loses, 0 for"
        " a draw, null if unknown or checkmate.",
    ]


class Facts(Distances):
    """A position, without its moves."""

    checkmate: Annotated[bool, "The side to move is checkmated."]
    stalemate: Annotated[bool, "The side to move is stalemated."]
    variant_win: Annotated[bool, "Always false: no game ends by a move of the side that loses."]
    variant_loss: Annotated[
        bool,
        "The side to move has lost: it has only its king left, or the other king is at its goal.",
    ]
    insufficient_material: Annotated[bool, "Neither side can mate; always false in other games."]
    dtw: Annotated[int | None, "Always null: tables do not hold it."]
    dtc: Annotated[int | None, "Always null: tables do not hold it."]
    dtz_without_rule50: NotRequired[
        Annotated[
            int | None,
            "Only where no table has the position and a region proves its result: distance to"
            " zeroing without the 50-move rule, signed as dtm; null if it is not known.",
        ]
    ]
    category: Annotated[
        Category,
        "The result for the side to move under the 50-move rule, with the halfmove clock taken into"
        " account. cursed-win, blessed-loss: the rule makes it a draw. maybe-: the distance to mate"
        " and the clock do not fit in its 100 plies, and there is no distance to zeroing that would"
        " decide. unknown: no table has the position, and its moves do not decide the result.",
    ]


class Move(Named, Facts):
    """A legal move; the facts are of the position after it, seen from the opponent."""

    zeroing: Annotated[bool, "A capture or a pawn move, which sets the halfmove clock to 0."]
    conversion: Annotated[bool, "A capture or a promotion."]
    difficulty: NotRequired[
        Annotated[
            float | None,
            "Only on request: how hard the position is for the opponent, from 0 to 1; null if a"
            " table has no distances to zeroing.",
        ]
    ]


class Position(Facts):
    """A position with its moves."""

    moves: Annotated[list[Move], "All legal moves, best first."]


class Step(Named, Distances):
    """A move of the main line; the distances as in Move."""


class Mainline(Distances):
    """A position with the best moves of both sides."""

    mainline: Annotated[
        list[Step],
        "The moves up to mate, or to the claim of a draw by the 50-move rule: the fastest mate and"
        " the longest defence among the moves that keep the result under that rule. Empty for a"
        " draw, at the end of a game, or if the halfmove clock is at 100.",
    ]
    winner: Annotated[Side | None, "null for a draw, also by the 50-move rule."]


class Counts(TypedDict):
    """Legal positions up to symmetry by result for the side to move."""

    win: int
    draw: int
    loss: int
    cursed_win: NotRequired[
        Annotated[
            int, "Wins that the 50-move rule makes draws; absent without distances to zeroing."
        ]
    ]
    blessed_loss: NotRequired[Annotated[int, "Losses that it makes draws; absent likewise."]]


class Longest(TypedDict):
    """A longest win or loss, in plies."""

    plies: int
    fen: str


class LongestToMate(Longest):
    """A longest win or loss, in plies and moves."""

    moves: int


class Table(TypedDict, total=False):
    """A table with the figures in its file."""

    material: Required[Annotated[str, {"examples": ["KRNK"]}]]
    men: Required[int]
    damaged: Annotated[
        bool, "Present and true if the file is damaged; only material and men come with it."
    ]
    unreadable: Annotated[
        bool,
        "Present and true if the file cannot be read at the moment; only material and men come"
        " with it.",
    ]
    bytes: Annotated[int, "Size of the file."]
    metrics: Annotated[
        list[Literal["dtm", "dtz"]], "The distances that the file holds: to mate, to zeroing."
    ]
    sha256: Annotated[str, "Digest of the distances to mate; absent if there are none."]
    dtz_sha256: Annotated[str, "Digest of the distances to zeroing; absent if there are none."]
    positions: Annotated[int, "Legal positions up to symmetry, both sides to move."]
    white_to_move: Counts
    black_to_move: Counts
    longest_win: Annotated[
        LongestToMate | None,
        "The longest win by distance to mate; null if nothing is won, absent if the table has no"
        " such distances.",
    ]
    dtz_longest_win: Annotated[
        Longest | None,
        "The longest win by distance to zeroing; beyond 100 plies it is a cursed win.",
    ]


class Budget(TypedDict):
    """Limits on solving a position."""

    seconds: float
    memory: Annotated[int, "Bytes."]


class Tables(TypedDict):
    """The available tables of a game, and other abilities of the server."""

    tables: list[Table]
    max_men: Annotated[int, "Most pieces of a table, kings and pawns included."]
    location: Annotated[
        str | None,
        "Options that make the command tablebase, on the server's machine, work on these tables;"
        " null for clients of other machines and for pages of other servers.",
    ]
    solve: Annotated[Budget | None, "Null if this server solves no positions."]
    games: Annotated[list[str], "Names of the other games with tables."]


class SolvedMove(Named):
    """A legal move with its result for the side to move."""

    result: Proof
    proven: bool
    dtz_without_rule50: Annotated[int | None, "As in the solution."]


class Solution(TypedDict):
    """A solution from the point of view of the side to move, without the 50-move rule."""

    fen: str
    result: Proof
    proven: Annotated[bool, "Whether the result is final."]
    moves: Annotated[list[SolvedMove], "All legal moves, best first."]
    plan: Annotated[
        list[Named],
        "A line that shows a proven result: the winner's plan, or the tries of both sides in a"
        " drawn position. Empty until the last line of the answer.",
    ]
    structures: Annotated[int, "Number of solved structures of pawns and pieces."]
    planes: Annotated[int, "Number of solved placements of the pieces."]
    seconds: float
    bytes: int
    stopped: Annotated[
        str, "Why something is not proven yet; empty if all is proven, and until done."
    ]
    tables: Annotated[list[str], "Materials of the tables that the result depends on."]
    dtz_without_rule50: Annotated[
        int | None,
        "Distance to zeroing without the 50-move rule: plies to the next capture, pawn move or mate"
        " along the proven line, with the sign of the result.",
    ]


class Solving(TypedDict):
    """A line of the progress, about one a second."""

    done: bool
    seconds: Annotated[float, "Seconds since the start."]
    compiling: Annotated[bool, "Whether the solver is being compiled, once for each version."]
    problem: Annotated[str | None, "Why solving stopped early; proven results stay valid."]
    solution: Annotated[Solution | None, "The solution so far; null in the first line."]


class Health(TypedDict):
    """The state of the server."""

    status: str
    version: str
    tables: int


_ADDRESS = "#/components/schemas/"
_SIMPLE = {bool: "boolean", int: "integer", float: "number", str: "string"}


def schema_of_record(record: Any) -> dict[str, Any]:
    """Return the JSON Schema of a record, one of the classes above."""
    fields = get_type_hints(record, include_extras=True)
    return {
        "type": "object",
        "description": record.__doc__,
        "properties": {name: schema_of(field) for name, field in fields.items()},
        "required": [name for name in fields if name in record.__required_keys__],
    }


def schema_of(shape: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type, with references to records, see `schema_of_record`."""
    kind, inner = get_origin(shape), get_args(shape)
    if kind is None:
        known = is_typeddict(shape)
        return {"$ref": _ADDRESS + shape.__name__} if known else {"type": _SIMPLE[shape]}
    if kind is Literal:
        return {"type": "string", "enum": list(inner)}
    first = schema_of(inner[0])
    if kind is list:
        return {"type": "array", "items": first}
    if kind is dict:
        return {"type": "object", "additionalProperties": schema_of(inner[1])}
    if kind in {Union, UnionType}:  # with None, here
        return _or_null(first)
    for note in inner[1:]:  # of an annotated type; Required and NotRequired have none
        first |= {"description": note} if isinstance(note, str) else note
    return first


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"oneOf": [schema, {"type": "null"}]}
    more = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return schema | {"type": [schema["type"], "null"]} | more
