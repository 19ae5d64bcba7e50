"""Short wave and long wave by formulas, from cloud and air, where no file has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date
from halocline.core.sun import declination
from halocline.grids.horizontal.grid import Grid
from halocline.ocean import _native
from halocline.ocean.bulk_options import BulkOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
kernels = kernels_of(_native)
solar_constant = 1350.0
"""Of the formula below [W m-2] (Rosati and Miyakoda 1988)."""
moments = 96
"""Of a day, over which the sun's radiation is added up."""


def clear_sky(latitude: Array, day: float) -> Array:
    """Mean over a day of what reaches the sea from a clear sky [W m-2].

    Direct light is weakened to 0.7 by an atmosphere; half of what it and ozone (9 %) leave out
    comes as diffuse light (Rosati and Miyakoda 1988, J. Phys. Oceanogr. 18, 1601).

    >>> clear_sky(np.array([38.0]), 171.0).round(-1).tolist()
    [360.0]
    """
    sun, y = declination(day), np.radians(latitude)
    nearer = (1.0 + 1.67e-2 * np.cos(2.0 * np.pi * (day - 3.0) / 365.0)) ** 2
    total = np.zeros(np.shape(y))
    for hour in 2.0 * np.pi * (np.arange(moments) + 0.5) / moments:
        height = np.sin(y) * np.sin(sun) + np.cos(y) * np.cos(sun) * np.cos(hour)
        above = np.maximum(height, 0.0)
        outside = solar_constant * nearer * above
        direct = outside * 0.7 ** (1.0 / np.maximum(above, 1e-3))
        total += direct + 0.5 * (0.91 * outside - direct)
    return total / moments


def noon_altitude(latitude: Array, day: float) -> Array:
    """Of the sun [degree], 0 where it does not rise."""
    return np.maximum(90.0 - np.abs(latitude - np.degrees(declination(day))), 0.0)


class Radiation:
    """Sets net short and long wave of one ocean from `cloud` [1] and the air above it."""

    def __init__(
        self,
        options: BulkOptions,
        grid: Grid,
        state: OceanState,
        run: Runner,
        air: dict[str, Field],
    ) -> None:
        self.options, self.state, self.cloud = options, state, air["cloud"]
        center = grid.at(Place.center)
        self.latitude: Array = np.broadcast_to(center.y, grid.shape)
        if isinstance(options.cloud, float):
            self.cloud.fill(options.cloud)
        self.clear, self.altitude = (
            Field(name, units, state.space, place=Place.center, dtype=np.float64)
            for name, units in (("clear_sky", "W m-2"), ("noon_altitude", "degree"))
        )
        self.day = -1
        self.long_wave = run.bind(kernels["ocean_long_wave"], state, **air)

    def update(self, moment: Date) -> None:
        """Set the short wave to the mean of the day (Reed 1977, J. Phys. Oceanogr. 7, 482).

        A clear sky's is taken times 1 - 0.62 C + 0.0019 b, at most 1, with the sun's altitude b at
        noon, and what the sea does not reflect.
        """
        day = moment.dayofyr - 1
        if day != self.day:
            self.day = day
            self.clear.set_global(clear_sky(self.latitude, day))
            self.altitude.set_global(noon_altitude(self.latitude, day))
        with self.state.short_wave.change() as owned:
            planes = (field.read() for field in (self.clear, self.altitude, self.cloud))
            for to, clear, altitude, cloud in zip(owned, *planes, strict=True):
                passing = np.minimum(1.0 - 0.62 * cloud + 0.0019 * altitude, 1.0)
                to[...] = (1.0 - self.options.albedo) * clear * passing
