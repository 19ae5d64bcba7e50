"""The ocean with its grid, start and output, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from halocline.component.component import Component
from halocline.core.clock import Clock, Date, to_number
from halocline.core.constants import gravity
from halocline.core.errors import UserError
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.diagnostics import OceanDiagnostics
from halocline.ocean.model import Ocean, halo_of
from halocline.ocean.options import OceanOptions
from halocline.ocean.passive_tracers import start_passive
from halocline.ocean.start_ramp import StartRamp
from halocline.ocean.starting import set_start
from halocline.ocean.watch import StateWatch
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, Part, pair
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner

surface_tracers = ("surface_temperature", "surface_salinity")
"""Fields of the output that are the uppermost level of the first tracers."""


class OceanComponent(Component):
    """The ocean on one grid."""

    def __init__(
        self,
        levels: VerticalGrid,
        options: OceanOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float64",
        check_halos: bool = False,
        plan: Plan | None = None,
    ) -> None:
        self.grid, self.options, self.precision = levels, options, precision
        self.plane, self.step_length = levels.horizontal, clock.step
        self.decomposition = Decomposition(
            levels.mask,
            levels.topology,
            halo=halo_of(levels.horizontal, options.solver),
            options=decomposition,
            communicator=communicator,
        )
        self.run = Runner(self.decomposition, check_halos=check_halos, plan=plan)
        seconds = clock.step.total_seconds()
        self.model = Ocean(levels, options, self.decomposition, self.run, seconds, dtype=precision)
        self.model.forcing.follow((clock.start, clock.end))
        self.forward, self.watch = False, StateWatch(self.model)
        state = self.model.state
        self.ramp = StartRamp(options.start.ramp, state.space)
        self.shown = {
            "temperature": self._output("temperature", "degree_C", Place.center, state.levels),
            "salinity": self._output("salinity", "1e-3", Place.center, state.levels),
            "sea_level": self._output("sea_level", "m", Place.center),
            "velocity_u": self._output("velocity_u", "m s-1", Place.corner, state.levels),
            "velocity_v": self._output("velocity_v", "m s-1", Place.corner, state.levels),
            "barotropic_stream_function": self._output(
                "barotropic_stream_function", "m3 s-1", Place.corner
            ),
            "mixed_layer_depth": self._output("mixed_layer_depth", "m", Place.center),
            "surface_temperature": self._output("surface_temperature", "degree_C", Place.center),
            "surface_salinity": self._output("surface_salinity", "1e-3", Place.center),
        }
        pair(self.shown["velocity_u"], self.shown["velocity_v"])
        for name, some in options.tracers.passive.items():
            self.shown[name] = self._output(name, some.unit, Place.center, state.levels)
        self.diagnostics = OceanDiagnostics(self.model)

    def _output(self, name: str, units: str, place: Place, *axes: Axis) -> Field:
        space = self.model.state.space
        return Field(name, units, space, axes=axes, place=place, dtype=self.precision)

    def restart_fields(self) -> Sequence[Field]:
        """Both levels in time."""
        state, changing = self.model.state, self.model.changing
        kept = [name for name in changing if name != "density"]
        fields = [getattr(state, prefix + name) for name in kept for prefix in ("old_", "")]
        return fields + self.model.forcing.kept() + self.ramp.kept()

    def facts(self) -> dict[str, str | int | float]:
        """Precision and passive tracers, which a restart must share."""
        passive = " ".join(self.options.tracers.passive)
        return {"precision": self.precision, **({"passive tracers": passive} if passive else {})}

    def start(self, time: Date, restarted: bool) -> None:
        """Set temperature and salinity to their start, at rest, unless `restarted`."""
        state = self.model.state
        if not restarted:
            self.remarks = set_start(self.model)
            start_passive(self.model)
            self.model.forcing.keep_start()
            for name in ("tracer", "layer"):
                getattr(state, f"old_{name}").copy(getattr(state, name))
            self.forward = True
        if self.run.plan is None:
            self.model.densities()
            self.diagnostics.begin()

    def step(self, time: Date) -> None:
        """Advance from `time` by one step."""
        self.model.forcing.update(time)
        number = round(to_number(time) / self.step_length.total_seconds())
        self.model.start_share = self.ramp.advance(self.step_length.total_seconds())
        try:
            if self.forward:
                self.model.first_step()
            else:
                self.model.step(number)
        except UserError:
            self.watch.explain(time)
            raise
        self.forward = False
        self.watch.look(number, time)

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """All records of the forcing."""
        return self.model.forcing.look_through(deadline)

    def close(self) -> None:
        """Let readings of the forcing end."""
        self.model.forcing.close()

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Fields by name."""
        state = self.model.state
        sources: dict[str, Field | Part] = {
            "temperature": state.tracer.part(0),
            "salinity": state.tracer.part(1),
            "velocity_u": state.u,
            "velocity_v": state.v,
        }
        for number, name in enumerate(self.options.tracers.passive, start=2):
            sources[name] = state.tracer.part(number)
        for name in names:
            if name == "sea_level":
                with self.shown[name].change() as owned:
                    for array, values in zip(owned, state.surface.read(), strict=True):
                        array[...] = values / gravity
            elif name == "barotropic_stream_function":
                self.diagnostics.stream_function(self.shown[name])
            elif name == "mixed_layer_depth":
                self.diagnostics.mixed_layers(self.shown[name])
            elif name in surface_tracers:
                with self.shown[name].change() as owned:
                    for array, values in zip(owned, state.tracer.read(), strict=True):
                        array[...] = values[surface_tracers.index(name), -1]
            else:
                self.shown[name].copy(sources[name])
        return {name: self.shown[name] for name in names}

    def summary(self) -> str:
        """What it holds, its extremes with places, transports; a call for all ranks."""
        return self.diagnostics.summary()
