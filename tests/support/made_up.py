"""Tables that no chess made."""

import numpy as np

from tablebase.core.index.numbering import slot_count
from tablebase.core.rules.material import Material
from tablebase.core.tables.table import Table


def made_up_table(name):
    """Return a table whose codes are noise, but compressible."""
    material = Material.from_name(name)
    rng = np.random.default_rng(20040704)
    white, black = (rng.integers(0, 12, slot_count(material), dtype=np.uint8) for _ in range(2))
    return Table(material, white, black)
