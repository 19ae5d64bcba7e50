"""Isothermal air that turns as a solid, in balance: exact whatever the grid and the axis."""

from __future__ import annotations

import numpy as np

from halocline.atmosphere.component import AtmosphereComponent
from halocline.atmosphere.constants import kappa, reference_pressure
from halocline.atmosphere.start.hybrid_column import HybridColumn, dry_volume
from halocline.core.constants import earth_rotation
from halocline.grids.sphere import degree, vectors
from halocline.runtime.fields.place import Place

isothermal = {
    "atmosphere.air.kind": "isothermal", "atmosphere.air.temperature": 270.0,
    "atmosphere.layers.count": 10,
}  # fmt: skip


def axes_of(component: AtmosphereComponent, place: Place) -> tuple[np.ndarray, ...]:
    """Unit vectors along x, along y and upward at a place, each of shape (3, ...)."""
    at = component.plane.at(place)
    x, y = at.x * degree, at.y * degree
    east = np.stack([-np.sin(x), np.cos(x), 0.0 * x])
    north = np.stack([-np.sin(y) * np.cos(x), -np.sin(y) * np.sin(x), np.cos(y)])
    along, turned = np.cos(at.angle), np.sin(at.angle)
    return along * east + turned * north, along * north - turned * east, vectors(at.x, at.y)


def solid_rotation(component: AtmosphereComponent, speed: float, tilt: float = 0.0) -> None:
    """Air that turns about an axis so far from the Earth's [degree], and the Earth with it;
    `speed` [m s-1] at its equator.

    RT d(ln p) = -(2 Omega sin(lat) u + u^2 tan(lat) / a) a d(lat) with u = speed cos(lat) has the
    solution ln p = (Omega a speed + speed^2 / 2) cos^2(lat) / RT + constant. That the Earth turns
    about another axis is in its parts along the axes of the grid (Lauritzen et al. 2010, J. Adv.
    Model. Earth Syst. 2, 15).
    """
    plane, s, c = component.plane, component.state, component.coordinate
    axis = np.array([np.sin(tilt * degree), 0.0, np.cos(tilt * degree)])
    along_x, along_y, up = (np.tensordot(axis, one, 1) for one in axes_of(component, Place.center))
    if tilt:
        for field, part in ((s.turning, up), (s.tilt_x, along_x), (s.tilt_y, along_y)):
            field.set_global(2.0 * earth_rotation * part)
    squared, heat = 1.0 - up**2, 287.0 * 270.0
    head = earth_rotation * plane.radius * speed + 0.5 * speed**2
    surface = 1e5 * np.exp(head * (squared - squared.mean()) / heat)
    column, mass = HybridColumn.of_coordinate(c), surface - c.top
    pressure = column.pressure(mass, np.zeros((c.thickness.size, *mass.shape)))
    theta = 270.0 * (reference_pressure / pressure) ** kappa
    lighter = (2.0 * earth_rotation * speed + speed**2 / plane.radius) * squared / 9.81
    volume = dry_volume(theta, pressure) / (1.0 - lighter)
    base = component.reference.columns(np.zeros(plane.shape))
    s.mass.set_global(mass - base.mass)
    s.theta.set_global(theta - 300.0)
    s.geopotential.set_global(
        column.geopotential(np.zeros(plane.shape), mass, volume) - base.geopotential
    )
    for field, place, number in ((s.u, Place.x_face, 0), (s.v, Place.y_face, 1)):
        axes = axes_of(component, place)
        wind = speed * (np.cross(axis, axes[2], axisb=0, axisc=0) * axes[number]).sum(axis=0)
        field.set_global(np.broadcast_to(wind, field.shape).copy())
    component.dynamics.air_state()
