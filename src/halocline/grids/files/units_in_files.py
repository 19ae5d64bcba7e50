"""Units as files name them, and what brings values in them to ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.assumptions import without_units
from halocline.core.errors import UserError

Array = NDArray[np.float64]
freezing = 273.15
"""0 degree C [K]."""

celsius = (
    "degC", "degree_C", "degrees_C", "Celsius", "celsius", "degree_Celsius", "C", "deg C",
    "degree C",
)  # fmt: skip
"""Names of degrees Celsius."""

unit_factors: dict[str, dict[str, float]] = {
    "m s-1": {"m/s": 1, "m s**-1": 1, "ms-1": 1, "m.s-1": 1, "meter second-1": 1, "m/sec": 1,
              "knots": 1852 / 3600, "knot": 1852 / 3600, "kt": 1852 / 3600, "km/h": 1 / 3.6,
              "km h-1": 1 / 3.6, "cm s-1": 0.01, "cm/s": 0.01},
    "1": {"": 1, "(0 - 1)": 1, "0-1": 1, "fraction": 1, "%": 0.01, "percent": 0.01,
          "proportion": 1, "dimensionless": 1},
    "m": {"meter": 1, "meters": 1, "metre": 1, "metres": 1, "km": 1000, "cm": 0.01},
    "K": {"kelvin": 1, "Kelvin": 1},
    "degree_C": dict.fromkeys(celsius, 1),
    "1e-3": {"psu": 1, "PSU": 1, "PSS-78": 1, "1": 1, "0.001": 1, "g kg-1": 1, "g/kg": 1},
    "m2 s-1": {"m2/s": 1, "m**2 s**-1": 1, "m^2/s": 1, "cm2 s-1": 1e-4, "cm2/s": 1e-4},
    "m3 s-1": {"m3/s": 1, "m**3 s**-1": 1, "m^3/s": 1},
    "W m-2": {"W/m2": 1, "W/m^2": 1, "W m**-2": 1},
    "Pa": {"N m-2": 1, "N/m2": 1, "N/m^2": 1, "N m**-2": 1, "dyn cm-2": 0.1, "dyn/cm2": 0.1,
           "dyn/cm^2": 0.1, "dyne/cm2": 0.1, "dyne/cm^2": 0.1},
    "g kg-1": {"g/kg": 1, "1e-3": 1, "kg kg-1": 1000, "kg/kg": 1000, "kg kg**-1": 1000, "1": 1000},
    "mmol m-3": {"mmol/m3": 1, "mmol/m^3": 1, "mmol m**-3": 1, "millimol m-3": 1, "umol/l": 1,
                 "umol L-1": 1, "umol l-1": 1, "uM": 1, "mol m-3": 1000, "mol/m3": 1000,
                 **dict.fromkeys(("umol kg-1", "umol/kg", "micromoles_per_kilogram"), 1.025)},
    "mg m-3": {"mg/m3": 1, "mg/m^3": 1, "mg m**-3": 1, "milligram m-3": 1, "ug/l": 1, "ug L-1": 1,
               "g m-3": 1000, "kg m-3": 1e6},
}  # fmt: skip
"""Factors that bring units of files to ours; a litre of the sea has 1.025 kg."""


def units_of(attributes: Mapping[str, Any], ours: str, what: str) -> str:
    """The units that a variable says it has; without any it is taken to be in ours, and told so.

    `what` has them, for the message. Numbers need no units.
    """
    theirs = str(attributes.get("units", "")).strip()
    if not theirs and ours != "1":
        return without_units(what, ours)
    return theirs or ours


def converted(values: Array, theirs: str, ours: str, what: str) -> Array:
    """Values in some units, in others; `what` has them, for a message.

    >>> converted(np.array([20.0]), "degC", "K", "'t'").tolist()
    [293.15]
    >>> converted(np.array([5.0]), "furlong", "degree C", "'t' of sea.nc")
    Traceback (most recent call last):
    halocline.core.errors.UserError: 't' of sea.nc has the units 'furlong', which cannot be ...
    """
    if ours in celsius:
        if theirs in ("K", *unit_factors["K"]):
            return values - freezing
        ours = "degree_C"
    elif ours == "K" and theirs in celsius:
        return values + freezing
    factor = 1.0 if theirs == ours else unit_factors.get(ours, {}).get(theirs)
    if factor is None:
        known = [ours, *unit_factors.get(ours, {})]
        if ours in ("K", "degree_C"):
            known = list(dict.fromkeys([*known, "K", *celsius]))
        raise UserError(
            f"{what} has the units '{theirs}', which cannot be brought to '{ours}'."
            f" Known units are: {', '.join(known)}."
        )
    return values * factor if factor != 1 else values
