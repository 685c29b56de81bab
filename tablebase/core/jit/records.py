"""Records: named arrays and integers that kernels take by one pointer."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from tablebase.core.jit.instructions import make_array

_WORD = ir.IntType(64)


class KernelRecord:
    """A named tuple of arrays, integers and records, `fields`, that kernels take by one pointer.

    A named tuple itself becomes several arguments for each array, which takes minutes to compile
    and microseconds to pass. The record keeps its fields alive, and is read like the tuple.
    """

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.kind: RecordType
        self.address: int
        words: list[int] = []
        kinds: list[tuple[str, Any]] = []
        for name, value in zip(fields._fields, fields, strict=True):
            if isinstance(value, np.ndarray):
                words += [value.ctypes.data, *value.shape, *value.strides]
                kinds.append((name, typeof(value)))
            elif isinstance(value, KernelRecord):
                words.append(value.address)
                kinds.append((name, value.kind))
            else:
                words.append(int(value))
                kinds.append((name, types.int64))
        self._words = np.array(words, dtype=np.int64)
        self.address = self._words.ctypes.data
        self.kind = RecordType(tuple(kinds))


class RecordType(types.Type):
    """The numba type of a `KernelRecord`: names and types of its fields."""

    def __init__(self, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        self.kinds = dict(fields)
        # A name tells types apart, and is part of those of functions: the fields would be long.
        contents = ", ".join(f"{name}: {kind}" for name, kind in fields)
        digest = hashlib.sha256(contents.encode()).hexdigest()[:16]
        super().__init__(name=f"KernelRecord({digest})")

    def offset(self, name: str) -> int:
        """Return the offset of a field in words."""
        words = 0
        for field, kind in self.fields:
            if field == name:
                break
            words += 1 + 2 * kind.ndim if isinstance(kind, types.Array) else 1
        return words


@typeof_impl.register(KernelRecord)
def _type_of_record(record: KernelRecord, _context: Any) -> RecordType:
    return record.kind


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD.as_pointer())


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record: Any, name: str) -> Any:  # type: ignore[override]
        """Return the type of a field."""
        return record.kinds.get(name)


@lower_getattr_generic(RecordType)
def _read_field(context: Any, builder: Any, record: RecordType, pointer: Any, name: str) -> Any:
    kind = record.kinds[name]
    first = record.offset(name)

    def load(word: int, llvm_type: Any) -> Any:
        place = cgutils.gep_inbounds(builder, pointer, first + word)
        value = builder.load(builder.bitcast(place, llvm_type.as_pointer()))
        value.align = 8
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if not isinstance(kind, types.Array):
        return load(0, context.get_value_type(kind))
    data = load(0, context.get_data_type(kind.dtype).as_pointer())
    lengths = [load(1 + axis, _WORD) for axis in range(kind.ndim)]
    strides = [load(1 + kind.ndim + axis, _WORD) for axis in range(kind.ndim)]
    return make_array(context, builder, kind, data, lengths, strides)


@unbox(RecordType)
def _unbox_record(kind: Any, record: Any, c: Any) -> NativeValue:  # noqa: ARG001
    address = c.pyapi.object_getattr_string(record, "address")
    pointer = c.builder.inttoptr(c.pyapi.long_as_longlong(address), _WORD.as_pointer())
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))
