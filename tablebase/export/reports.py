"""Reports on files written for other programs, and on audits of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.core.rules import Material


@dataclass(frozen=True)
class Exported:
    """A file that was written and read back.

    Attributes
    ----------
    path : Path
        The file.
    size : int
        Its bytes.
    seconds : float
        How long writing and reading back took.
    """

    path: Path
    size: int
    seconds: float


@dataclass(frozen=True)
class Mismatch:
    """A position for which a file has another value than our table.

    Attributes
    ----------
    fen : str
        The position.
    found, expected : str
        What the file says, and what our table says, in words.
    """

    fen: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.fen}: the file says {self.found}, the table {self.expected}"


@dataclass(frozen=True)
class Audit:
    """Result of comparing a file with our table.

    Attributes
    ----------
    path : Path
        The file.
    material : Material
        Its men.
    compared : int
        Number of cells compared that hold a value which readers use.
    different : int
        Number of cells among them with another value.
    first : Mismatch or None
        The first of these.
    """

    path: Path
    material: Material
    compared: int
    different: int
    first: Mismatch | None = None

    @property
    def differs(self) -> bool:
        """Whether a value is another one."""
        return self.different > 0

    @property
    def passed(self) -> bool:
        """Whether values were compared, and none differs."""
        return self.compared > 0 and not self.differs
