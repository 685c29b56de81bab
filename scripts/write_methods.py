"""Write the methods of the program for the pages of the explorer, which read no TOML.

Usage: python scripts/write_methods.py
"""

import json
from pathlib import Path

from tablebase.strategies.methods import export_methods

PLACE = Path(__file__).parents[1] / "tablebase" / "explorer" / "web" / "methods.js"


def written() -> str:
    """Return the methods as a module of JavaScript, a line for each function and method."""
    lines = ["// The methods of lessons, for method.js. Written by scripts/write_methods.py."]
    for name, parts in export_methods().items():
        rows = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(one, separators=(',', ':'))}"
            for key, one in parts.items()
        )
        lines.append(f"export const {name.upper()} = {{\n{rows},\n}};")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PLACE.write_text(written(), encoding="utf-8")
