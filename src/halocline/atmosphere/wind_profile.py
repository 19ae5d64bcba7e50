"""Wind that changes with height, at the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options, option

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ShearOptions(Options):
    """What the wind is more than that of `wind_u` and `wind_v`.

    `tanh` is speed tanh(z / depth) along x (Weisman and Klemp 1982), `linear` grows along x to
    `speed` at `depth`. `quarter-circle` turns by 90 degrees at `turning_speed` up to
    `turning_depth`, then grows along x to `speed` at `depth`; with 7 and 31 m/s, 2 and 6 km it is
    that of Weisman and Rotunno (2000, J. Atmos. Sci. 57, 1452).
    """

    kind: str = option(
        "none", "", "its profile", choices=("none", "tanh", "linear", "quarter-circle")
    )
    speed: float = option(30.0, "m s-1", "far above", at_least=0.0, at_most=120.0)
    depth: float = option(3e3, "m", "of the shear", at_least=1.0)
    turning_speed: float = option(
        7.0, "m s-1", "radius of the quarter-circle", at_least=0.0, at_most=60.0
    )
    turning_depth: float = option(2e3, "m", "in which it turns", at_least=1.0)

    def wind(self, z: Array) -> tuple[Array, Array]:
        """Along x and y at heights above sea level [m s-1].

        >>> shear = ShearOptions(kind="linear", speed=10.0, depth=2e3)
        >>> shear.wind(np.array([1e3, 5e3]))[0].tolist()
        [5.0, 10.0]
        """
        still = np.zeros_like(z)
        if self.kind == "tanh":
            return self.speed * np.tanh(z / self.depth), still
        if self.kind == "linear":
            return self.speed * np.minimum(z / self.depth, 1.0), still
        if self.kind == "quarter-circle":
            angle = 0.5 * np.pi * np.minimum(z / self.turning_depth, 1.0)
            above = (z - self.turning_depth) / (self.depth - self.turning_depth)
            more = (self.speed - self.turning_speed) * np.clip(above, 0.0, 1.0)
            return self.turning_speed * (1.0 - np.cos(angle)) + more, self.turning_speed * np.sin(
                angle
            )
        return still, still
