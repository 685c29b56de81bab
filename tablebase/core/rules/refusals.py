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


def require_checks(rules: Rules, what: str) -> None:
    """Refuse by an error a game of which `has_checks` is not true."""
    if not has_checks(rules):
        counted = rules.check_counting
        why = "checks are counted" if counted else "colours cannot be exchanged"
        raise _unknown(rules, what, why)


def has_checks(rules: Rules) -> bool:
    """Return whether moves give check, uncounted, and colours can be exchanged, as in chess."""
    return rules.checking and not (rules.one_sided or rules.check_counting)


def require_mates(rules: Rules, what: str) -> None:
    """Refuse by an error what `require_royal` and `require_checks` do."""
    require_checks(rules, what)
    require_royal(rules, what)


def _unknown(rules: Rules, what: str, why: str) -> InvalidRulesError:
    return InvalidRulesError(
        f"{what} not know {rules.name}, in which {why}: look positions up with `tablebase probe "
        f"--rules {rules.source or 'FILE'}`, or list them with `tablebase find`"
    )
