"""A game as data for the reader in JavaScript: its rules, and how its positions are numbered.

Both follow from the rules only; `docs/js-api.md` describes the fields.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from string import ascii_letters, digits
from typing import Any

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import CHESS_STEPS
from tablebase.core.board.symmetry import ALL_SYMMETRIES, D4
from tablebase.core.index.kings import king_tables
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import Kind, Rules

NUMBERING_FORMAT = "chess-tablebase-numbering"
NUMBERING_VERSION = 1
# A sign for each square of the board of 8 x 8, by its number.
_SIGNS = f"{ascii_letters}{digits}-_"


def rules_record(rules: Rules) -> dict[str, Any]:
    """Return the rules of a game, as moves and results need them and pages show them.

    ``kinds`` begin with the king if there is one, then come the others as in names of materials,
    strongest first. Steps are White's, in the order of their moves.
    """
    kinds = [kind for kind in reversed(rules.kinds) if kind]
    return {
        "name": rules.name,
        "folder": rules.folder,
        "rules_sha256": rules.digest,
        "chess": not rules.mark,
        "files": rules.files,
        "ranks": rules.ranks,
        "walls": rules.walls.split(),
        "goal": rules.goal.split(),
        "kinds": [_kind_record(kind, rules) for kind in sorted(kinds, key=_is_not_king)],
        "promotions": [rules.letter_of(man) for man in rules.promotions],
        "promotion_rank": rules.promotion_rank,
        "double_push": rules.double_push,
        "stalemate_loses": rules.stalemate == "loss",
        "bare_king": rules.bare_king,
        "blast": rules.blast,
        "royal": rules.royal,
        "must_capture": not rules.royal,
        "checking": rules.checking,
        "check_counting": rules.check_counting,
        "flag_move": rules.flag_move,
        "one_sided": rules.one_sided,
        "fewest_win": rules.fewest_win,
        "fifty_moves": rules.fifty_moves,
    }


def _kind_record(kind: Kind, rules: Rules) -> dict[str, Any]:
    """Return a kind of men; its picture is of the chess piece that moves like it."""
    is_pawn = kind.letter == PieceType.PAWN.letter  # whose steps are its captures
    alike = [
        man.letter
        for man in PieceType
        if set(CHESS_STEPS[man]) == set(kind.steps) == set(kind.quiet)
        and (man is PieceType.PAWN) == is_pawn
    ]
    return {
        "letter": kind.letter,
        "name": rules.name_of(rules.letters[kind.letter]),
        "picture": alike[0] if alike else None,
        "steps": list(map(list, kind.steps)),
        "quiet_steps": list(map(list, kind.quiet)),
    }


def _is_not_king(kind: Kind) -> bool:
    return kind.letter != PieceType.KING.letter


def numbering_record(rules: Rules) -> dict[str, Any]:
    """Return the numbering of the positions of a game, as `tablebase.core.index` has it.

    Lists of squares are texts of 64 signs. ``images`` is by symmetry; ``kept`` has by letter the
    symmetries that keep White's and Black's moves, as bits; ``kings`` the pairs of kings, or of
    leads where no king is royal, by symmetries or ``pawns``: for each square of Black's king a text
    of it and of White's. Beside pawns a side may lack its lead: ``pawns, no white``.
    """
    kept = {letter: _kept(rules, man) for letter, man in rules.letters.items()}
    masks = {one for letter in kept if letter != PieceType.PAWN.letter for one in kept[letter]}
    groups = {kept[PieceType.KING.letter][0]} if rules.royal else set(masks)
    for mask in masks:
        groups |= {group & mask for group in groups}
    return {
        "format": NUMBERING_FORMAT,
        "version": NUMBERING_VERSION,
        "rules_sha256": rules.digest,
        "images": [_signs(D4[symmetry].tolist()) for symmetry in ALL_SYMMETRIES],
        "exchange": _signs(rules.board.flip.tolist()),
        "pawn_squares": [_signs(sorted(squares)) for squares in rules.pawn_squares],
        "kept": kept,
        "kings": {
            "pawns": _king_pairs(rules, None),
            **({} if rules.royal else _pairs_without_lead(rules)),
            **{str(group): _king_pairs(rules, group) for group in sorted(groups)},
        },
    }


def _kept(rules: Rules, man: PieceType) -> list[int]:
    """Return the symmetries that keep the moves of a man, as bits, for White and Black.

    Those that several men keep are the ones that each of them keeps.
    """
    men = () if man is PieceType.KING and rules.royal else (man,)
    both = Material(men, (), rules), Material((), men, rules)
    return [sum(1 << one for one in material.symmetries) for material in both]


def _signs(squares: Iterable[int]) -> str:
    return "".join(_SIGNS[square] for square in squares)


def _pairs_without_lead(rules: Rules) -> dict[str, list[str]]:
    """Return the pairs of leads where one side has none, or neither."""
    sides = " white", " black"
    return {
        "pawns" + "".join(f", no{side}" for side, no in zip(sides, nobody, strict=True) if no): (
            _king_pairs(rules, None, nobody)
        )
        for nobody in ((True, False), (False, True), (True, True))
    }


def _king_pairs(
    rules: Rules, group: int | None, nobody: tuple[bool, bool] = (False, False)
) -> list[str]:
    """Return the pairs of kings of a group of symmetries, or beside pawns if it is None."""
    symmetries = tuple(one for one in ALL_SYMMETRIES if (group or 1) >> one & 1)
    tables = king_tables(
        has_pawns=group is None,
        symmetries=symmetries,
        board=rules.board,
        touching=rules.leads_touch,
        nobody=nobody,
    )
    pairs = groupby(tables.squares.tolist(), key=lambda pair: pair[Color.BLACK])
    return [_signs([black, *(white for white, _ in same)]) for black, same in pairs]
