"""The available tables, as plain dictionaries."""

from __future__ import annotations

import logging
from typing import Any

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.rules.material import Material
from tablebase.publish.materials import summary_of

_log = logging.getLogger(__name__)


def describe_tables(tablebase: Tablebase) -> list[dict[str, Any]]:
    """Return the contents of the available tables as `Table` of `openapi.json`, simpler first.

    The log has the reason if a table is damaged or unreadable.
    """
    described = []
    for name, path in tablebase.available_tables.items():
        material = Material.from_name(name, tablebase.rules)
        table = {"material": name, "men": material.piece_count}
        try:
            table |= summary_of(path, tablebase.directories).contents
        except FileNotFoundError:
            continue  # it was removed
        except OSError as error:
            _log.error("%s", error)
            table["damaged" if isinstance(error, CorruptTableError) else "unreadable"] = True
        described.append(table)
    return described
