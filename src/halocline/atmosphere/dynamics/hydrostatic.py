"""Hydrostatic air: pressure, geopotential and upward wind follow from mass, heat and water."""

from __future__ import annotations

from halocline.atmosphere import _native
from halocline.atmosphere.dynamics.state import AirFields
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

kernels = kernels_of(_native)
of_changes = ("mass_change", "pressure_change")


def air_state(run: Runner, s: AirFields) -> BoundCall:
    """What sets the pressure, and in hydrostatic air the geopotential, of the state `s`."""
    if not s.hydrostatic:
        return run.bind(kernels["atmosphere_air_state"], s)
    given: dict[str, Field | None] = dict.fromkeys(of_changes)
    if not s.species:
        given["dilution"] = None
    return run.bind(kernels["atmosphere_hydrostatic_state"], s, **given)


class HydrostaticStage:
    """The end of a stage, after the new mass, heat and water."""

    def __init__(self, run: Runner, s: AirFields) -> None:
        given: dict[str, Field | None] = {} if s.species else {"dilution": None}
        self.balance = run.bind(kernels["atmosphere_hydrostatic_state"], s, **given)
        self.rise = run.bind(kernels["atmosphere_hydrostatic_rise"], s)

    def __call__(self, dt: float, *, last: bool) -> None:
        """Balance columns dt [s] after the beginning of the step.

        1. pressure and geopotential  2. upward wind over the step
        """
        # 1. pressure and geopotential
        self.balance()
        # 2. upward wind over the step
        self.rise(dt=dt, last=int(last))
