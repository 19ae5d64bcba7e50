"""The ocean with its grid, start and output, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from halocline.component.component import Component
from halocline.component.forcing.field_series import FieldSeries
from halocline.component.forcing.file_series import look_through_all
from halocline.core.clock import Clock, Date, to_number
from halocline.core.errors import UserError
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.column_work import column_work, work
from halocline.ocean.diagnostics import OceanDiagnostics
from halocline.ocean.explicit_limits import refuse_unstable
from halocline.ocean.internal_waves import waves_that_grow
from halocline.ocean.joined_seas import cells_described, seas_described
from halocline.ocean.model import Ocean, halo_of
from halocline.ocean.options import OceanOptions
from halocline.ocean.passive_tracers import start_passive
from halocline.ocean.shown_fields import ShownFields
from halocline.ocean.start_ramp import StartRamp
from halocline.ocean.starting import set_start
from halocline.ocean.surface_ports import SurfaceCurrents, SurfacePorts, surface_currents
from halocline.ocean.watch import StateWatch
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner


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
            weights=column_work(levels),
            work=work,
        )
        self.run = Runner(self.decomposition, check_halos=check_halos, plan=plan)
        seconds = clock.step.total_seconds()
        refuse_unstable(levels, options.mixing, seconds)
        self.model = Ocean(levels, options, self.decomposition, self.run, seconds, dtype=precision)
        for driver in self.model.drivers:
            driver.follow((clock.start, clock.end))
        self.forward, self.watch = False, StateWatch(self.model)
        self.ramp = StartRamp(options.start.ramp, self.model.state.space)
        self.diagnostics = OceanDiagnostics(self.model)
        self.maps = ShownFields(self.model, self.diagnostics)
        self.shown = self.maps.fields
        self.surface = SurfacePorts(self.model, self.plane)
        self.ports = self.surface.ports

    def restart_fields(self) -> Sequence[Field]:
        """Both levels in time."""
        state, changing = self.model.state, self.model.changing
        kept = [name for name in changing if name != "density"]
        fields = [getattr(state, prefix + name) for name in kept for prefix in ("old_", "")]
        fields += [field for driver in self.model.drivers for field in driver.kept()]
        return fields + self.ramp.kept()

    def facts(self) -> dict[str, str | int | float]:
        """Precision and passive tracers, which a restart must share."""
        passive = " ".join(self.options.tracers.passive)
        return {"precision": self.precision, **({"passive tracers": passive} if passive else {})}

    def describe(self) -> list[tuple[str, str]]:
        """Seas that no flow joins, straits that the mask closes, cells that no flow reaches."""
        return seas_described(self.plane) + cells_described(self.grid)

    def start(self, time: Date, restarted: bool) -> None:
        """Set temperature and salinity to their start, at rest, unless `restarted`."""
        state = self.model.state
        if not restarted:
            seas = map(": ".join, seas_described(self.plane))
            self.remarks = [*set_start(self.model, time), *seas]
            start_passive(self.model)
            for driver in self.model.drivers:
                driver.keep_start()
            for name in ("tracer", "layer"):
                getattr(state, f"old_{name}").copy(getattr(state, name))
            self.forward = True
        if self.run.plan is None:
            self.model.densities()
            self.remarks = [*self.remarks, *waves_that_grow(self.model)]
            self.diagnostics.begin()

    def step(self, time: Date) -> None:
        """Advance from `time` by one step."""
        for driver in self.model.drivers:
            driver.update(time)
        self.surface.apply()
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
        return look_through_all(self._series(), deadline)

    def close(self) -> None:
        """Let readings of the forcing end."""
        for series in self._series():
            series.close()

    def _series(self) -> list[FieldSeries]:
        return [series for driver in self.model.drivers for series in driver.series]

    def diagnose(self, names: Sequence[str], time: Date) -> Mapping[str, Field]:
        """Fields by name."""
        found = self.maps.update([name for name in names if name not in surface_currents])
        if not set(surface_currents).isdisjoint(names):
            found |= self._currents.update()
        return found

    @cached_property
    def _currents(self) -> SurfaceCurrents:
        return SurfaceCurrents(self.model, self.plane)

    def expect(self, names: Sequence[str]) -> None:
        """Others give fluxes at the surface."""
        super().expect(names)
        self.surface.expect(names)

    def took(self, names: Sequence[str], time: Date) -> None:
        """Others gave these."""
        super().took(names, time)
        self.surface.took(names)

    def summary(self) -> str:
        """What it holds, its extremes with places, transports; a call for all ranks."""
        return self.diagnostics.summary()
