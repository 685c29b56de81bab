"""Kernels compiled by numba: their options and cache, records, vector instructions.

There is no chess in it.

- `cache`: the folder of compiled kernels, chosen before numba looks for one
- `compiler`: how numba compiles kernels: machine code only for what is called, and small where that
  will do
- `far_calls`: far calls: kernels that end the tree of calls
- `instructions`: instructions for kernels that Python has no words for: bits, addresses, work
  space, threads
- `kernels`: the only place with numba's options: how kernels are compiled
- `records`: records: named arrays and integers that kernels take by one pointer
- `vectors`: vector instructions for kernels: a line of eight 64-bit words, and rows of 64 bytes

Imports no other wing. How kernels are compiled belongs here; what they compute does not.
"""

import tablebase.jit.cache  # noqa: F401  (numba reads at import what it sets)
from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
