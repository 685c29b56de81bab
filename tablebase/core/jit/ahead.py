"""An entry as an object of WebAssembly: what numba links of it, optimised for a web page.

numba itself makes objects only for the machine that it runs on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock
from numba.core.llvm_bindings import create_pass_builder

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.jit.dispatchers import IS_PLAIN, make_dispatcher

# The first version that was tried: what its kernels give is compared with native tables.
OLDEST_LLVM = 22
_TRIPLE = "wasm32-unknown-unknown"
_FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
_PART = 16  # bytes of a vector of WebAssembly
_BITS = ", ".join(f"i8 {1 << i % 8 if i % 8 < 7 else -128}" for i in range(64))
_SPREAD = ", ".join(f"i32 {i // 8}" for i in range(64))


def wasm_object(entry: Any, arguments: Sequence[Any], name: str) -> bytes:
    """Return the object file of an entry, whose only global function has a `name`.

    It is compiled for the types of some `arguments`, records, and needs vectors. Raises
    `TablebaseError` if this machine's LLVM is older than what was tried.
    """
    check_llvm(llvm.llvm_version_info)
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(
        cpu="generic", features=_FEATURES, opt=3, reloc="static", codemodel="default"
    )
    module = llvm.parse_assembly(_for_page(*_linked(entry, arguments), name, machine))
    module.verify()
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name != name:
            value.linkage = "internal"
    _optimise(module, machine)
    return bytes(machine.emit_object(module))


def check_llvm(version: tuple[int, ...]) -> None:
    """Raise `TablebaseError` if a version of LLVM is older than what was tried."""
    if version[0] < OLDEST_LLVM or IS_PLAIN:
        found = "plain numba" if IS_PLAIN else f"LLVM {'.'.join(map(str, version))}"
        raise TablebaseError(
            f"{found} was not tried for WebAssembly, which takes LLVM {OLDEST_LLVM}: "
            "pip install --upgrade numba llvmlite"
        )


def _linked(entry: Any, arguments: Sequence[Any]) -> tuple[str, str]:
    """Return LLVM's code of an entry with all that it calls, and the name of its function."""
    dispatcher = make_dispatcher(entry.py_func, "SmallLinkedCompiler")
    dispatcher.compile(tuple(one.numba_type for one in arguments))
    (compiled,) = dispatcher.overloads.values()
    with global_compiler_lock:
        compiled.library.finalize()
    return compiled.library.get_llvm_str(), compiled.fndesc.llvm_func_name


def _for_page(text: str, function: str, name: str, machine: Any) -> str:
    """Return LLVM's code for another machine, where a `function` has a new name."""
    text = re.sub("^target datalayout = .*", f'target datalayout = "{machine.target_data}"', text,
                  flags=re.MULTILINE)  # fmt: skip
    text = re.sub("^target triple = .*", f'target triple = "{_TRIPLE}"', text, flags=re.MULTILINE)
    text = text.replace(" = common ", " = internal ").replace(f"@{function}", f"@{name}")
    # A page has one thread.
    text = re.sub(
        r"^declare (i32 @\w+\(\)).*", r"define \1 { ret i32 0 }", text, flags=re.MULTILINE
    )
    return _by_parts(text)


def _by_parts(text: str) -> str:
    """Return LLVM's code in which 64 flags become a word, or a word becomes flags, by parts.

    LLVM 22 makes wrong code of a whole vector of 64 flags whose operand comes from two branches
    (https://github.com/llvm/llvm-project/issues/190358), and parts are smaller and faster.
    """

    def word(found: re.Match[str]) -> str:
        name, flags = found.groups()
        lines = [f"  {name}.bytes = sext <64 x i1> {flags} to <64 x i8>"]
        total = "0"
        for first in range(0, 64, _PART):
            one = f"{name}.{first}"
            lanes = ", ".join(f"i32 {first + i}" for i in range(_PART))
            last = name if first == 64 - _PART else f"{one}.sum"
            lines += [
                (
                    f"  {one}.part = shufflevector <64 x i8> {name}.bytes, <64 x i8> poison, "
                    f"<16 x i32> <{lanes}>"
                ),
                f"  {one}.bits = call i32 @llvm.wasm.bitmask.v16i8(<16 x i8> {one}.part)",
                f"  {one}.wide = zext i32 {one}.bits to i64",
                f"  {one}.high = shl i64 {one}.wide, {first}",
                f"  {last} = or i64 {total}, {one}.high",
            ]
            total = last
        return "\n".join(lines)

    def flags(found: re.Match[str]) -> str:
        name, bits = found.groups()
        return "\n".join([
            f"  {name}.bytes = bitcast i64 {bits} to <8 x i8>",
            (f"  {name}.each = shufflevector <8 x i8> {name}.bytes, <8 x i8> poison, "
            f"<64 x i32> <{_SPREAD}>"),
            f"  {name}.own = and <64 x i8> {name}.each, <{_BITS}>",
            f"  {name} = icmp ne <64 x i8> {name}.own, zeroinitializer",
        ])  # fmt: skip

    text = re.sub(r"^  (%\S+) = bitcast <64 x i1> (%\S+) to i64", word, text, flags=re.MULTILINE)
    text = re.sub(r"^  (%\S+) = bitcast i64 (%\S+) to <64 x i1>", flags, text, flags=re.MULTILINE)
    return text + "\ndeclare i32 @llvm.wasm.bitmask.v16i8(<16 x i8>)\n"


def _optimise(module: Any, machine: Any) -> None:
    """Optimise as numba does: once cheaply, then for speed."""
    for level in (0, 3):
        builder = create_pass_builder(
            machine, opt=level, loop_vectorize=level > 0, slp_vectorize=False
        )
        passes = builder.getModulePassManager()
        if not level:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.run(module, builder)
