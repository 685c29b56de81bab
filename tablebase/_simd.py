"""Vector instructions for kernels: a line of eight 64-bit words, and rows of 64 bytes.

numba compiles scalar Python; LLVM's vectoriser does not find the operations that a bit-parallel
engine lives on.  The functions here emit LLVM's vector instructions directly, so that they become
the widest registers of the machine (two of 256 bits, or one of 512).  They check no bounds.

A `Line` holds 8 x uint64.  Operators ``|``, ``&``, ``^`` and ``~`` work on lines.
"""

from __future__ import annotations

import operator
import sys
from math import prod
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import models, register_model
from numba.np.arrayobj import populate_array

from tablebase._jit import instruction

_I1 = ir.IntType(1)
_I8 = ir.IntType(8)
_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_WORDS = ir.VectorType(_I64, 8)
_BYTES = ir.VectorType(_I8, 64)
_FLAGS = ir.VectorType(_I1, 64)


class LineType(types.Type):
    """The numba type of eight 64-bit words in vector registers."""

    def __init__(self) -> None:
        super().__init__(name="Line")


line_type = LineType()


@register_model(LineType)
class _LineModel(models.PrimitiveModel):
    def __init__(self, manager: Any, front_end_type: Any) -> None:
        super().__init__(manager, front_end_type, _WORDS)


def _register_operator(function: Any, arity: int, method: str) -> None:
    """Let `function` work on `arity` lines by the instruction builder's `method`."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: Any, kws: Any) -> Any:  # noqa: ARG002
            if len(args) == arity and all(isinstance(arg, LineType) for arg in args):
                return signature(line_type, *args)
            return None

    infer_global(function)(Template)

    @lower_builtin(function, *[LineType] * arity)
    def _lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return getattr(builder, method)(*args)


for _function in (operator.or_, operator.ior):
    _register_operator(_function, 2, "or_")
for _function in (operator.and_, operator.iand):
    _register_operator(_function, 2, "and_")
_register_operator(operator.xor, 2, "xor")
_register_operator(operator.invert, 1, "not_")


def _pointer(context: Any, builder: Any, sig: Any, args: Any, array: int, to: Any) -> Any:
    """Return a pointer of type `to` at element ``args[array + 1]`` of array ``args[array]``."""
    data = context.make_array(sig.args[array])(context, builder, args[array]).data
    return builder.bitcast(builder.gep(data, [args[array + 1]]), to.as_pointer())


def _load(builder: Any, pointer: Any, align: int) -> Any:
    value = builder.load(pointer)
    value.align = align
    return value


def _splat(builder: Any, scalar: Any, vector: Any) -> Any:
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(_I32, 0))
    mask = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)


def _call(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """Call one of LLVM's intrinsics."""
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


# Lines -------------------------------------------------------------------------------------


