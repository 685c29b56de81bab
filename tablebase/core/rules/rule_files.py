"""Rules from files, in a subset of Fairy-Stockfish's ``variants.ini``.

Sections ``[name:base]`` have lines ``key = value``, which change the rules of the base, a built-in
game or a section above. Unknown keys and notations are errors, since they would change values.
"""

from __future__ import annotations

import os
import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tablebase.core.board.geometry import PieceType, square, square_name
from tablebase.core.board.movement import CHESS_STEPS, Steps
from tablebase.core.board.shape import LEAST_SIZE, WALL
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.ground.streams import decoded
from tablebase.core.ground.words import counted, did_you_mean, quoted, shortened
from tablebase.core.rules.betza import read_betza
from tablebase.core.rules.extinction import (
    EXTINCTION_KEYS,
    FLAG_REGIONS,
    checked_extinction,
    checked_flag,
    fields_of_extinction,
    goal_of_flag,
    keys_of_extinction,
    keys_of_flag,
    with_king,
)
from tablebase.core.rules.flags import fields_of
from tablebase.core.rules.rules import (
    CHESS,
    LEAST_BEYOND_DOUBLE_PUSH,
    LEAST_PROMOTION_RANK,
    Kind,
    Rules,
)

# Pieces with names of their own, as Betza's notation has them.
PIECES: Mapping[str, str] = MappingProxyType(
    {
        "knight": "N",
        "bishop": "B",
        "rook": "R",
        "queen": "Q",
        "fers": "F",
        "alfil": "A",
        "fersAlfil": "FA",
        "silver": "FfW",
        "aiwok": "RNF",
        "bers": "RF",
        "archbishop": "BN",
        "chancellor": "RN",
        "amazon": "QN",
        "shogiPawn": "fW",
        "lance": "fR",
        "shogiKnight": "fN",
        "gold": "WfF",
        "dragonHorse": "BW",
        "soldier": "fsW",
        "wazir": "W",
        "commoner": "K",
        "centaur": "KN",
    }
)
# Keys that change no position without castling rights, or only how programs show or value pieces.
WITHOUT_EFFECT = (
    "castling", "castlingDroppedPiece", "castlingKingsideFile", "castlingQueensideFile",
    "castlingRank", "castlingKingFile", "castlingKingPiece", "castlingRookKingsideFile",
    "castlingRookQueensideFile", "castlingRookPieces", "chess960", "nFoldRule", "nFoldValue",
    "pieceToCharTable", "pieceValueMg", "pieceValueEg", "variantTemplate",
)  # fmt: skip
_TRUE_OR_FALSE = {"true": True, "false": False}
_STALEMATES = ("draw", "loss", "win")
# Other names of games that are built in: giveaway is antichess with castling.
ALIASES: Mapping[str, str] = MappingProxyType({"giveaway": "antichess"})
_HEADER = re.compile(r"\[([\w.-]{1,100})(?::([\w.-]{1,100}))?\]")
_LETTER = re.compile(r"[A-Za-z]")
# Bytes of a file: those of all variants that Fairy-Stockfish knows are a tenth of it.
MOST_BYTES = 1_000_000
_MOST_LISTED = 30


class _Draft:
    """The rules of a section while its lines are read."""

    def __init__(self, name: str, base: Rules) -> None:
        self._name = name
        self._kinds = list(base.kinds)
        self.promotions = "".join(map(base.letter_of, base.promotions))
        self.others = {**base.said, "fifty_moves": base.fifty_moves}
        if base.promotion_rank == base.ranks:
            self.others["promotion_rank"] = 0  # the last one of any board
        self.asks_for_double_push = False
        self.flag = keys_of_flag(base)
        self.extinction = keys_of_extinction(base)

    def put(self, name: str, letter: str, steps: Steps, quiet: Steps | None = None) -> None:
        """Add a kind, or replace the kind of that name; the letter ``-`` takes it away."""
        numbers = {kind.name: number for number, kind in enumerate(self._kinds) if kind}
        if letter == "-":
            if name in numbers:
                self._kinds[numbers[name]] = None
        elif not _LETTER.fullmatch(letter):
            raise InvalidRulesError(f"{quoted(letter)} is not a letter")
        elif name in numbers:
            self._kinds[numbers[name]] = Kind(letter.upper(), name, steps, quiet)
        else:
            self._kinds.append(Kind(letter.upper(), name, steps, quiet))

    def rules(self) -> Rules:
        """Return the finished rules."""
        self.others |= fields_of_extinction(self.extinction)
        if self.others["blast"] or self.others["extinct_wins"]:
            self._kinds = with_king(self._kinds, royal=self.others["blast"])
        numbers = {kind.letter: number for number, kind in enumerate(self._kinds) if kind}
        for letter in self.promotions:
            if letter not in numbers:
                raise InvalidRulesError(
                    f"pawns become {letter}, and there is no such piece: write promotionPieceTypes"
                )
        promotions = sorted(
            {PieceType(numbers[letter]) for letter in self.promotions}, reverse=True
        )
        self.others["goal"] = goal_of_flag(self.flag)
        beyond = self.others["promotion_rank"] or self.others["ranks"]
        if beyond < LEAST_BEYOND_DOUBLE_PUSH and not self.asks_for_double_push:
            self.others["double_push"] = False
        return Rules(self._name, tuple(self._kinds), tuple(promotions), **fields_of(self.others))


