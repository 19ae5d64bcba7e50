"""The forces of density grow while a sea that starts at rest begins to move."""

from __future__ import annotations

import math

import numpy as np

from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space


def grown(age: float, length: float) -> float:
    """Part of the forces at an `age` of a ramp of some `length` [s]: sin(pi age / (2 length))^2.

    >>> round(grown(2.5, 10.0), 6), grown(10.0, 10.0), grown(11.0, 10.0)
    (0.146447, 1.0, 1.0)
    """
    return math.sin(0.5 * math.pi * age / length) ** 2 if age < length else 1.0


class StartRamp:
    """How long ago the sea was at rest, which restarts hold until its forces are whole."""

    def __init__(self, days: float, space: Space) -> None:
        self.length = 86400.0 * days
        self.age = Field(
            "start_age", "s", space, axes=(1,), place=Place.none, dtype=np.float64, restart=True
        )

    def advance(self, dt: float) -> float:
        """Part of the forces that acts at the end of a step of `dt` [s]."""
        if not self.length:
            return 1.0
        age = float(self.age.read()[0][0]) + dt
        self.age.set_global(np.array([age]))
        return grown(age, self.length)

    def kept(self) -> list[Field]:
        """What a restart must hold."""
        return [self.age] if self.length else []
