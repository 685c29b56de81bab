"""What a ``with`` statement closes."""

from __future__ import annotations

from typing import Self


class Closing:
    """A context manager that closes itself at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is held; harmless if done before."""
        raise NotImplementedError
