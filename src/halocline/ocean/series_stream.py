"""Series of numbers that are made of the whole ocean: means, indices, transports, overturning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import conventions, vertical
from halocline.core.clock import Clock, Date
from halocline.core.names import quantity
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.ocean.bottom_cells import corner_shares
from halocline.ocean.meridional import Meridional, Parallels
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import (
    Stream,
    bytes_of_time,
    define_time,
    define_values,
    missing_value,
)
from halocline.runtime.writing.writers import Writers

if TYPE_CHECKING:
    from halocline.ocean.component import OceanComponent

Array = NDArray[Any]
nino_box = (190.0, 240.0, -5.0, 5.0)
"""Nino 3.4: west, east, south and north of the surface whose temperature it is [degree]."""
numbers = {
    "volume": ("m3", "volume of the sea"),
    "mean_temperature": ("degree_C", "mean temperature of the sea"),
    "mean_salinity": ("1e-3", "mean salinity of the sea"),
    "mean_surface_temperature": ("degree_C", "mean temperature of the uppermost level"),
    "nino34": ("degree_C", "mean temperature of the uppermost level, 170 W to 120 W, 5 S to 5 N"),
}


basin_numbers = {
    "basin_volume": ("m3", "volume of a basin"),
    "basin_temperature": ("degree_C", "mean temperature of a basin"),
    "basin_salinity": ("1e-3", "mean salinity of a basin"),
    "basin_surface_temperature": ("degree_C", "mean temperature of the uppermost level of a basin"),
}


@dataclass(frozen=True, kw_only=True)
class OceanSeriesOptions(StreamOptions):
    """Numbers of the ocean and its basins: means, Nino 3.4, sections, overturning, heat, salt.

    Whole fields are brought to the first rank for it.
    """

    precision: str = option(
        "float64", "", "precision of the values in the file", choices=("float32", "float64")
    )


def bytes_of_numbers(
    options: OceanSeriesOptions, grid: Grid, levels: int, sections: int, basins: int
) -> int:
    """Bytes of a record."""
    values = len(numbers) + (levels + 3) * Parallels.of(grid).edges.size + sections
    values += basins * len(basin_numbers)
    return bytes_of_time() + values * np.dtype(options.precision).itemsize


class OceanSeriesStream:
    """One file of such numbers."""

    names: Sequence[str] = ()
    restart_fields: Sequence[Field] = ()

    def __init__(
        self,
        name: str,
        options: OceanSeriesOptions,
        component: OceanComponent,
        clock: Clock,
        folder: Path,
        *,
        title: str,
        resumed: bool,
    ) -> None:
        self.component, self.calendar, self.title = component, clock.calendar, title
        self.parallels = Parallels.of(component.plane)
        self.kind = {"float32": "f4", "float64": "f8"}[options.precision]
        self.stream = Stream(name, options, clock, folder, self._define, resumed=resumed)

    @property
    def plan(self) -> FilePlan:
        """The files that it writes."""
        return self.stream.plan

    @property
    def path(self) -> Path:
        """The file, under the name that it has when it is finished."""
        return self.stream.final_path

    def open(self, writers: Writers) -> None:
        """Open the first file; a call for all ranks."""
        self.stream.open(writers)

    def due(self, time: Date) -> bool:
        """Whether the stream wants a record at `time`."""
        return self.stream.due(time)

    def close(self) -> None:
        """Finish the file."""
        self.stream.close()

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the numbers of `time`."""
        self.stream.append(time, self._numbers())

    def _numbers(self) -> dict[str, Array]:
        """All of them on the first rank, none elsewhere; a call for all ranks."""
        diagnostics, state = self.component.diagnostics, self.component.model.state
        held, basins = diagnostics.budget.contents(), diagnostics.basin_contents()
        passed = diagnostics.transports()
        u, v, tracer = state.u.gather(), state.v.gather(), state.tracer.gather()
        dx, dy = state.corner_dx.gather(), state.corner_dy.gather()
        if u is None or v is None or tracer is None or dx is None or dy is None:
            return {}
        levels, grid = self.component.grid, self.component.plane
        carrying = corner_shares(levels)
        moved = Meridional.of(
            self.parallels, grid, levels.thickness, (u * carrying, v * carrying), (dx, dy),
            tracer[:2],
        )  # fmt: skip
        options = self.component.options
        mass = options.density.reference
        found: dict[str, Any] = {
            "volume": held.volume,
            "mean_temperature": held.heat / held.volume,
            "mean_salinity": held.salt / held.volume,
            "mean_surface_temperature": self._mean(tracer[0, -1], levels.mask),
            "nino34": self._mean(tracer[0, -1], levels.mask & self._in_nino_box()),
            "overturning": moved.overturning,
            "northward_heat_transport": mass * options.forcing.heat.capacity * moved.tracers[0],
            "northward_salt_transport": 1e-3 * mass * moved.tracers[1],
        }
        if basins:
            found["basin_volume"] = [some.volume for some in basins.values()]
            found["basin_temperature"] = [some.heat / some.volume for some in basins.values()]
            found["basin_salinity"] = [some.salt / some.volume for some in basins.values()]
            found["basin_surface_temperature"] = [
                self._mean(tracer[0, -1], where) for where in diagnostics.basins.values()
            ]
        if passed:
            found["section_transport"] = np.array(list(passed.values()))
        return {name: np.asarray(value, np.float64) for name, value in found.items()}

    def _in_nino_box(self) -> NDArray[np.bool_]:
        grid = self.component.plane
        if is_cartesian(grid):
            return np.zeros(grid.shape, bool)
        west, east, south, north = nino_box
        center = grid.at(Place.center)
        return (
            ((center.x - west) % 360.0 <= east - west) & (center.y >= south) & (center.y <= north)
        )

    def _mean(self, plane: Array, where: NDArray[np.bool_]) -> float:
        """Mean over the area of some cells, exactly added up; missing where there are none."""
        grid = self.component.plane
        where = where & grid.topology.once(Place.center)
        area = grid.area[where]
        if not area.size:
            return missing_value
        return math.fsum(plane[where].astype(np.float64) * area) / math.fsum(area)

    def _define(self, file: netCDF4.Dataset) -> None:
        file.setncatts(conventions(self.title))
        define_time(file, self.calendar)
        levels, sections = self.component.grid, self.component.diagnostics.sections
        cartesian = is_cartesian(self.component.plane)
        north, known = ("y", "y") if cartesian else ("parallel", "latitude")
        across = quantity(known).attributes() | {"long_name": north, "axis": "Y"}
        down = {"long_name": "depth interface", "units": "m"} | vertical["depth"]
        _line(file, north, self.parallels.edges, across)
        _line(file, "depth_interface", levels.interfaces, down)
        for name, (units, words) in numbers.items():
            define_values(file, name, self.kind, ("time",), {"long_name": words, "units": units})
        for name, axes, units, words in (
            ("overturning", ("depth_interface",), "m3 s-1", "northward transport above a depth"),
            ("northward_heat_transport", (), "W", "heat that the flow carries northward"),
            ("northward_salt_transport", (), "kg s-1", "salt that the flow carries northward"),
        ):
            facts = {"long_name": words, "units": units}
            define_values(file, name, self.kind, ("time", *axes, north), facts)
        basins = self.component.diagnostics.basins
        if basins:
            file.createDimension("basin", len(basins))
            for name, (units, words) in basin_numbers.items():
                facts = {"long_name": words, "units": units, "comment": ", ".join(basins)}
                define_values(file, name, self.kind, ("time", "basin"), facts)
        if sections:
            file.createDimension("section", len(sections))
            _define_names(file, list(sections))
            facts = {"long_name": "transport to the right", "units": "m3 s-1"}
            facts["comment"] = ", ".join(sections)
            facts["coordinates"] = "section_name"
            define_values(file, "section_transport", self.kind, ("time", "section"), facts)


def _define_names(file: netCDF4.Dataset, names: Sequence[str]) -> None:
    """The names of sections, as letters."""
    length = max(len(name.encode()) for name in names)
    file.createDimension("letter", length)
    letters = file.createVariable("section_name", "S1", ("section", "letter"))
    letters.long_name = "name of the section"
    letters[:] = (
        np.array([name.encode() for name in names], f"S{length}")
        .view("S1")
        .reshape(len(names), length)
    )


def _line(file: netCDF4.Dataset, name: str, values: Array, attributes: dict[str, str]) -> None:
    file.createDimension(name, values.size)
    variable = file.createVariable(name, "f8", (name,))
    variable.setncatts(attributes)
    variable[:] = values
