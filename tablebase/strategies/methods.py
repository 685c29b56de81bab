"""Methods: strategies as data, each rule with the sentence in which a trainer says it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.streams import decoded
from tablebase.core.ground.words import quoted
from tablebase.core.outcomes.metrics import DTM, preference
from tablebase.core.positions.any_position import as_position
from tablebase.finding.expression_text import NAME, read_expression
from tablebase.finding.expressions import Expression, Tree, square_column
from tablebase.finding.functions import FUNCTIONS
from tablebase.strategies.after_moves import MoveColumns, Rule, allowed_by, check_rules, read_rule

if TYPE_CHECKING:
    import chess

    from tablebase.core.answers.tablebase import Tablebase

GOALS = MATE, WIN, PROMOTION, HOLD = ("mate", "win", "promotion", "hold")
_SHIPPED = resources.files("tablebase.strategies") / "methods"
_SIDES = {color.name.lower(): color for color in Color}
# The types of the keys of a file: those that it must have, and others.
_KEYS = {"goal": str, "rules": list}
_OTHER_KEYS = {"side": str, "rest": str, "positions": int, "moves": int, "names": dict}


@dataclass(frozen=True, eq=False)
class Method:
    """A strategy with a sentence for each rule.

    Attributes
    ----------
    goal, side
        What it has to reach, one of `GOALS`, and the side that follows it.
    names
        The expressions that have names, each in terms of those before it.
    rules, sentences
        The rules, of which the first decides that any move fits, and how a trainer says them.
    rest
        What a lesson advises where no rule decides; then only the positions in which one does are
        to be proven. None if the rules have to decide everywhere.
    positions, moves
        In how many positions it is proven, and the moves of its longest game; None if not stated.
    """

    goal: str
    side: Color
    names: Mapping[str, Expression]
    rules: Sequence[Rule]
    sentences: Sequence[str]
    rest: str | None = None
    positions: int | None = None
    moves: int | None = None

    @property
    def tree(self) -> dict[str, Any]:
        """The method as JSON; see `Expression.tree` for what stands for expressions."""
        told = {"goal": self.goal, "side": self.side.name.lower(), "rest": self.rest}
        told |= {"positions": self.positions, "moves": self.moves}  # type: ignore[dict-item]
        rules = [
            {
                "sentence": sentence,
                "condition": rule.condition.tree,
                "minimise": [number.tree for number in rule.numbers],
            }
            for rule, sentence in zip(self.rules, self.sentences, strict=True)
        ]
        names = {name: one.tree for name, one in self.names.items()}
        return {**told, "names": names, "rules": rules}


@cache
def shipped_methods() -> dict[str, Method]:
    """Return the methods that come with the program, by material."""
    files = sorted(_SHIPPED.iterdir(), key=lambda one: one.name)
    return {one.name.removesuffix(".toml"): _read(one.name, one.read_bytes()) for one in files}


def method_for(material: str) -> Method:
    """Return the method that comes with the program for some men; ValueError without one."""
    methods = shipped_methods()
    if material not in methods:
        message = f"there is no method for {material}, only for {', '.join(methods)}"
        raise ValueError(message)
    return methods[material]


def read_method(path: str | os.PathLike[str]) -> Method:
    """Return the method of a TOML file; ValueError if it is none."""
    return _read(os.fspath(path), Path(path).read_bytes())


def _read(name: str, content: bytes) -> Method:
    try:
        return _method(tomllib.loads(decoded(content)))
    except (ValueError, TypeError) as error:  # the first also of TOML
        message = f"{name}: {error}"
        raise ValueError(message) from None


def _method(given: dict[str, Any]) -> Method:
    _check_keys("a method", given, _KEYS, _OTHER_KEYS)
    goal, side = given["goal"], given.get("side", "black" if given["goal"] == HOLD else "white")
    for key, value, known in (("goal", goal, GOALS), ("side", side, _SIDES)):
        if value not in known:
            message = f"there is no {key} {quoted(value)}: choose from {', '.join(known)}"
            raise ValueError(message)
    names: dict[str, Expression] = {}
    for name, text in given.get("names", {}).items():
        if not NAME.fullmatch(name) or not isinstance(text, str):
            message = f"{quoted(name)} is no name of an expression, like king = 'after.white_king'"
            raise ValueError(message)
        names[name] = read_expression(text, names)
    for rule in given["rules"]:
        _check_keys("a rule", rule, {"sentence": str, "rule": str})
    return Method(
        goal,
        _SIDES[side],
        names,
        [read_rule(rule["rule"], names) for rule in given["rules"]],
        [rule["sentence"] for rule in given["rules"]],
        given.get("rest"),
        given.get("positions"),
        given.get("moves"),
    )


def _check_keys(
    what: str, given: Any, needed: Mapping[str, type], others: Mapping[str, type] = {}
) -> None:
    if not isinstance(given, dict):
        message = f"{what} has keys, such as {next(iter(needed))}"
        raise TypeError(message)
    known = {**needed, **others}
    for key in needed:
        if key not in given:
            message = f"{what} needs the key {key}"
            raise ValueError(message)
    for key, value in given.items():
        if key not in known:
            message = f"{what} has no key {quoted(key)}: the keys are {', '.join(known)}"
            raise ValueError(message)
        if type(value) is not known[key]:
            message = f"{key} is of the type {known[key].__name__}, not {quoted(value)}"
            raise ValueError(message)


def export_methods() -> dict[str, Any]:
    """Return all methods of the program as JSON, and the functions of squares that they call.

    ``methods`` has `Method.tree` by material, ``functions`` for each name what it ``takes``, names
    of squares, and the tree of what it ``is``.
    """
    methods = {name: one.tree for name, one in shipped_methods().items()}
    functions: dict[str, Any] = {}
    left: list[Tree] = [[*methods.values()]]
    while left:
        tree = left.pop()
        left += tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else []
        word = tree[0] if isinstance(tree, list) and tree else None
        if isinstance(word, str) and word in FUNCTIONS and word not in functions:
            takes, text = FUNCTIONS[word]
            body = read_expression(text, {name: square_column(name) for name in takes}).tree
            functions[word] = {"takes": takes, "is": body}
            left.append(body)
    return {"functions": functions, "methods": methods}


def advise(
    method: Method, tables: Tablebase, board: chess.Board
) -> tuple[int | None, list[chess.Move]]:
    """Return the rule that decides in a position of chess, counted from 0, and the moves it allows.

    The position may be any image of one that the method is about, with colours exchanged as well.
    Without a rule that decides it is None, and there are no moves.

    Raises
    ------
    ValueError
        If the method is about other men, or the other side is to move; else errors of `probe_dtm`.
    """
    position = as_position(board, tables.rules)
    setup = position.setup()
    if is_swapped := setup.color is not method.side:
        setup = setup.swapped()
    material, moves = setup.material, []
    if material != material.normalized():
        message = f"the method is for {method.side.name.lower()}: the other side is to move"
        raise ValueError(message)
    outcomes = []
    for one in position.moves():
        moves.append(one.move)
        outcomes.append(int(tables.probe_outcome(one.after.board, DTM)))
    after = -preference(np.array(outcomes, dtype=np.int16))
    images = material.rules.board.flip_if[int(is_swapped)]
    origin, target = (
        images[[getattr(one, end) for one in moves]] for end in ("from_square", "to_square")
    )
    before = np.array(setup.squares, dtype=np.uint8)[:, None].repeat(len(moves), axis=1)
    columns = MoveColumns(
        material,
        method.side,
        before=before,
        squares=np.where(before == origin, target, before),
        promotion=np.array([one.promotion or 0 for one in moves], dtype=np.uint8),
        preference=after - np.sign(after),  # the move is a ply more
    )
    check_rules(method.rules, columns)
    allowed, decided = allowed_by(method.rules, columns, np.zeros(len(moves), dtype=np.int64))
    chosen = [move for move, fits in zip(moves, allowed.tolist(), strict=True) if fits]
    return (int(decided[0]) if chosen else None), chosen


def rule_of_method(tables: Tablebase, board: chess.Board) -> tuple[str, list[chess.Move]] | None:
    """Return the sentence of the rule that decides in a position, and the moves that it allows.

    None where no method of the program has a rule for the side to move.
    """
    material = as_position(board, tables.rules).setup().material.normalized()
    method = shipped_methods().get(material.name)
    try:
        rule, moves = (None, []) if method is None else advise(method, tables, board)
    except ValueError:  # the other side is to move
        return None
    return None if method is None or rule is None else (method.sentences[rule], moves)
