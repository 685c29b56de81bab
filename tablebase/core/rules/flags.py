"""The rules of a game as files state them, by flags, and as the fields of `Rules`.

Flags can contradict each other, and some are known only together: fields say each rule once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from tablebase.core.board.geometry import FILES, RANKS
from tablebase.core.ground.errors import InvalidRulesError

# What a capture does: nothing else, it explodes, or it must be made where there is one.
CaptureRule = Literal["plain", "blast", "forced"]
# Whether moves may give check, and whether the last of `CHECKS` wins.
CheckRule = Literal["free", "none", "counted"]
# What a side that has no move, and is not in check, gets.
StalemateRule = Literal["draw", "loss", "win", "fewer men win"]

# Of what files may state, what it is in chess. Without a flag it is so.
USUAL: Mapping[str, Any] = {
    "double_push": True,
    "promotion_rank": None,  # the last one
    "stalemate_loses": False,
    "stalemate_wins": False,
    "fewest_win": False,
    "must_capture": False,
    "extinct_wins": False,
    "bare_king": False,
    "blast": False,
    "files": FILES,
    "ranks": RANKS,
    "walls": "",
    "goal": "",
    "flag_move": False,
    "checking": True,
    "check_counting": False,
}
_AS_FIELDS = frozenset(USUAL) - {
    "stalemate_loses", "stalemate_wins", "fewest_win", "must_capture", "extinct_wins", "blast",
    "checking", "check_counting",
}  # fmt: skip
KNOWN_TOGETHER = (
    "mustCapture = true, stalemateValue = win and the extinction of all men that wins are "
    "supported only together, and stalematePieceCount only with them"
)
LOST_BY_NOTHING_ELSE = (
    "where losing all men wins, the board is that of chess, and nothing else ends a game"
)
WITHOUT_PAWNS = (
    "checking = false, or a flagRegion that is another from Black's side, is supported only where "
    "nothing but a goal or mate wins, and without pawns: write pawn = -"
)
ON_LAST_RANK = (
    "flagMove = true is supported only with checking = false, and a flagRegion of all squares of "
    "the last rank"
)
COUNTED_ALONE = "checkCounting = true is supported only where nothing else but mate wins"


def flags_of(captures: CaptureRule, checks: CheckRule, stalemate: StalemateRule) -> dict[str, bool]:
    """Return the flags that three fields of `Rules` stand for.

    >>> [flag for flag, value in flags_of("blast", "none", "draw").items() if value]
    ['blast']
    """
    forced = captures == "forced"
    return {
        "stalemate_loses": stalemate == "loss",
        "stalemate_wins": stalemate in ("win", "fewer men win"),
        "fewest_win": stalemate == "fewer men win",
        "must_capture": forced,
        "extinct_wins": forced,
        "blast": captures == "blast",
        "checking": checks != "none",
        "check_counting": checks == "counted",
    }


def fields_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Rules` that the keys of `USUAL` stand for, other fields as they are.

    Flags that contradict each other are an `InvalidRulesError`.
    """
    flags = {key: said[key] for key in USUAL.keys() - _AS_FIELDS}
    forced, wins = flags["must_capture"], flags["stalemate_wins"]
    if len({forced, wins, flags["extinct_wins"]}) > 1 or (flags["fewest_win"] and not wins):
        raise InvalidRulesError(KNOWN_TOGETHER)
    if forced and flags["blast"]:
        raise InvalidRulesError(LOST_BY_NOTHING_ELSE)
    if flags["check_counting"] and not flags["checking"]:
        raise InvalidRulesError(COUNTED_ALONE)
    stalemate = "loss" if flags["stalemate_loses"] else "draw"
    if wins:
        stalemate = "fewer men win" if flags["fewest_win"] else "win"
    checks = "free" if flags["checking"] else "none"
    return {
        **{key: value for key, value in said.items() if key not in flags},
        "captures": "forced" if forced else "blast" if flags["blast"] else "plain",
        "checks": "counted" if flags["check_counting"] else checks,
        "stalemate": stalemate,
    }
