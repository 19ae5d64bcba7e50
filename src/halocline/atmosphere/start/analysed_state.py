"""The state of the atmosphere on its own grid and layers, from an analysis."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import gravity
from halocline.atmosphere.start.column_balance import steady_columns
from halocline.atmosphere.start.hybrid_column import HybridColumn, dry_volume, moist_theta
from halocline.atmosphere.start.options import AnalysisOptions
from halocline.atmosphere.start.pressure_columns import (
    PressureColumns,
    below_ground,
    from_above,
    line_in_log,
    standard_gravity,
)
from halocline.atmosphere.start.pressure_level_files import PressureLevelFiles
from halocline.atmosphere.start.skin import spread
from halocline.core import moist_air
from halocline.core.errors import UserError
from halocline.grids.files.axes import Bilinear
from halocline.grids.files.gridded_files import Record
from halocline.grids.files.parts import FilePart, part_of, used_lines
from halocline.grids.files.splines import Bicubic, reach
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Metrics
from halocline.grids.vertical.file_field import along_grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AnalysedState:
    """A balanced state; arrays [k][j][i], k upward, in double precision, no reference taken off."""

    mass: Array  # of dry columns [Pa]
    u: Array  # at western faces, along the grid's x [m s-1]
    v: Array  # at southern faces [m s-1]
    theta: Array  # moist potential temperature [K]
    vapor: Array  # mixing ratio [1]
    geopotential: Array  # of interfaces [m2 s-2]
    pressure: Array  # of layers [Pa]
    volume: Array  # specific volume of dry air [m3 kg-1]
    surface_pressure: Array  # [Pa]
    surface: dict[str, Array]  # skin_temperature, land, ice and more that the analysis has
    condensed: dict[str, Array] = field(default_factory=dict)  # mixing ratios of kinds it has [1]

    @property
    def water(self) -> Array:
        """Mixing ratio of all water [1]."""
        return np.asarray(self.vapor + sum(self.condensed.values()))

    @property
    def temperature(self) -> Array:
        """Of layers [K]."""
        factor = 1.0 + self.vapor / moist_air.epsilon
        return self.theta / factor * moist_air.exner(self.pressure)


def analysed_state(
    files: PressureLevelFiles,
    record: Record,
    grid: Grid,
    terrain: Array,
    column: HybridColumn,
    options: AnalysisOptions,
) -> AnalysedState:
    """The state that a record of the files gives a grid over its terrain [m], (rows, columns).

    1. columns on pressure levels  2. surface pressure  3. dry mass, vapour, clouds
    4. temperature, balance  5. winds at faces, which leave columns their mass  6. surface
    """
    centers = grid.at(Place.center)
    # 1. columns on pressure levels
    columns = columns_at(files, record, centers, options)
    # 2. surface pressure
    surface_pressure = columns.pressure_at(terrain)
    _refuse_high_ground(surface_pressure, column)
    # 3. dry mass, vapour, clouds
    clouds = clouds_at(files, record, centers, options)
    at = partial(line_in_log, files.levels)

    def water_at(pressure: Array) -> Array:
        more = sum(at(values, pressure) for values in clouds.values())
        return np.asarray(columns.vapor_at(pressure) + more)

    mass, pressure, water = column.dry_mass(surface_pressure, water_at)
    condensed = {kind: at(values, pressure) for kind, values in clouds.items()}
    vapor = np.asarray(water - sum(condensed.values()))
    # 4. temperature, balance
    theta = moist_theta(columns.temperature_at(pressure, vapor), pressure, vapor)
    volume = dry_volume(theta, pressure)
    geopotential = column.geopotential(gravity * terrain, mass, volume)
    # 5. winds at faces, which leave columns their mass
    x, y = (on_faces(pressure, axis, grid) for axis in (2, 1))
    east = winds_at(files, record, grid.at(Place.x_face), x, options)[0]
    north = winds_at(files, record, grid.at(Place.y_face), y, options)[1]
    if options.columns == "steady":
        east, north = steady_columns(grid, column, mass, east, north)
    # 6. surface
    surface = surface_at(files, record, centers)
    return AnalysedState(
        mass, east, north, theta, vapor, geopotential, pressure, volume, surface_pressure, surface,
        condensed,
    )  # fmt: skip


def columns_at(
    files: PressureLevelFiles, record: Record, points: Metrics, options: AnalysisOptions
) -> PressureColumns:
    """Columns of an analysis at points, filled below its ground before."""
    weights, part = _between(files, points, options)
    temperature = files.on_levels("temperature", record, part)
    humidity = files.on_levels("humidity", record, part)
    theirs = PressureColumns(
        files.levels,
        temperature,
        _mixing_ratio(files, humidity, temperature, options.saturation),
        files.on_levels("height", record, part),
        options.lapse_rate,
        options.between_levels == "heights",
    ).filled(_surface_pressure(files, record, part), _ground(files, record, part))
    return PressureColumns(
        files.levels,
        np.stack([weights(plane) for plane in theirs.temperature]),
        np.stack([weights.within(plane) for plane in theirs.vapor]),
        np.stack([weights(plane) for plane in theirs.height]),
        options.lapse_rate,
        options.between_levels == "heights",
    )


def clouds_at(
    files: PressureLevelFiles, record: Record, points: Metrics, options: AnalysisOptions
) -> dict[str, Array]:
    """Mixing ratios [1] of condensed water that files have at points, (levels, points)."""
    weights, part = _between(files, points, options)
    return {
        kind: np.stack(
            [weights.within(plane) for plane in files.condensed_on_levels(kind, record, part)]
        )
        for kind in files.condensed
    }


def winds_at(
    files: PressureLevelFiles,
    record: Record,
    points: Metrics,
    pressure: Array,
    options: AnalysisOptions,
) -> tuple[Array, Array]:
    """Winds along the axes of the grid [m s-1] at points and pressures [Pa] (layers, points).

    Linear in log p; below the lowest level, and below the ground of the analysis, that of the level
    above.
    """
    weights, part = _between(files, points, options)
    east, north = (files.on_levels(name, record, part) for name in ("u", "v"))
    missing = below_ground(files.levels, east + north, _surface_pressure(files, record, part))
    both = []
    for values in (east, north):
        filled = from_above(values, missing)
        at_points = np.stack([weights(plane) for plane in filled])
        both.append(line_in_log(files.levels, at_points, pressure))
    return along_grid(both[0], both[1], points.angle)


def surface_at(files: PressureLevelFiles, record: Record, points: Metrics) -> dict[str, Array]:
    """All maps of the surface that the files have, at points."""
    weights, part = _weights(files, points)
    found = {}
    for name in files.surface:
        plane = files.at_surface(name, record, part)
        if np.isnan(plane).any():
            plane = np.nan_to_num(plane) if name in ("ice", "land") else plane
        found[name] = weights(plane)
        if np.isnan(found[name]).any():
            raise UserError(
                f"'{files.surface[name]}' of {files.name} is missing at"
                f" {int(np.isnan(found[name]).sum())} points of the model grid. Fill it."
            )
    if "ground_geopotential" in found:
        found.setdefault("ground_height", found.pop("ground_geopotential") / standard_gravity)
    for name in ("land", "ice"):
        if name in found:
            found[name] = np.clip(found[name], 0.0, 1.0)
    return found


def skin_at(
    files: PressureLevelFiles,
    record: Record,
    points: Metrics,
    land: Array,
    ground: Array,
    lapse_rate: float,
) -> Array:
    """Temperature of the skin at points [K], of sea from points of the sea of the analysis.

    That of `land` comes from points of land, as if all lay at sea level, and from there to the
    `ground` [m] by `lapse_rate` [K m-1].
    """
    weights, part = _weights(files, points)
    skin = files.at_surface("skin_temperature", record, part)
    theirs = np.nan_to_num(files.at_surface("land", record, part)) > 0.5
    height = _ground(files, record, part)
    lowered = skin + lapse_rate * (0.0 if height is None else height)
    higher = 0.0 if height is None else lapse_rate * ground
    at_sea, on_land = weights(spread(skin, ~theirs)), weights(spread(lowered, theirs)) - higher
    return np.where(land > 0.5, on_land, at_sea)


def on_faces(values: Array, axis: int, grid: Grid) -> Array:
    """Means on faces along an axis of values at centres (layers, rows, columns).

    On a closed side the value of the cell inside.
    """
    faces = grid.topology.shape(Place.corner)[axis - 1]
    wide = grid.topology.widened(values, (1, 1, 1, 1), nearest=True)
    inside = wide[:, 1:-1] if axis == 2 else wide[:, :, 1:-1]
    one, other = (inside.take(range(first, faces + first), axis) for first in (0, 1))
    return 0.5 * (one + other)


def _weights(files: PressureLevelFiles, points: Metrics) -> tuple[Bilinear, FilePart]:
    """Weights to points, and the part of the files' grid that they need."""
    weights = files.weights(points.x, points.y, "the model grid")
    part = part_of(*used_lines(weights, files.files.shape))
    return part.weights(weights), part


