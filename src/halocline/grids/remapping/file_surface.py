"""The grid of fields in a file, by the CF conventions: its coordinates, with their bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from halocline.core.errors import UserError
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.files.sources import FileVariables
from halocline.grids.remapping.rows import Mask
from halocline.grids.remapping.surface import Surface
from halocline.grids.remapping.weights import Array
from halocline.grids.sphere import angles_between, longitude_latitude, unit, vectors
from halocline.runtime.fields.topology import Topology


@dataclass(frozen=True, eq=False)
class FileSurface:
    """The points of a file's maps, all of them wet, and how the file calls what they lie along."""

    surface: Surface
    dims: tuple[str, str]
    longitude: str
    latitude: str
    regular: bool  # one longitude for every column, one latitude for every row

    @classmethod
    def of(cls, path: Path, variable: str = "") -> FileSurface:
        """The grid of a variable, or the only one of a file."""
        maps = open_maps([path], of=variable)
        try:
            names = maps.coordinate("longitude"), maps.coordinate("latitude")
            x, y = (maps.first[name] for name in names)
            bounds = [_bounds(maps.first, name) for name in names]
            if maps.regular:
                return cls._regular(
                    path, names, (x.dims[0], y.dims[0]), (x.read(), y.read()), bounds
                )
            dims = (x.dims[0], x.dims[1])
            return cls._curvilinear(path, names, dims, (x.read(), y.read()), bounds)
        finally:
            maps.close()

    @classmethod
    def _regular(
        cls,
        path: Path,
        names: tuple[str, str],
        dims: tuple[str, str],
        lines: tuple[Array, Array],
        bounds: list[Array | None],
    ) -> FileSurface:
        x, y = lines
        if x.size < 2 or y.size < 2:
            raise UserError(
                f"The maps of '{path}' have {y.size} rows and {x.size} columns. Remapping takes at"
                " least two of both."
            )
        step = (x[-1] - x[0]) / (x.size - 1)
        around = abs(abs(x[-1] - x[0] + step) - 360.0) < 1e-3 * abs(step)
        x_sides = _sides(x) if bounds[0] is None else bounds[0]
        y_sides = _sides(y) if bounds[1] is None else bounds[1]
        if bounds[1] is None:
            y_sides = _to_poles(y_sides, y) if around else np.clip(y_sides, -90.0, 90.0)
        shape = (y.size, x.size)
        corner_x = np.stack([x_sides[:, side] for side in (0, 1, 1, 0)], axis=-1)
        corner_y = np.stack([y_sides[:, side] for side in (0, 0, 1, 1)], axis=-1)
        surface = Surface(
            longitude=np.broadcast_to(x, shape),
            latitude=np.broadcast_to(y[:, None], shape),
            angle=np.broadcast_to(0.0, shape),
            wet=np.ones(shape, bool),
            topology=Topology(*shape, periodic_i=bool(around)),
            corner_x=np.broadcast_to(corner_x[None], (*shape, 4)),
            corner_y=np.broadcast_to(corner_y[:, None], (*shape, 4)),
            title=str(path),
        )
        return cls(surface, (dims[1], dims[0]), *names, True)

    @classmethod
    def _curvilinear(
        cls,
        path: Path,
        names: tuple[str, str],
        dims: tuple[str, str],
        planes: tuple[Array, Array],
        bounds: list[Array | None],
    ) -> FileSurface:
        x, y = planes
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise UserError(
                f"Longitudes or latitudes of '{path}' are missing in places. Remapping needs those"
                " of all points, land included."
            )
        points = vectors(x, y)
        seam = np.median(angles_between(points[:, :, 0], points[:, :, -1]))
        step = np.median(angles_between(points[:, :, 1:], points[:, :, :-1]))
        around = bool(seam <= 1.5 * step)
        corner_x, corner_y = bounds
        if corner_x is None or corner_y is None:
            corner_x, corner_y = _corners_between(points, around)
        surface = Surface(
            longitude=x,
            latitude=y,
            angle=np.zeros(x.shape),
            wet=np.ones(x.shape, bool),
            topology=Topology(x.shape[0], x.shape[1], periodic_i=around),
            corner_x=corner_x,
            corner_y=corner_y,
            title=str(path),
        )
        return cls(surface, dims, *names, False)


def _bounds(variables: FileVariables, name: str) -> Array | None:
    """The bounds of a coordinate, if the file has them."""
    bounds = str(variables[name].attrs.get("bounds", ""))
    return variables[bounds].read() if bounds in variables.variables else None


def _sides(line: Array) -> Array:
    """Both sides of cells around the points of a line, half way to the next ones.

    >>> _sides(np.array([1.0, 3.0, 4.0])).tolist()
    [[0.0, 2.0], [2.0, 3.5], [3.5, 4.5]]
    """
    middle = 0.5 * (line[:-1] + line[1:])
    all_sides = np.concatenate([[2 * line[0] - middle[0]], middle, [2 * line[-1] - middle[-1]]])
    return np.stack([all_sides[:-1], all_sides[1:]], axis=1)


def _to_poles(sides: Array, line: Array) -> Array:
    """Sides of rows around the globe: the last ones reach the poles that they come near to."""
    sides = sides.copy()
    for row, side, inner in ((0, 0, 1), (-1, 1, -2)):
        pole, step = 90.0 * np.sign(line[row]), abs(line[row] - line[inner])
        if abs(pole - line[row]) < 1.01 * step:
            sides[row, side] = pole
    return np.clip(sides, -90.0, 90.0)


def _corners_between(points: Array, around: bool) -> tuple[Array, Array]:
    """Corners amidst four points each, as far beyond the outer ones as before them."""
    if around:
        wide = np.concatenate([points[:, :, -1:], points, points[:, :, :1]], axis=2)
    else:
        first, last = 2 * points[:, :, :1] - points[:, :, 1:2], 2 * points[:, :, -1:]
        wide = np.concatenate([first, points, last - points[:, :, -2:-1]], axis=2)
    south, north = 2 * wide[:, :1] - wide[:, 1:2], 2 * wide[:, -1:] - wide[:, -2:-1]
    wide = np.concatenate([south, wide, north], axis=1)
    mean = wide[:, :-1, :-1] + wide[:, :-1, 1:] + wide[:, 1:, 1:] + wide[:, 1:, :-1]
    return longitude_latitude(unit(mean))


def with_values(surface: Surface, there: Mask) -> Surface:
    """The same with values at some points only."""
    return replace(surface, wet=surface.wet & there)
