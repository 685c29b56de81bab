"""Tables that no chess made."""

import numpy as np

from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table


def made_up_table(name):
    """Return a table whose codes are noise, but compressible."""
    material = Material.from_name(name)
    rng = np.random.default_rng(20040704)
    white, black = (rng.integers(0, 12, slot_count(material), dtype=np.uint8) for _ in range(2))
    return Table(material, white, black)


def much_later(table):
    """Return a table with every result in more than 40 plies two epochs later."""
    sides = []
    for codes in table.codes:
        late = (codes > 40) & (codes != DRAW)
        sides.append(codes.astype(np.uint16) | late.astype(np.uint16) << 9)
    return Table(table.material, *sides)