def _put_named(draft: _Draft, key: str, value: str) -> None:
    draft.put(key, value, read_betza(PIECES[key]))


def _put_chess(draft: _Draft, key: str, value: str) -> None:
    number = PieceType[key.upper()]
    if value != "-" and value.upper() != number.letter:
        raise InvalidRulesError(f"{key} can only be {number.letter.lower()}")
    draft.put(key, value, CHESS_STEPS[number])


def _put_custom(draft: _Draft, key: str, value: str) -> None:
    letter, colon, notation = value.partition(":")
    if not colon:
        raise InvalidRulesError(f"write a letter, a colon and the moves, like {key} = a:BN")
    captures, quiet = (read_betza(notation.strip(), captures=takes) for takes in (True, False))
    draft.put(key, letter.strip(), captures, None if quiet == captures else quiet)


def _set_promotions(draft: _Draft, _: str, value: str) -> None:
    draft.promotions = "" if value == "-" else value.upper().replace(" ", "")


def _choice(name: str, choices: Mapping[str, bool]) -> Callable[[_Draft, str, str], None]:
    """Return the reader of a key that has one of some values."""

    def read(draft: _Draft, key: str, value: str) -> None:
        if value not in choices:
            raise InvalidRulesError(f"{key} = {shortened(value)}: write {' or '.join(choices)}")
        draft.others[name] = choices[value]

    return read


def _number(name: str, signs: str, first: int) -> Callable[[_Draft, str, str], None]:
    """Return the reader of a key whose value is one of some signs, numbered from `first` on."""

    def read(draft: _Draft, key: str, value: str) -> None:
        if len(value) != 1 or value not in signs:
            raise InvalidRulesError(f"{key} = {shortened(value)}: write one of {' '.join(signs)}")
        draft.others[name] = first + signs.index(value)

    return read


def _set_walls(draft: _Draft, key: str, value: str) -> None:
    """Read the walls, which are ``*``, from where the game starts; the men there do not matter."""
    ranks = re.sub(r"\d", lambda empty: "." * int(empty[0]), value.split(maxsplit=1)[0]).split("/")
    files, size = draft.others["files"], draft.others["ranks"]
    if WALL not in value:
        draft.others["walls"] = ""
    elif [*map(len, ranks)] != [files] * size:
        raise InvalidRulesError(
            f"{key} has walls, and is not of a board of {files}x{size}: write it below maxFile and "
            "maxRank"
        )
    else:
        names = (
            square_name(square(file, rank))
            for rank, row in enumerate(reversed(ranks))
            for file, sign in enumerate(row)
            if sign == WALL
        )
        draft.others["walls"] = " ".join(names)


def _set_flag(draft: _Draft, key: str, value: str) -> None:
    keys = FLAG_REGIONS if key == "flagRegion" else [key]
    draft.flag |= dict.fromkeys(keys, checked_flag(key, value))


def _ask_for_double_push(draft: _Draft, key: str, value: str) -> None:
    _choice("double_push", _TRUE_OR_FALSE)(draft, key, value)
    draft.asks_for_double_push = draft.others["double_push"]


def _set_stalemate(draft: _Draft, key: str, value: str) -> None:
    if value not in _STALEMATES:
        raise InvalidRulesError(f"{key} = {shortened(value)}: write {' or '.join(_STALEMATES)}")
    draft.others |= {"stalemate_loses": value == "loss", "stalemate_wins": value == "win"}


