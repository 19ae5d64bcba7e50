"""Bounds of what files may hold: beyond them lie unmarked fill values, and wrong units."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.names import quantities

bounds: dict[str, tuple[float, float]] = {
    # The strongest gust on record is 113 m s-1 (WMO, Barrow Island, 1996).
    "wind_u": (-150.0, 150.0),
    "wind_v": (-150.0, 150.0),
    # Interpolation and packing overshoot a little.
    "ice": (-0.1, 1.1),
    # Records of WMO are 184 and 330 K; of the skin of deserts 353 K.
    "air_temperature": (150.0, 350.0),
    "sea_surface_temperature": (150.0, 360.0),
    "air_sea_temperature_difference": (-100.0, 100.0),
    # Elevations too. The Challenger Deep is 10,935 m deep; basins that are made up may be deeper.
    "depth": (-30_000.0, 30_000.0),
    "mask": (-128.0, 255.0),
    "obstruction_x": (-0.1, 1.1),
    "obstruction_y": (-0.1, 1.1),
    # A sea of 30 m all in a band of 0.001 Hz and 1 degree has 3e6 m2 s rad-1.
    # The Dead Sea has 340; packing overshoots a little.
    "salinity": (-1.0, 400.0),
    # Kelvin lie beyond; at hydrothermal vents there is more, but in no model's cell.
    "temperature": (-10.0, 100.0),
    # The strongest tidal stream is 11 m s-1 (Saltstraumen).
    "velocity_u": (-15.0, 15.0),
    "velocity_v": (-15.0, 15.0),
    "sea_level": (-50.0, 50.0),
    "vertical_diffusivity": (-1e-6, 1e4),
    "wind_speed": (-0.1, 150.0),
    "wave_spectrum": (-1e-3, 1e7),
    "frequency": (1e-6, 1e3),
    "direction": (-720.0, 720.0),
    "latitude": (-90.001, 90.001),
    "longitude": (-720.0, 720.0),
}
"""Least and greatest plausible value by short name, in our units."""

usual = (-1e15, 1e15)
"""The same of quantities without bounds of their own: fill values lie beyond."""

Place = Callable[[tuple[int, ...]], str]
"""Words on where an element of an array lies."""


def refuse_implausible(
    values: NDArray[np.floating], short_name: str, what: str, place: Place | None = None
) -> None:
    """Refuse values beyond the bounds of their quantity; missing ones (NaN) are none.

    `what` names the variable and its file, `place` where and when an element is.

    >>> refuse_implausible(np.array([3.0, 1e20]), "wind_u", "'u10' of wind.nc")
    Traceback (most recent call last):
    halocline.core.errors.UserError: 'u10' of wind.nc is 1e+20 m s-1: eastward wind at 10 m ...
    """
    low, high = bounds.get(short_name, usual)
    beyond = (values < low) | (values > high)
    if not beyond.any():
        return
    at = tuple(int(n) for n in np.argwhere(beyond)[0])
    facts, more = quantities.get(short_name), int(beyond.sum()) - 1
    units = "" if facts is None or facts.units == "1" else f" {facts.units}"
    name = "it" if facts is None else facts.long_name
    also = f" ({more} more)" if more else ""
    raise UserError(
        f"{what} is {float(values[at]):g}{units}{place(at) if place else ''}{also}:"
        f" {name} lies between {low:g} and {high:g}{units}. Is it a fill value that"
        " _FillValue does not name, or another unit?"
    )


def refuse_bad_axis(values: NDArray[np.floating], short_name: str, what: str) -> None:
    """Refuse an axis that is empty, or holds missing or implausible values."""
    if not values.size:
        raise UserError(f"{what} is empty.")
    bad = ~np.isfinite(values)
    if bad.any():
        number = int(np.argmax(bad)) + 1
        raise UserError(
            f"{what} has no value at place {number} of {values.size} (NaN or missing). Every place"
            " of an axis needs a number."
        )
    refuse_implausible(values, short_name, what, lambda at: f" at place {at[0] + 1}")
