"""Kernels: numba, with a folder for what it compiles, and what chess needs besides Python's own.

`_cache` chooses the folder, `_kernels` says how kernels are compiled (`_pipeline` is how, as far
as numba's inner classes are concerned), `_records` hands arrays to them, `_far_calls` ends trees
of calls. The instructions that kernels use are in `_instructions` and `_vectors`.
"""

from tablebase import _cache  # noqa: F401 (first: numba looks for the folder when it is imported)
from tablebase._far_calls import FarTable
from tablebase._kernels import entry, hot_entry, hot_kernel, kernel
from tablebase._records import KernelRecord

__all__ = ["FarTable", "KernelRecord", "entry", "hot_entry", "hot_kernel", "kernel"]
