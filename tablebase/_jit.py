"""The only place with numba options and the folder of compiled kernels."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PACKAGE = Path(__file__).resolve().parent
_WEEK = 7 * 24 * 3600  # seconds

# Modules whose constants are compiled into kernels.
_GROUND = {"geometry", "symmetry", "values"}


def _source_digest() -> str:
    """Return a digest of all sources that kernels are made from.

    numba's cache notices an edit of a kernel's own file only, not of the kernels it calls in
    other files; a folder named after all these sources cannot be stale.
    """
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.glob("*.py")):
        source = path.read_bytes()
        if path.stem in _GROUND or b"_jit import" in source or b"numba" in source:
            digest.update(path.name.encode())
            digest.update(source)
    return digest.hexdigest()[:16]


def _candidate_folders() -> Iterator[Path]:
    yield _PACKAGE / "__pycache__"
    cache_home = os.environ.get("XDG_CACHE_HOME")
    if cache_home:
        yield Path(cache_home) / "chess-tablebase"
    try:
        yield Path.home() / ".cache" / "chess-tablebase"
    except RuntimeError:  # no home is known
        return


def _is_writable(folder: Path) -> bool:
    """Return whether a file can be made in `folder`, creating the folder if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _remove_unused(folder: Path) -> None:
    """Remove the kernels of versions that no process has started with for a week.

    A process that has run for longer goes on: numba compiles what it no longer finds.
    """
    for kernels in folder.glob("kernels-*"):
        with suppress(OSError):  # another process may be removing the same
            if kernels.stat().st_mtime < time.time() - _WEEK:
                shutil.rmtree(kernels, ignore_errors=True)


def cache_folder() -> Path:
    """Return a writable folder for compiled kernels.

    The package's own folder if it can be written, else the user's cache, else a new temporary
    folder (then every process compiles anew). Where a folder is new, those of versions out of use
    are removed.
    """
    name = f"kernels-{_source_digest()}"
    for folder in _candidate_folders():
        kernels = folder / name
        is_new = not kernels.exists()
        if _is_writable(kernels):
            kernels.touch()  # the time of the last use
            if is_new:
                _remove_unused(folder)
            return kernels
    return Path(tempfile.mkdtemp(prefix="chess-tablebase-"))


# numba raises at import time when it finds no writable folder, so this precedes it.
if "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())

import numpy as np  # noqa: E402  (the cache folder must be chosen first)
from llvmlite import ir  # noqa: E402
from numba import njit, typeof, types  # noqa: E402
from numba.core import cgutils  # noqa: E402
from numba.core.imputils import lower_getattr_generic  # noqa: E402
from numba.core.typing.templates import AttributeTemplate  # noqa: E402
from numba.extending import (  # noqa: E402
    NativeValue,
    infer_getattr,
    intrinsic,
    models,
    register_model,
    unbox,
)

from tablebase._pipeline import (  # noqa: E402
    Compiler,
    LinkedCompiler,
    SmallCompiler,
    SmallLinkedCompiler,
)

# Kernels allocate nothing, so that numba need not count references. Division by zero gives zero.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_rewrites": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


class _Linked:
    """A kernel that becomes part of the kernels that call it."""

    def __init__(self, function: Callable[..., Any], compiler: type[Compiler]) -> None:
        update_wrapper(self, function)
        # The type alone would not keep it alive.
        self._dispatcher = njit(pipeline_class=compiler, **_OPTIONS)(function)
        self._numba_type_ = typeof(self._dispatcher)  # where numba looks for an object's type
        self._entry: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel from Python: for tests, since an entry is compiled in each process."""
        if self._entry is None:
            called = self._dispatcher

            def call(*arguments: Any) -> Any:
                return called(*arguments)

            self._entry = njit(**_OPTIONS)(call)
        return self._entry(*arguments)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function with numba, for other kernels to call; see `tablebase._pipeline`.

    Parameters
    ----------
    function
        A function in numba's subset of Python, taking arrays, scalars and records of them. It
        allocates nothing (see `tablebase._simd.work_space`) and raises nothing.

    Returns
    -------
    Callable
        The compiled function. It runs without the global interpreter lock.
    """
    return _Linked(function, SmallLinkedCompiler)


