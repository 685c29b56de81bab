"""The engine's kernels that are called far, and the types of what they take.

Each is entered in `FAR` beside its definition. Records stand there by name: their types are
known once there is a problem, see `slices.link_kernels`.
"""

from __future__ import annotations

from numba import types

from tablebase.core.jit import FarTable

FAR = FarTable()

NUMBER = types.int64
WORD = types.uint64
BYTES = types.Array(types.uint8, 1, "C")
BYTE_ROWS = types.Array(types.uint8, 2, "C")
WORDS = types.Array(WORD, 1, "C")
WORD_ROWS = types.Array(WORD, 2, "C")
NUMBERS = types.Array(NUMBER, 1, "C")
