"""Temperature and salinity at the start in closed form: a profile, a front, other waters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.options import Options, option
from halocline.grids.horizontal.regular import in_boxes
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.options import OceanStartOptions

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class FrontOptions(Options):
    """A front along x: difference / 2 tanh(2 (y - y0 - meander sin(2 pi x / length)) / width)."""

    difference: float = option(0.0, "K", "how much warmer it is north of the front; 0: no front")
    y: float = option(0.0, "degree or m", "where the front lies along y")
    width: float = option(1e4, "degree or m", "over which temperature changes", at_least=1e-9)
    meander: float = option(0.0, "degree or m", "amplitude of its wave")
    length: float = option(1e5, "degree or m", "length of its wave along x", at_least=1e-9)


def warmer(front: FrontOptions, x: Array, y: Array) -> Array:
    """How much warmer it is than the mean of both sides of a front [K].

    >>> warmer(FrontOptions(difference=2.0, width=1e4), np.zeros(2), np.array([0.0, 1e5])).tolist()
    [0.0, 1.0]
    """
    away = y - front.y - front.meander * np.sin(2.0 * np.pi * x / front.length)
    return 0.5 * front.difference * np.tanh(2.0 * away / front.width)


def start_tracers(levels: VerticalGrid, start: OceanStartOptions) -> Callable[[Any, Any], Array]:
    """What gives temperature [degree C] and salinity [1e-3], (2, k, *j.shape), of cells (j, i)."""
    grid = levels.horizontal
    center = grid.at(Place.center)
    profile = start.deep + start.range * np.exp(-levels.depth / start.scale)
    plane = warmer(start.front, center.x, center.y)
    other = np.full(grid.shape, np.nan)
    around = not is_cartesian(grid)
    for west, east, south, north, temperature in start.waters:
        box = [west, east, south, north]
        inside = in_boxes([box], center.x, center.y, around=around, named="ocean.start.waters")
        other[inside] = temperature

    def tracers(j: Any, i: Any) -> Array:
        warm = profile[:, None, None] + plane[j, i]
        warm = np.where(np.isnan(other[j, i]), warm, other[j, i])
        return np.stack([warm, np.full_like(warm, start.salinity)])

    return tracers
