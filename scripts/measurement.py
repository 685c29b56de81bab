"""Where measured figures are kept, with machine, date and versions: benchmarks/results."""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tablebase

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
PACKAGES = ("chess", "h5py", "llvmlite", "numba", "numpy")


def save(name: str, results: Any) -> Path:
    """Write figures with what they were measured on; return the file."""
    content = {
        "machine": machine(),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "versions": {"chess-tablebase": tablebase.__version__}
        | {package: version(package) for package in PACKAGES},
        "results": results,
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def machine() -> str:
    """Return the processor's name and how many cores there are."""
    name = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line for line in lines if line.startswith("model name")).partition(": ")[2]
    return f"{os.cpu_count()} cores of {name}, {platform.system()}"


def load(name: str) -> dict[str, Any]:
    """Return what `save` wrote."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")))
