"""Columns of moist air at the start, in discrete hydrostatic balance but for the bubble."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import (
    gravity,
    kappa,
    reference_pressure,
    reference_temperature,
)
from halocline.atmosphere.coordinate import HybridCoordinate
from halocline.atmosphere.sounding import MoistProfile, SoundingOptions, dry_density, saturated
from halocline.atmosphere.starting_air import (
    AirStartOptions,
    ReferenceColumns,
    above,
    rise,
)
from halocline.core.moist_air import epsilon

Array = NDArray[np.float64]


class MoistColumns(NamedTuple):
    """As `StartColumns`, of moist potential temperature, with mixing ratios of layers [1]."""

    mass: Array
    geopotential: Array
    theta: Array
    vapor: Array
    cloud: Array


@lru_cache(maxsize=8)
def _profile(sounding: SoundingOptions, top: float) -> MoistProfile:
    """A nest that moves starts again and again from the same air."""
    return sounding.profile(top)


class MoistStartingAir:
    """Columns of the air of a sounding, with a bubble in it."""

    def __init__(
        self, coordinate: HybridCoordinate, reference: ReferenceColumns, start: AirStartOptions
    ) -> None:
        self.coordinate, self.reference, self.start = coordinate, reference, start
        self.saturated = start.sounding.kind == "saturated-neutral"
        self.profile = _profile(start.sounding, coordinate.top)
        self.weight = above(self.profile.dry_density, self.profile.height)

    def columns(self, x: Array, y: Array, ground: Array) -> MoistColumns:
        """Of columns at places, with the height of the ground [m]; all arrays of one shape."""
        base = self.reference.columns(ground)
        mass, theta, vapor, cloud = self._still(ground)
        lifted = gravity * ground + self._rise(mass, theta, vapor, cloud)
        if self.start.bubble.amplitude:
            middle = 0.5 * (lifted[1:] + lifted[:-1]) / gravity
            if self.start.balance == "pressure":
                more, higher = self._at_pressure(x, y, ground)
                mass, lifted = mass + more, lifted + higher
                middle = 0.5 * (lifted[1:] + lifted[:-1]) / gravity
                theta, vapor, cloud = self._warmed(x, y, middle, theta, vapor, cloud)
            else:
                theta, vapor, cloud = self._warmed(x, y, middle, theta, vapor, cloud)
                lifted = gravity * ground + self._rise(mass, theta, vapor, cloud)
        moist = theta * (1.0 + vapor / epsilon) - reference_temperature
        return MoistColumns(mass - base.mass, lifted - base.geopotential, moist, vapor, cloud)

    def middles(self, ground: Array) -> Array:
        """Heights of the middles of layers above sea level without the bubble [m], (n, ...)."""
        lifted = ground + self._rise(*self._still(ground)) / gravity
        return np.asarray(0.5 * (lifted[1:] + lifted[:-1]))

    def _still(self, ground: Array) -> tuple[Array, Array, Array, Array]:
        """Mass, potential temperature, vapour and cloud without the bubble."""
        heights, which = np.unique(ground, return_inverse=True)
        which = which.reshape(ground.shape)
        mass, theta, vapor, cloud = self._layers(heights)
        return mass[which], theta[:, which], vapor[:, which], cloud[:, which]

    def _layers(self, ground: Array) -> tuple[Array, Array, Array, Array]:
        """The same at the dry pressures of layers over ground of some heights [m], (columns,)."""
        p, c = self.profile, self.coordinate
        mass = np.interp(ground, p.height, self.weight)
        faces = c.pressure(mass) - c.top
        height = np.interp(0.5 * (faces[1:] + faces[:-1]), self.weight[::-1], p.height[::-1])
        theta, vapor, cloud = (
            np.interp(height, p.height, values) for values in (p.theta, p.vapor, p.cloud)
        )
        if self.saturated:  # at the pressure that the layers have
            for _ in range(5):
                pressure = self._pressure(mass, vapor, cloud)
                exner = (pressure / reference_pressure) ** kappa
                all_water = vapor + cloud
                theta = np.interp(-pressure, -p.pressure, p.theta)
                vapor = saturated(theta, exner)
                cloud = all_water - vapor
        return mass, theta, vapor, cloud

    def _pressure(self, mass: Array, vapor: Array, cloud: Array) -> Array:
        """Of layers in the dynamics' discrete hydrostatic balance, with the weight of water."""
        c = self.coordinate
        shape = (-1, *(1,) * mass.ndim)
        dilution = 1.0 / (1.0 + vapor + cloud)
        share = c.upper_share[1:].reshape(shape)
        upper = np.concatenate([dilution[1:], dilution[-1:]])
        dry = share * upper + (1.0 - share) * dilution
        face = (c.c1_face[1:].reshape(shape) * mass + c.c2_face[1:].reshape(shape)) / dry
        steps = c.spacing[1:].reshape(shape) * face
        return np.asarray(c.top + np.cumsum(steps[::-1], axis=0)[::-1])

    def _rise(self, mass: Array, theta: Array, vapor: Array, cloud: Array) -> Array:
        """Geopotential of interfaces above the ground [m2 s-2]."""
        pressure = self._pressure(mass, vapor, cloud)
        return rise(self.coordinate, mass, theta * (1.0 + vapor / epsilon), pressure)

    def _warmed(
        self, x: Array, y: Array, z: Array, theta: Array, vapor: Array, cloud: Array
    ) -> tuple[Array, Array, Array]:
        """Potential temperature, vapour and cloud at heights z (n, ...) in the bubble.

        In saturated air the bubble is as buoyant as one in dry air of 300 K, and saturated.
        """
        bubble = self.start.bubble
        share = bubble.amplitude * bubble.shape(x, y, z)
        if not self.saturated:
            return theta + share, vapor, cloud
        p = self.profile
        exner = (np.interp(z, p.height, p.pressure) / reference_pressure) ** kappa
        water = vapor + cloud
        wanted = theta * (1.0 + vapor / epsilon) * (1.0 + share / 300.0)
        warm, damp = theta, vapor
        for _ in range(40):
            warm = wanted / (1.0 + damp / epsilon)
            damp = np.where(share != 0.0, saturated(warm, exner), vapor)
        return warm, damp, water - damp

    def _at_pressure(self, x: Array, y: Array, ground: Array) -> tuple[Array, Array]:
        """What the bubble adds to mass [Pa] and geopotential [m2 s-2] where pressure stays."""
        p, c = self.profile, self.coordinate
        flat = [np.ravel(a) for a in (x, y, ground)]
        mass, lifted = np.zeros(flat[0].size), np.zeros((c.eta.size, flat[0].size))
        for number, (px, py, low) in enumerate(zip(*flat, strict=True)):
            z = np.append(low, p.height[p.height > low])
            at = MoistProfile(z, *(np.interp(z, p.height, values) for values in p[1:]))
            warm, damp, _ = self._warmed(px, py, z, at.theta, at.vapor, at.cloud)
            still, moved = (
                above(dry_density(theta, vapor, at.pressure), z)
                for theta, vapor in ((at.theta, at.vapor), (warm, damp))
            )
            mass[number] = moved[0] - still[0]
            heights = [
                np.interp(c.pressure(own[0]) - c.top, own[::-1], z[::-1]) for own in (still, moved)
            ]
            lifted[:, number] = gravity * (heights[1] - heights[0])
        return mass.reshape(x.shape), lifted.reshape(-1, *x.shape)