def _between(
    files: PressureLevelFiles, points: Metrics, options: AnalysisOptions
) -> tuple[Bilinear | Bicubic, FilePart]:
    """What brings columns of the analysis to points, and the part of the files' grid it needs."""
    if options.between_columns == "line":
        return _weights(files, points)
    weights = files.weights(points.x, points.y, "the model grid")
    rows, columns = used_lines(weights, files.files.shape)
    some = np.flatnonzero(rows)
    rows[max(some[0] - reach, 0) : some[-1] + reach + 1] = True
    part = part_of(rows, np.ones_like(columns))
    latitude, longitude = files.files.latitude, files.files.longitude
    held = replace(latitude, values=latitude.values[part.rows], order=latitude.order[part.rows])
    return Bicubic(part.weights(weights), longitude, held), part


def _surface_pressure(files: PressureLevelFiles, record: Record, part: FilePart) -> Array | None:
    if "surface_pressure" not in files.surface:
        return None
    return files.at_surface("surface_pressure", record, part)


def _ground(files: PressureLevelFiles, record: Record, part: FilePart) -> Array | None:
    """Height of the ground of the analysis [m], where it has one."""
    if "ground_height" in files.surface:
        return files.at_surface("ground_height", record, part)
    if "ground_geopotential" in files.surface:
        return files.at_surface("ground_geopotential", record, part) / standard_gravity
    return None


