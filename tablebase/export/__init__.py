"""Tables as other programs read them: Syzygy and Gaviota files, written, read back and audited.

- `gaviota_index`: where a position stands in a Gaviota file
- `reports`: what was written, and what an audit found

May import `jit`, `board`, `index`, `tables`, `storage`, `moves`: tables come from files, never from
the engine. Another format is another group of modules named after it.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
