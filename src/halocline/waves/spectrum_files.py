"""Reading one spectrum from a point-spectrum file onto a spectral grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.netcdf_lock import netcdf_lock
from halocline.waves.spectra import per_radian, to_cartesian, turned
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[np.float64]


def read_spectrum(
    path: str | Path, spectral: SpectralGrid, time: int = -1, station: int = 0
) -> Array:
    """Read one spectrum [m2 Hz-1 rad-1] and interpolate it to `spectral`.

    The file is one that WAVEWATCH III or Halocline writes for points (`frequency`, `direction`
    towards which waves go, `efth` per radian), or one of wavespectra (`freq`, `dir` from, per
    degree); the attributes `standard_name` and `units` decide where they are given.
    """
    try:
        with netcdf_lock, netCDF4.Dataset(str(path)) as file:
            energy, at, nautical = _read(file, path, time, station)
    except OSError as error:
        raise UserError(f"Cannot read the spectrum file '{path}': {error}.") from None
    if not np.isfinite(energy).all():
        raise UserError(f"The spectrum in '{path}' holds missing values; take another record.")
    return interpolate(energy, at, to_cartesian(nautical), spectral)


def _read(file: Any, path: str | Path, time: int, station: int) -> tuple[Array, Array, Array]:
    """Density [frequency][direction] [m2 Hz-1 rad-1], frequencies [Hz], directions [degree]."""
    frequency = _variable(file, path, "frequency", "freq")
    direction = _variable(file, path, "direction", "dir")
    density = _variable(file, path, "efth")
    values = _one_record(density, frequency, direction, time, station)
    energy = np.ma.filled(np.ma.asarray(values, np.float64), np.nan)
    nautical = np.asarray(direction[:], np.float64)
    if _is_towards(direction):
        nautical = turned(nautical)
    if "degree" in getattr(density, "units", "degree" if direction.name == "dir" else ""):
        energy = per_radian(energy)
    return energy, np.asarray(frequency[:], np.float64), nautical


def interpolate(
    density: Array, frequency: Array, direction: Array, spectral: SpectralGrid
) -> Array:
    """Interpolate a density [frequency][direction] linearly to `spectral`.

    `direction` is towards, from east [rad], in any order. Nothing lies below the lowest frequency;
    beyond the highest follows a tail f^-5. On its own grid a spectrum is returned as it is.
    """
    order = np.argsort(direction % (2.0 * np.pi))
    angle, density = (direction % (2.0 * np.pi))[order], density[:, order]
    turn = 2.0 * np.pi
    wide = np.concatenate([angle[-1:] - turn, angle, angle[:1] + turn])
    rows = np.concatenate([density[:, -1:], density, density[:, :1]], axis=1)
    wanted = spectral.direction % turn
    turned_rows = np.array([np.interp(wanted, wide, row) for row in rows])
    f = spectral.frequency
    columns = [np.interp(f, frequency, column, left=0.0) for column in turned_rows.T]
    tail = np.minimum(1.0, (f / frequency[-1]) ** -5.0)
    # A lowest frequency that differs by rounding only is not below the file's.
    same = np.isclose(f, frequency[0], rtol=1e-5)
    result = np.stack(columns, axis=1) * tail[:, None]
    result[same] = turned_rows[0]
    return result


def _variable(file: Any, path: str | Path, *names: str) -> Any:
    for name in names:
        if name in file.variables:
            return file.variables[name]
    raise UserError(
        f"The spectrum file '{path}' has no variable '{names[0]}'; it holds"
        f" {', '.join(sorted(file.variables))}. Give a point-spectrum file."
    )


def _one_record(density: Any, frequency: Any, direction: Any, time: int, station: int) -> Any:
    """The values [frequency][direction] of one time and station."""
    at = {"time": time, "station": station, "site": station}
    spectral = (frequency.dimensions[0], direction.dimensions[0])
    index: list[slice | int] = []
    for name, size in zip(density.dimensions, density.shape, strict=True):
        if name in spectral:
            index.append(slice(None))
            continue
        number = at.get(name, 0)
        if not -size <= number < size:
            raise UserError(f"There is no {name} {number} among the {size} spectra of the file.")
        index.append(number)
    values = density[tuple(index)]
    kept = [name for name in density.dimensions if name in spectral]
    return values if kept[0] == spectral[0] else values.T


def _is_towards(direction: Any) -> bool:
    name = getattr(direction, "standard_name", "")
    if "to_direction" in name:
        return True
    return "from_direction" not in name and direction.name == "direction"