def _mixing_ratio(
    files: PressureLevelFiles, humidity: Array, temperature: Array, saturation: str
) -> Array:
    """Mixing ratio [1] from whichever humidity the files have; never below zero."""
    humidity = np.maximum(humidity, 0.0)
    if files.humidity == "mixing_ratio":
        return humidity
    if files.humidity == "specific_humidity":
        return humidity / (1.0 - humidity)
    pressure = files.levels[:, None, None]
    over = {
        "water": moist_air.saturation_pressure,
        "clouds": moist_air.saturation_pressure_of_clouds,
    }[saturation]
    # High in the stratosphere water would boil: vapour has at most half of the pressure.
    vapor_pressure = np.minimum(np.minimum(humidity, 1.0) * over(temperature), 0.5 * pressure)
    return moist_air.mixing_ratio(vapor_pressure, pressure)


def _refuse_high_ground(surface_pressure: Array, column: HybridColumn) -> None:
    """Refuse ground above the top of the model, or so high that a layer would have no mass."""
    layer = column.layer_mass(surface_pressure - column.top_pressure)
    if layer.min() > 0.0:
        return
    k = int(layer.reshape(layer.shape[0], -1).min(axis=1).argmin())
    raise UserError(
        f"The ground is too high for the layers: where its pressure is"
        f" {float(surface_pressure.min()) / 100:.1f} hPa, layer {k} would have no mass. Let layers"
        " be level from further above, raise the top, or smooth the terrain."
    )
