"""Which fields of a file belong together: heights with their directions, wind with its parts."""

from __future__ import annotations

from typing import Literal

import numpy as np
import xarray as xr

from halocline.analysis import reading
from halocline.analysis.map_grid import MapGrid, Numbers, values_on

Arrows = Literal["auto", "waves", "wind", "barbs", "none"]

HEIGHT = "sea_surface_wave_significant_height"
PEAK_PERIOD = "sea_surface_wave_period_at_variance_spectral_density_maximum"
MEAN_PERIOD = "sea_surface_wave_mean_period_from_variance_spectral_density_"
MEAN_DIRECTION = "sea_surface_wave_from_direction"
PEAK_DIRECTION = "sea_surface_wave_from_direction_at_variance_spectral_density_maximum"
WIND_SEA, SWELL = "sea_surface_wind_wave", "sea_surface_primary_swell_wave"

SHEET: tuple[tuple[str, ...], ...] = (
    (HEIGHT, "significant_height", "hs", "swh"),
    (PEAK_PERIOD, "peak_period", f"{MEAN_PERIOD}inverse_frequency_moment", "tp"),
    ("wind_speed",),
    (f"{SWELL}_significant_height", "sea_surface_swell_wave_significant_height", "swell1_height"),
    (f"{WIND_SEA}_significant_height", "wind_sea_height"),
    ("sea_surface_wave_directional_spread", "directional_spread"),
)
"""Panels of a forecast sheet, each with the names it may have; those present are drawn."""


def wind_components(dataset: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray] | None:
    """Eastward and northward wind [m s-1], from components or from speed and direction."""
    u = reading.find(dataset, "eastward_wind", "wind_u", "u10", "uwnd")
    v = reading.find(dataset, "northward_wind", "wind_v", "v10", "vwnd")
    if u is not None and v is not None:
        return u, v
    speed = reading.find(dataset, "wind_speed")
    direction = reading.find(dataset, "wind_from_direction", "wind_direction")
    if speed is None or direction is None:
        return None
    angle = np.deg2rad(direction)
    return -speed * np.sin(angle), -speed * np.cos(angle)


def with_wind_speed(dataset: xr.Dataset) -> xr.Dataset:
    """The data set, with the wind speed added if only the components are there."""
    wind = wind_components(dataset)
    if reading.find(dataset, "wind_speed") is not None or wind is None:
        return dataset
    speed = (wind[0] ** 2 + wind[1] ** 2) ** 0.5
    speed.attrs = {
        "standard_name": "wind_speed",
        "long_name": "wind speed at 10 m",
        "units": wind[0].attrs.get("units", "m s-1"),
    }
    return dataset.assign(wind_speed=speed)


def sheet_fields(dataset: xr.Dataset, most: int = 6) -> list[xr.DataArray]:
    """Fields of a wave forecast sheet that the data set has; without waves, its first fields."""
    fields = reading.of_most_interest(dataset)
    found = [reading.find(dataset, *names) for names in SHEET]
    waves = [field for field in found if field is not None and field.name in fields]
    if not waves:
        waves = [dataset[name] for name in fields if _is_field(dataset[name])]
    count = min(len(waves), most)
    return waves[: count if count in (1, 2, 3) else count - count % 2]


def _is_field(variable: xr.DataArray) -> bool:
    """Whether nothing but time and depth stands before the horizontal axes."""
    known = [reading.coordinate(variable, what) for what in ("time", "depth")]
    names = {str(axis.dims[0]) for axis in known if axis is not None and axis.ndim == 1}
    return len(set(variable.dims) - names) == 2


def direction_for(dataset: xr.Dataset, variable: xr.DataArray) -> xr.DataArray | None:
    """The direction that waves come from [degree] that belongs to a wave variable, if present."""
    name = str(variable.attrs.get("standard_name", ""))
    for part in (WIND_SEA, SWELL, "sea_surface_swell_wave"):
        if name.startswith(part):
            return reading.find(dataset, f"{part}_from_direction")
    if name == PEAK_PERIOD:
        found = reading.find(dataset, PEAK_DIRECTION, "peak_direction", "dp")
        if found is not None:
            return found
    return reading.find(dataset, MEAN_DIRECTION, "mean_direction", PEAK_DIRECTION, "dir", "mwd")


def arrows_for(dataset: xr.Dataset, variable: xr.DataArray, arrows: Arrows) -> Arrows:
    """What "auto" means for a variable: its waves, the wind for wind, or none where the file
    does not tell their direction."""
    if arrows != "auto":
        return arrows
    words = f"{variable.attrs.get('standard_name', '')} {variable.name}".lower()
    if any(word in words for word in ("wind_speed", "eastward_wind", "northward_wind")):
        return "wind" if wind_components(dataset) is not None else "none"
    is_wave = any(word in words for word in ("wave", "swell", "wind_sea", "significant"))
    sized = any(word in words for word in ("height", "period"))
    return "waves" if is_wave and sized and direction_for(dataset, variable) is not None else "none"


def going_to(grid: MapGrid, direction: xr.DataArray) -> Numbers:
    """Directions that waves go to, clockwise from north [degree], of shape (j, i)."""
    values = values_on(grid, direction)
    words = f"{direction.attrs.get('standard_name', '')} {direction.attrs.get('long_name', '')}"
    towards = "to_direction" in words or "going to" in words
    return values if towards else np.remainder(values + 180.0, 360.0)
