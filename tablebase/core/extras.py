"""Packages that optional parts need, and the command that installs them."""

import sys

# The packages of the extras in pyproject.toml.
PACKAGES = {
    "arrow": ("pyarrow",),
    "cluster": ("cryptography", "distributed"),
    "pandas": ("pandas",),
    "report": ("jinja2", "matplotlib"),
    "web": ("h11", "starlette", "uvicorn"),
}


def how_to_install(extra: str) -> str:
    """Return the command that installs the packages of an extra for the running Python.

    It names the packages, because `chess-tablebase[extra]` needs an index with this package.
    """
    python = sys.executable or "python"
    quoted = f'"{python}"' if " " in python else python
    return f"{quoted} -m pip install {' '.join(PACKAGES[extra])}"
