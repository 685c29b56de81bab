"""Records: named arrays and integers that kernels take by one pointer."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


class KernelRecord:
    """A named tuple of arrays, integers and records, `fields`, that kernels take by one pointer.

    A named tuple itself becomes several arguments for each array, which takes minutes to compile
    and microseconds to pass. The record keeps its fields alive, and is read like the tuple.
    """

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.address: int
        self._kind: Any = None
        words: list[int] = []
        for value in fields:
            if isinstance(value, np.ndarray):
                words += [value.ctypes.data, *value.shape, *value.strides]
            elif isinstance(value, KernelRecord):
                words.append(value.address)
            else:
                words.append(int(value))
        self._words = np.array(words, dtype=np.int64)
        self.address = self._words.ctypes.data

    @property
    def kind(self) -> Any:
        """The type that the record has for numba."""
        if self._kind is None:
            types = import_module("tablebase.core.jit.record_types")
            self._kind = types.type_of_fields(self.fields)
        return self._kind

    _numba_type_ = kind  # where numba looks for it
