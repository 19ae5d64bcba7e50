"""How fields that are shown follow from columns of others, arrays [k][j][i] with k upward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import gravity, reference_temperature
from halocline.atmosphere.diagnostics.columns import on_pressure_levels, relative_humidity
from halocline.core.parcels import ParcelAscent
from halocline.runtime.fields.field import Field

Array = NDArray[Any]
Ascent = Callable[[Array, Array, Array], ParcelAscent]


@dataclass(frozen=True)
class Made:
    """Fields that one function makes of the blocks of others; it gives an array for each."""

    fields: Sequence[Field]
    function: Callable[..., Sequence[Array]]
    sources: Sequence[Field]

    def __call__(self) -> None:
        blocks = list(zip(*(source.read() for source in self.sources), strict=True))
        found = [self.function(*values) for values in blocks]
        for number, field in enumerate(self.fields):
            with field.change() as owned:
                for array, values in zip(owned, found, strict=True):
                    array[...] = values[number]


def temperature(theta: Array, exner: Array) -> Array:
    """Of air [K] from its potential temperature less 300 K; in double precision."""
    return np.asarray((theta.astype(np.float64) + reference_temperature) * exner)


def energies(
    ascent: Ascent, pressure: Array, theta: Array, exner: Array, water: Array
) -> tuple[Array, Array]:
    """CAPE and CIN [J kg-1] of a parcel of each column."""
    air = pressure.astype(np.float64), temperature(theta, exner), water[0].astype(np.float64)
    # Drier air than this has no level of condensation in numbers.
    found = ascent(air[0], air[1], np.maximum(air[2], 1e-8))
    return found.cape, found.cin


def isobaric(
    levels: Array, pressure: Array, surface_pressure: Array, values: Array, at_ground: Array
) -> tuple[Array]:
    """Values on layers at levels of pressure [Pa]; nothing below the ground."""
    column = np.concatenate([surface_pressure[None], pressure]).astype(np.float64)
    above = np.concatenate([at_ground[None], values]).astype(np.float64)
    return (on_pressure_levels(above, column, levels),)


def on_layers(interfaces: Array) -> Array:
    """Means of the values at the interfaces below and above."""
    return np.asarray(0.5 * (interfaces[1:] + interfaces[:-1]))


def heights(geopotential: Array, base_geopotential: Array) -> Array:
    """Of interfaces [m]."""
    return np.asarray((geopotential.astype(np.float64) + base_geopotential) / gravity)


def humidity(pressure: Array, theta: Array, exner: Array, water: Array) -> Array:
    """Relative humidity over water [1]."""
    return relative_humidity(
        pressure.astype(np.float64), temperature(theta, exner), water[0].astype(np.float64)
    )