def _set_extinction(draft: _Draft, key: str, value: str) -> None:
    draft.extinction[key] = checked_extinction(key, value)


def _ignore(_: _Draft, _key: str, _value: str) -> None:
    pass


class _Key(NamedTuple):
    """What a key of a file means."""

    meaning: str
    read: Callable[[_Draft, str, str], None]


_KEYS: Mapping[str, _Key] = MappingProxyType(
    {
        "pawn": _Key("p, the pawn of chess", _put_chess),
        "king": _Key("k, the king of chess", _put_chess),
        **{name: _Key(f"letter of the piece {moves}, or -", _put_named)
           for name, moves in PIECES.items()},
        **{f"customPiece{n}": _Key("letter:moves in Betza's notation", _put_custom)
           for n in range(1, 26)},
        "promotionPieceTypes": _Key("letters of what pawns become, or -", _set_promotions),
        "maxFile": _Key("the last file, c to h", _number("files", "cdefgh", LEAST_SIZE)),
        "maxRank": _Key("the last rank, 3 to 8", _number("ranks", "345678", LEAST_SIZE)),
        "startFen": _Key("* on squares that are walls; pieces have no effect", _set_walls),
        "promotionRank": _Key(
            "rank on which White's pawns promote, 3 to 8; by default the last one",
            _number("promotion_rank", "345678", LEAST_PROMOTION_RANK),
        ),
        "doubleStep": _Key("true or false", _ask_for_double_push),
        "stalemateValue": _Key("draw, loss or win; the last with mustCapture", _set_stalemate),
        "stalematePieceCount": _Key(
            "true or false: without a move who has fewer men has won",
            _choice("fewest_win", _TRUE_OR_FALSE),
        ),
        "mustCapture": _Key(
            "true or false: who can capture must, and wins by losing all men",
            _choice("must_capture", _TRUE_OR_FALSE),
        ),
        "nMoveRule": _Key(
            "50, or 0: there is no 50-move rule", _choice("fifty_moves", {"50": True, "0": False})
        ),
        "flagPiece": _Key("k: a king that reaches flagRegion wins; or -", _set_flag),
        "flagRegion": _Key("names of squares, or -", _set_flag),
        "flagRegionWhite": _Key("the same for White", _set_flag),
        "flagRegionBlack": _Key("the same for Black", _set_flag),
        "flagMove": _Key(
            "true or false: Black may answer once if White reaches flagRegion, for a draw",
            _choice("flag_move", _TRUE_OR_FALSE),
        ),
        "checking": _Key(
            "true or false: no move may give check", _choice("checking", _TRUE_OR_FALSE)
        ),
        "checkCounting": _Key(
            "true or false: the third check wins", _choice("check_counting", _TRUE_OR_FALSE)
        ),
        **{key: _Key(meaning, _set_extinction) for key, meaning in EXTINCTION_KEYS.items()},
        **{key: _Key("has no effect on endings", _ignore) for key in WITHOUT_EFFECT},
    }
)  # fmt: skip
# What each key of a file means.
RULE_KEYS: Mapping[str, str] = MappingProxyType(
    {key: about.meaning for key, about in _KEYS.items()}
)


def read_rules(source: str | os.PathLike[str]) -> Rules:
    """Return rules by name or from a file.

    Parameters
    ----------
    source : str or path
        The name of a game that is built in, or a file of rules; ``FILE:NAME`` says which section if
        there are several.

    Returns
    -------
    Rules

    Raises
    ------
    InvalidRulesError
        If there is no such game, or the file is not understood.
    OSError
        If the file cannot be read.
    """
    text = os.fspath(source)
    built_in = built_in_rules().get(ALIASES.get(text, text))
    if built_in:
        return built_in
    path, name = Path(text), ""
    if not path.is_file() and ":" in text:
        head, _, name = text.rpartition(":")
        path = Path(head)
    if not path.is_file():
        games = f": neither a file nor one of {_some(built_in_rules(), ', ')}"
        meant = did_you_mean(text, built_in_rules())
        raise InvalidRulesError(f"no rules {quoted(text)}{meant or games}")
    found, refused = _sections(_text_of(path), str(path), built_in_rules())
    if not name and len(found) + len(refused) == 1:
        (name,) = [*found, *refused]
    if name in refused or (refused and not found):
        raise refused.get(name) or next(iter(refused.values()))
    if name not in found:
        wanted = f"no game {quoted(name)}" if name else counted(len(found), "game")
        choices = _some((f"{path}:{game}" for game in found), " or ")
        raise InvalidRulesError(f"{wanted} in {path}: write {choices or 'a section [name:chess]'}")
    return replace(found[name], source=text)


