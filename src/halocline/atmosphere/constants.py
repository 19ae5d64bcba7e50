"""Constants of the atmosphere, those of ARW (Skamarock et al. 2019, NCAR/TN-556); SI units.

`constants.hpp` has the same.
"""

from __future__ import annotations

from halocline.core import moist_air

gravity = 9.81
"""Acceleration of gravity [m s-2]."""

dry_gas_constant = moist_air.dry_gas_constant
"""Of dry air, Rd [J kg-1 K-1]."""

vapor_gas_constant = moist_air.vapor_gas_constant
"""Of water vapour, Rv [J kg-1 K-1]."""

heat_capacity = moist_air.heat_capacity
"""Of dry air at constant pressure, cp [J kg-1 K-1]."""

reference_pressure = moist_air.reference_pressure
"""At which potential temperature is temperature, p0 [Pa]."""

reference_temperature = 300.0
"""What fields of potential temperature are less than it [K]."""

kappa = moist_air.kappa
"""Rd / cp [1]."""

earth_radius = 6.37e6
"""Radius of the Earth [m]."""
