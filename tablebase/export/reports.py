"""Reports on files written for other programs, and on audits of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablebase.core.ground.verdicts import Checked

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.core.rules.material import Material


@dataclass(frozen=True)
class Exported:
    """A file that was written and read back."""

    path: Path
    size: int  # bytes
    seconds: float  # of writing and reading back


@dataclass(frozen=True)
class Mismatch:
    """A position for which a file has another value than our table, both in words."""

    fen: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.fen}: the file says {self.found}, the table {self.expected}"


@dataclass(frozen=True)
class Audit(Checked):
    """Result of comparing a file with our table."""

    path: Path
    material: Material
    compared: int  # cells with a value that readers use
    different: int  # cells among them with another value
    first: Mismatch | None = None  # different cell

    @property
    def counts(self) -> tuple[int, int]:
        """Values compared, and different ones."""
        return self.compared, self.different