@instruction
def load_line(_typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Return words ``array[index : index + 8]`` of a uint64 array as a line."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load(builder, _pointer(context, builder, sig, args, 0, _WORDS), 8)

    return line_type(array, types.intp), codegen


@instruction
def store_line(_typing: Any, array: Any, index: Any, line: Any) -> Any:  # noqa: ARG001
    """Write a line to ``array[index : index + 8]`` of a uint64 array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _pointer(context, builder, sig, args, 0, _WORDS), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, line_type), codegen


@instruction
def empty_line(_typing: Any) -> Any:
    """Return a line of zeros."""

    def codegen(_context: Any, _builder: Any, _sig: Any, _args: Any) -> Any:
        return ir.Constant(_WORDS, None)

    return line_type(), codegen


@instruction
def splat(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return a line of eight copies of a uint64."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return _splat(builder, args[0], _WORDS)

    return line_type(types.uint64), codegen


@instruction
def word_of(_typing: Any, line: Any, position: Any) -> Any:  # noqa: ARG001
    """Return word `position` (0 to 7) of a line."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], _I32))

    return types.uint64(line_type, types.intp), codegen


@instruction
def with_word(_typing: Any, line: Any, position: Any, word: Any) -> Any:  # noqa: ARG001
    """Return a line with word `position` (0 to 7) replaced."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.insert_element(args[0], args[2], builder.trunc(args[1], _I32))

    return line_type(line_type, types.intp, types.uint64), codegen


@instruction
def any_word(_typing: Any, line: Any) -> Any:  # noqa: ARG001
    """Return whether any bit of a line is set."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        undefined = ir.Constant(_WORDS, ir.Undefined)
        value = args[0]
        for shift in (4, 2, 1):
            order = [(i + shift) % 8 for i in range(8)]
            mask = ir.Constant(ir.VectorType(_I32, 8), order)
            value = builder.or_(value, builder.shuffle_vector(value, undefined, mask))
        word = builder.extract_element(value, ir.Constant(_I32, 0))
        return builder.icmp_unsigned("!=", word, ir.Constant(_I64, 0))

    return types.boolean(line_type), codegen


def _shift_intrinsic(method: str, summary: str) -> Any:
    def function(_typing: Any, line: Any, count: Any) -> Any:  # noqa: ARG001
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            return getattr(builder, method)(args[0], _splat(builder, args[1], _WORDS))

        return line_type(line_type, types.intp), codegen

    function.__doc__ = summary
    return instruction(function)


shift_up = _shift_intrinsic("shl", "Shift every word of a line towards its high bits.")
shift_down = _shift_intrinsic("lshr", "Shift every word of a line towards its low bits.")


def _unary_intrinsic(name: str, vector: Any, summary: str) -> Any:
    """Make an intrinsic that applies one of LLVM's to all elements of a line seen as `vector`."""

    def function(_typing: Any, line: Any) -> Any:  # noqa: ARG001
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            result = _call(builder, name, vector, [builder.bitcast(args[0], vector)])
            return builder.bitcast(result, _WORDS)

        return line_type(line_type), codegen

    function.__doc__ = summary
    return instruction(function)


reversed_bytes = _unary_intrinsic(
    "llvm.bswap.v8i64", _WORDS, "Reverse the bytes of every word of a line."
)
reversed_bits = _unary_intrinsic(
    "llvm.bitreverse.v64i8", _BYTES, "Reverse the bits of every byte of every word of a line."
)


def _order_intrinsic(order: list[int], summary: str) -> Any:
    """Make an intrinsic that puts word ``order[i]`` at place i, or zero where that is 8."""

    def function(_typing: Any, line: Any) -> Any:  # noqa: ARG001
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            mask = ir.Constant(ir.VectorType(_I32, 8), order)
            return builder.shuffle_vector(args[0], ir.Constant(_WORDS, None), mask)

        return line_type(line_type), codegen

    function.__doc__ = summary
    return instruction(function)


words_up = _order_intrinsic(
    [8, 0, 1, 2, 3, 4, 5, 6], "Move word i of a line to i + 1; word 0 becomes zero."
)
words_down = _order_intrinsic(
    [1, 2, 3, 4, 5, 6, 7, 8], "Move word i of a line to i - 1; word 7 becomes zero."
)
reversed_words = _order_intrinsic(
    [7, 6, 5, 4, 3, 2, 1, 0], "Return a line with its words reversed."
)


@instruction
def prefetch(_typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Bring the cache line of ``array[index]`` near; the array may end before that."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig, args, 0, _I8)
        hints = [_I32(0), _I32(3), _I32(1)]  # to read, often, data
        _call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *hints])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


# Rows of 64 bytes, selected by the bits of a word ---------------------------------------------


@instruction
def bytes_equal(_typing: Any, array: Any, index: Any, code: Any) -> Any:  # noqa: ARG001
    """Return as bits which of ``array[index : index + 64]`` (uint8) equal `code`."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _load(builder, _pointer(context, builder, sig, args, 0, _BYTES), 1)
        code = _splat(builder, args[2], _BYTES)
        return builder.bitcast(builder.icmp_unsigned("==", row, code), _I64)

    return types.uint64(array, types.intp, types.uint8), codegen


@instruction
def bytes_alike(_typing: Any, array: Any, index: Any, other: Any, other_index: Any) -> Any:  # noqa: ARG001
    """Return as bits which of ``array[index : index + 64]`` equal those of another (uint8)."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _load(builder, _pointer(context, builder, sig, args, 0, _BYTES), 1)
        other = _load(builder, _pointer(context, builder, sig, args, 2, _BYTES), 1)
        return builder.bitcast(builder.icmp_unsigned("==", row, other), _I64)

    return types.uint64(array, types.intp, other, types.intp), codegen


