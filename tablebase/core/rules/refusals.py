"""Errors for games that a capability does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablebase.core.ground.errors import InvalidRulesError

if TYPE_CHECKING:
    from tablebase.core.rules.rules import Rules


def require_royal(rules: Rules, what: str) -> None:
    """Refuse by an error a game without royal kings."""
    if not rules.royal:
        raise _unknown(rules, what, "no king is royal")


def require_mates(rules: Rules, what: str) -> None:
    """Refuse by an error a game that is not `has_mates`."""
    if why := _lacks_mates(rules):
        raise _unknown(rules, what, why)


def require_helpmates(rules: Rules) -> None:
    """Refuse by an error a game without helpmates."""
    if why := without_helpmates(rules):
        raise InvalidRulesError(why)


def without_helpmates(rules: Rules) -> str:
    """Return the reason if a game has no helpmates, else nothing."""
    why = _lacks_mates(rules)
    return why and f"{rules.name} has no helpmates, because {why} in it"


def _lacks_mates(rules: Rules) -> str:
    if has_mates(rules):
        return ""
    return "checks are counted" if rules.check_counting else "no king can be mated"


def has_mates(rules: Rules) -> bool:
    """Return whether mate alone wins, and a game is the same with the colours exchanged."""
    return rules.royal and rules.checking and not (rules.one_sided or rules.check_counting)


def _unknown(rules: Rules, what: str, why: str) -> InvalidRulesError:
    return InvalidRulesError(
        f"{what} not know {rules.name}, in which {why}: `tablebase probe --rules "
        f"{rules.source or 'FILE'}` looks positions up"
    )


def kings_castle(rules: Rules) -> bool:
    """Return whether a game may have castling: not without royal kings, nor without checks."""
    return rules.royal and rules.checking
