"""Tables as other programs read them: Syzygy and Gaviota files, written, read back and audited.

- `command`: `tablebase export`
- `gaviota_audit`: the values of a Gaviota file against the values of a table
- `gaviota_blocks`: the layout of Gaviota files, and the compression of their blocks
- `gaviota_index`: the place of a position in a Gaviota file
- `gaviota_reading`: Gaviota files of any origin, with everything checked that reading relies on
- `gaviota_values`: the byte that says how a position ends
- `gaviota_writing`: Gaviota files, each read back before it has its name
- `pairs`: compression by recursive pairing
- `reports`: the files that were written, and the findings of an audit
- `syzygy_audit`: Syzygy files of any origin, compared with our tables
- `syzygy_cells`: from our tables to the cells of Syzygy files, and checks of their contents
- `syzygy_facts`: the results that a Syzygy file must hold, and the choices that it has
- `syzygy_games`: the games that have Syzygy files, and how these are called
- `syzygy_layout`: the numbering of positions in Syzygy files
- `syzygy_reading`: Syzygy files of any origin, read whole
- `syzygy_writing`: Syzygy files, written and read back

May import the core, `cli`, `finding`. Another format is another group of
modules named after it.
"""
