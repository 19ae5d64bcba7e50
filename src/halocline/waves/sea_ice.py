"""Sea ice as waves meet it: obstacles where it is open, no waves where it is closed.

Between `propagation.open_ice` and `propagation.closed_ice` ice lets a share of the energy through
(`block_transparencies`); sources count by the open water. From `closed_ice` on a point is taken out
of the computation as land is: it has no waves, no sources, and absorbs what comes (WAVEWATCH III
manual, "ice-covered sea"; Tolman 2003).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.field import Field


@dataclass(frozen=True)
class SeaIce:
    """Concentration [1] at ascending sea numbers; ice is closed from `closed_from` on."""

    numbers: NDArray[np.integer[Any]]
    concentration: NDArray[Any]
    closed_from: float

    def open_water(self, effect: float) -> NDArray[Any]:
        """Share of each point that sources act on.

        >>> SeaIce(np.arange(3), np.array([0.0, 0.5, 0.8]), 0.75).open_water(1.0)
        array([1. , 0.5, 0. ])
        """
        return np.where(self.closed, 0.0, 1.0 - effect * self.concentration)

    @property
    def closed(self) -> NDArray[np.bool_]:
        """Where no wave passes."""
        return self.concentration >= self.closed_from

    def clear(self, spectrum: Field) -> None:
        """Take the waves away where ice is closed."""
        closed = self.numbers[self.closed]
        with spectrum.change() as owned:
            for values, block in zip(owned, spectrum.layout.blocks, strict=True):
                values[:, np.isin(block.sea_numbers[: block.owned_points], closed)] = 0.0
