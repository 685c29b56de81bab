"""The types that numba gives to `records`, and how kernels read their fields."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import import_module
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
    unbox,
)

from tablebase.core.jit.emitted import intrinsic, make_array, type_of
from tablebase.core.jit.kernel_sources import source_digest
from tablebase.core.jit.records import KernelRecord

_WORD = ir.IntType(64)
_TYPED = (np.ndarray, KernelRecord)  # fields of other types are integers


class KernelType(types.Opaque):
    """The numba type of a kernel in a record, of which it is a constant.

    Its name has a digest of the kernel's sources, so that code in files is of these.
    """

    def __init__(self, module: str, kernel: str, digest: str) -> None:
        self.module, self.kernel = module, kernel
        super().__init__(name=f"{module}.{kernel}-{digest}")

    @property
    def dispatcher_type(self) -> Any:
        """The type of the kernel itself."""
        return getattr(import_module(self.module), self.kernel)._numba_type_


class RecordType(types.Type):
    """The numba type of a `KernelRecord`: names and types of its fields."""

    def __init__(self, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        self.types = dict(fields)
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


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD.as_pointer())


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record: Any, name: str) -> Any:  # type: ignore[override]
        """Return the type of a field."""
        kind = record.types.get(name)
        return kind.dispatcher_type if isinstance(kind, KernelType) else kind


@lower_getattr_generic(RecordType)
def _read_field(context: Any, builder: Any, record: RecordType, pointer: Any, name: str) -> Any:
    kind = record.types[name]
    if isinstance(kind, KernelType):
        return context.get_dummy_value()
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


def type_of_fields(fields: Any) -> RecordType:
    """Return the type of a record with these fields, a named tuple."""
    return RecordType(tuple(zip(fields._fields, map(_type_of, fields), strict=True)))


def type_of_reader(fields: Any) -> Any:
    """Return the type of a `RecordReader` of records with these fields."""
    record = type_of_fields(fields)

    @intrinsic
    def record_at(_typing: Any, address: Any) -> Any:  # noqa: ARG001
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], _WORD.as_pointer())

        return record(types.int64), codegen

    return type_of(record_at)


def _type_of(field: Any) -> Any:
    if hasattr(field, "py_func"):
        return _type_of_kernel(field.py_func)
    return typeof(field) if isinstance(field, _TYPED) else types.int64


@cache
def _type_of_kernel(function: Any) -> KernelType:
    return KernelType(function.__module__, function.__name__, source_digest(function)[:16])
