"""What the air finds at sides of the grid that are neither joined nor mirrors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option

Array = NDArray[np.float64]

given_rows = 3
"""Outer rows whose values are given: so far beyond a face schemes of sixth order look."""


@dataclass(frozen=True, kw_only=True)
class AirSideOptions(Options):
    """Values at sides: given ones, which the rows beside them are drawn to, or those of inside."""

    kind: str = option(
        "",
        "",
        "where values come from: a file of `halocline analysis`, or, of a member that is nested,"
        " the member around it; 'open': from inside, and waves leave; '': there are no such sides",
        choices=("", "file", "nest", "open"),
    )
    file: str = option("", "", "file of sides, as `halocline analysis` writes it")
    drawn_rows: int = option(
        4,
        "1",
        "rows inside of the given ones that are drawn to given values, the less the farther inside;"
        " the last one is only looked at",
        at_least=2,
        at_most=100,
        source="Davies (1976), Quart. J. R. Met. Soc. 102, 405; NCAR/TN-556, section 6.4",
    )
    pull: float = option(
        0.1, "1", "share of what is lacking that the outermost drawn row gains in a step",
        at_least=0.0, at_most=1.0,
    )  # fmt: skip
    smoothing: float = option(
        0.02, "1", "the same of the Laplacian of what is lacking, for a step and a cell",
        at_least=0.0, at_most=0.1,
    )  # fmt: skip
    decay: float = option(
        0.0, "1", "of both per row inward, besides their linear decrease: exp(-decay rows)",
        at_least=0.0, at_most=10.0,
    )  # fmt: skip

    wave_speed: float = option(
        30.0,
        "m s-1",
        "with which waves leave still air through open sides; waves of another speed c come back"
        " with (c - wave_speed) / (c + wave_speed) of their height",
        at_least=0.0,
        at_most=400.0,
        source="Klemp and Wilhelmson (1978), J. Atmos. Sci. 35, 1070; Durran and Klemp (1983),"
        " Mon. Wea. Rev. 111, 2341",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.kind == "file") != bool(self.file):
            raise UserError(
                f"atmosphere.sides.kind = '{self.kind}' and atmosphere.sides.file = '{self.file}':"
                " give both, kind = 'file' and the file's name, or none of them."
            )

    @property
    def width(self) -> int:
        """Rows that must be given."""
        return given_rows + self.drawn_rows

    def weights(self, rows: NDArray[np.int64]) -> Array:
        """How much rows are drawn [1]; they count from 0, the outermost.

        >>> AirSideOptions().weights(np.arange(8)).round(2).tolist()
        [0.0, 0.0, 0.0, 1.0, 0.67, 0.33, 0.0, 0.0]
        """
        inside = rows - given_rows
        last = self.drawn_rows - 1
        linear = np.where(inside >= 0, np.clip((last - inside) / last, 0.0, 1.0), 0.0)
        return np.asarray(linear * np.exp(-self.decay * np.maximum(inside, 0)))
