"""Tables on disk: one self-describing HDF5 file for each material.

It knows how values are packed, not what they mean.

- `atomic`: files that are complete as soon as they have their name
- `chunks`: chunks of codes: compressed as gzip does, with HDF5's checksum of the compressed bytes
- `datasets`: attributes and data sets, each checked before anything relies on it
- `damage`: the faults of a file that cannot be read
- `encodings`: the meaning of the bytes of each distance, in words
- `format`: the layout of an HDF5 file, its attributes and their checks
- `memory`: the memory of the machine, and whether a whole table fits
- `order`: the order in which files hold codes, and the way between it and memory
- `reading`: whole tables, or parts of them, from files
- `sections`: tables into files section by section, as they are solved
- `stored_chunks`: the data sets of an open file as compressed chunks
- `subtables`: the tables that moves of a material lead to, read from a folder
- `table_names`: the files of a folder that are tables, and their materials
- `writing`: solved tables into files

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`. Other formats are other wings.
"""
