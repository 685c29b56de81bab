"""What pages must know of a game, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablebase.core.rules import Rules


def rules_record(rules: Rules) -> dict[str, Any]:
    """Return what pages need of the rules."""
    return {"name": rules.name, "rules": rules.folder or "chess"}


def numbering_record(rules: Rules) -> dict[str, Any]:
    """Return what numbers positions."""
    return {"name": rules.name}
