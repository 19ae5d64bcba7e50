"""Arrows on maps: where waves go, and the wind as arrows or barbs."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.quiver import Barbs, Quiver
from numpy.typing import NDArray

from halocline.analysis import reading
from halocline.analysis.coastline import Extent
from halocline.analysis.map_grid import MapGrid, Numbers, arrow_places, values_on
from halocline.analysis.wave_fields import (
    HEIGHT,
    Arrows,
    arrows_for,
    direction_for,
    going_to,
    wind_components,
)
from halocline.core.errors import UserError

DARK = "#1d2329"
LOWEST_WAVES = 0.1
"""Lower waves [m] get no arrow."""


def draw_arrows(
    axes: Axes,
    grid: MapGrid,
    dataset: xr.Dataset,
    data: xr.DataArray,
    extent: Extent,
    arrows: Arrows,
    across: int,
    ink: str,
) -> Quiver | Barbs | None:
    """Draw the arrows asked for on a map of `data`, about `across` of them along it."""
    chosen = arrows_for(dataset, data, arrows)
    if chosen == "none":
        return None
    there = np.isfinite(values_on(grid, data))
    if chosen == "waves":
        direction = direction_for(dataset, data)
        if direction is None:
            raise UserError(f"Cannot draw wave arrows on '{data.name}': the file has no direction.")
        there &= _has_waves(grid, dataset, data)
        towards = np.where(there, going_to(grid, direction), np.nan)
        return draw_directions(axes, grid, towards, extent, across, ink)
    wind = wind_components(dataset)
    if wind is None:
        raise UserError(f"Cannot draw wind arrows on '{data.name}': the file has no wind.")
    u, v = (np.where(there, values_on(grid, part), np.nan) for part in wind)
    if chosen == "barbs":
        return draw_barbs(axes, grid, u, v, extent, across * 3 // 4)
    return draw_winds(axes, grid, u, v, extent, across, ink)


def _has_waves(grid: MapGrid, dataset: xr.Dataset, data: xr.DataArray) -> NDArray[np.bool_]:
    """Where waves are high enough to have a direction worth an arrow."""
    height = data if "height" in f"{data.name}" else reading.find(dataset, HEIGHT)
    if height is None or set(height.dims) != set(data.dims):
        return np.ones((1, 1), dtype=bool)
    return values_on(grid, height) >= LOWEST_WAVES


def draw_directions(
    axes: Axes, grid: MapGrid, towards: Numbers, extent: Extent, across: int, ink: str = "white"
) -> Quiver:
    """Arrows of one length where waves go; `towards` is clockwise from north [degree]."""
    j, i, x, y = arrow_places(grid, np.isfinite(towards), extent, across)
    angle = np.deg2rad(towards[j, i])
    return _quiver(axes, x, y, np.sin(angle), np.cos(angle), 0.72 / across, ink)


def draw_winds(
    axes: Axes, grid: MapGrid, u: Numbers, v: Numbers, extent: Extent, across: int, ink: str = DARK
) -> Quiver:
    """Arrows along the wind [m s-1], as long as it is strong."""
    j, i, x, y = arrow_places(grid, np.isfinite(u) & np.isfinite(v), extent, across)
    east, north = u[j, i], v[j, i]
    strong = float(np.quantile(np.hypot(east, north), 0.95)) if len(x) else 0.0
    strong = strong or 1.0
    return _quiver(axes, x, y, east / strong, north / strong, 1.0 / across, ink)


def draw_barbs(
    axes: Axes, grid: MapGrid, u: Numbers, v: Numbers, extent: Extent, across: int
) -> Barbs:
    """Barbs of the wind [m s-1]: half a barb for 5 knots, a barb for 10, a flag for 50."""
    j, i, x, y = arrow_places(grid, np.isfinite(u) & np.isfinite(v), extent, across)
    knots = 3600.0 / 1852.0
    return axes.barbs(
        x,
        y,
        u[j, i] * knots,
        v[j, i] * knots,
        length=4.4,
        linewidth=0.5,
        pivot="middle",
        color=DARK,
        flip_barb=y < 0.0,
        path_effects=[withStroke(linewidth=1.3, foreground="white", alpha=0.55)],
        sizes={"emptybarb": 0.08, "height": 0.45, "width": 0.25},
        zorder=1.6,
    )


def _quiver(
    axes: Axes, x: Numbers, y: Numbers, east: Numbers, north: Numbers, length: float, ink: str
) -> Quiver:
    """Arrows around their places; a unit vector has `length` of the width of the map."""
    return axes.quiver(
        x,
        y,
        east,
        north,
        units="width",
        scale_units="width",
        scale=1.0 / length,
        pivot="middle",
        width=0.085 * length,
        headwidth=4.2,
        headlength=4.6,
        headaxislength=4.0,
        minlength=0.5,
        color=ink,
        edgecolor=DARK if ink == "white" else "white",
        linewidth=0.25,
        zorder=1.6,
    )
