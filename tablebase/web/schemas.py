"""The records that the server answers with, each field with its meaning, and their JSON Schema."""

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
Kind = Literal["white_draws_black_loses", "white_loses_black_draws", "both_lose"]


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
    precise_dtz: Annotated[int | None, "The same as dtz, which is never rounded."]
    dtm: Annotated[
        int | None,
        "Distance to mate in plies: positive if the side to move wins, negative if it loses, 0 for"
        " a draw, null if unknown or checkmate.",
    ]


class Facts(Distances):
    """A position, without its moves."""

    checkmate: Annotated[bool, "The side to move is checkmated."]
    stalemate: Annotated[bool, "The side to move is stalemated."]
    variant_win: Annotated[bool, "Always false in standard chess."]
    variant_loss: Annotated[bool, "Always false in standard chess."]
    insufficient_material: Annotated[bool, "Neither side can mate."]
    dtw: Annotated[int | None, "Always null: no table holds it."]
    dtc: Annotated[
        int | None,
        "Plies to the next capture, pawn move or mate on the way that was proven by tablebase"
        " solve, signed as dtm; null where that is not known, and after captures and pawn moves,"
        " or if a table has the position.",
    ]
    category: Annotated[
        Category,
        "The result for the side to move under the 50-move rule, the halfmove clock considered."
        " cursed-win, blessed-loss: the rule makes it a draw. maybe-: the distance to mate and the"
        " clock do not fit in its 100 plies, and the table has no distance to zeroing that tells."
        " unknown: no table of these men.",
    ]


class Move(Named, Facts):
    """A legal move; the facts are of the position after it, seen from the opponent."""

    zeroing: Annotated[bool, "A capture or a pawn's move, which sets the halfmove clock to 0."]
    conversion: Annotated[bool, "A capture or a promotion."]


class Position(Facts):
    """A position with its moves."""

    moves: Annotated[list[Move], "All legal moves, best first."]


class Step(Named, Distances):
    """A move of the main line; the distances as in Move."""


class Mainline(Distances):
    """A position with the best moves of both sides."""

    mainline: Annotated[
        list[Step],
        "Up to mate, or up to where a draw can be claimed by the 50-move rule: of the moves that"
        " keep the result under the rule the fastest mate, the longest defence. Empty if drawn,"
        " over, or if the halfmove clock is at 100.",
    ]
    winner: Annotated[Side | None, "null for a draw, also by the 50-move rule."]


class Counts(TypedDict):
    """Legal positions up to symmetry by result for the side to move."""

    win: int
    draw: int
    loss: int
    cursed_win: NotRequired[
        Annotated[int, "Among the wins; absent if there are no distances to zeroing."]
    ]
    blessed_loss: NotRequired[Annotated[int, "Among the losses; likewise."]]


class Longest(TypedDict):
    """A win or loss of most plies."""

    plies: int
    fen: str


class LongestToMate(Longest):
    """The same in moves, too."""

    moves: int


class Table(TypedDict, total=False):
    """What a file says of its table."""

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
        "By distance to mate; null if nothing is won, absent if there are no such distances.",
    ]
    dtz_longest_win: Annotated[
        Longest | None, "The same by distance to zeroing; beyond 100 plies it is a cursed win."
    ]


class Budget(TypedDict):
    """What solving a position may take."""

    seconds: float
    memory: Annotated[int, "Bytes."]


class Tables(TypedDict):
    """The available tables, and what else the server can do."""

    tables: list[Table]
    max_men: Annotated[int, "Most men (kings, pieces, pawns) of a table."]
    location: Annotated[
        str | None,
        "Options that make the command tablebase, on the server's machine, work on these tables;"
        " null for clients of other machines and for pages of other servers.",
    ]
    solve: Annotated[Budget | None, "Null if this server solves no positions."]


class Found(TypedDict):
    """A position of a table."""

    material: str
    fen: str
    dtm: NotRequired[Annotated[int, "In plies, negative for a loss; of /hardest and /find."]]
    dtz: NotRequired[Annotated[int, "Likewise; of /find, and of /hardest if there is no dtm."]]


class Histogram(TypedDict):
    """Positions up to symmetry by plies, for a side to move."""

    win: dict[str, int]
    loss: dict[str, int]


class Histograms(TypedDict):
    """Those of both sides to move."""

    white_to_move: Histogram
    black_to_move: Histogram


class Extremes(TypedDict):
    """The longest win and loss of a side to move, null if there is none."""

    win: Longest | None
    loss: Longest | None


class ExtremesOfSides(TypedDict):
    """Those of both sides to move."""

    white_to_move: Extremes
    black_to_move: Extremes


