"""Modules of JavaScript as one file, for pages that take one script.

The modules here are plain: they import names, export declarations at the beginning of a line, and
do not import one another in a circle. `bundled` refuses anything else.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import NamedTuple

_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"([^"]+)";$', re.MULTILINE)
_EXPORT_ALL = re.compile(r'^export \* from "([^"]+)";$', re.MULTILINE)
_EXPORT_NAMES = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?P<what>(?:async )?function\*? |class |const |let )(?P<name>\w+)", re.MULTILINE
)
# A second name in one declaration.
_SECOND = re.compile(r"^export const \w+ = [^;{(\[]*,\s*\w+ =", re.MULTILINE)
_LEFT = re.compile(r"^(?:import\b|export\b).*$", re.MULTILINE)
_ALIAS = re.compile(r"(\w+)\s+as\s+(\w+)")


class _Module(NamedTuple):
    """A module in the bundle: its variable, its text, and the names that it exports."""

    name: str
    text: str
    exports: frozenset[str]


def bundled(entry: str, modules: dict[str, str]) -> str:
    r"""Return a module and all that it imports as one script.

    Parameters
    ----------
    entry
        The address of the module.
    modules
        The texts of modules by their addresses, like ``web/board.js``.

    Returns
    -------
    str
        A script of type ``module`` without imports.

    Raises
    ------
    ValueError
        If an import leads nowhere or in a circle, or a module has another kind of export.

    Examples
    --------
    >>> print(bundled("a.js", {"a.js": 'import { b } from "./b.js";\nb();\n',
    ...                        "b.js": "export const b = () => 1;\n"}))
    const module0 = (() => {
    const b = () => 1;
    return { b };
    })();
    const module1 = (() => {
    const { b } = module0;
    b();
    return {  };
    })();
    <BLANKLINE>
    """
    made: dict[str, _Module] = {}

    def add(address: str, path: tuple[str, ...]) -> _Module:
        if address in path:
            message = " imports ".join((*path, address))
            raise ValueError(message)
        if address not in modules:
            message = f"{path[-1]} imports {address}, which is no module here"
            raise ValueError(message)
        if address not in made:
            text, exports = _wrapped(
                address, modules[address], lambda one: add(one, (*path, address))
            )
            made[address] = _Module(f"module{len(made)}", text, exports)
        return made[address]

    add(entry, ())
    return "".join(f"const {one.name} = {one.text};\n" for one in made.values())


def _wrapped(
    address: str, text: str, module_at: Callable[[str], _Module]
) -> tuple[str, frozenset[str]]:
    """Return a module as a function that is called once, and the names that it returns."""
    if second := _SECOND.search(text):
        message = f"{address} exports two names by one declaration: {second.group()}"
        raise ValueError(message)
    returned: list[str] = []
    exports: set[str] = set()

    def resolved(other: str) -> _Module:
        return module_at(posixpath.normpath(posixpath.join(posixpath.dirname(address), other)))

    def imported(match: re.Match[str]) -> str:
        module = resolved(match[2])
        wanted = [one.strip() for one in match[1].split(",") if one.strip()]
        if missing := {one.split()[0] for one in wanted} - module.exports:
            message = f"{address} imports {', '.join(sorted(missing))}, which {match[2]} lacks"
            raise ValueError(message)
        names = _ALIAS.sub(r"\1: \2", ", ".join(wanted))
        return f"const {{ {names} }} = {module.name};"

    def all_exported(match: re.Match[str]) -> str:
        module = resolved(match[1])
        returned.append(f"...{module.name}")
        exports.update(module.exports)
        return ""

    def exported(match: re.Match[str]) -> str:
        returned.append(match["name"])
        return match["what"] + match["name"]

    def named(match: re.Match[str]) -> str:
        returned.extend(one.strip() for one in match[1].split(",") if one.strip())
        return ""

    text = _IMPORT.sub(imported, text)
    text = _EXPORT_ALL.sub(all_exported, text)
    text = _EXPORT_NAMES.sub(named, text)
    text = _EXPORT.sub(exported, text)
    if left := _LEFT.search(text):
        message = f"{address} has a line that cannot be bundled: {left.group()}"
        raise ValueError(message)
    exports.update(one for one in returned if not one.startswith("..."))
    return f"(() => {{\n{text}return {{ {', '.join(returned)} }};\n}})()", frozenset(exports)
