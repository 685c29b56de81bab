"""Tables on disk: one self-describing HDF5 file for each material.

It knows how values are packed, not what they mean.

- `atomic`: files that are complete as soon as they have their name
- `chunks`: chunks of codes: compressed as gzip does, with HDF5's checksum of the compressed bytes
- `datasets`: attributes and data sets, each checked before anything relies on it
- `damage`: what is wrong with a file that cannot be read
- `format`: how HDF5 lays a file out, its attributes and how they are checked
- `memory`: how much memory there is, and whether a whole table has room
- `order`: the order in which files hold codes, and the way between it and memory
- `reading`: whole tables, or parts of them, from files
- `sections`: tables into files section by section, as they are solved
- `stored_chunks`: the data sets of an open file as compressed chunks
- `subtables`: what the moves of a material lead to, read from a folder
- `table_names`: which files of a folder are tables, and of which material
- `writing`: solved tables into files

May import `jit`, `board`, `outcomes`, `rules`, `index`, `tables`. Another file format is another
wing.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
