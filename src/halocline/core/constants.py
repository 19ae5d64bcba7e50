"""Physical constants: one place, full name, unit, source."""

from __future__ import annotations

import math

gravity = 9.806
"""Acceleration of gravity [m s-2] (WAVEWATCH III manual, constants)."""

earth_circumference = 4.0e7
"""Circumference of the Earth [m] (definition of the metre; WAVEWATCH III manual)."""

earth_radius = earth_circumference / (2.0 * math.pi)
"""Radius of the Earth [m], from its circumference."""

air_density = 1.225
"""Density of air at the sea surface [kg m-3] (WAVEWATCH III manual, constants)."""

earth_rotation = 7.292123625e-5
"""Angular velocity of the Earth [s-1] (that of POP)."""

water_density = 1000.0
"""Density of water [kg m-3] (WAVEWATCH III manual, constants)."""

von_karman = 0.40
"""Von Karman's constant [1] (Ardhuin et al. 2010)."""

air_viscosity = 1.4e-5
"""Kinematic viscosity of air [m2 s-1] (Ardhuin et al. 2010)."""
