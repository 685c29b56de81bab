"""Tables on disk: one self-describing HDF5 file for each material.

It knows how values are packed, not what they are worth.

- `atomic`: files that are complete as soon as they have their name
- `chunks`: chunks of values: compressed as gzip does, with HDF5's checksum of the compressed bytes
- `format`: what stands in a table file besides the values: its attributes, and how they are checked
- `order`: the order in which files hold the values of a table, and the way between it and memory
- `reading`: tables on disk: one self-describing HDF5 file for each material, and the reading of it
- `subtables`: the tables that moves of a material lead to, read from a folder
- `writing`: solved tables into files

May import `jit`, `board`, `index`, `tables`. Another file format is another wing.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
