"""Clouds smaller than the grid in a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import numpy as np

from halocline.atmosphere import _native
from halocline.atmosphere.convection.kain_fritsch_options import KainFritschOptions
from halocline.atmosphere.dynamics.physics_air import PhysicsAir
from halocline.atmosphere.dynamics.state import AirFields
from halocline.core.clock import is_due
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)
kept: Mapping[str, tuple[str, str]] = {
    "mean_rise": ("m s-1", "layers"),
    "convective_time": ("s", ""),
    "convective_heating": ("K s-1", "layers"),
    "convective_wetting": ("kg m-2 s-1", "water"),
    "convective_rain": ("kg m-2 s-1", ""),
    "convective_snow": ("kg m-2 s-1", ""),
}
"""Units of the fields, and what they have over a plane."""


class Convection:
    """Tendencies `convective_heating` and `convective_wetting` at centres, among `fields`.

    `totals` are what has reached the ground since the start of the run, in double precision, by
    names that end in "_total" [kg m-2].
    """

    def __init__(
        self, options: KainFritschOptions, run: Runner, state: AirFields, air: PhysicsAir
    ) -> None:
        self.fields = {
            name: Field(
                name, units, state.space, axes=state.over[over], place=Place.center,
                dtype=state.dtype, restart=True,
            )
            for name, (units, over) in kept.items()
        }  # fmt: skip
        for field in self.fields.values():
            field.fill(0.0)
        self.totals = {
            f"{name}_total": Field(
                f"{name}_total", "kg m-2", state.space, place=Place.center, dtype=np.float64,
                restart=True,
            )
            for name in ("convective_rain", "convective_snow")
        }  # fmt: skip
        self._act = run.bind(
            kernels["atmosphere_kain_fritsch"], air, w=state.w, area=state.area, **self.fields
        )
        self._collect = [
            run.bind(
                kernels["atmosphere_collect"],
                amount=self.fields[name.removesuffix("_total")],
                total=total,
            )
            for name, total in self.totals.items()
        ]
        self._numbers = asdict(options)
        self._interval = self._numbers.pop("interval")
        species = list(state.species)
        for argument, name in (("cloud", "cloud"), ("ice_entry", "ice")):
            self._numbers[argument] = species.index(name) if name in species else -1

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What the next step needs, and the totals."""
        return [*self.fields.values(), *self.totals.values()]

    def step(self, dt: float, elapsed: float) -> None:
        """Clouds of a step of `dt` [s], `elapsed` [s] after the start of the run."""
        look = is_due(elapsed, dt, self._interval)
        self._act(dt=dt, look=int(look), **self._numbers)
        for collect in self._collect:
            collect(factor=dt)
