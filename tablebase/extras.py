"""What the optional parts of the program need, and the command that installs it."""

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
    """Return the command that installs what an extra needs, for the Python that runs now.

    It names the packages: `chess-tablebase[extra]` would need an index that has this package.
    """
    python = sys.executable or "python"
    quoted = f'"{python}"' if " " in python else python
    return f"{quoted} -m pip install {' '.join(PACKAGES[extra])}"
