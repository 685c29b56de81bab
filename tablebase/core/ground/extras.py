"""Packages that optional parts need, and the command that installs them."""

import sys
from collections.abc import Sequence
from importlib import import_module

from tablebase.core.ground.errors import TablebaseError

# The packages of the extras in pyproject.toml.
PACKAGES = {
    "arrow": ("pyarrow",),
    "cluster": ("cryptography", "distributed"),
    "mcp": ("mcp",),
    "pandas": ("pandas",),
    "report": ("jinja2", "matplotlib"),
    "web": ("h11", "starlette", "uvicorn"),
}


class MissingPackageError(TablebaseError, ImportError):
    """Packages that something needs are not installed."""


def require_packages(purpose: str, *packages: str) -> None:
    """Raise a `MissingPackageError` that names all missing packages and how to install them.

    >>> require_packages("boards need", "chess", "numpy")
    """
    missing = [package for package in packages if not _is_installed(package)]
    if missing:
        *others, last = missing
        names = f"{', '.join(others)} and {last}" if others else last
        raise MissingPackageError(f"{purpose} {names}: {how_to_install(missing)}")


def _is_installed(package: str) -> bool:
    try:
        import_module(package)
    except ImportError:
        return False
    return True


def how_to_install(packages: Sequence[str]) -> str:
    """Return the command that installs packages for the running Python.

    It names the packages, because `chess-tablebase[extra]` needs an index with this package.
    """
    python = sys.executable or "python"
    quoted = f'"{python}"' if " " in python else python
    return f"{quoted} -m pip install {' '.join(packages)}"
