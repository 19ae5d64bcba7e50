"""Wave parameters and one-dimensional spectra of the directional spectra in a file of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from halocline.analysis import reading

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class StationSpectra:
    """Spectra of one station.

    `density` [m2 s rad-1] has shape (time, frequency, direction), `frequency` [Hz] rises,
    `coming_from` [degree] rises from 0 and counts clockwise from north.
    """

    times: NDArray[np.generic]
    frequency: Numbers
    coming_from: Numbers
    density: Numbers

    @property
    def direction_width(self) -> float:
        """Width of a direction [rad]."""
        return 2.0 * np.pi / len(self.coming_from)

    @property
    def by_frequency(self) -> Numbers:
        """E(f) = sum over directions of F(f, theta) times the width [m2 s], (time, frequency)."""
        return np.asarray(self.density.sum(axis=2) * self.direction_width)

    def moment(self, order: int) -> Numbers:
        """m_n = integral of f^n E(f) df, with a f^-5 tail beyond the last frequency [m2 s-n].

        The trapezoidal rule: on f_i = f_1 X^(i-1) it gives inner bands f_i (X - 1/X)/2 and halves
        the first and the last, as WAVEWATCH III does for its output.
        """
        energy = self.by_frequency
        inside = np.trapezoid(energy * self.frequency**order, self.frequency, axis=1)
        last = self.frequency[-1]
        return np.asarray(inside + energy[:, -1] * last ** (order + 1) / (4 - order))

    @property
    def significant_height(self) -> Numbers:
        """4 sqrt(m0) [m]."""
        return 4.0 * np.sqrt(self.moment(0))

    @property
    def mean_period(self) -> Numbers:
        """Tm-1,0 = m-1 / m0 [s], NaN without waves."""
        return _ratio(self.moment(-1), self.moment(0))

    @property
    def peak_period(self) -> Numbers:
        """1 over the frequency at the top of a parabola through the highest three bins [s]."""
        energy = self.by_frequency
        top = np.clip(energy.argmax(axis=1), 1, len(self.frequency) - 2)
        rows = np.arange(len(energy))
        f1, f2, f3 = (self.frequency[top + step] for step in (-1, 0, 1))
        e1, e2, e3 = (energy[rows, top + step] for step in (-1, 0, 1))
        left, right = (f2 - f1) * (e2 - e3), (f2 - f3) * (e2 - e1)
        bottom = left - right
        shift = _ratio(0.5 * ((f2 - f1) * left - (f2 - f3) * right), bottom)
        peak = np.clip(f2 - np.nan_to_num(shift), f1, f3)
        return np.where(energy.max(axis=1) > 0.0, 1.0 / peak, np.nan)

    @property
    def mean_direction(self) -> Numbers:
        """Energy-weighted direction waves come from, clockwise from north [degree]."""
        angle = np.deg2rad(self.coming_from)
        per_direction = np.trapezoid(self.density, self.frequency, axis=1)
        east, north = per_direction @ np.sin(angle), per_direction @ np.cos(angle)
        mean = np.remainder(np.rad2deg(np.arctan2(east, north)), 360.0)
        return np.where(per_direction.sum(axis=1) > 0.0, mean, np.nan)


def _ratio(above: Numbers, below: Numbers) -> Numbers:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below != 0.0)


def station_spectra(dataset: xr.Dataset, station: int) -> StationSpectra:
    """Read the spectra of one station; directions in the file may be radians, to or from."""
    variable = reading.spectrum_of(dataset)
    assert variable is not None
    name = reading.station_dimension(dataset)
    if name in variable.dims:
        variable = variable.isel({name: station})
    axes = [reading.coordinate(variable, what) for what in ("time", "frequency", "direction")]
    time, frequency, direction = axes
    assert frequency is not None and direction is not None
    order = [] if time is None or time.ndim == 0 else [str(time.dims[0])]
    order += [str(frequency.dims[0]), str(direction.dims[0])]
    density = variable.transpose(*order).values.astype(np.float64)
    if density.ndim == 2:
        density = density[None]
    degrees = direction.values.astype(np.float64)
    if str(direction.attrs.get("units", "")).lower().startswith("rad"):
        degrees = np.rad2deg(degrees)
    turn = 0.0 if _is_from(direction) else 180.0
    coming_from = np.asarray(np.remainder(degrees + turn, 360.0).round(4), dtype=np.float64)
    columns, rows = np.argsort(coming_from), np.argsort(frequency.values)
    return StationSpectra(
        times=np.atleast_1d(time.values) if time is not None else np.array([0.0]),
        frequency=frequency.values.astype(np.float64)[rows],
        coming_from=coming_from[columns],
        density=np.nan_to_num(density[:, rows][:, :, columns]),
    )


def _is_from(direction: xr.DataArray) -> bool:
    words = " ".join(str(direction.attrs.get(key, "")) for key in ("standard_name", "long_name"))
    return "from_direction" in words or "coming from" in words
