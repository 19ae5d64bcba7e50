"""The wave model with its grid, forcing, start and diagnostics, as the time loop wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.case.perturbation import PerturbationOptions
from halocline.component.component import Component
from halocline.component.forcing.file_series import Brackets, Share, look_through_all
from halocline.core.clock import Clock, Date, to_number
from halocline.core.errors import UserError
from halocline.core.memory import refuse_beyond_memory
from halocline.core.options import Options, option
from halocline.core.other_names import hint
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.own_points import numbers_around, owned_numbers
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.running.runner import Plan, Runner
from halocline.waves import spatial_propagation
from halocline.waves.absolute_frequency import AbsolutePeak, absolute_outputs
from halocline.waves.boundary import BoundaryOptions, BoundarySpectra
from halocline.waves.forcing import (
    AirSeaForcing,
    AirSeaOptions,
    IceForcing,
    IceOptions,
    WindForcing,
    WindFunction,
    WindOptions,
)
from halocline.waves.from_others import FromOthers, currents, level, warmth, wind
from halocline.waves.model import WaveModel
from halocline.waves.output_names import map_names, partition_names
from halocline.waves.parameters import PARAMETERS, MeanParameters
from halocline.waves.partition import Partitions
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.start import WaveStart
from halocline.waves.water_forcing import (
    CurrentOptions,
    SeaLevelOptions,
    WaterForcing,
    WaterFunction,
    WaterSource,
)
from halocline.waves.waves_options import WavesOptions

Array = NDArray[np.float64]
Diagnostic = Callable[["WaveComponent"], None]
spin_up = timedelta(days=7)
"""Time after which an ocean has forgotten how its waves began, about."""


@dataclass(frozen=True, kw_only=True)
class ForcingOptions(Options):
    """What drives the waves."""

    wind: WindOptions = option(WindOptions(speed=0.0), meaning="wind at 10 m; calm if not given")
    ice: IceOptions = option(IceOptions(), meaning="sea ice; none if not given")
    air_sea: AirSeaOptions = option(
        AirSeaOptions(), meaning="air-sea temperature difference; 0 if not given"
    )
    currents: CurrentOptions = option(
        CurrentOptions(), meaning="surface currents; none if not given"
    )
    level: SeaLevelOptions = option(
        SeaLevelOptions(), meaning="level of the sea; that of the grid's depths if not given"
    )


class WaveComponent(Component):
    """Waves on one grid, driven by winds and ice."""

    def __init__(
        self,
        grid: Grid,
        spectral: SpectralGrid,
        waves: WavesOptions,
        start: WaveStart,
        forcing: ForcingOptions,
        clock: Clock,
        communicator: Communicator,
        *,
        decomposition: DecompositionOptions | None = None,
        precision: str = "float32",
        base: Path = Path(),
        wind_function: WindFunction | None = None,
        check_halos: bool = False,
        plan: Plan | None = None,
        boundary: BoundaryOptions | None = None,
        perturbation: PerturbationOptions | None = None,
        current_function: WaterFunction | None = None,
        level_function: WaterFunction | None = None,
    ) -> None:
        self.perturbation = perturbation or PerturbationOptions()
        values = grid.sea_points * spectral.components / communicator.size
        refuse_beyond_memory(
            values * np.dtype(precision).itemsize,
            f"A rank's share of {grid.sea_points} spectra of {spectral.components} components",
            "Take more ranks on more machines, fewer frequencies or directions, or a smaller grid.",
        )
        self.grid, self.spectral, self.start_options = grid, spectral, start
        self.plane = grid
        self.step_length: timedelta = clock.step
        calm = forcing.wind.speed == 0.0 or waves.physics == "none"
        self._brief = clock.end - clock.start < spin_up
        self._short = not calm and self._brief
        self._restarted = False
        self.decomposition = Decomposition(
            grid.mask,
            grid.topology,
            halo=spatial_propagation.halo,
            options=decomposition,
            communicator=communicator,
            components=spectral.components,
            staggered=False,
        )
        self.run = Runner(self.decomposition, check_halos=check_halos, plan=plan)
        times = clock.start, clock.end
        share, around, edge, cells = self._shares(whole=plan is not None)
        self.wind = WindForcing(forcing.wind, grid, *times, base, wind_function, share)
        self.ice = IceForcing(forcing.ice, grid, *times, base, around)
        self.air_sea = AirSeaForcing(forcing.air_sea, grid, *times, base, share)
        self.boundary = BoundarySpectra(boundary or BoundaryOptions(), grid, spectral, *times, edge)
        water = (
            WaterSource.of_currents(forcing.currents, base, current_function),
            WaterSource.of_level(forcing.level, base, level_function),
        )
        self.water = WaterForcing(water, grid, *times, base, cells)
        self.model = WaveModel(
            grid,
            spectral,
            waves,
            self.decomposition,
            clock.step.total_seconds(),
            dtype=precision,
            water=self.water.facts(forcing.level.least_depth),
        )
        self.others = FromOthers(self.decomposition, precision)
        self.ports = self.others.ports
        self._least_depth = forcing.level.least_depth
        self._bracket = -1
        self._stepped = False

    def expect(self, names: Sequence[str]) -> None:
        """Others give winds, temperatures, currents or the level."""
        super().expect(names)
        self.others.expect(names)
        if water := [name for name in self.expected if name in (*currents, *level)]:
            facts = self.water.facts(self._least_depth, water)
            assert facts is not None
            self.model.move_water(facts)
        if self.others.any_of(wind) and self.model.package is not None:
            self._short = self._brief

    def _shares(self, whole: bool) -> tuple[Share, Share, Share, Share]:
        """Sea points where this rank needs winds, ice, spectra of the boundary, and the water.

        A plan looks at the `whole` of the files.
        """
        cut = self.decomposition

        def share(own: NDArray[np.int64]) -> Share:
            if whole:
                return Share.whole(self.grid)
            return Share(own, cut.communicator, self.run.recorder)

        winds, ice = owned_numbers(cut.home), numbers_around(cut, 1)
        cells = share(owned_numbers(cut.planes))
        return share(winds), share(ice), share(owned_numbers(*cut.layouts)), cells

    def restart_fields(self) -> Sequence[Field]:
        """Fields that a restart file holds."""
        own = [f for f in vars(self.model).values() if isinstance(f, Field) and f.restart]
        if self.model.fluxes is not None:
            own += self.model.fluxes.fields.values()
        return own if self.model.water is None else own + self.model.water.restart_fields

    def look_through_input(self, deadline: float) -> tuple[int, int]:
        """Read all records of forcing and boundary that a run needs; how many of how many."""
        given = (
            *(self.wind.series, self.ice.series, self.air_sea.series, self.boundary),
            *self.water.series.values(),
        )
        return look_through_all((some for some in given if some is not None), deadline)

    def facts(self) -> dict[str, str | int | float]:
        """Spectral grid and precision, which a restart must share."""
        return {**self.spectral.to_table(), "precision": str(self.model.dtype)}

    def describe(self) -> list[tuple[str, str]]:
        """The size of the spectra, and what is to be said of the start."""
        frequencies, directions = self.spectral.shape
        size = f"{frequencies} frequencies x {directions} directions"
        return [("spectrum", size), *(("start", words) for words in self.spinning_up())]

    def start(self, time: Date, restarted: bool) -> None:
        """Read the forcing of the first step; spectra of the start unless `restarted`."""
        self._restarted, self._began = restarted, time
        self._force(time)
        if not self.ice.changes:
            self._freeze(time)
        self._warm(time)
        self._settle()
        self._bound(time)
        if not restarted:
            self._rise()

    def _settle(self) -> None:
        """Begin with the water of now: that of a restart, where others gave it."""
        water = self.model.water
        if water is None:
            return
        if self._restarted and water.facts.taken:
            water.resume(self.run)
        else:
            self._give_water(self._began)
            water.settle(self.run)

    def _rise(self) -> None:
        """Begin with the spectra of the start; some are those of the wind."""
        numbers = self.wind.share.numbers
        own = zip(wind, self._wind(self._began).now(), strict=True)
        u, v = (self.others.over(name, values, numbers) for name, values in own)
        spectra = self.start_options.spectra(self.spectral, self.grid, u, v, numbers)
        self.model.set_spectra(lambda some: spectra.at(some) * self.perturbation.factors(some))
        self.model.hold_boundary()

    def took(self, names: Sequence[str], time: Date) -> None:
        """Before the first step what others gave is that of the start, which a restart has had."""
        super().took(names, time)
        if self._stepped or self._restarted:
            return
        self._force(self._began)
        self._warm(self._began)
        if not {*currents, *level}.isdisjoint(names):
            self._settle()
        if not {*wind}.isdisjoint(names):
            self._rise()

    def step(self, time: Date) -> None:
        """Advance from `time` by one global step, with the forcing of the end of the step."""
        self._stepped = True
        with self.run.recorder.time("forcing"):
            self._force(time + self.step_length)
            if self.model.water is not None and self.model.water.facts.changes:
                self._give_water(time + self.step_length)
            self._bound(time + 0.5 * self.step_length)
        number = round(to_number(time) / self.step_length.total_seconds())
        self.model.step(self.run, number)
        if self.boundary.given:
            self._bound(time + self.step_length)
            self.model.hold_boundary()

    def _give_water(self, time: Date) -> None:
        """Give the model the water of `time`."""
        assert self.model.water is not None
        numbers, own = self.water.share.numbers, self.water.at(time)
        water = {name: self.others.over(name, some, numbers) for name, some in own.items()}
        self.model.water.give(water, numbers)

    def _bound(self, time: Date) -> None:
        """Give the model the spectra of its active boundary at `time`."""
        if self.boundary.given:
            self.model.set_boundary(self.boundary.numbers, self.boundary.at(time))

    def _force(self, time: Date) -> None:
        brackets = self._wind(time)
        if brackets.number != self._bracket:
            numbers = self.wind.share.numbers
            self.model.set_wind_brackets(numbers, brackets.before, brackets.after)
            self._bracket = brackets.number
        self.model.interpolate_wind(self.run, brackets.weight, self.wind.along_arc)
        self.others.cover({name: getattr(self.model, name) for name in wind})
        if self.ice.changes:
            self._freeze(time)
        if self.air_sea.changes or self.others.any_of(warmth):
            self._warm(time)

    def _wind(self, time: Date) -> Brackets:
        """The wind around `time`, with the changes of this member of an ensemble."""
        return self.perturbation.of_forcing(self.wind.brackets(time), self.wind.share.numbers)

    def _freeze(self, time: Date) -> None:
        """Give the model the sea ice at `time`."""
        self.model.set_ice(self.ice.share.numbers, self.ice.now(time))

    def _warm(self, time: Date) -> None:
        """Give the model the air-sea temperature difference at `time`."""
        numbers = self.air_sea.share.numbers
        difference = self.others.over(*warmth, self.air_sea.now(time), numbers)
        self.model.set_air_sea_difference(numbers, difference)

    def close(self) -> None:
        """Let readings in the background end and close the files of the forcing."""
        for source in (self.wind, self.ice, self.air_sea, self.boundary, self.water):
            source.close()

    def diagnose(self, names: Sequence[str], time: Date) -> dict[str, Field]:
        """Output fields by short name; unknown ones are refused with the nearest known."""
        result: dict[str, Field] = {}
        for name in names:
            self.check_name(name)
        wanted = [name for name in names if name in PARAMETERS]
        if wanted:
            parameters = self._parameters(tuple(wanted))
            parameters.compute(self.run, self.model.spectrum, self.model.wavenumber)
            result |= parameters.fields
        parts = [name for name in names if name in partition_names]
        if parts:
            partitions = self._partitions(tuple(parts))
            wind = self.model.diagnose(("wind_u", "wind_v"), self.run)
            wind |= self.model.felt_wind(self.run)
            partitions.compute(self.run, self.model.spectrum, self.model.wavenumber, **wind)
            result |= partitions.fields
        absolute = [name for name in names if name in absolute_outputs]
        if absolute:
            result |= {name: self._absolute_peak()[name] for name in absolute}
        if "wave_spectrum" in names:
            result["wave_spectrum"] = self.model.spectrum
        result |= self.model.diagnose([name for name in names if name not in result], self.run)
        return result

    def check_name(self, name: str) -> None:
        """Refuse a name that no output field has."""
        known = ["wave_spectrum", *map_names]
        if name not in known:
            raise UserError(
                f"Unknown output variable '{name}'.{hint(name, known)}"
                f" Known: {', '.join(sorted(known))}."
            )

    def _parameters(self, wanted: tuple[str, ...]) -> MeanParameters:
        """Diagnostics with these outputs, made once."""
        if wanted not in self._made:
            self._made[wanted] = MeanParameters(
                self.decomposition, self.spectral, wanted, self.model.dtype
            )
        return self._made[wanted]

    def _partitions(self, wanted: tuple[str, ...]) -> Partitions:
        """Wind sea and swells with these outputs, made once."""
        if wanted not in self._made_partitions:
            self._made_partitions[wanted] = Partitions(
                self.decomposition,
                self.spectral,
                wanted,
                self.model.dtype,
                self.model.options.partitioning,
            )
        return self._made_partitions[wanted]

    def _absolute_peak(self) -> dict[str, Field]:
        model, peak = self.model, self._made_absolute
        current = model.point_current
        peak.compute(self.run, model.spectrum, model.wavenumber, model.depth, current)
        return peak.fields

    @cached_property
    def _made_absolute(self) -> AbsolutePeak:
        return AbsolutePeak(self.decomposition, self.spectral, self.model.dtype)

    @cached_property
    def _made_partitions(self) -> dict[tuple[str, ...], Partitions]:
        return {}

    @cached_property
    def _made(self) -> dict[tuple[str, ...], MeanParameters]:
        return {}

    def summary(self) -> str:
        """Mean, 99th percentile and greatest significant height; a call for all ranks."""
        height = self._parameters(("significant_height",))
        height.compute(self.run, self.model.spectrum, self.model.wavenumber)
        values: Any = height.fields["significant_height"].gather()
        if values is None:
            return ""
        area = self.grid.at_points(self.grid.area)
        mean = float((values * area).sum() / area.sum())
        j, i = np.argwhere(self.grid.mask)[int(values.argmax())]
        return "\n".join(
            [
                f"significant height: mean {mean:.2f} m, 99th percentile"
                f" {np.percentile(values, 99):.2f} m, greatest {values.max():.2f} m at"
                f" x = {self.grid.x[i]:g}, y = {self.grid.y[j]:g}",
                *self.spinning_up(),
            ]
        )

    def spinning_up(self) -> list[str]:
        """What is to be said of a run too short to forget its start."""
        lacking = "" if self._restarted or not self._short else self.start_options.lacks
        return [lacking] if lacking else []
