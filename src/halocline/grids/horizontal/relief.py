"""The floor of regular grids made here: a shelf, and hills."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ReliefOptions(Options):
    """Shapes of the floor of a regular grid made here, over its `depth`."""

    shelf: tuple[float, float, float] | None = option(
        None,
        "degree or m; m",
        "[x, width, depth]: west of x, over that width, the floor rises to that depth as a tanh",
    )
    hills: list[tuple[float, float, float, float]] = option(
        [], "degree or m; m", "hills in the shape of a Gaussian, each [x, y, radius, height]"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shelf and self.shelf[1] <= 0.0:
            raise UserError(
                f"relief.shelf = {self.shelf}: the width, its second number, is above 0."
            )
        for hill in self.hills:
            if hill[2] <= 0.0:
                raise UserError(
                    f"relief.hills has {hill}: the radius, its third number, is above 0."
                )


def with_relief(depth: Array, relief: ReliefOptions, x: Array, y: Array) -> Array:
    """Depths of a grid with its shelf and hills [m]; what is land stays it, and hills may be.

    >>> hill = ReliefOptions(hills=[(0.0, 0.0, 10.0, 80.0)])
    >>> flat, x = np.array([100.0, 100.0, 0.0]), np.array([0.0, 1e3, 0.0])
    >>> with_relief(flat, hill, x, np.zeros(3)).tolist()
    [20.0, 100.0, 0.0]
    """
    shaped = depth
    if relief.shelf:
        middle, width, least = relief.shelf
        shaped = least + (shaped - least) * 0.5 * (1.0 + np.tanh((x - middle) / width))
    for x0, y0, radius, height in relief.hills:
        shaped = shaped - height * np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / radius**2)
    return np.where(depth > 0.0, np.maximum(shaped, 0.0), 0.0)
