"""A circulation from files: volume fluxes, volumes that change with the sea level, diffusivity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry.merging import Merging
from halocline.biogeochemistry.moving_flow import MovingFlow
from halocline.biogeochemistry.velocity_places import CentresBefore, velocities_of
from halocline.component.forcing.field_records import FieldRecords, RecordSource
from halocline.component.forcing.field_series import SeriesOptions
from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.core.options import option
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics import _native
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, write
from halocline.runtime.running.calls import BoundCall
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.biogeochemistry.transport import TransportState

Array = NDArray[np.float64]
kernels = kernels_of(_native)
seconds_per_day = 86400.0


@dataclass(frozen=True, kw_only=True)
class CirculationFileOptions(SeriesOptions):
    """Files of an ocean that moves the tracers, on the grid of the model.

    Velocities may lie on faces or on corners, or be volume fluxes [m3 s-1] through faces; the sea
    level or the thickness of cells changes their volumes. What rises follows from these.
    """

    variables: dict[str, str] = option(
        {},
        "",
        "names in the files, of: velocity_u, velocity_v, x_volume_flux, y_volume_flux, sea_level,"
        " cell_thickness, vertical_diffusivity, water_flux; those of CF, NEMO and Halocline are"
        " known",
    )
    places: str = option(
        "found",
        "",
        "where velocities lie: found by their coordinates, or nemo: on the eastern and northern"
        " faces of the cells, whatever the coordinates",
        choices=("found", "nemo"),
    )
    grid: str = option(
        "",
        "",
        "file of the finer grid that the files are on, of which some times as many rows and columns"
        " are one of the model's; empty: they are on the model's",
    )
    sea_level: str = option(
        "uppermost",
        "",
        "which cells the sea level makes thicker: the uppermost one, all of the column in"
        " proportion, or none",
        choices=("uppermost", "all", "none"),
    )
    fresh_water: bool = option(
        False,
        "",
        "whether the water that enters the sea, water_flux of the files, is without tracers: rain"
        " dilutes them and evaporation concentrates them; else it carries those of uppermost cells",
    )
    largest_surface_water: float = option(
        10.0,
        "m day-1",
        "water through the surface that flow and sea level may ask for; beyond, they do not fit",
        at_least=0,
    )


@kernel(
    velocity=read(Place.x_face, "m s-1", "depth"),
    cell_thickness=read(Place.center, "m", "depth", west=1),
    length=read(Place.x_face, "m"),
    flux=write(Place.x_face, "m3 s-1", "depth"),
)
def flux_of_x_faces(at: Any, velocity: Any, cell_thickness: Any, length: Any, flux: Any) -> None:
    """Volume that passes western faces, as high as the lower one of the cells beside them."""
    low, high = at(cell_thickness, i=-1), at(cell_thickness)
    at(flux)[...] = at(velocity) * at(length) * np.minimum(low, high)


@kernel(
    velocity=read(Place.y_face, "m s-1", "depth"),
    cell_thickness=read(Place.center, "m", "depth", south=1),
    length=read(Place.y_face, "m"),
    flux=write(Place.y_face, "m3 s-1", "depth"),
)
def flux_of_y_faces(at: Any, velocity: Any, cell_thickness: Any, length: Any, flux: Any) -> None:
    """The same of southern faces."""
    low, high = at(cell_thickness, j=-1), at(cell_thickness)
    at(flux)[...] = at(velocity) * at(length) * np.minimum(low, high)


@dataclass
class _SeaLevel:
    """The sea level at the records before and after, and the volumes that it makes between them.

    Volumes of both would be two fields on all levels.
    """

    records: FieldRecords
    level: Field
    volumes: Callable[[Field], None]

    def now(self, moment: Date) -> None:
        """Set the volumes between them."""
        self.records.set_now(moment, self.level)
        self.volumes(self.level)


@dataclass
class _Pair:
    """A field at the records before and after, and what sets the field between them."""

    records: FieldRecords
    between: BoundCall

    def now(self, moment: Date) -> None:
        """Set the field between them."""
        self.between(weight=self.records.weight(moment))


class FileCirculation(MovingFlow):
    """Sets fluxes, volumes and diffusivity of a state for every step, from files."""

    def __init__(
        self,
        options: CirculationFileOptions,
        grid: VerticalGrid,
        state: TransportState,
        period: tuple[Date, Date],
        run: Runner,
        merging: Merging | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        super().__init__(grid, state, run, at_once=at_once)
        self.options = options
        self.merging, theirs = merging, grid if merging is None else merging.fine
        self.source = RecordSource(
            options,
            options.variables,
            theirs.horizontal,
            period,
            "circulation",
            recorder=run.recorder,
        )
        self.what = velocities_of(self.source, options.places, theirs)
        every = np.arange(grid.thickness.size)[:, None, None]
        self.whole_volume = state.on_levels("whole_volume", "m3", static=True)
        if merging is None:
            self.whole_volume.set_cells(lambda j, i: grid.volume_of(every, (j, i)))
        else:
            merging.check(grid)
            self.whole_volume.set_cells(merging.volume_of)
        self.volumes = self._volumes()
        self.pairs = [self._fluxes(axis) for axis in "xy"]
        for when in ("before", "after"):
            pair(*(getattr(some.records, when) for some in self.pairs))
        self.mixing = self._mixing()
        self.rain: FieldRecords | None = None
        if options.fresh_water:
            state.water_flux = state.on_plane("water_flux", "kg m-2 s-1")
            mean = None if merging is None else merging.of_surface
            self.rain = FieldRecords(self.source, state.water_flux, stencil=mean)

    @property
    def all_pairs(self) -> list[_Pair | _SeaLevel]:
        """Everything that is read."""
        some = [*self.pairs, self.volumes, self.mixing]
        return [one for one in some if one is not None]

    def _like(self, name: str, units: str, place: Place, axis: Axis | None) -> Field:
        axes = () if axis is None else (axis,)
        state = self.state
        return Field(name, units, state.space, axes=axes, place=place, dtype=state.dtype)

    def _pair(self, place: str, records: FieldRecords, now: Field) -> _Pair:
        kernel, ends = kernels[f"between_{place}"], (records.before, records.after)
        return _Pair(records, self.run.bind(kernel, before=ends[0], after=ends[1], now=now))

    def _fluxes(self, axis: str) -> _Pair:
        """Fluxes through the faces across x or y, of what the files have."""
        state, what, merging = self.state, self.what, self.merging
        face = Place.x_face if axis == "x" else Place.y_face
        flux, velocity = f"{axis}_volume_flux", f"velocity_{'u' if axis == 'x' else 'v'}"
        now, levels = getattr(state, flux), state.levels
        if what == "fluxes" or merging is not None:
            records = FieldRecords(
                self.source,
                self._like(flux, "m3 s-1", face, levels),
                exact=True,
                stencil=None
                if merging is None
                else lambda cells: merging.of_faces(face, cells, what),
                found=flux if what == "fluxes" else velocity,
            )
            return self._pair(f"{axis}_faces", records, now)
        nemo = partial(CentresBefore.of, self.grid, face) if what == "nemo" else None
        at_corners = what == "corners"
        like = self._corner_velocity if at_corners else self._like(velocity, "m s-1", face, levels)
        before, after = (
            self._like(f"{flux}_{when}", "m3 s-1", face, levels) for when in ("before", "after")
        )
        make = self._from_corners if at_corners else self._from_faces
        calls = {end: make(axis, like, end) for end in (before, after)}
        records = FieldRecords(
            self.source,
            like,
            exact=True,
            stencil=nemo,
            ends=(before, after),
            turn=lambda end: calls[end](),
            found=velocity,
        )
        return self._pair(f"{axis}_faces", records, now)

    @cached_property
    def _corner_velocity(self) -> Field:
        """Either component where it is read, before fluxes are made of it."""
        return self._like("velocity", "m s-1", Place.corner, self.state.levels)

    def _from_corners(self, axis: str, velocity: Field, flux: Field) -> BoundCall:
        along, across = ("u", "dy") if axis == "x" else ("v", "dx")
        length = getattr(self.grid.horizontal.at(Place.corner), across)
        given = {
            along: velocity,
            f"corner_{across}": self.state.static(f"corner_{across}", "m", length, Place.corner),
            "thickness": self.state.thickness,
            f"{axis}_volume_flux": flux,
        }
        return self.run.bind(kernels[f"corners_to_{axis}_faces"], **given)

    def _from_faces(self, axis: str, velocity: Field, flux: Field) -> BoundCall:
        face = Place.x_face if axis == "x" else Place.y_face
        metrics = self.grid.horizontal.at(face)
        length = metrics.dy if axis == "x" else metrics.dx
        return self.run.bind(
            flux_of_x_faces if axis == "x" else flux_of_y_faces,
            velocity=velocity,
            cell_thickness=self._thickness,
            length=self.state.static("length", "m", length, face),
            flux=flux,
        )

    @cached_property
    def _thickness(self) -> Field:
        """Of cells at rest [m]."""
        grid, found = self.grid, self.state.on_levels("cell_thickness", "m", static=True)
        every = np.arange(grid.thickness.size)[:, None, None]
        found.set_cells(lambda j, i: grid.thickness_of(every, (j, i)))
        return found

    def _volumes(self) -> _Pair | _SeaLevel | None:
        """Volumes of cells, of their thickness or the sea level in the files."""
        state, merging = self.state, self.merging
        if self.source.has("cell_thickness"):
            like = self._like("cell_thickness", "m", Place.center, state.levels)
            ends = [state.on_levels(f"volume_{when}", "m3") for when in ("before", "after")]
            records = FieldRecords(
                self.source,
                like,
                stencil=None if merging is None else merging.of_thickness,
                ends=(ends[0], ends[1]),
                turn=partial(self._set_volumes_of_thickness, like),
            )
            return self._pair("centers", records, state.next_volume)
        if self.options.sea_level == "none" or not self.source.has("sea_level"):
            return None
        level = self._like("sea_level", "m", Place.center, None)
        mean = None if merging is None else merging.of_whole_surface
        records = FieldRecords(self.source, level, stencil=mean)
        return _SeaLevel(records, level, self._set_volumes_of_sea_level)

    def _set_volumes_of_thickness(self, thickness: Field, volume: Field) -> None:
        """Volumes of cells of a thickness."""
        areas, whole = self.state.area.read(), self.whole_volume.read()
        with volume.change() as owned:
            for to, value, area, rest in zip(owned, thickness.read(), areas, whole, strict=True):
                to[...] = np.where(rest > 0, value * area, rest)

    def _set_volumes_of_sea_level(self, level: Field) -> None:
        """Set `next_volume` to what a sea level makes of the volumes at rest."""
        areas, whole = self.state.area.read(), self.whole_volume.read()
        with self.state.next_volume.change() as owned:
            for to, value, area, rest in zip(owned, level.read(), areas, whole, strict=True):
                if self.options.sea_level == "uppermost":
                    to[...] = rest
                    to[-1] += np.where(rest[-1] > 0, value * area, 0)
                else:
                    depth = rest.sum(axis=0)
                    to[...] = rest * (1 + value * area / np.where(depth > 0, depth, 1))

    def _mixing(self) -> _Pair | None:
        """Vertical diffusivity at lower interfaces, if the files have it."""
        if not self.source.has("vertical_diffusivity"):
            return None
        state = self.state
        depths = tuple(self.grid.interfaces[:-1].tolist())
        axis = Axis(state.levels.name, coordinates=depths, units="m")
        like = self._like("vertical_diffusivity", "m2 s-1", Place.center, axis)
        state.vertical_diffusivity = like
        records = FieldRecords(
            self.source, like, stencil=None if self.merging is None else self.merging.of_interfaces
        )
        return self._pair("centers", records, like)

    def start(self, moment: Date) -> None:
        """Set the volumes of a moment that no step has led to."""
        if self.volumes is None:
            self.state.volume.copy(self.whole_volume)
            return
        self.volumes.records.update(moment)
        self.volumes.now(moment)
        self.state.volume.copy(self.state.next_volume)

    def set_step(self, moment: Date, length: timedelta) -> None:
        """Set fluxes and diffusivity of the middle of a step, and the volumes after it."""
        middle = moment + length / 2
        with self.run.recorder.time("forcing"):
            for some in self.all_pairs:
                some.records.update(middle)
            if self.rain is not None:
                self.rain.update(middle)
        for some in self.pairs:
            some.now(middle)
        if self.mixing is not None:
            self.mixing.now(middle)
        if self.volumes is not None:
            self.volumes.now(moment + length)
        else:
            self.state.next_volume.copy(self.state.volume)
        if self.rain is not None:
            self.rain.set_now(middle, self.state.water_flux)

    def check(self, moment: Date, length: timedelta) -> None:
        """Refuse a flow that does not fit its volumes, or that empties cells in a step."""
        dt, limit = length.total_seconds(), self.options.largest_surface_water
        water = [
            np.abs(volume) / area * (seconds_per_day / dt)
            for volume, area in zip(
                self.state.surface_water.read(), self.state.area.read(), strict=True
            )
        ]
        most, place = self.greatest(water)
        if not most <= limit:
            raise UserError(
                f"The flow of {self.files} does not fit its sea level: at {place}, {text(moment)},"
                f" {most:.3g} m of water a day would have to pass the surface, but at most"
                f" {limit:g} may (transport.files.largest_surface_water). Are velocities and sea"
                " level of one ocean, in their units, on this grid?"
            )
        super().check(moment, length)

    @property
    def files(self) -> str:
        """The files in words."""
        some = self.options.file
        first, *more = [some] if isinstance(some, str) else some
        return f"'{first}'{' and others' * bool(more)}"

    @property
    def all_records(self) -> Sequence[FieldRecords]:
        """Records of the flow, of what mixes, and of rain."""
        rain = [] if self.rain is None else [self.rain]
        return [*(some.records for some in self.all_pairs), *rain]
