"""The face of the package: names that are imported when they are first used.

As SPEC 1 of Scientific Python has it, ``__init__.pyi`` lists them, for type checkers as well.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module

TYPE_CHECKING = False  # that of typing would have to be loaded
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a face, after the stub beside it."""
    with open(f"{file}i", encoding="utf-8") as stub:  # noqa: PTH123 (pathlib takes longer to load)
        imports = _IMPORT.findall(stub.read())
    homes = {name: home for home, *names in imports for name in re.findall(r"\w+", "".join(names))}

    def getter(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # the next time it is simply there
        return value

    return getter, lambda: sorted({*vars(sys.modules[package]), *homes}), sorted(homes)
