"""The krkopt data set comes out byte for byte."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from scripts.krkopt import DEPTHS, krkopt, main

ROOT = Path(__file__).parents[2]
# Of krkopt.data (531,806 bytes), by Michael Bain and Arthur van Hoff, UCI Machine Learning
# Repository, data set 23, 1994.
SHA256 = "497b61d20d3d9e2ce310f9f4d2ca92dbdb0691d9e449d983ec6f7baf387dc7a9"
# Its documentation's numbers of rows in each class.
COUNTS = [2796, 27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597, 4194, 4553]
COUNTS += [2166, 390]


def test_rows():
    rows = krkopt(ROOT / "data")
    assert len(rows) == 28056
    assert rows[0] == "a,1,b,3,c,2,draw"
    depths = Counter(row.rpartition(",")[2] for row in rows)
    assert [depths[depth] for depth in DEPTHS] == COUNTS
    text = "".join(f"{row}\n" for row in rows)
    assert hashlib.sha256(text.encode()).hexdigest() == SHA256


def test_the_command_writes_the_rows(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["krkopt.py", "--dir", str(ROOT / "data")])
    assert main() == 0
    assert hashlib.sha256(capsys.readouterr().out.encode()).hexdigest() == SHA256


def test_a_missing_table_is_told_in_one_line(tmp_path):
    result = subprocess.run(
        [sys.executable, ROOT / "scripts" / "krkopt.py", "--dir", tmp_path],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.returncode == 2
    assert result.stderr.startswith("krkopt: no table of KRK in ")
    assert result.stderr.count("\n") == 1
