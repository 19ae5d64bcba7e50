"""Wind sea and swells: the parts of a spectrum found by watershed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core import constants
from halocline.core.errors import UserError
from halocline.core.names import quantity
from halocline.core.options import Options, option
from halocline.core.other_names import hint
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.parameters import ParameterTables, table_field
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[Any]

most_bins = 65_536
"""Bins that the watershed can number."""

swells = 3
"""Swells that are kept for output, the highest ones."""

PART_VALUES = {
    "partition_height": "m",
    "partition_peak_period": "s",
    "partition_direction": "degree",
    "partition_spread": "degree",
    "partition_wind_fraction": "1",
}
"""Values of each part, shape (part, point), with units. Part 0 is wind sea."""

WHOLE_VALUES = {"wind_sea_fraction": "1", "partitions": "1"}
"""Values of the whole spectrum, shape (point,), with units."""

_values_by_ending = {
    "height": "partition_height",
    "peak_period": "partition_peak_period",
    "direction": "partition_direction",
    "spread": "partition_spread",
}
_parts = ("wind_sea", *(f"swell{number}" for number in range(1, swells + 1)))

PARTITION_FIELDS: dict[str, tuple[str, int]] = {
    f"{part}_{ending}": (value, number)
    for number, part in enumerate(_parts)
    for ending, value in _values_by_ending.items()
}
"""Output fields of single parts: name of the value and number of the part."""


@dataclass(frozen=True, kw_only=True)
class Partitioning(Options):
    """Parts of a spectrum by watershed (Hanson and Phillips 2001; Vincent and Soille 1991)."""

    levels: int = option(
        100, "1", "steps of energy in the immersion", at_least=2, at_most=30_000,
        source="WAVEWATCH III manual, spectral partitioning",
    )  # fmt: skip
    minimum_height: float = option(
        0.05, "m", "lower parts are left out", at_least=0.0, source="WAVEWATCH III manual"
    )
    wind_factor: float = option(
        1.7, "1", "factor of the wind speed in the test for wind sea", at_least=0.0,
        source="WAVEWATCH III manual",
    )  # fmt: skip
    wind_sea_fraction: float = option(
        0.333, "1", "a part with a greater share under the force of the wind is wind sea",
        at_least=0.0, at_most=1.0, source="WAVEWATCH III manual",
    )  # fmt: skip

    @property
    def scalars(self) -> dict[str, Any]:
        """Scalars of the kernel `partition_spectra` that are options."""
        return {
            "levels": self.levels,
            "minimum_height": self.minimum_height,
            "wind_factor": self.wind_factor,
            "least_wind_fraction": self.wind_sea_fraction,
        }


def partition_spectra(
    spectrum: Array,
    grid: SpectralGrid,
    wind_u: Array,
    wind_v: Array,
    wavenumber: Array | None = None,
    *,
    options: Partitioning | None = None,
    parts: int = 1 + swells,
    missing: float = float("nan"),
) -> dict[str, Array]:
    """Part spectra [m2 Hz-1 rad-1] into wind sea (part 0) and swells by falling height.

    `spectrum` has shape (component, point) or (frequency, direction, point), in float32 or float64;
    `wind_u`, `wind_v` [m s-1] have shape (point,), `wavenumber` [rad m-1] (frequency, point), deep
    water where left out. Returns the values of `PART_VALUES`, shape (part, point), and of
    `WHOLE_VALUES`, shape (point,). Absent parts have height 0, their other values are `missing`.

    >>> from halocline.waves.spectra import jonswap_directional
    >>> grid = SpectralGrid(frequencies=25, directions=24)
    >>> swell = jonswap_directional(grid, peak_frequency=0.08, alpha=0.001, direction=180)
    >>> sea = jonswap_directional(grid, peak_frequency=0.2, direction=280)
    >>> result = partition_spectra(
    ...     (sea + swell)[:, :, None], grid, wind_u=np.array([12.0]), wind_v=np.array([-2.0]))
    >>> result["partition_height"][:, 0].round(1), result["partition_direction"][:2, 0].round(-1)
    (array([1.3, 2.7, 0. , 0. ]), array([280., 180.]))
    """
    check_size(grid)
    planes = np.ascontiguousarray(spectrum.reshape(grid.components, -1))
    dtype, points = planes.dtype, planes.shape[1]
    if wavenumber is None:
        wavenumber = np.repeat((grid.sigma**2 / constants.gravity)[:, None], points, axis=1)
    tables = ParameterTables(grid, dtype)
    outputs = {name: np.empty((parts, points), dtype) for name in PART_VALUES}
    outputs |= {name: np.empty(points, dtype) for name in WHOLE_VALUES}
    _native.partition_spectra(
        box=(0, 0, 0, 0, points),
        spectrum=planes,
        wavenumber=np.ascontiguousarray(wavenumber.reshape(grid.frequencies, points), dtype),
        wind_u=np.ascontiguousarray(wind_u, dtype),
        wind_v=np.ascontiguousarray(wind_v, dtype),
        weights=tables.weights,
        frequency=tables.frequency,
        unit_vector=tables.unit_vector,
        **outputs,
        factor=grid.factor,
        **(options or Partitioning()).scalars,
        missing=missing,
    )
    return outputs


def check_size(grid: SpectralGrid) -> None:
    """Refuse spectral grids that the watershed cannot number."""
    if grid.components > most_bins:
        raise UserError(
            f"Partitions need a spectral grid of at most {most_bins} bins, got {grid.components}:"
            f" {grid.frequencies} frequencies x {grid.directions} directions. Use fewer."
        )


class Partitions:
    """Fields of the wanted parts of a decomposed spectrum, and how to fill them.

    `fields` holds one field on points for each wanted name of `PARTITION_FIELDS` and
    `WHOLE_VALUES`.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        grid: SpectralGrid,
        wanted: Iterable[str] = (*PARTITION_FIELDS, *WHOLE_VALUES),
        dtype: Any = np.float32,
        options: Partitioning | None = None,
        missing: float = float("nan"),
    ) -> None:
        check_size(grid)
        known = [*PARTITION_FIELDS, *WHOLE_VALUES]
        names = list(wanted)
        for name in names:
            if name not in known:
                raise UserError(f"Unknown field of partitions '{name}'.{hint(name, known)}")
        self._all = {
            name: Field(name, units, decomposition, axes=(1 + swells,), dtype=dtype)
            for name, units in PART_VALUES.items()
        }
        self._all |= {
            name: Field(name, units, decomposition, dtype=dtype)
            for name, units in WHOLE_VALUES.items()
        }
        self.fields = {
            name: self._all[name]
            if name in WHOLE_VALUES
            else Field(name, quantity(name).units, decomposition, dtype=dtype)
            for name in known
            if name in names
        }
        tables = ParameterTables(grid, dtype)
        self._tables = {
            name: table_field(name, getattr(tables, name), decomposition)
            for name in ("weights", "frequency", "unit_vector")
        }
        self._scalars = {
            "factor": grid.factor, "missing": missing, **(options or Partitioning()).scalars
        }  # fmt: skip
        self._kernel = kernels_of(_native)["partition_spectra"]

    def compute(
        self, run: Runner, spectrum: Field, wavenumber: Field, wind_u: Field, wind_v: Field
    ) -> None:
        """Fill `fields` from `spectrum` [m2 Hz-1 rad-1], `wavenumber` [rad m-1], wind [m s-1]."""
        run(
            self._kernel,
            spectrum=spectrum,
            wavenumber=wavenumber,
            wind_u=wind_u,
            wind_v=wind_v,
            **self._tables,
            **self._all,
            **self._scalars,
        )
        for name, field in self.fields.items():
            if name in WHOLE_VALUES:
                continue
            value, part = PARTITION_FIELDS[name]
            field.copy(self._all[value].part(part))
