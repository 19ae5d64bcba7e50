"""Cases of the spectral wave model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from halocline.component.case.case import Case, named
from halocline.component.component import Component
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock
from halocline.core.names import Quantity, quantities
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.ranks.once_per_node import once_per_node
from halocline.runtime.running.runner import Plan
from halocline.waves import spatial_propagation
from halocline.waves.boundary import BoundaryOptions
from halocline.waves.component import ForcingOptions, WaveComponent
from halocline.waves.from_others import taken, wind
from halocline.waves.momentum import of_sources
from halocline.waves.output import OutputOptions, make_streams, output_volume
from halocline.waves.output_names import map_names, missing_in_calm
from halocline.waves.output_sources import output_sources
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.start import WaveStart
from halocline.waves.waves_options import WavesOptions

seconds_per_value = {"ST2": 12e-9, "ST4": 15e-9, "none": 6e-9}
"""Time for a sea point, spectral component and global step on one core [s]: `halocline lab waves`
on an AMD Zen 5 at 2 cores, rounded up."""


@dataclass(frozen=True, kw_only=True)
class WaveCase(Case):
    """A run of the spectral wave model."""

    component: str = named("waves")
    spectrum: SpectralGrid = option(SpectralGrid(), meaning="frequencies and directions")
    waves: WavesOptions = option(WavesOptions(), meaning="the wave model")
    start: WaveStart = option(WaveStart(), meaning="waves at the start")
    forcing: ForcingOptions = option(ForcingOptions(), meaning="winds and ice")
    boundary: BoundaryOptions = option(
        BoundaryOptions(), meaning="spectra from a run around this one"
    )
    output: OutputOptions = option(OutputOptions(), meaning="maps and spectra")

    takes: ClassVar[tuple[str, ...]] = ("wind_function", "current_function", "level_function")
    imports: ClassVar[tuple[str, ...]] = taken
    exports: ClassVar[Mapping[str, Quantity]] = {name: quantities[name] for name in map_names}
    cuts: ClassVar[tuple[str, ...]] = ("blocks", "curve", "cards")
    staggered: ClassVar[bool] = False

    def build(
        self,
        clock: Clock,
        communicator: Communicator,
        *,
        check_halos: bool = False,
        plan: Plan | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> WaveComponent:
        """The waves with their grid and forcing; winds may be given as a function."""
        return WaveComponent(
            once_per_node(communicator, self.build_grid),
            self.spectrum,
            self.waves,
            self.start,
            self._forcing_with_paths(),
            clock,
            communicator,
            decomposition=self.decomposition,
            precision=self.precision,
            base=Path(self.data_folder),
            wind_function=(given or {}).get("wind_function"),
            check_halos=check_halos,
            plan=plan,
            boundary=self._boundary_with_paths(),
            perturbation=self.perturbation,
            current_function=(given or {}).get("current_function"),
            level_function=(given or {}).get("level_function"),
        )

    def gives(self) -> dict[str, Quantity]:
        """Maps, and fluxes of momentum where they are computed."""
        fluxes = self.waves.momentum_fluxes
        return {name: q for name, q in self.exports.items() if fluxes or name not in of_sources}

    @property
    def holes(self) -> Collection[str]:
        """Periods and directions of a calm sea."""
        return missing_in_calm

    def streams(
        self,
        component: Component,
        clock: Clock,
        folder: Path,
        communicator: Communicator,
        *,
        resumed: bool = False,
    ) -> Sequence[OutputStream]:
        """Streams of maps, of spectra at points and along paths, and for nests."""
        assert isinstance(component, WaveComponent)
        maps, points = self.output.fields.values(), self.output.points.values()
        for names in [*(some.variables for some in maps), *(some.variables for some in points)]:
            for name in names:
                component.check_name(name)
        return make_streams(
            self.output,
            component.grid,
            self.spectrum,
            clock,
            folder,
            communicator,
            title=self.title,
            resumed=resumed,
            decomposition=component.decomposition,
            precision=self.precision,
            sources=output_sources(self, self.output),
        )

    @property
    def halo(self) -> int:
        """How deep halos are [cells]."""
        return spatial_propagation.halo

    @property
    def planes(self) -> int:
        """Spectral components, which cards deal."""
        return self.spectrum.components

    @property
    def cost(self) -> float:
        """Expected time for a value of the spectra and a step on one core [s]."""
        return seconds_per_value[self.waves.physics]

    def state_values(self, grid: Grid) -> int:
        """Values of all spectra."""
        return grid.sea_points * self.spectrum.components

    def stream_bytes(self, grid: Grid, clock: Clock) -> dict[str, int]:
        """Bytes that each output stream will write, before compression, by its name."""
        return output_volume(
            self.output, grid, self.spectrum, clock, output_sources(self, self.output)
        )

    def lacking(
        self, *, restarted: bool = False, watched: bool = False, given: Collection[str] = ()
    ) -> list[str]:
        """A line on a sea that stays calm, and one on a run without output."""
        calm = []
        if not restarted and not self._has_waves(not {"wind_function", *wind}.isdisjoint(given)):
            calm.append(
                "no waves: no wind that raises any ([forcing.wind], waves.physics), no spectra at"
                " the boundary ([boundary]), and a calm sea at the start ([start])"
            )
        return calm + super().lacking(restarted=restarted, watched=watched, given=given)

    def _has_waves(self, windy: bool) -> bool:
        """Whether anything gives the sea waves; a run may be `windy` by a function of its own."""
        wind = self.forcing.wind
        blows = bool(windy or wind.file or wind.function or wind.speed)
        kinds = {self.start.kind, self.start.boundary} - {"same", "calm"}
        if not blows:
            kinds.discard("jonswap")  # it is that of the local wind
        return bool(kinds or self.boundary.file or (blows and self.waves.physics != "none"))

    def _boundary_with_paths(self) -> BoundaryOptions:
        """The boundary option with paths as they are found."""
        names = self.boundary.file
        names = [names] if isinstance(names, str) else names
        return replace(self.boundary, file=[self.find_here(name) for name in names if name])

    def _forcing_with_paths(self) -> ForcingOptions:
        """Forcing options whose files are full paths; patterns stay relative to the case."""

        def full(name: str | list[str]) -> str | list[str]:
            if isinstance(name, list):
                return [str(full(item)) for item in name]
            pattern = any(sign in name for sign in "*?[")
            return name if not name or pattern else str(self.find(name))

        forcing = self.forcing
        return replace(
            forcing,
            wind=replace(forcing.wind, file=full(forcing.wind.file)),
            ice=replace(forcing.ice, file=full(forcing.ice.file)),
            air_sea=replace(forcing.air_sea, file=full(forcing.air_sea.file)),
            currents=replace(forcing.currents, file=full(forcing.currents.file)),
            level=replace(forcing.level, file=full(forcing.level.file)),
        )
