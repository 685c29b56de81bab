"""The programs in examples/ run, and print what is so."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = {
    "batch_probing": "100.0% won by the rook",
    "best_move": "Rg1# 1-0",
    "hardest_positions": "mate in 28 moves",
    "own_table": "1. ",
}


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "examples").glob("*.py")))
def test_example(name, tmp_path):
    folder = tmp_path if name == "own_table" else ROOT / "data"
    command = [sys.executable, ROOT / "examples" / f"{name}.py", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert EXAMPLES[name] in done.stdout
    assert not done.stderr
