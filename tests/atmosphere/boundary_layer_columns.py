"""A dry column of air with a boundary layer, stepped by the kernels themselves."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from atmosphere.column import run_columns
from halocline.atmosphere.boundary_layer.ysu_options import YsuOptions

Array = NDArray[np.float64]
capacity, density = 1004.5, 1.2


@dataclass
class DryColumn:
    """Theta less 300 K [K] and wind [m s-1] on layers; the flux of heat is Q [K m s-1]."""

    layer: Array
    height: Array
    theta: Array
    u: Array
    depth: float = 0.0

    def mixing(self, heat: float, friction: float = 0.01) -> dict[str, Array]:
        """What YSU gives."""
        levels = len(self.layer)
        self.given = {
            "u": self.u, "v": 0 * self.u, "dry_theta": self.theta,
            "water": np.zeros((1, levels, 1)), "air_density": np.full(levels, density),
            "exner": np.ones(levels), "height": self.height, "layer_depth": self.layer,
            "friction_velocity": friction, "heat_flux": heat * density * capacity,
            "vapor_flux": 0.0, "momentum_exchange": 1e-3, "mixed": np.ones(1),
            "stress_x": 0.0, "stress_y": 0.0,
        }  # fmt: skip
        self.extents = {"depth": levels, "depth+1": levels + 1, "species": 1}
        numbers = asdict(YsuOptions()) | {"cloud": -1, "ice_entry": -1}
        return run_columns("atmosphere_ysu", 1, self.given, numbers, self.extents)

    def step(self, dt: float, heat: float) -> None:
        """Mix for a step."""
        found = self.mixing(heat)
        self.depth = float(found.pop("boundary_layer_depth")[0])
        kernel = "atmosphere_column_mixing"
        rates = run_columns(kernel, 1, self.given | found, {"dt": dt}, self.extents)
        self.theta = self.theta + dt * rates["theta_tendency"][:, 0]

    def top(self) -> float:
        """Where theta rises the most [m]."""
        slope = np.diff(self.theta) / np.diff(self.height)
        at = int(slope.argmax())
        return float(0.5 * (self.height[at] + self.height[at + 1]))


def mixed_column(faces: Array, gradient: float) -> DryColumn:
    """At rest, theta rising from 300 K by `gradient` [K m-1]."""
    height = 0.5 * (faces[1:] + faces[:-1])
    return DryColumn(np.diff(faces), height, gradient * height, np.zeros(len(height)))
