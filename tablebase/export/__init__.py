"""Tables as other programs read them: Syzygy and Gaviota files, written, read back and audited.

- `command`: `tablebase export`
- `gaviota_audit`: the values of a Gaviota file against those of a table
- `gaviota_blocks`: how such a file is laid out, and how its blocks are compressed
- `gaviota_index`: where a position stands in one
- `gaviota_reading`: files of any origin, with everything checked that reading relies on
- `gaviota_values`: the byte that says how a position ends
- `gaviota_writing`: files, each read back before it has its name
- `pairs`: compression by recursive pairing
- `reports`: what was written, and what an audit found
- `syzygy_audit`: Syzygy files of any origin, compared with our tables
- `syzygy_cells`: from our tables to the cells of Syzygy files, and whether what they hold is right
- `syzygy_facts`: what a Syzygy file must say of each position, and what it may leave open
- `syzygy_layout`: how Syzygy files number positions
- `syzygy_reading`: Syzygy files of any origin, read whole
- `syzygy_writing`: Syzygy files, written and read back

May import the core, `cli`, `study`. Another format is another group of
modules named after it.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
