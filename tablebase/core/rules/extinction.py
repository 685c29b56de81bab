"""What ends a game besides mate, in Fairy-Stockfish's words.

Men that are extinct, explosions, and squares that a king wins by reaching, its *flag*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.words import shortened
from tablebase.core.rules.rules import CHESS, Kind, Rules

# A bare king loses, unless it takes the opponent's last man at once.
BARE_KING: Mapping[str, str] = {
    "extinctionValue": "loss",
    "extinctionClaim": "true",
    "extinctionPieceTypes": "*",
    "extinctionPieceCount": "1",
    "extinctionOpponentPieceCount": "2",
}
# A capture explodes, and a king that explodes has lost.
BLAST: Mapping[str, str] = {
    "blastOnCapture": "true",
    "extinctionValue": "loss",
    "extinctionPieceTypes": "k",
    "extinctionPseudoRoyal": "true",
}
# Who has no men left has won.
NO_MEN: Mapping[str, str] = {"extinctionValue": "win", "extinctionPieceTypes": "*"}
# What can be left out, and then is so.
_NOTHING = {
    "blastOnCapture": "false",
    "extinctionValue": "none",
    "extinctionClaim": "false",
    "extinctionPieceTypes": "-",
    "extinctionPieceCount": "0",
    "extinctionOpponentPieceCount": "0",
    "extinctionPseudoRoyal": "false",
}
_EXTINCTIONS = {"bare_king": BARE_KING, "blast": BLAST, "extinct_wins": NO_MEN}
_EFFECTS = {
    "bare_king": "a bare king loses",
    "blast": "captures explode",
    "extinct_wins": "who has no men has won",
}
FLAG_PIECE = "k"
# Where the king of each side wins, which must be equal.
FLAG_REGIONS = ("flagRegionWhite", "flagRegionBlack")
# What each key means: its values, which count together with the other keys.
EXTINCTION_KEYS: Mapping[str, str] = MappingProxyType(
    {
        key: "; ".join(
            f"{one[key]}, with the other keys: {_EFFECTS[field]}"
            for field, one in _EXTINCTIONS.items()
            if key in one
        )
        for key in _NOTHING
    }
)


def keys_of_extinction(rules: Rules) -> dict[str, str]:
    """Return the keys and values by which a file says what rules say of extinction."""
    found: dict[str, str] = {}
    for field, wanted in _EXTINCTIONS.items():
        if rules.said[field]:
            found |= wanted
    return found


def checked_extinction(key: str, value: str) -> str:
    """Return the value of one of `EXTINCTION_KEYS`; one that it cannot have is an error."""
    choices = [one[key] for one in _EXTINCTIONS.values() if key in one] + [_NOTHING[key]]
    if value not in choices:
        raise InvalidRulesError(f"{key} = {shortened(value)}: write {' or '.join(choices)}")
    return value


def fields_of_extinction(keys: Mapping[str, str]) -> dict[str, bool]:
    """Return the fields of `Rules` that keys and values stand for together."""
    said = {key: value for key, value in keys.items() if value != _NOTHING[key]}
    if said not in ({}, *_EXTINCTIONS.values()):
        wanted = " or ".join(
            ", ".join(f"{key} = {value}" for key, value in one.items())
            for one in _EXTINCTIONS.values()
        )
        raise InvalidRulesError(f"extinction is supported only as a whole: {wanted}")
    return {field: said == one for field, one in _EXTINCTIONS.items()}


def keys_of_flag(rules: Rules) -> dict[str, str]:
    """Return the keys and values by which a file says what rules say of a goal."""
    piece = FLAG_PIECE if rules.goal else "-"
    return {"flagPiece": piece, **dict.fromkeys(FLAG_REGIONS, rules.goal or "-")}


def checked_flag(key: str, value: str) -> str:
    """Return the value of a key that says which piece wins, or where; a wrong one is an error."""
    if key != "flagPiece":
        return " ".join(sorted(set(value.split())))
    if value not in {FLAG_PIECE, "-"}:
        raise InvalidRulesError(f"{key} = {shortened(value)}: write {FLAG_PIECE}, the king, or -")
    return value


def goal_of_flag(keys: Mapping[str, str]) -> str:
    """Return the goal that keys and values stand for together."""
    regions = {keys[key] for key in FLAG_REGIONS}
    if len(regions) > 1:
        raise InvalidRulesError("both sides must have the same goal: write flagRegion")
    (goal,) = regions - {"-"} or {""}
    if goal and keys["flagPiece"] != FLAG_PIECE:
        raise InvalidRulesError(f"only a king can have a goal: write flagPiece = {FLAG_PIECE}")
    return goal


def with_king(kinds: Sequence[Kind | None], *, royal: bool) -> list[Kind | None]:
    """Return kinds with a king in place of the piece that Fairy-Stockfish has where none is royal.

    That is a commoner, which moves like a king. In the end it is `royal` where kings explode, and
    has the number of the king in any case, so that it comes first in names.
    """
    found = list(kinds)
    for number, kind in enumerate(kinds):
        if kind and (kind.letter, kind.name) == (PieceType.KING.letter, "commoner"):
            found[number] = None
            found[PieceType.KING] = CHESS.kinds[PieceType.KING] if royal else kind
    king = found[PieceType.KING]
    if not royal and king and king.name != "commoner":
        raise InvalidRulesError(
            "no king can be royal where losing all men wins: write king = - and commoner = k"
        )
    while found[-1] is None:
        found.pop()
    return found
