"""Tables as other programs read them: Syzygy and Gaviota files, written, read back and audited.

- `gaviota_audit`: the values of a file against those of a table
- `gaviota_blocks`: how a file is laid out, and how its blocks are compressed
- `gaviota_index`: where a position stands in a file
- `gaviota_reading`: files of any origin, with everything checked that reading relies on
- `gaviota_values`: the byte that says how a position ends
- `gaviota_writing`: files, each read back before it has its name
- `reports`: what was written, and what an audit found

May import `jit`, `board`, `index`, `tables`, `storage`, `moves`: tables come from files, never from
the engine. Another format is another group of modules named after it.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
