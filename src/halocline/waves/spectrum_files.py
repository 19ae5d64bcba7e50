"""Reading one spectrum from a point-spectrum file onto a spectral grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.plausible import refuse_bad_axis, refuse_implausible
from halocline.grids.files.sources import FileVariables, Variable, open_source
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
        file = open_source(Path(path))
    except UserError as error:
        raise UserError(f"Cannot read the spectrum file '{path}': {error}") from None
    try:
        energy, at, nautical = _read(file, path, time, station)
    finally:
        file.close()
    if not np.isfinite(energy).all():
        raise UserError(f"The spectrum in '{path}' holds missing values; take another record.")
    refuse_implausible(energy, "wave_spectrum", f"The spectrum 'efth' in '{path}'")
    return interpolate(energy, at, to_cartesian(nautical), spectral)


def _read(
    file: FileVariables, path: str | Path, time: int, station: int
) -> tuple[Array, Array, Array]:
    """Density [frequency][direction] [m2 Hz-1 rad-1], frequencies [Hz], directions [degree]."""
    names = [_find(file, path, *some) for some in (("frequency", "freq"), ("direction", "dir"))]
    frequency, direction = bands(file, path, *names)
    density = file[_find(file, path, "efth")]
    energy = _one_record(density, file[names[0]], file[names[1]], time, station)
    nautical = turned(direction) if _is_towards(names[1], file[names[1]]) else direction
    if "degree" in str(density.attrs.get("units", "degree" if names[1] == "dir" else "")):
        energy = per_radian(energy)
    return energy, frequency, nautical


def bands(
    file: FileVariables, path: str | Path, frequency: str, direction: str
) -> tuple[Array, Array]:
    """Frequencies [Hz], which must ascend, and directions [degree] of a file of spectra."""
    found = []
    for name, short_name in ((frequency, "frequency"), (direction, "direction")):
        if file[name].ndim != 1:
            raise UserError(f"The {short_name} '{name}' of '{path}' has no axis of its own.")
        values = file[name].read()
        refuse_bad_axis(values, short_name, f"The {short_name} '{name}' of '{path}'")
        found.append(values)
    if not np.all(np.diff(found[0]) > 0.0):
        raise UserError(f"The frequencies '{frequency}' of '{path}' do not ascend. Sort them.")
    return found[0], found[1]


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


def _find(file: FileVariables, path: str | Path, *names: str) -> str:
    for name in names:
        if name in file.variables:
            return name
    raise UserError(
        f"The spectrum file '{path}' has no variable '{names[0]}'; it holds"
        f" {', '.join(sorted(file.variables))}. Give a point-spectrum file."
    )


def _one_record(
    density: Variable, frequency: Variable, direction: Variable, time: int, station: int
) -> Array:
    """The values [frequency][direction] of one time and station."""
    at = {"time": time, "station": station, "site": station}
    spectral = (frequency.dims[0], direction.dims[0])
    index: dict[str, int | slice] = {}
    for name, size in zip(density.dims, density.shape, strict=True):
        if name in spectral:
            continue
        number = at.get(name, 0)
        if not -size <= number < size:
            raise UserError(f"There is no {name} {number} among the {size} spectra of the file.")
        index[name] = number % size
    kept = [name for name in density.dims if name in spectral]
    if set(kept) != set(spectral) or len(kept) != 2:
        raise UserError(
            f"The spectra in the file lie along {', '.join(density.dims)}; frequency and direction"
            f" lie along {' and '.join(spectral)}. Give a point-spectrum file."
        )
    values = density.read(**index)
    return values if kept[0] == spectral[0] else values.T


def _is_towards(name: str, direction: Variable) -> bool:
    standard = str(direction.attrs.get("standard_name", ""))
    if "to_direction" in standard:
        return True
    return "from_direction" not in standard and name == "direction"
