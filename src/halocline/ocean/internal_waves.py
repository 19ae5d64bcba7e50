"""Whether the shortest internal waves grow in the steps of an ocean.

The pressure of density is a mean of three levels, diffusion is of the old one, and friction of two
thirds of that and a third of the present one (`rubbing.hpp`), so that waves of frequency omega
obey, with W = omega dt and what a step takes of density, d, and of velocity, v,

    (lambda^2 - 1 + 2 d) (lambda^2 - 1 + 2 v (2 + lambda) / 3) + W^2 lambda (lambda + 1)^2 = 0

(Brown and Campana 1978, Mon. Wea. Rev. 106, without d and v). On a B-grid W is at most 2 c dt / dx,
with the speed c of the first mode, and d and v are 4 dt / dx^2 times what mixes. What filters
levels in time damps; `cycle_growth` has all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import gravity
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.metrics import area_ratio, least_length
from halocline.ocean.options import OceanMixingOptions, OceanOptions
from halocline.ocean.watch import point_words
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import Ocean

Array = NDArray[np.float64]
told_from = 1.001
"""Growth over a cycle of steps from which it is told: waves without friction keep 1 [1]."""
reserve = 1.1
"""How much faster waves are taken to be than at the start: seasons and years change them [1]."""
looked_at = 256
"""Columns whose waves turn fastest; others are not looked at."""


@dataclass(frozen=True)
class ShortWaves:
    """What one second does to the shortest waves of some columns."""

    turn: Array  # 2 c / dx [s-1]
    density: Array  # what is taken of density [s-1]
    velocity: Array  # of velocity [s-1]

    def of(self, columns: NDArray[np.int64]) -> ShortWaves:
        """Those of some columns, by flat indices."""
        planes = self.turn, self.density, self.velocity
        return ShortWaves(*(plane.ravel()[columns] for plane in planes))

    def growth(self, dt: float, options: OceanOptions) -> Array:
        """What is left of them after a cycle of steps by `dt` [s], of what they were [1]."""
        return cycle_growth(dt * self.turn, dt * self.density, dt * self.velocity, options)

    def longest_step(self, dt: float, options: OceanOptions) -> float:
        """The longest step in which none of them grows, at most `dt` [s]."""
        low, high = 0.0, dt
        for _ in range(20):
            middle = 0.5 * (low + high)
            grows = self.growth(middle, options).max() >= told_from
            low, high = (low, middle) if grows else (middle, high)
        return low


def cycle_growth(turn: Array, density: Array, velocity: Array, options: OceanOptions) -> Array:
    """Growth of waves from one filtering of the levels to the next [1].

    `turn` is omega dt; of density and velocity a step takes these shares [1]. All have shape (n).

    >>> still = np.zeros(3)
    >>> leapfrog = OceanOptions(averaging=0)
    >>> cycle_growth(np.array([0.5, 1.9, 2.1]), still, still, leapfrog).round(2).tolist()
    [1.0, 1.0, 1.88]
    """
    w, d, v = (x[:, None] for x in (turn, density, velocity))
    unit = np.broadcast_to(np.eye(4), (len(turn), 4, 4))
    start = tuple(unit[:, i] for i in range(4))  # density old and now, velocity old and now

    def leap(r0: Array, r1: Array, u0: Array, u1: Array) -> tuple[Array, Array]:
        r2 = (1.0 - 2.0 * d) * r0 - 2j * w * u1
        return r2, u0 - 2.0 * v * rubbing(u0, u1) - 2j * w * (r0 + 2.0 * r1 + r2) / 4.0

    def rubbing(old: Array, now: Array) -> Array:
        return (2.0 * old + now) / 3.0

    def step(r0: Array, r1: Array, u0: Array, u1: Array) -> tuple[Array, ...]:
        r2, u2 = leap(r0, r1, u0, u1)
        if scheme == "robert":
            (r1, r2), (u1, u2) = filtered(r0, r1, r2), filtered(u0, u1, u2)
        return r1, r2, u1, u2

    def filtered(old: Array, now: Array, new: Array) -> tuple[Array, Array]:
        change = 0.5 * some.strength * (old - 2.0 * now + new)
        return now + some.share * change, new + (some.share - 1.0) * change

    def averaged(r0: Array, r1: Array, u0: Array, u1: Array) -> tuple[Array, ...]:
        r2, u2 = leap(r0, r1, u0, u1)
        return (r0 + r1) / 2.0, (r1 + r2) / 2.0, (u0 + u1) / 2.0, (u1 + u2) / 2.0

    def twice_forward(r0: Array, r1: Array, u0: Array, u1: Array) -> tuple[Array, ...]:
        r, u = r1, u1
        for _ in range(2):
            r, u = (1.0 - d) * r1 - 1j * w * u, u1 - v * rubbing(u1, u) - 1j * w * r
        return r1, r, u1, u

    some, every = options.time_filter, options.averaging
    scheme = some.scheme
    cycle = np.stack(step(*start), axis=1)
    if scheme != "robert" and every > 0:
        special = twice_forward(*start) if scheme == "matsuno" else averaged(*averaged(*start))
        cycle = np.linalg.matrix_power(cycle, every - 1) @ np.stack(special, axis=1)
    growth: Array = np.abs(np.linalg.eigvals(cycle)).max(axis=-1)
    return growth


def wave_speeds(model: Ocean) -> Array | None:
    """Speeds of the first mode as its old tracers have them [m s-1], global on the first rank.

    The integral of the buoyancy frequency over the column, over pi; 0 where water is mixed.
    """
    s = model.state
    model.stability(gravity=gravity, numbers=model.options.density.numbers)
    spacing = s.spacing.read()[0].astype(np.float64)
    speed = s.add("wave_speed", "m s-1", Place.center)
    with speed.change() as owned:
        for to, stable in zip(owned, s.stability.read(), strict=True):
            to[...] = 0.0
            for squared, distance in zip(stable, spacing, strict=True):
                to += np.sqrt(np.maximum(squared, 0.0)) * (distance / math.pi)
    return speed.gather()


def short_waves(levels: VerticalGrid, mixing: OceanMixingOptions, speed: Array) -> ShortWaves:
    """Those of all columns, as planes; a little faster than `speed` [m s-1]."""
    at = levels.horizontal.at(Place.center)
    dx, dy = (np.maximum(x, least_length) for x in np.broadcast_arrays(at.dx, at.dy))
    square = 4.0 / np.minimum(dx, dy) ** 2
    flattening = mixing.eddies.flattening * area_ratio(dx, dy, mixing.eddies.length)
    viscous = area_ratio(dx, dy, mixing.viscosity_length)
    if mixing.viscous.scheme == "biharmonic":
        velocity = mixing.viscous.biharmonic * viscous**2 * square**2
    else:
        velocity = mixing.viscosity * viscous * square
    turn = reserve * speed * np.sqrt(square)
    return ShortWaves(turn, (mixing.diffusivity + flattening) * square, velocity)


def waves_that_grow(model: Ocean) -> list[str]:
    """What to tell of the shortest internal waves, if some can grow; a call for all ranks."""
    said, speed, options, dt = "", wave_speeds(model), model.options, model.dt
    if speed is not None:
        levels = model.levels
        planes = short_waves(levels, options.mixing, speed)
        fastest = np.argsort(planes.turn, axis=None)[-looked_at:]
        some = planes.of(fastest)
        growth = some.growth(dt, options)
        if growth.max() >= told_from:
            most = fastest[growth.argmax()]
            j, i = (int(n) for n in np.unravel_index(most, speed.shape))
            width = 2.0 * reserve * speed[j, i] / planes.turn[j, i]
            said = (
                f"internal waves of {speed[j, i]:.2g} m/s can grow in steps of {dt:g} s, most in"
                f" {point_words(levels.horizontal, j, i)}, where cells are {width / 1e3:.3g} km"
                f" wide. time.step = {some.longest_step(dt, options):.0f} s or less lets none grow"
            )
    words = str(model.run.decomposition.communicator.broadcast(said))
    return [words] if words else []