def hot_kernel(function: Callable[..., Any]) -> Any:
    """Compile a `kernel` in which time is spent: to fast code, which takes longer."""
    return _Linked(function, LinkedCompiler)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a `kernel` that Python calls, or kernels through its address: cached on disk."""
    return njit(cache=True, pipeline_class=SmallCompiler, **_OPTIONS)(function)


def hot_entry(function: Callable[..., Any]) -> Any:
    """Compile an `entry` in which time is spent: to fast code, which takes longer."""
    return njit(cache=True, pipeline_class=Compiler, **_OPTIONS)(function)


def instruction(function: Any) -> Any:
    """Make a function that generates LLVM instructions callable from kernels."""
    return intrinsic(function)


class Record:
    """Named arrays and integers that kernels take by one pointer.

    A named tuple passed to a kernel becomes several arguments for each array; dozens of arrays
    through a deep tree of calls take minutes to compile and microseconds to pass. A record lays
    the arrays' descriptions out in memory once. Kernels read its fields like those of a tuple.

    Parameters
    ----------
    fields
        A named tuple of arrays, integers and records. They are kept alive by the record.
    """

    def __init__(self, fields: Any) -> None:
        self.fields = fields
        self.address: int
        self._numba_type_: Any  # where numba looks for an object's type
        words: list[int] = []
        kinds: list[tuple[str, Any]] = []
        for name, value in zip(fields._fields, fields, strict=True):
            if isinstance(value, np.ndarray):
                # numba's array: owner and parent (none), items, bytes, data, shape, strides.
                words += [0, 0, value.size, value.itemsize, value.ctypes.data]
                words += [*value.shape, *value.strides]
                kinds.append((name, typeof(value)))
            elif isinstance(value, Record):
                words.append(value.address)
                kinds.append((name, value._numba_type_))
            else:
                words.append(int(value))
                kinds.append((name, types.int64))
        self._words = np.array(words, dtype=np.int64)
        self.address = self._words.ctypes.data
        self._numba_type_ = RecordType(tuple(kinds))


class RecordType(types.Type):
    """The numba type of a `Record`: names and types of its fields."""

    def __init__(self, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields = fields
        self.kinds = dict(fields)
        # A name tells types apart, and is part of those of functions: the fields would be long.
        contents = ", ".join(f"{name}: {kind}" for name, kind in fields)
        super().__init__(name=f"Record({hashlib.sha256(contents.encode()).hexdigest()[:16]})")

    def offset(self, name: str) -> int:
        """Return where a field begins, in words."""
        words = 0
        for field, kind in self.fields:
            if field == name:
                break
            words += 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1
        return words


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


@infer_getattr
class _RecordAttributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record: Any, name: str) -> Any:  # type: ignore[override]
        """Return the type of a field."""
        return record.kinds.get(name)


@lower_getattr_generic(RecordType)
def _read_field(context: Any, builder: Any, record: RecordType, pointer: Any, name: str) -> Any:
    kind = context.get_value_type(record.kinds[name])
    place = cgutils.gep_inbounds(builder, pointer, record.offset(name))
    value = builder.load(builder.bitcast(place, kind.as_pointer()))
    value.align = 8
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@unbox(RecordType)
def _unbox_record(kind: Any, record: Any, c: Any) -> NativeValue:  # noqa: ARG001
    address = c.pyapi.object_getattr_string(record, "address")
    pointer = c.builder.inttoptr(c.pyapi.long_as_longlong(address), ir.IntType(64).as_pointer())
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def far(function: Any, slot: int) -> Any:
    """Return a way for kernels to call a kernel through its address.

    LLVM optimises a kernel again in every kernel that calls it, directly or not; a deep tree of
    calls takes minutes to compile. A far call ends the tree.

    Parameters
    ----------
    function
        The kernel to be called.
    slot
        Which element of the table of addresses is its own.

    Returns
    -------
    Callable
        For use in kernels as ``far_function(entries, (argument, ...))``, with `entries` an int64
        array that has the function's `entry_address` at `slot`. Arguments have the types that
        `entry_address` was given.
    """

    @instruction
    def call(_typing: Any, entries: Any, arguments: Any) -> Any:
        kinds = tuple(types.unliteral(kind) for kind in arguments.types)
        function.compile(kinds)
        result = function.overloads[kinds].signature.return_type

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            data = context.make_array(sig.args[0])(context, builder, args[0]).data
            address = builder.load(cgutils.gep_inbounds(builder, data, slot))
            kind = context.call_conv.get_function_type(result, kinds)
            pointer = builder.inttoptr(address, ir.PointerType(kind))
            values = cgutils.unpack_tuple(builder, args[1], len(kinds))
            values = [
                context.cast(builder, value, old, new)
                for value, old, new in zip(values, arguments.types, kinds, strict=True)
            ]
            status, value = context.call_conv.call_function(builder, pointer, result, kinds, values)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return value

        return result(entries, arguments), codegen

    return call


def entry_address(function: Any, *kinds: Any) -> int:
    """Return the address of a kernel compiled for arguments of these numba types."""
    function.compile(kinds)
    compiled = function.overloads[kinds]
    name = compiled.fndesc.llvm_func_name
    return int(compiled.library.get_pointer_to_function(name))