@instruction
def bytes_with(_typing: Any, array: Any, index: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return as bits which of ``array[index : index + 64]`` (uint8) have a bit of `mask` set."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _load(builder, _pointer(context, builder, sig, args, 0, _BYTES), 1)
        common = builder.and_(row, _splat(builder, args[2], _BYTES))
        some = builder.icmp_unsigned("!=", common, ir.Constant(_BYTES, None))
        return builder.bitcast(some, _I64)

    return types.uint64(array, types.intp, types.uint8), codegen


@instruction
def write_selected(_typing: Any, array: Any, index: Any, bits: Any, code: Any) -> Any:  # noqa: ARG001
    """Write `code` to those of ``array[index : index + 64]`` (uint8) whose bit is set."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig, args, 0, _BYTES)
        flags = builder.bitcast(args[2], _FLAGS)
        code = _splat(builder, args[3], _BYTES)
        row = builder.select(flags, code, _load(builder, pointer, 1))
        builder.store(row, pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint64, types.uint8), codegen


@instruction
def raise_selected(
    _typing: Any,
    array: Any,
    index: Any,  # noqa: ARG001
    source: Any,
    source_index: Any,  # noqa: ARG001
    bits: Any,  # noqa: ARG001
) -> Any:
    """Raise ``array[index + i]`` to ``source[source_index + i]`` where bit i is set (uint8)."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig, args, 0, _BYTES)
        row = _load(builder, pointer, 1)
        other = _load(builder, _pointer(context, builder, sig, args, 2, _BYTES), 1)
        flags = builder.bitcast(args[4], _FLAGS)
        other = builder.select(flags, other, ir.Constant(_BYTES, None))
        larger = builder.select(builder.icmp_unsigned(">", row, other), row, other)
        builder.store(larger, pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, source, types.intp, types.uint64), codegen


# Words, addresses, work space, threads ------------------------------------------------------


@instruction
def lowest_bit(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return the number of the lowest set bit of a non-zero uint64."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(_I1, 1))

    return types.int64(types.uint64), codegen


@instruction
def count_bits(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return how many bits of a uint64 are set."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@instruction
def byte_at(_typing: Any, address: Any, offset: Any) -> Any:  # noqa: ARG001
    """Return the uint8 at `offset` bytes from a memory address.

    Kernels reach the values of sub-tables by address, so that one compiled kernel serves any
    number of them.
    """

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        pointer = builder.inttoptr(builder.add(args[0], args[1]), _I8.as_pointer())
        return builder.load(pointer)

    return types.uint8(types.int64, types.int64), codegen


@instruction
def write_byte(_typing: Any, address: Any, offset: Any, value: Any) -> Any:  # noqa: ARG001
    """Write a uint8 at `offset` bytes from a memory address."""

    def codegen(context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        pointer = builder.inttoptr(builder.add(args[0], args[1]), _I8.as_pointer())
        builder.store(args[2], pointer)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.uint8), codegen


def _on_the_stack(kind: Any, shape: list[int]) -> Any:
    """Return the generator of an array of a type and shape on the stack."""

    def codegen(context: Any, builder: Any, _sig: Any, _args: Any) -> Any:
        element = context.get_data_type(kind.dtype)
        size = context.get_abi_sizeof(element)
        place = cgutils.alloca_once(builder, element, size=ir.Constant(_I64, prod(shape)))
        place.align = 64
        array = context.make_array(kind)(context, builder)
        steps = [size * prod(shape[axis + 1 :]) for axis in range(len(shape))]
        lengths = [ir.Constant(_I64, length) for length in shape]
        strides = [ir.Constant(_I64, step) for step in steps]
        populate_array(array, place, lengths, strides, ir.Constant(_I64, size), None)
        return array._getvalue()  # noqa: SLF001 (there is no other way)

    return codegen


@instruction
def work_space(_typing: Any, size: Any, dtype: Any) -> Any:
    """Return an array of `size` elements, a constant, whose contents are not set.

    It lies on the stack and is gone when the kernel returns: nothing to allocate or to free, and
    kernels without ``np.empty`` are compiled without numba's counting of references.
    """
    if not isinstance(size, types.Literal):  # numba asks again with the constant
        return None
    kind = types.Array(dtype.dtype, 1, "C")
    return kind(size, dtype), _on_the_stack(kind, [size.literal_value])


@instruction
def work_table(_typing: Any, rows: Any, columns: Any, dtype: Any) -> Any:
    """Return a `work_space` of two dimensions."""
    if not isinstance(rows, types.Literal):
        return None
    kind = types.Array(dtype.dtype, 2, "C")
    shape = [rows.literal_value, columns.literal_value]
    return kind(rows, columns, dtype), _on_the_stack(kind, shape)


@instruction
def fetch_add(_typing: Any, array: Any, index: Any, amount: Any) -> Any:  # noqa: ARG001
    """Add to ``array[index]`` (int64) atomically; return the value before."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, sig, args, 0, _I64)
        return builder.atomic_rmw("add", pointer, args[2], "seq_cst")

    return types.int64(array, types.intp, types.int64), codegen


@instruction
def cycles(_typing: Any) -> Any:
    """Return the processor's counter of cycles."""

    def codegen(_context: Any, builder: Any, _sig: Any, _args: Any) -> Any:
        return _call(builder, "llvm.readcyclecounter", _I64, [])

    return types.int64(), codegen


yield_thread = types.ExternalFunction(
    "SwitchToThread" if sys.platform == "win32" else "sched_yield", types.int32()
)