@cache
def built_in_rules() -> Mapping[str, Rules]:
    """Return the games that are built in, by name."""
    text = resources.files("tablebase.core.rules").joinpath("games.ini").read_text(encoding="utf-8")
    chess = {CHESS.name: CHESS}
    found = chess | parse_rules(text, bases=chess)
    return MappingProxyType({name: replace(rules, source=name) for name, rules in found.items()})


def parse_rules(
    text: str, source: str = "", *, bases: Mapping[str, Rules] | None = None
) -> dict[str, Rules]:
    r"""Read the rules in a text.

    Parameters
    ----------
    text : str
        Sections, see the module.
    source : str
        Where the text comes from, for errors.
    bases : mapping, optional
        What sections can be based on besides those above them; by default what is built in.

    Returns
    -------
    dict
        The rules of each section by name, in the order of the text.

    Raises
    ------
    InvalidRulesError
        If the text is not understood or its rules cannot be handled; the error names the line.

    Examples
    --------
    >>> parse_rules("[my:chess]\ncustomPiece1 = a:BN")["my"].letters["A"].name
    'KIND_7'
    """
    found, refused = _sections(text, source, built_in_rules() if bases is None else bases)
    for error in refused.values():
        raise error
    return found


def _sections(
    text: str, source: str, known: Mapping[str, Rules]
) -> tuple[dict[str, Rules], dict[str, InvalidRulesError]]:
    """Return the rules of sections by name, and the errors of the others, or of their bases."""
    parts: list[list[tuple[int, str]]] = [[]]
    for number, text_of_line in enumerate(text.splitlines(), 1):
        if line := text_of_line.partition("#")[0].strip():
            if line.startswith("["):
                parts.append([])
            parts[-1].append((number, line))
    found: dict[str, Rules] = {}
    refused: dict[str, InvalidRulesError] = {}
    for part in filter(None, parts):
        (here, header), *lines = part
        name, base = match.groups() if (match := _HEADER.fullmatch(header)) else (header, None)
        if base in refused and base not in known:
            refused[name] = refused[base]
            continue
        try:
            draft = _begin(header, ChainMap(found, dict(known)))
            for number, line in lines:
                here = number
                _apply(draft, line)
            found[name] = draft.rules()
        except InvalidRulesError as error:
            found.pop(name, None)
            refused[name] = InvalidRulesError(f"{source and f'{source}, '}line {here}: {error}")
            if not header.startswith("["):
                raise refused[name] from None
    return found, refused


def _begin(line: str, known: Mapping[str, Rules]) -> _Draft:
    header = _HEADER.fullmatch(line)
    if header is None:
        raise InvalidRulesError(
            f"{quoted(line)} is not a header: write [name:base], like [mine:chess]"
        )
    name, base = header.groups()
    if base is None:
        raise InvalidRulesError(f"[{name}] has no base: write [{name}:chess]")
    if name in known:
        raise InvalidRulesError(f"there is a game {name} already: choose another name")
    if base not in known:
        raise InvalidRulesError(f"unknown base {quoted(base)}: known here are {_some(known, ', ')}")
    return _Draft(name, known[base])


def _some(names: Iterable[str], between: str) -> str:
    """Return a list of names for a message, only the first ones if there are many."""
    first = list(islice(names, _MOST_LISTED + 1))
    return between.join(first if len(first) <= _MOST_LISTED else [*first[:-1], "..."])


def _apply(draft: _Draft, line: str) -> None:
    key, equals, value = (part.strip() for part in line.partition("="))
    if not equals or not value:
        raise InvalidRulesError(
            f"{quoted(line)} is neither a header [name:base] nor a line key = value"
        )
    if key not in _KEYS:
        raise InvalidRulesError(f"unknown key {quoted(key)}: `tablebase rules --keys` lists all")
    _KEYS[key].read(draft, key, value)


def _text_of(path: Path) -> str:
    """Return the text of a file of rules; a file that is too large is an error."""
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InvalidRulesError(f"{path} is too large: rules take up to {MOST_BYTES:,} bytes")
    return decoded(data)
