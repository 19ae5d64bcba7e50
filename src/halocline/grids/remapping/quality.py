"""How good a remapping is on some grids: functions whose values are known, and measures.

Functions and measures are those of Valcke, Piacentini and Jonville (2022), Benchmarking regridding
libraries used in Earth system modelling, Math. Comput. Appl. 27, 31, doi:10.3390/mca27020031.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from halocline.grids.remapping.remap import RemapOptions, SurfaceRemap
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weights import Array
from halocline.grids.sphere import degree

Function = Callable[[Array, Array], Array]
length = 1.2 * np.pi
"""Of the sinusoid [rad]."""


def sinusoid(longitude: Array, latitude: Array) -> Array:
    """A slow wave, 2 - cos(pi arccos(cos x cos y) / (1.2 pi)).

    >>> float(sinusoid(np.array(0.0), np.array(0.0)))
    1.0
    """
    x, y = longitude * degree, latitude * degree
    return 2.0 - np.cos(np.pi * np.arccos(np.clip(np.cos(x) * np.cos(y), -1.0, 1.0)) / length)


def harmonic(longitude: Array, latitude: Array) -> Array:
    """Sixteen highs and lows around either hemisphere, 2 + sin(2 y)^16 cos(16 x)."""
    x, y = longitude * degree, latitude * degree
    return 2.0 + np.sin(2.0 * y) ** 16 * np.cos(16.0 * x)


def vortex(longitude: Array, latitude: Array) -> Array:
    """Two vortices opposite each other, rolled up for a time of 6 (Nair and Machenhauer 2002)."""
    x, y = longitude * degree - 5.5, latitude * degree
    center, radius, sharpness, time = 0.2, 3.0, 5.0, 6.0
    along = np.cos(y) * np.cos(x)
    turned_x = np.sin(center) * along - np.cos(center) * np.sin(y)
    turned_y = np.cos(y) * np.sin(x)
    height = np.sin(center) * np.sin(y) + np.cos(center) * along
    angle = np.arctan2(turned_y, turned_x)
    rho = radius * np.sqrt(np.maximum(1.0 - height**2, 0.0))
    speed = 1.5 * np.sqrt(3.0) * np.tanh(rho) / np.cosh(rho) ** 2
    turn = np.where(rho == 0.0, 0.0, speed / np.where(rho == 0.0, 1.0, rho))
    return 2.0 * (1.0 + np.tanh(rho / sharpness * np.sin(angle - turn * time)))


def gulfstream(longitude: Array, latitude: Array) -> Array:
    """The sinusoid with a narrow jet, which begins off Florida and fades in the North Atlantic."""
    origin, end, fade = (np.array(p) * degree for p in ((-80, 25), (-1.8, 50), (-25.5, 55.5)))
    x = (longitude + 180.0) % 360.0 - 180.0
    dx, dy = x * degree - origin[0], latitude * degree - origin[1]
    distance, direction = np.hypot(dx, dy), np.arctan2(dy, dx)
    last, faded = np.hypot(*(end - origin)), np.hypot(*(fade - origin))
    strength = np.where(distance > last, 0.0, 1.3)
    fading = np.cos(0.5 * np.pi * (distance - faded) / (last - faded))
    strength = np.where(distance > faded, strength * fading, strength)
    wave = 0.4 * (0.5 * distance + direction) + 0.007 * np.cos(50.0 * direction) + 0.37 * np.pi
    jet = np.maximum(1000.0 * np.sin(wave), 999.0) - 999.0
    return sinusoid(longitude, latitude) + strength * jet


functions: dict[str, Function] = {
    "sinusoid": sinusoid,
    "harmonic": harmonic,
    "vortex": vortex,
    "gulfstream": gulfstream,
}


@dataclass(frozen=True, eq=False)
class Quality:
    """Measures of one function by one method; misfits are relative, |found - true| / |true|."""

    method: str
    function: str
    mean: float
    highest: float
    upper: float  # 95 % of the points have less
    root_mean_square: float
    coast: float  # mean where a point around is land, or values are extrapolated
    conservation: float  # of integrals over what both grids cover, relative
    below: float  # how far the least value lies below the source's least one, by its largest
    above: float
    misfit: Array  # plane of the target, NaN where it has no value


def qualities(source: Surface, target: Surface, options: RemapOptions) -> list[Quality]:
    """All functions, from one grid to another by one method."""
    remap = SurfaceRemap(source, target, options)
    j, i = np.nonzero(target.wet)
    rows, covered = remap.rows(j, i), remap.overlap(j, i)
    there, weights = rows.counts > 0, rows.packed()
    at_coast = there & (target.at_coast[j, i] | (covered.counts == 0))
    counted = covered.weights * there[covered.targets]
    given = np.bincount(covered.numbers, counted, source.size)
    taken = np.bincount(covered.targets, counted, j.size)
    if options.method.startswith("conservative") and options.normalisation != "fracarea":
        # Such a mean of what is covered is one over the whole cell.
        taken = np.where(taken > 0.0, remap.cell_areas(j, i), 0.0)
    found = []
    for name, function in functions.items():
        values = function(source.longitude, source.latitude).ravel()
        true = function(target.longitude, target.latitude)[j, i]
        remapped = weights(values[None, weights.numbers])[0]
        plane = np.full(target.shape, np.nan)
        plane[j[there], i[there]] = (np.abs(remapped - true) / np.abs(true))[there]
        misfit, integral = plane[j, i], float((given * values).sum())
        some, wet = misfit[there], values[source.wet.ravel()]
        largest = float(np.abs(wet).max())
        found.append(
            Quality(
                method=options.method,
                function=name,
                mean=float(some.mean()),
                highest=float(some.max()),
                upper=float(np.quantile(some, 0.95)),
                root_mean_square=float(np.sqrt((some**2).mean())),
                coast=float(misfit[at_coast].mean()) if at_coast.any() else float("nan"),
                conservation=abs(float((taken * remapped).sum()) - integral) / abs(integral),
                below=max(float(wet.min() - remapped[there].min()), 0.0) / largest,
                above=max(float(remapped[there].max() - wet.max()), 0.0) / largest,
                misfit=plane,
            )
        )
    return found
