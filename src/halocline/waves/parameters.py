"""Mean wave parameters of spectra: heights, periods, directions, Stokes drift, slope.

Integrals use the band widths of output (the first and the last band end at their frequency) and an
analytic tail F ~ f^-5 with the directions of the last frequency; only the mean square slope, whose
tail does not converge, ends at the last frequency.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core import constants
from halocline.core.errors import UserError
from halocline.core.other_names import hint
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[Any]

PARAMETERS = {
    "significant_height": ("m", "significant height, 4 sqrt(m0)"),
    "mean_period_energy": ("s", "mean period Tm-1,0 = m-1 / m0"),
    "mean_period": ("s", "mean period Tm0,1 = m0 / m1"),
    "mean_period_zero_crossing": ("s", "mean period Tm0,2 = sqrt(m0 / m2)"),
    "peak_frequency": ("Hz", "vertex of the parabola through the highest three bins"),
    "peak_period": ("s", "inverse of the peak frequency"),
    "mean_direction": ("degree", "mean direction from, clockwise from north"),
    "peak_direction": ("degree", "mean direction at the highest bin, from, clockwise from north"),
    "directional_spread": ("degree", "sqrt(2 (1 - r)), r the length of the mean unit vector"),
    "directional_moment_a1": ("1", "mean of cos(direction), direction towards, from east"),
    "directional_moment_b1": ("1", "mean of sin(direction)"),
    "directional_moment_a2": ("1", "mean of cos(2 direction)"),
    "directional_moment_b2": ("1", "mean of sin(2 direction)"),
    "stokes_drift_u": ("m s-1", "Stokes drift at the surface towards east"),
    "stokes_drift_v": ("m s-1", "Stokes drift at the surface towards north"),
    "mean_square_slope": ("1", "mean square slope of the resolved waves"),
}
"""Units and meaning of each mean parameter, by name."""


class ParameterTables:
    """Tables that the kernel `mean_parameters` needs, for one spectral grid and precision.

    Their names are those of the kernel's arguments.
    """

    def __init__(self, grid: SpectralGrid, dtype: Any = np.float32) -> None:
        self.grid = grid
        self.dtype = np.dtype(dtype)

    @cached_property
    def weights(self) -> Array:
        """Weights of the moments -1, 0, 1, 2, the drift and the slope, shape (6, frequency)."""
        f, width = self.grid.frequency, self.grid.output_band_width
        rows = [width * f**order for order in (-1, 0, 1, 2, 0, 0)]
        for row, order in zip(rows, (-1, 0, 1, 2), strict=False):
            row[-1] += f[-1] ** (order + 1) / (4 - order)
        rows[4][-1] += f[-1]
        return (np.array(rows) * self.grid.direction_width).astype(self.dtype)

    @cached_property
    def frequency(self) -> Array:
        """Frequencies [Hz]."""
        return self.grid.frequency.astype(self.dtype)

    @cached_property
    def unit_vector(self) -> Array:
        """Cosine and sine of the directions, shape (2, direction)."""
        angle = self.grid.direction
        return np.array([np.cos(angle), np.sin(angle)]).astype(self.dtype)

    @property
    def scalars(self) -> dict[str, float]:
        """Scalars of the kernel but `missing`."""
        return {"factor": self.grid.factor, "gravity": constants.gravity}


def check_wanted(wanted: Iterable[str]) -> tuple[str, ...]:
    """Return the wanted names in the order of `PARAMETERS`, or refuse an unknown one."""
    names = set(wanted)
    for name in sorted(names - set(PARAMETERS)):
        raise UserError(f"Unknown wave parameter '{name}'.{hint(name, PARAMETERS)}")
    return tuple(name for name in PARAMETERS if name in names)


def mean_parameters(
    spectrum: Array,
    grid: SpectralGrid,
    wavenumber: Array | None = None,
    *,
    wanted: Iterable[str] = tuple(PARAMETERS),
    missing: float = float("nan"),
) -> dict[str, Array]:
    """Compute the wanted mean parameters of spectra.

    `spectrum` [m2 Hz-1 rad-1] has shape (component, point), (frequency, direction, point) or
    (frequency, direction), in float32 or float64; `wavenumber` [rad m-1] has shape
    (frequency, point), deep water where left out. Returns arrays of shape (point,), scalars for one
    spectrum. Periods and directions where there are no waves are `missing`.

    >>> from halocline.waves.spectra import jonswap_directional
    >>> grid = SpectralGrid(frequencies=25, directions=24)
    >>> result = mean_parameters(jonswap_directional(grid, direction=200.0), grid)
    >>> round(float(result["significant_height"]), 2), round(float(result["mean_direction"]), 1)
    (4.95, 200.0)
    """
    single = spectrum.shape == grid.shape
    planes = np.ascontiguousarray(spectrum.reshape(grid.components, -1))
    dtype, points = planes.dtype, planes.shape[1]
    if wavenumber is None:
        wavenumber = np.repeat((grid.sigma**2 / constants.gravity)[:, None], points, axis=1)
    tables = ParameterTables(grid, dtype)
    names = check_wanted(wanted)
    outputs = {name: np.empty(points if name in names else 0, dtype) for name in PARAMETERS}
    _native.mean_parameters(
        box=(0, 0, 0, 0, points),
        spectrum=planes,
        wavenumber=np.ascontiguousarray(wavenumber.reshape(grid.frequencies, points), dtype),
        weights=tables.weights,
        frequency=tables.frequency,
        unit_vector=tables.unit_vector,
        **outputs,
        **tables.scalars,
        missing=missing,
    )
    return {name: outputs[name][0] if single else outputs[name] for name in names}


class MeanParameters:
    """Fields of the wanted mean parameters of a decomposed spectrum, and how to fill them.

    `fields` holds one field on points for each wanted name; `missing` stands for periods and
    directions where there are no waves.
    """

    def __init__(
        self,
        decomposition: Decomposition,
        grid: SpectralGrid,
        wanted: Iterable[str] = tuple(PARAMETERS),
        dtype: Any = np.float32,
        missing: float = float("nan"),
    ) -> None:
        self.missing = missing
        self.fields = {
            name: Field(name, PARAMETERS[name][0], decomposition, dtype=dtype)
            for name in check_wanted(wanted)
        }
        self._outputs = {name: self.fields.get(name) for name in PARAMETERS}
        tables = ParameterTables(grid, dtype)
        self._scalars = tables.scalars
        self._tables = {
            name: table_field(name, getattr(tables, name), decomposition)
            for name in ("weights", "frequency", "unit_vector")
        }
        self._kernel = kernels_of(_native)["mean_parameters"]

    def compute(self, run: Runner, spectrum: Field, wavenumber: Field) -> None:
        """Fill `fields` from `spectrum` [m2 Hz-1 rad-1] and `wavenumber` [rad m-1]."""
        run(
            self._kernel,
            spectrum=spectrum,
            wavenumber=wavenumber,
            **self._tables,
            **self._outputs,
            **self._scalars,
            missing=self.missing,
        )


def table_field(name: str, values: Array, decomposition: Decomposition) -> Field:
    """Make a field without horizontal place of a kernel's table."""
    units = {"frequency": "Hz"}.get(name, "1")
    table = Field(
        name, units, decomposition, axes=values.shape, place=Place.none, dtype=values.dtype
    )
    table.set_global(values)
    return table
