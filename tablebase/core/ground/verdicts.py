"""The shape of all reports of checks: how much was compared, and how much of it is wrong."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class Checked(ABC):
    """What a check found."""

    @property
    @abstractmethod
    def counts(self) -> tuple[int, int]:
        """How much was compared, and how much is wrong."""

    @property
    def differs(self) -> bool:
        """Whether something is wrong."""
        return self.counts[1] > 0

    @property
    def passed(self) -> bool:
        """Whether something was compared, and nothing is wrong."""
        return self.counts[0] > 0 and not self.differs

    @property
    def verdict(self) -> str:
        """The verdict in words: nothing is right that was not compared."""
        return "WRONG" if self.differs else "OK" if self.passed else "NOT CHECKED"
