"""Records: named arrays and integers that kernels take by one pointer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

_RECORDS: WeakValueDictionary[int, KernelRecord] = WeakValueDictionary()  # by address


class KernelRecord:
    """A named tuple of arrays, integers and records, `fields`, that kernels take by one pointer.

    A named tuple itself becomes several arguments for each array, which takes minutes to compile
    and microseconds to pass. The record keeps its fields alive, and is read like the tuple.

    Fields that are kernels belong to its type: what calls one is compiled for this one, and nothing
    is chosen while it runs.
    """

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.address: int
        self._known_type: Any = None
        words: list[int] = []
        for value in fields:
            if isinstance(value, np.ndarray):
                words += [value.ctypes.data, *value.shape, *value.strides]
            elif isinstance(value, KernelRecord):
                words.append(value.address)
            elif hasattr(value, "py_func"):
                words.append(0)
            else:
                words.append(int(value))
        self.words = np.array(words, dtype=np.int64)
        self.address = self.words.ctypes.data
        _RECORDS[self.address] = self

    def __getattr__(self, name: str) -> Any:
        """Return a field, for kernels that run in Python."""
        if name == "fields":  # while it is copied
            raise AttributeError(name)
        return getattr(self.fields, name)

    def pointers(self) -> Iterator[tuple[int, int]]:
        """Yield the number of each of the `words` that is an address, and the address.

        An empty array has 0, since nothing is read there.
        """
        word = 0
        for value in self.fields:
            if isinstance(value, np.ndarray):
                yield word, value.ctypes.data if value.size else 0
                word += 2 * value.ndim
            elif isinstance(value, KernelRecord):
                yield word, value.address
            word += 1

    @property
    def numba_type(self) -> Any:
        """The type that the record has for numba."""
        if self._known_type is None:
            types = import_module("tablebase.core.jit.record_types")
            self._known_type = types.type_of_fields(self.fields)
        return self._known_type

    _numba_type_ = numba_type  # where numba looks for it


class RecordReader:
    """An instruction for kernels: the record at an address, whose fields are like an example's.

    So one compiled kernel serves any number of records, which it finds itself. They must be kept
    alive.
    """

    def __init__(self, example: Callable[[], Any]) -> None:
        self._example = example

    def __call__(self, address: Any) -> KernelRecord:
        """Return the record, where kernels run in Python."""
        return _RECORDS[int(address)]

    @cached_property
    def _numba_type_(self) -> Any:
        """The type, where numba looks for it."""
        types = import_module("tablebase.core.jit.record_types")
        return types.type_of_reader(self._example())
