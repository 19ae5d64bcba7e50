"""How far sound goes in acoustic steps, which bear so much and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import (
    dry_gas_constant,
    reference_pressure,
    reference_temperature,
)
from halocline.atmosphere.dynamics.state import AirFields
from halocline.core.errors import UserError

Array = NDArray[np.float64]
gamma = 1.4
spare = 0.95
"""Share of the longest step that is advised."""


@dataclass(frozen=True)
class SoundInSteps:
    """Sound in the acoustic steps of a step of `dt` [s], at the `place` where it goes farthest.

    It passes so many cells in a second (`rate`), and may pass so many (`allowed`) in one of them.
    """

    dt: float
    steps: int
    rate: float
    allowed: float
    place: str

    @property
    def number(self) -> float:
        """Cells that it passes in an acoustic step."""
        return self.dt / self.steps * self.rate

    @property
    def longest(self) -> float:
        """The longest step that is advised [s]."""
        return spare * self.allowed * self.steps / self.rate

    def words(self) -> str:
        """For `halocline check`."""
        return (
            f"sound passes {self.number:.2f} of at most {self.allowed:.2f} cells in an acoustic"
            f" step of {self.dt / self.steps:.3g} s at {self.place}; time.step up to"
            f" {self.longest:.3g} s"
        )

    def refuse(self) -> None:
        """Refuse a step in which it goes too far."""
        if self.number <= self.allowed:
            return
        wanted = 2 * ceil(self.dt * self.rate / (2.0 * spare * self.allowed))
        raise UserError(
            f"In an acoustic step of {self.dt / self.steps:.3g} s sound passes {self.number:.2f}"
            f" cells at {self.place}; at most {self.allowed:.2f} it may. Use time.step ="
            f" {self.longest:.3g} s or less, or atmosphere.acoustic.steps = {wanted} or more."
        )


def squared_speed_of_sound(s: AirFields) -> Iterator[Array]:
    """gamma p alpha = gamma R T [m2 s-2] of what a rank owns of each block, layers first.

    By the law of gases p = p0 (R theta / (p0 alpha))^gamma, of mass, heat and geopotential alone,
    so that it is known before anything is computed.
    """
    c1, c2, thickness = (
        getattr(s, name).read()[0].astype(np.float64).reshape(-1, 1, 1)
        for name in ("c1", "c2", "thickness")
    )
    names = ("theta", "geopotential", "base_geopotential", "mass", "base_mass")
    for arrays in zip(*(getattr(s, name).read() for name in names), strict=True):
        theta, lifted, base, mass, base_mass = (some.astype(np.float64) for some in arrays)
        layer = (c1 * (mass + base_mass) + c2) * thickness
        volume = np.diff(lifted + base, axis=0) / layer
        heat = dry_gas_constant * (theta + reference_temperature)
        yield gamma * reference_pressure * (heat / (reference_pressure * volume)) ** gamma * volume
