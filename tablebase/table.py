"""The solved values of one material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablebase.index import TableIndex, table_index

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tablebase.material import Material


@dataclass(frozen=True, eq=False)
class Table:
    """The distance to mate of every position of a material.

    Attributes
    ----------
    material : Material
        The men, normalized.
    white, black : NDArray[np.uint8]
        Stored codes with White and with Black to move, by index, shape [size], read-only; see
        `tablebase.values`. Codes of illegal positions and broken slots mean nothing.
    """

    material: Material
    white: NDArray[np.uint8]
    black: NDArray[np.uint8]

    def __post_init__(self) -> None:
        for codes in (self.white, self.black):
            if codes.shape != (self.index.size,):
                message = f"{self.material} has {self.index.size} slots, got {codes.shape}"
                raise ValueError(message)
            codes.setflags(write=False)

    @property
    def index(self) -> TableIndex:
        """The numbering of the positions."""
        return table_index(self.material)

    @property
    def codes(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The codes with White and with Black to move."""
        return self.white, self.black
