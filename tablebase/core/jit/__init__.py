"""Kernels compiled by numba: their options and cache, records, vector instructions.

There is no chess in it. Modules with kernels import `kernels`, `instructions` and `records`, which
load numba when a kernel is first called; the others import it at once.

- `ahead`: an entry as an object of WebAssembly, for a web page
- `barriers`: threads that run the same kernel together, and wait for each other
- `cache`: the folder of compiled kernels, chosen before numba looks for one
- `compiler`: numba's compiler, extended: code only for what is called, small code where possible
- `dispatchers`: the only place with numba's options
- `emitted`: what numba makes of the instructions
- `instructions`: operations that Python lacks: bits, addresses, work space, threads
- `kernel_sources`: the sources that a kernel is compiled from
- `kernels`: functions that numba compiles when they are first needed
- `kept`: compiled kernels in files, checked when they are read
- `record_types`: what numba makes of the records
- `records`: named arrays and integers that kernels take by one pointer
- `vectors`: lines of eight 64-bit words, and rows of 64 bytes

Imports no other wing. How kernels are compiled belongs here; what they compute does not.
"""
