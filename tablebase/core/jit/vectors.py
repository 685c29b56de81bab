"""Vector instructions for kernels: a line of eight 64-bit words, and rows of 64 bytes.

LLVM's vectoriser does not find what a bit-parallel engine lives on, so these functions emit LLVM's
vector instructions; they check no bounds. A `Line` is 8 x uint64, with ``|``, ``&``, ``^``, ``~``.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from tablebase.core.jit.emitted import call_llvm, element_pointer, intrinsic

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

    def type_one(line: Any) -> Any:
        return line_type if isinstance(line, LineType) else None

    def type_two(line: Any, other: Any) -> Any:
        return type_one(line) and type_one(other)

    @type_callable(function)
    def _type(_context: Any) -> Any:
        return type_one if arity == 1 else type_two

    @lower_builtin(function, *[LineType] * arity)
    def _lower(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return getattr(builder, method)(*args)


for _function in (operator.or_, operator.ior):
    _register_operator(_function, 2, "or_")
for _function in (operator.and_, operator.iand):
    _register_operator(_function, 2, "and_")
_register_operator(operator.xor, 2, "xor")
_register_operator(operator.invert, 1, "not_")


def _splat(builder: Any, scalar: Any, vector: Any) -> Any:
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(_I32, 0))
    mask = ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)


def _shift_intrinsic(method: str, summary: str) -> Any:
    def function(_typing: Any, line: Any, count: Any) -> Any:  # noqa: ARG001
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            return getattr(builder, method)(args[0], _splat(builder, args[1], _WORDS))

        return line_type(line_type, types.intp), codegen

    function.__doc__ = summary
    return intrinsic(function)


shift_up = _shift_intrinsic("shl", "Shift every word of a line towards its high bits.")
shift_down = _shift_intrinsic("lshr", "Shift every word of a line towards its low bits.")


def _unary_intrinsic(name: str, vector: Any, summary: str) -> Any:
    """Make an intrinsic of numba that applies an LLVM intrinsic to a line seen as `vector`."""

    def function(_typing: Any, line: Any) -> Any:  # noqa: ARG001
        def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
            result = call_llvm(builder, name, vector, [builder.bitcast(args[0], vector)])
            return builder.bitcast(result, _WORDS)

        return line_type(line_type), codegen

    function.__doc__ = summary
    return intrinsic(function)


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
    return intrinsic(function)


words_up = _order_intrinsic(
    [8, 0, 1, 2, 3, 4, 5, 6], "Move word i of a line to i + 1; word 0 becomes zero."
)
words_down = _order_intrinsic(
    [1, 2, 3, 4, 5, 6, 7, 8], "Move word i of a line to i - 1; word 7 becomes zero."
)
reversed_words = _order_intrinsic(
    [7, 6, 5, 4, 3, 2, 1, 0], "Return a line with its words reversed."
)


# Lines -------------------------------------------------------------------------------------
@intrinsic
def load_line(_typing: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Return words ``array[index : index + 8]`` of a uint64 array as a line."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _load(builder, element_pointer(context, builder, sig, args, 0, _WORDS), 8)

    return line_type(array, types.intp), codegen


def _load(builder: Any, pointer: Any, align: int) -> Any:
    value = builder.load(pointer)
    value.align = align
    return value


@intrinsic
def store_line(_typing: Any, array: Any, index: Any, line: Any) -> Any:  # noqa: ARG001
    """Write a line to ``array[index : index + 8]`` of a uint64 array."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], element_pointer(context, builder, sig, args, 0, _WORDS), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, line_type), codegen


@intrinsic
def empty_line(_typing: Any) -> Any:
    """Return a line of zeros."""

    def codegen(_context: Any, _builder: Any, _sig: Any, _args: Any) -> Any:
        return ir.Constant(_WORDS, None)

    return line_type(), codegen


@intrinsic
def splat(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return a line of eight copies of a uint64."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return _splat(builder, args[0], _WORDS)

    return line_type(types.uint64), codegen


@intrinsic
def line_of_bits(_typing: Any, word: Any) -> Any:  # noqa: ARG001
    """Return a line whose word i is all ones where bit i of a uint64 is set, else zero."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        flags = builder.bitcast(builder.trunc(args[0], _I8), ir.VectorType(_I1, 8))
        return builder.sext(flags, _WORDS)

    return line_type(types.uint64), codegen


@intrinsic
def word_of(_typing: Any, line: Any, position: Any) -> Any:  # noqa: ARG001
    """Return word `position` (0 to 7) of a line."""

    def codegen(_context: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.extract_element(args[0], builder.trunc(args[1], _I32))

    return types.uint64(line_type, types.intp), codegen


@intrinsic
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


# Rows of 64 bytes, selected by the bits of a word ---------------------------------------------
@intrinsic
def bytes_equal(_typing: Any, array: Any, index: Any, code: Any) -> Any:  # noqa: ARG001
    """Return as bits which of ``array[index : index + 64]`` (uint8) equal `code`."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _load(builder, element_pointer(context, builder, sig, args, 0, _BYTES), 1)
        code = _splat(builder, args[2], _BYTES)
        return builder.bitcast(builder.icmp_unsigned("==", row, code), _I64)

    return types.uint64(array, types.intp, types.uint8), codegen


@intrinsic
def bytes_with(_typing: Any, array: Any, index: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return as bits which of ``array[index : index + 64]`` (uint8) have a bit of `mask` set."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        row = _load(builder, element_pointer(context, builder, sig, args, 0, _BYTES), 1)
        common = builder.and_(row, _splat(builder, args[2], _BYTES))
        some = builder.icmp_unsigned("!=", common, ir.Constant(_BYTES, None))
        return builder.bitcast(some, _I64)

    return types.uint64(array, types.intp, types.uint8), codegen


@intrinsic
def write_selected(_typing: Any, array: Any, index: Any, bits: Any, code: Any) -> Any:  # noqa: ARG001
    """Write `code` to the elements of ``array[index : index + 64]`` (uint8) whose bit is set."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = element_pointer(context, builder, sig, args, 0, _BYTES)
        flags = builder.bitcast(args[2], _FLAGS)
        code = _splat(builder, args[3], _BYTES)
        row = builder.select(flags, code, _load(builder, pointer, 1))
        builder.store(row, pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint64, types.uint8), codegen


@intrinsic
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
        pointer = element_pointer(context, builder, sig, args, 0, _BYTES)
        row = _load(builder, pointer, 1)
        other = _load(builder, element_pointer(context, builder, sig, args, 2, _BYTES), 1)
        flags = builder.bitcast(args[4], _FLAGS)
        other = builder.select(flags, other, ir.Constant(_BYTES, None))
        larger = builder.select(builder.icmp_unsigned(">", row, other), row, other)
        builder.store(larger, pointer, align=1)
        return context.get_dummy_value()

    return types.void(array, types.intp, source, types.intp, types.uint64), codegen
