"""Kernels compiled by numba: their options and cache, records, vector instructions.

There is no chess in it.

- `barriers`: threads that run the same kernel together, and wait for each other
- `cache`: the folder of compiled kernels, chosen before numba looks for one
- `compiler`: numba's compiler, extended: code only for what is called, small code where possible
- `instructions`: operations that Python lacks: bits, addresses, work space, threads
- `kernels`: the only place with numba's options
- `kept`: compiled kernels in files, checked when they are read
- `records`: named arrays and integers that kernels take by one pointer
- `vectors`: lines of eight 64-bit words, and rows of 64 bytes

Imports no other wing. How kernels are compiled belongs here; what they compute does not.
"""

import tablebase.core.jit.cache  # noqa: F401  (numba reads at import what it sets)
