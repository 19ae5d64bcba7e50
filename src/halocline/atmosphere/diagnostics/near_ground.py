"""Wind at 10 m, temperature and humidity at 2 m, of the state of a moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere import _native
from halocline.atmosphere.air_physics import AirPhysics
from halocline.atmosphere.boundary_layer.turbulence import planes
from halocline.atmosphere.land.land_use import covers
from halocline.atmosphere.options import AtmosphereOptions
from halocline.core import moist_air
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

Array = NDArray[Any]
kernels = kernels_of(_native)

mast = 10.0
"""Height of wind above the ground [m]."""

near_ground = ("wind_u", "wind_v", "air_temperature", "air_humidity")
"""Names of what is shown."""


def how(options: AtmosphereOptions) -> Mapping[str, str]:
    """In words, how each is found."""
    if options.physics.turbulence != "none":
        return dict.fromkeys(near_ground, "by similarity between the ground and the lowest layer")
    law = "logarithmic law of neutral air from the lowest layer, over atmosphere.ground"
    return dict(
        zip(
            near_ground,
            (law, law, "potential temperature of the lowest layer", "of the lowest layer"),
            strict=True,
        )
    )


def roughness_of(options: AtmosphereOptions, grid: Grid) -> Array:
    """Of the ground for momentum [m], shape (nj, ni), where no turbulence finds it."""
    land = options.physics.soil.land_cover.roughness
    return np.where(options.ground.land(grid) > 0.5, land, covers["water"][0].roughness)


def neutral_share(height: Array, roughness: Array) -> Array:
    """Wind at 10 m over that at a height [m] of neutral air: ln(1 + 10 m / z0) / ln(1 + z / z0).

    >>> round(float(neutral_share(np.array(30.0), np.array(0.1))), 4)
    0.8087
    """
    return np.asarray(np.log1p(mast / roughness) / np.log1p(height / roughness))


def well_mixed(surface_pressure: Array, theta: Array) -> Array:
    """Temperature [K] at 2 m of air with a potential temperature [K]: 0.02 K below the ground's.

    >>> float(well_mixed(np.array(1e5), np.array(300.0)).round(2))
    299.98
    """
    fall = 2.0 / (moist_air.heat_capacity / 9.81)
    return np.asarray(theta * moist_air.exner(surface_pressure) - fall)


class SimilarAir:
    """The surface layer of a moment, which leaves that of the step as it is.

    `planes` are low_u and low_v along the grid [m s-1], low_temperature [K] and low_vapor [1].
    """

    def __init__(self, run: Runner, physics: AirPhysics) -> None:
        columns = physics.columns
        assert columns.turbulence is not None
        self.air, self.ground = physics.air, columns.ground
        space, dtype = physics.state.space, physics.state.dtype
        own = planes | {"roughness": "m", "heat_flux": "W m-2", "vapor_flux": "kg m-2 s-1"}
        self.planes = {
            name: Field(name, units, space, place=Place.center, dtype=dtype)
            for name, units in own.items()
        }
        below = ("skin_temperature", "land", "moisture_availability")
        self._call = run.bind(
            kernels["atmosphere_surface_layer"],
            self.air,
            boundary_layer_depth=columns.turbulence.boundary_layer_depth,
            charnock=columns.turbulence.planes["charnock"],
            **{name: self.ground.planes[name] for name in below},
            **self.planes,
        )
        self._numbers = columns.options.surface_layer.numbers

    def update(self) -> None:
        """Find them from the state of this moment."""
        self.air.update()
        self.planes["roughness"].copy(self.ground.planes["roughness"])
        self._call(**self._numbers)
