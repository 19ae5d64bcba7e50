"""The flow, and the surroundings, that an ocean of the same run gives to life in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from halocline.biogeochemistry.environment import Environment
from halocline.biogeochemistry.moving_flow import MovingFlow
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.biogeochemistry.transport import TransportState
from halocline.component.forcing.field_records import FieldRecords
from halocline.core.clock import Date
from halocline.living_ocean.ocean_ends import OceanEnds
from halocline.runtime.fields.field import Field
from halocline.runtime.running.calls import BoundCall


class OceanFlow(MovingFlow):
    """Sets fluxes, volumes and diffusivity of a state by what an ocean was in its last step.

    The fluxes are means of those at both ends of the step, as of files with records of every step.
    """

    def __init__(self, ends: OceanEnds, state: TransportState, *, at_once: bool) -> None:
        super().__init__(ends.ocean.levels, state, ends.ocean.run, at_once=at_once)
        self.ends = ends
        names = ("x_volume_flux", "y_volume_flux", "vertical_diffusivity")
        self._means = [ends.mean_of(name, getattr(state, name)) for name in names]

    def start(self, moment: Date) -> None:
        """Set the volumes of a moment that no step has led to."""
        self.state.volume.copy(self.ends.volume)

    def set_step(self, moment: Date, length: timedelta) -> None:
        """Set the fluxes of the step from a moment on, and the volumes after it."""
        for mean in self._means:
            mean(weight=0.5)
        self.state.next_volume.copy(self.ends.volume)


class OceanSurroundings(Environment):
    """Temperature, salinity, short wave and wind of the ocean, means of both ends of its step."""

    def __init__(self, ends: OceanEnds) -> None:
        self.ends = ends
        self._means: list[BoundCall] = []
        self._planes: list[tuple[Field, str]] = []

    def settle(self, state: ReactingState) -> Sequence[FieldRecords]:
        """Get ready for the fields of `state`; nothing is read."""
        self._means = [
            self.ends.mean_of("temperature", state.temperature),
            self.ends.mean_of("salinity", state.salinity),
        ]
        planes = {"short_wave": state.short_wave, "wind_speed": state.wind_speed}
        self._planes = [(field, name) for name, field in planes.items() if name in self.ends.fields]
        return []

    def fill(self, state: ReactingState, time: Date, dt: float) -> None:
        """Set the fields for the step of `dt` [s] from `time`."""
        for mean in self._means:
            mean(weight=0.5)
        for field, name in self._planes:
            both = self.ends.fields[name]
            with field.change() as owned:
                pairs = zip(owned, both.before.read(), both.after.read(), strict=True)
                for to, before, after in pairs:
                    to[...] = 0.5 * before + 0.5 * after
