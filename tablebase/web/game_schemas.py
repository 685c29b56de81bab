"""The records of answers about other games than chess, as `schemas` has those about chess."""

from typing import Annotated, Literal, TypedDict


class GameKind(TypedDict):
    """A kind of men of a game."""

    letter: str
    name: str
    picture: Annotated[str | None, "The letter in chess of what moves alike; null if nothing does."]
    steps: Annotated[
        list[list[int]],
        "Steps of White's men: files to the right, ranks up, how often at most; a pawn's captures.",
    ]
    quiet_steps: Annotated[list[list[int]], "The same of moves to empty squares."]


class GameLongest(TypedDict):
    """A longest win."""

    plies: int
    moves: int
    fen: str


class GameTable(TypedDict):
    """A table of a game; positions are counted up to symmetry, with either side to move."""

    material: str
    men: int
    positions: int
    white_wins: int
    draws: int
    black_wins: int
    longest_win: GameLongest | None


class GameRules(TypedDict):
    """A game with its tables."""

    rules: Annotated[str, "Names it in requests."]
    name: str
    folder: str
    rules_sha256: str
    chess: bool
    files: int
    ranks: int
    walls: Annotated[list[str], "Squares on which no man can stand."]
    goal: Annotated[list[str], "Squares on which a king wins."]
    kinds: Annotated[list[GameKind], "The king first, then stronger kinds before weaker ones."]
    promotions: Annotated[list[str], "The letters of what pawns become."]
    promotion_rank: int
    double_push: bool
    stalemate_loses: bool
    bare_king: Annotated[bool, "Whether a side loses that has only its king left."]
    fifty_moves: bool
    tables: list[GameTable]


class Games(TypedDict):
    """The games, besides chess, that there are tables of."""

    games: list[GameRules]


class GameStep(TypedDict):
    """A move of a game."""

    move: Annotated[str, {"examples": ["Kb3-b4"]}]
    uci: Annotated[str, {"examples": ["b3b4"]}]
    fen: Annotated[str, "The position after it."]
    zeroing: Annotated[bool, "A capture or a pawn's move."]


class GameValue(TypedDict):
    """A value, seen from the side to move, or of a move from the side that makes it."""

    wdl: Annotated[int, "1 for a win, 0 for a draw, -1 for a loss."]
    dtm_plies: Annotated[int, "Plies to the end with best play, negative for a loss."]


class GameMove(GameStep, GameValue):
    """A legal move of a game."""


class GamePosition(GameValue):
    """A position of a game."""

    rules: str
    rules_sha256: str
    fen: str
    result: Literal["win", "draw", "loss"]
    check: bool
    end: Annotated[
        Literal["checkmate", "stalemate", "bare king", "goal"] | None,
        "Why it is over, null if it is not.",
    ]
    moves: Annotated[list[GameMove], "All legal moves, best first."]


class GameLine(TypedDict):
    """The best moves of both sides."""

    rules: str
    fen: str
    line: list[GameStep]


class GameFound(GameValue):
    """A position of a table of a game."""

    rules: str
    material: str
    fen: str
