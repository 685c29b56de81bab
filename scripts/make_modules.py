"""Make the modules by which web pages solve tables: the engine's kernels in WebAssembly.

Usage: python scripts/make_modules.py [FOLDER, default tablebase/explorer/engine]

The modules lie beside the explorer, in a folder that git ignores, since each edit of a kernel
changes them; `make wheel` and `make docs` make them, so a wheel has them. What is there already
stays. The linker is wasm-ld of LLVM if the shell finds one, else that of the package ziglang, which
the extra `modules` installs.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

from tablebase.core.building.page_modules import ENTRY, SOLVERS, module_name, module_object
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.storage.atomic import complete_or_absent
from tablebase.publish.site import MODULES

_STACK = 1 << 20
_OPTIONS = (
    "--no-entry", f"--export={ENTRY}", "--export=__heap_base", "--import-memory", "--strip-all",
    "-z", f"stack-size={_STACK}", f"--max-memory={1 << 32}",
)  # fmt: skip


def linker() -> list[str]:
    """Return the command of the linker; `TablebaseError` if there is none."""
    if found := shutil.which("wasm-ld"):
        return [found]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise TablebaseError(
        "no linker for WebAssembly: pip install ziglang, or install lld of your system"
    )


def make_module(solver: str, command: list[str]) -> bytes:
    """Return the module of a solver, linked by a command."""
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch) / "kernels.o", Path(scratch) / "kernels.wasm"
        source.write_bytes(module_object(solver))
        subprocess.run([*command, *_OPTIONS, source, "-o", target], check=True)
        return zlib.compress(target.read_bytes(), 9)


def make_modules(folder: Path) -> None:
    """Write the modules that are not there, and remove those of other kernels."""
    names = {solver: module_name(solver) for solver in SOLVERS}
    folder.mkdir(parents=True, exist_ok=True)
    for solver, name in names.items():
        if not (folder / name).is_file():
            module = make_module(solver, linker())
            with complete_or_absent(folder / name) as partial:
                partial.write_bytes(module)
            print(f"{folder / name}: {len(module):,} bytes")
    for path in folder.glob("*-*.bin"):
        if path.name not in names.values() and re.fullmatch(r"\w+-[0-9a-f]{16}\.bin", path.name):
            path.unlink()


@reader_may_leave()
def main() -> None:
    """Make what is missing."""
    try:
        make_modules(Path(sys.argv[1]) if len(sys.argv) > 1 else MODULES)
    except TablebaseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
