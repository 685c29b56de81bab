"""What numba makes of `instructions`: the functions here emit LLVM's instructions directly."""

from __future__ import annotations

import sys
from math import prod
from typing import Any

from llvmlite import ir
from numba import extending, types
from numba.core import cgutils
from numba.core.registry import cpu_target

_I1 = ir.IntType(1)
_I8 = ir.IntType(8)
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)


def intrinsic(function: Any) -> Any:
    """Make a function that generates LLVM's instructions callable from kernels."""
    return extending.intrinsic(function)


def type_of(function: Any) -> Any:
    """Return the type that a function of this module has for numba."""
    if isinstance(function, types.Type):  # an external function is its own type
        return function
    context = cpu_target.typing_context
    context.refresh()  # it may be new
    return context.resolve_value_type(function)


yield_thread = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)


def call_llvm(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call one of LLVM's intrinsics."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


@intrinsic
def lowest_bit(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return the number of the lowest set bit of a non-zero uint64."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 1))

    return types.int64(types.uint64), codegen


@intrinsic
def count_bits(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return the number of bits of a uint64 that are set."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def byte_at(_typing: Any, address: Any, offset: Any) -> Any:  # noqa: ARG001
    """Return the uint8 at `offset` bytes from a memory address.

    Kernels reach the values of sub-tables by address, so that one compiled kernel serves any
    number of them.
    """

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        pointer = builder.inttoptr(builder.add(args[0], args[1]), _I8.as_pointer())
        return builder.load(pointer)

    return types.uint8(types.int64, types.int64), codegen


@intrinsic
def write_byte(_typing: Any, address: Any, offset: Any, value: Any) -> Any:  # noqa: ARG001
    """Write a uint8 at `offset` bytes from a memory address."""

    def codegen(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        pointer = builder.inttoptr(builder.add(args[0], args[1]), _I8.as_pointer())
        builder.store(args[2], pointer)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.uint8), codegen


@intrinsic
def work_space(_typing: Any, size: Any, dtype: Any) -> Any:
    """Return an array of `size` elements, a constant, whose contents are not set.

    It lies on the stack and is gone when the kernel returns: nothing to allocate or to free, and
    kernels without ``np.empty`` are compiled without numba's counting of references.
    """
    if not isinstance(size, types.Literal):  # numba asks again with the constant
        return None
    kind = types.Array(dtype.dtype, 1, "C")
    return kind(size, dtype), _on_the_stack(kind, [size.literal_value])


def _on_the_stack(kind: Any, shape: list[int]) -> Any:
    """Return the generator of an array of a type and shape on the stack."""

    def codegen(context: Any, builder: Any, _sig: Any, _args: Any) -> Any:
        element = context.get_data_type(kind.dtype)
        size = context.get_abi_sizeof(element)
        place = cgutils.alloca_once(builder, element, size=ir.Constant(_I64, prod(shape)))
        place.align = 64
        lengths = [ir.Constant(_I64, length) for length in shape]
        strides = [ir.Constant(_I64, size * prod(shape[axis + 1 :])) for axis in range(len(shape))]
        return make_array(context, builder, kind, place, lengths, strides)

    return codegen


def make_array(
    context: Any, builder: Any, kind: Any, data: Any, shape: list[Any], strides: list[Any]
) -> Any:
    """Return an array that owns nothing, as LLVM's code has it.

    `kind` is its numba type, `data` points to its first element, `shape` and `strides` (in bytes)
    are 64-bit integers.
    """
    array = context.make_array(kind)(context, builder)
    element = context.get_data_type(kind.dtype)
    items = shape[0]
    for length in shape[1:]:
        items = builder.mul(items, length)
    array.data = builder.bitcast(data, element.as_pointer())
    array.shape = cgutils.pack_array(builder, shape)
    array.strides = cgutils.pack_array(builder, strides)
    array.nitems = items
    array.itemsize = _I64(context.get_abi_sizeof(element))
    return array._getvalue()  # noqa: SLF001 (there is no other way)


@intrinsic
def work_table(_typing: Any, rows: Any, columns: Any, dtype: Any) -> Any:
    """Return a `work_space` of two dimensions."""
    if not isinstance(rows, types.Literal):
        return None
    kind = types.Array(dtype.dtype, 2, "C")
    shape = [rows.literal_value, columns.literal_value]
    return kind(rows, columns, dtype), _on_the_stack(kind, shape)


@intrinsic
def fetch_add(_typing: Any, array: Any, index: Any, amount: Any) -> Any:  # noqa: ARG001
    """Add to ``array[index]`` (int64) atomically; return the value before."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, sig, args, 0, _I64)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), codegen


def element_pointer(context: Any, builder: Any, sig: Any, args: Any, array: int, to: Any) -> Any:
    """Return a pointer of type `to` at element ``args[array + 1]`` of array ``args[array]``."""
    data = context.make_array(sig.args[array])(context, builder, args[array]).data
    return builder.bitcast(builder.gep(data, [args[array + 1]]), to.as_pointer())


@intrinsic
def prefetch(_typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Prefetch the cache line of ``array[index]``; the index may lie beyond the array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, sig, args, 0, _I8)
        hints = [_I32(0), _I32(3), _I32(1)]  # to read, often, data
        call_llvm(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *hints])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