class Material(Table):
    """A table with what its file says of the distances."""

    title: Annotated[str, "The men in words."]
    symmetric: Annotated[bool, "Whether both sides have the same men."]
    histograms: Annotated[
        dict[str, Histograms], "By metric, dtm or dtz: positions up to symmetry by plies."
    ]
    longest: Annotated[dict[str, ExtremesOfSides], "By metric: the win and loss of most plies."]


class Zugzwang(TypedDict):
    """A mutual zugzwang."""

    kind: Kind
    placement: Annotated[str, "The first field of a FEN."]
    white_to_move: Annotated[int, "Distance to mate in plies for the side to move, 0 for a draw."]
    black_to_move: int


class Zugzwangs(TypedDict):
    """Mutual zugzwangs: their number by kind, up to symmetry, and examples."""

    white_draws_black_loses: int
    white_loses_black_draws: int
    both_lose: int
    examples: list[Zugzwang]


class Survey(TypedDict):
    """What one pass over a table finds."""

    material: str
    longest_wins: Annotated[dict[str, list[str]], "Some FENs by side to move."]
    mutual_zugzwangs: Zugzwangs


class Node(TypedDict):
    """A position of a game, and the move that led there; the first has none."""

    fen: str
    parent: Annotated[int | None, "Number of the position before; null for the first."]
    uci: NotRequired[
        Annotated[
            str,
            "The move that led here, as are san, turn, number and nags; absent from the first.",
        ]
    ]
    san: NotRequired[str]
    turn: NotRequired[Side]
    number: NotRequired[int]
    nags: NotRequired[list[int]]
    comment: str


class Faults(TypedDict):
    """Moves of a side that changed the result, and that lost time only."""

    changes: int
    slower: int


class FaultsOfSides(TypedDict):
    """Those of both sides."""

    w: Faults
    b: Faults


class Game(TypedDict):
    """A game with what the tables know of it."""

    games: Annotated[
        list[dict[str, str]],
        "The games of the text, as far as they are listed: players, event, round, date and result,"
        " if they are known.",
        {"maxItems": 1000},
    ]
    game: Annotated[int, "Which of them it is, from 1."]
    pgn: Annotated[str, "The annotated game."]
    headers: dict[str, str]
    nodes: Annotated[list[Node], "The positions, main lines before their variations."]
    positions: int
    known: Annotated[int, "Positions that the tables know."]
    faults: FaultsOfSides
    missing: Annotated[list[str], "Materials without a table."]
    problem: Annotated[str | None, "Where the text could not be read further."]


class SolvedMove(Named):
    """A legal move with its result for the side to move."""

    result: Proof
    proven: bool
    conversion: Annotated[int | None, "As for the position."]


class Solution(TypedDict):
    """From the view of the side to move; the 50-move rule is left out."""

    fen: str
    result: Proof
    proven: Annotated[bool, "Whether that is the result with best play."]
    moves: Annotated[list[SolvedMove], "All legal moves, best first."]
    plan: Annotated[
        list[Named],
        "When it is done and the result is proven, a line that shows it: how the win is won, or"
        " how each side can try to win a draw.",
    ]
    structures: Annotated[int, "Structures of pawns and pieces solved."]
    planes: Annotated[int, "Placements of the pieces solved."]
    seconds: float
    bytes: int
    stopped: Annotated[str, "Why not all was proven that was asked for; empty if it was."]
    tables: Annotated[list[str], "Materials of the tables on which it rests."]
    conversion: Annotated[
        int | None,
        "Plies to the next capture, pawn move or mate on the proven way, with the sign of the"
        " result.",
    ]


class Solving(TypedDict):
    """A line about each second."""

    done: bool
    seconds: Annotated[float, "Since it began."]
    problem: Annotated[str | None, "Why it was given up; what is known stays so."]
    solution: Annotated[
        Solution | None, "What is known by now; null in the beginning, so in the first line."
    ]


class Health(TypedDict):
    """That the server is up."""

    status: str
    version: str
    tables: int


_ADDRESS = "#/components/schemas/"
_SIMPLE = {bool: "boolean", int: "integer", float: "number", str: "string"}


def schema_of(shape: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type; a record is only referred to, see `schema_of_record`."""
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


def schema_of_record(record: Any) -> dict[str, Any]:
    """Return the JSON Schema of a record, one of the classes above."""
    fields = get_type_hints(record, include_extras=True)
    return {
        "type": "object",
        "description": record.__doc__,
        "properties": {name: schema_of(field) for name, field in fields.items()},
        "required": [name for name in fields if name in record.__required_keys__],
    }
