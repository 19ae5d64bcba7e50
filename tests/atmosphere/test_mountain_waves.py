"""Steady waves over ridges: drag, momentum that goes upward, and upward wind, by linear theory."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from atmosphere.dynamics_cases import ended, shipped, values
from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.constants import dry_gas_constant, gravity, heat_capacity
from references.linear_mountain import RidgeWaves

outer = slice(4, -4)
"""Columns that are not continued from others."""


def ridge(component: AtmosphereComponent) -> RidgeWaves:
    o, plane = component.options, component.plane
    ground, step = o.mountain.heights(plane)[0], float(np.diff(plane.x[:2])[0])
    frequency, warm = o.air.frequency, o.air.theta
    if o.air.kind == "isothermal":
        warm = o.air.temperature
        frequency = gravity / np.sqrt(heat_capacity * warm)
    scale = dry_gas_constant * warm / gravity
    return RidgeWaves(ground, step, o.start.wind_u, frequency, scale)


def drag(component: AtmosphereComponent, ground: np.ndarray) -> float:
    """Of the pressure at the ground [N m-1]."""
    found = np.tensordot(component.coordinate.to_ground, values(component, "pressure")[:3, 0], 1)
    return float((found[1:-1] * 0.5 * (ground[2:] - ground[:-2])).sum())


def at_height(component: AtmosphereComponent, z: float) -> tuple[np.ndarray, ...]:
    """Wind along x and upward [m s-1], density [kg m-3] in columns at a height above sea level."""
    whole = values(component, "geopotential") + values(component, "base_geopotential")
    faces = whole[:, 0] / gravity
    middles = 0.5 * (faces[1:] + faces[:-1])
    u = values(component, "u")[:, 0]
    inner = 0.5625 * (u[:, 1:-2] + u[:, 2:-1]) - 0.0625 * (u[:, :-3] + u[:, 3:])
    wide = np.pad(inner, ((0, 0), (1, 1)), mode="edge")
    w, density = values(component, "w")[:, 0], 1.0 / values(component, "full_volume")[:, 0]

    def at(heights: np.ndarray, field: np.ndarray) -> np.ndarray:
        columns = zip(heights.T, field.T, strict=True)
        return np.array([CubicSpline(levels, column)(z) for levels, column in columns])

    return at(middles, wide), at(faces, w), at(middles, density)


def momentum_flux(component: AtmosphereComponent, z: float) -> float:
    """Downward through a height [N m-1]."""
    u, w, density = at_height(component, z)
    step = float(np.diff(component.plane.x[:2])[0])
    more = u - component.options.start.wind_u
    return -float((density.mean() * more * w)[outer].sum() * step)
