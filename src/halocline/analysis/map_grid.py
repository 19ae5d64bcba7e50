"""Grids of fields as maps need them: regular or curvilinear, turned into the window of a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from halocline.analysis import coastline, reading
from halocline.analysis.coastline import Extent
from halocline.core.errors import UserError, nearest

Numbers = NDArray[np.float64]

REGIONS: dict[str, Extent] = {
    "global": (-180.0, 180.0, -90.0, 90.0),
    "pacific-centred": (0.0, 360.0, -90.0, 90.0),
    "north-atlantic": (-82.0, 12.0, 5.0, 70.0),
    "south-atlantic": (-70.0, 25.0, -65.0, 5.0),
    "north-pacific": (118.0, 262.0, 5.0, 66.0),
    "south-pacific": (140.0, 295.0, -70.0, 5.0),
    "indian-ocean": (20.0, 125.0, -65.0, 30.0),
    "southern-ocean": (-180.0, 180.0, -78.0, -30.0),
    "mediterranean": (-7.0, 37.0, 30.0, 46.5),
    "north-america": (-140.0, -52.0, 20.0, 60.0),
    "europe": (-30.0, 42.0, 30.0, 72.0),
}


@dataclass(frozen=True)
class MapGrid:
    """Centres of the cells [degree]: 1-D and ascending if `regular`, else 2-D of shape (j, i).

    A Cartesian grid is not `geographic`; its centres are in km.
    """

    longitude: Numbers
    latitude: Numbers
    regular: bool
    dimensions: tuple[str, str]
    geographic: bool = True

    @property
    def spacing(self) -> tuple[float, float]:
        """Typical distance of centres along i and j [degree]."""
        if self.regular:
            return (
                float(np.median(np.diff(self.longitude))),
                float(np.median(np.diff(self.latitude))),
            )
        return tuple(
            float(np.median(np.abs(_turned(np.diff(values, axis=axis)))))
            for values, axis in ((self.longitude, 1), (self.latitude, 0))
        )  # type: ignore[return-value]

    @property
    def encloses(self) -> bool:
        """Whether the grid goes round the Earth."""
        if not self.geographic:
            return False
        if self.regular:
            return bool(self.longitude[-1] - self.longitude[0] + 1.5 * self.spacing[0] >= 360.0)
        present = np.unique(np.remainder(self.longitude, 360.0) // 5.0)
        return len(present) == 72

    @property
    def extent(self) -> Extent:
        """Box around all cells; a grid round the Earth gets -180 to 180."""
        dx, dy = self.spacing
        if not self.geographic:
            x, y = self.longitude, self.latitude
            return x[0] - dx / 2, x[-1] + dx / 2, y[0] - dy / 2, y[-1] + dy / 2
        south = max(-90.0, float(self.latitude.min()) - dy / 2)
        north = min(90.0, float(self.latitude.max()) + dy / 2)
        if self.encloses:
            return -180.0, 180.0, south, north
        west, east = float(self.longitude.min()) - dx / 2, float(self.longitude.max()) + dx / 2
        turn = -360.0 * np.floor((west + east + 360.0) / 720.0)
        return west + turn, east + turn, south, north


def grid_of(data: xr.DataArray) -> MapGrid:
    """The grid of a variable, with longitudes that rise without a jump."""
    latitude, longitude = reading.horizontal(data)
    x, y = longitude.values.astype(np.float64), latitude.values.astype(np.float64)
    if x.ndim == 2:
        return MapGrid(x, y, False, (str(latitude.dims[0]), str(latitude.dims[1])))
    dimensions = (str(latitude.dims[0]), str(longitude.dims[0]))
    if reading.is_cartesian(longitude):
        return MapGrid(np.sort(x) * 1e-3, np.sort(y) * 1e-3, True, dimensions, geographic=False)
    return MapGrid(np.sort(unwrapped(x)), np.sort(y), True, dimensions)


def unwrapped(longitude: Numbers) -> Numbers:
    """Longitudes without jumps of a full circle between neighbours [degree]."""
    return np.rad2deg(np.unwrap(np.deg2rad(longitude)))


def _turned(difference: Numbers) -> Numbers:
    return np.remainder(difference + 180.0, 360.0) - 180.0


def values_on(grid: MapGrid, data: xr.DataArray) -> Numbers:
    """Values of shape (j, i) in the order of the grid, NaN where masked."""
    extra = [str(name) for name in data.dims if name not in grid.dimensions]
    if extra:
        raise UserError(f"'{data.name}' also depends on {', '.join(extra)}: give one level of it.")
    values = data.transpose(*grid.dimensions).values.astype(np.float64)
    if grid.regular:
        latitude, longitude = reading.horizontal(data)
        x = longitude.values.astype(np.float64)
        order = np.argsort(unwrapped(x) if grid.geographic else x, kind="stable")
        rows = np.argsort(latitude.values, kind="stable")
        values = values[np.ix_(rows, order)]
    return values


def extent_of(region: str | Extent | None, grid: MapGrid, values: Numbers | None = None) -> Extent:
    """The box to draw: that of the grid, a named region, or west, east, south, north [degree].

    With `values`, the box of a whole regular grid leaves out empty rows and columns at its edges.
    """
    if region is None:
        return grid.extent if values is None else _without_empty_edges(grid, values)
    if not grid.geographic:
        raise UserError("A region is in degrees; this file lies on a Cartesian grid.")
    if isinstance(region, str):
        box = REGIONS[region] if region in REGIONS else _numbers(region)
    else:
        west, east, south, north = (float(edge) for edge in region)
        box = (west, east, south, north)
    west, east, south, north = box
    if east <= west:
        east += 360.0
    if not (south < north and east - west <= 360.0 and south >= -90.0 and north <= 90.0):
        raise UserError(f"Region {region} is not a box: west, east, south, north in degrees.")
    _, _, lowest, highest = grid.extent
    south, north = max(south, lowest), min(north, highest)
    if south >= north:
        raise UserError(
            f"Region {region} lies outside the file, which covers latitudes "
            f"{lowest:g} to {highest:g}."
        )
    return west, east, south, north


def _without_empty_edges(grid: MapGrid, values: Numbers) -> Extent:
    known = np.isfinite(values)
    rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
    if not grid.regular or min(len(rows), len(columns)) < 2:
        return grid.extent
    west, east, south, north = grid.extent
    dx, dy = grid.spacing
    south += dy * rows[0]
    north -= dy * (len(grid.latitude) - 1 - rows[-1])
    if not grid.encloses:
        west += dx * columns[0]
        east -= dx * (len(grid.longitude) - 1 - columns[-1])
    return float(west), float(east), float(south), float(north)


def _numbers(region: str) -> Extent:
    try:
        west, east, south, north = (float(word) for word in region.split(","))
    except ValueError:
        raise UserError(
            f"Unknown region '{region}'.{nearest(region, REGIONS)} Give one of "
            f"{', '.join(REGIONS)}, or west,east,south,north in degrees."
        ) from None
    return west, east, south, north


def windowed(grid: MapGrid, values: Numbers, extent: Extent) -> tuple[Numbers, Numbers]:
    """Longitudes and values of a regular grid turned so that they cover the window of `extent`.

    A grid round the Earth is repeated by one cell more than the window on either side, so that
    colours run through the seam.
    """
    west, east = extent[:2]
    dx = grid.spacing[0]
    count = len(grid.longitude)
    if grid.encloses:
        first = int(np.floor((west - grid.longitude[0]) / dx)) - 1
        last = int(np.ceil((east - grid.longitude[0]) / dx)) + 1
        index = np.arange(first, last + 1)
        return grid.longitude[0] + index * dx, values[:, index % count]
    if not grid.geographic:
        return grid.longitude, values
    turn = 360.0 * np.round((0.5 * (west + east) - grid.longitude[[0, -1]].mean()) / 360.0)
    return grid.longitude + turn, values


def carried_to_coast(
    grid: MapGrid, values: Numbers, cells: int = 3, everywhere: bool = False
) -> Numbers:
    """Fill masked cells that hold land, up to `cells` from the sea, with the mean of neighbours.

    The land drawn on top hides them; colours then reach the coast instead of ending in steps.
    Masked cells without land (ice, the edge of the grid) stay empty, unless values exist
    `everywhere`, as those of a stream function, which is constant along coasts.
    """
    filled = values.copy()
    if np.isfinite(values).all():
        return filled
    coastal = np.isnan(values) if everywhere else _with_land(grid)
    for _ in range(max(values.shape) if everywhere else cells):
        if not (np.isnan(filled) & coastal).any():
            break
        ends = np.pad(filled, ((1, 1), (0, 0)), constant_values=np.nan)
        sides = {"mode": "wrap"} if grid.encloses else {"mode": "edge"}
        padded = np.pad(ends, ((0, 0), (1, 1)), **sides)  # type: ignore[call-overload]
        shifts = [
            padded[1 + j : padded.shape[0] - 1 + j, 1 + i : padded.shape[1] - 1 + i]
            for j in (-1, 0, 1)
            for i in (-1, 0, 1)
            if (j, i) != (0, 0)
        ]
        known = np.isfinite(shifts)
        count = known.sum(axis=0)
        mean = np.where(known, shifts, 0.0).sum(axis=0) / np.maximum(count, 1)
        filled = np.where(np.isnan(filled) & coastal & (count > 0), mean, filled)
    return filled


def _with_land(grid: MapGrid) -> NDArray[np.bool_]:
    """Cells that hold land, or at their corners or in their middle have some near, shape (j, i)."""
    if grid.regular:
        return coastline.land_touches(grid.longitude, grid.latitude)
    x, y = corners(grid)
    at_corners = coastline.land_at(x, y).any(axis=-1)
    return np.asarray(at_corners | coastline.land_at(grid.longitude, grid.latitude))


def corners(grid: MapGrid) -> tuple[Numbers, Numbers]:
    """Corners of the cells of a curvilinear grid, halfway between centres, shape (j, i, 4).

    Longitudes lie within half a circle of the centre of their cell.
    """
    padded_x = _extended(np.cos(np.deg2rad(grid.longitude)), grid.encloses)
    padded_y = _extended(np.sin(np.deg2rad(grid.longitude)), grid.encloses)
    padded_z = _extended(grid.latitude, grid.encloses)
    x, y, z = (_corner_means(values) for values in (padded_x, padded_y, padded_z))
    longitude = np.rad2deg(np.arctan2(y, x))
    quads = ((0, 0), (0, 1), (1, 1), (1, 0))
    nj, ni = grid.longitude.shape
    pick = [(slice(j, nj + j), slice(i, ni + i)) for j, i in quads]
    around = np.stack([longitude[place] for place in pick], axis=-1)
    around = grid.longitude[..., None] + _turned(around - grid.longitude[..., None])
    return around, np.stack([np.clip(z, -90.0, 90.0)[place] for place in pick], axis=-1)


def cell_shapes(
    grid: MapGrid, keep: NDArray[np.bool_], extent: Extent
) -> tuple[Numbers, NDArray[np.intp]]:
    """Corners of the cells kept that show in the window, shape (shape, 4, 2), and whose they are.

    Cells are moved by full circles into the window; one that shows at both ends comes twice. The
    second answer counts the cells that are kept.
    """
    x, y = corners(grid)
    return shapes_within(x[keep], y[keep], grid.longitude[keep], extent)


def shapes_within(
    x: Numbers, y: Numbers, centre: Numbers, extent: Extent
) -> tuple[Numbers, NDArray[np.intp]]:
    """The same of the corners (cell, 4) and the longitudes of the centres of some cells."""
    turn = 360.0 * np.ceil((extent[0] - 360.0 - centre) / 360.0)
    shapes, cells = [], []
    for extra in (0.0, 360.0, 720.0):
        moved = x + (turn + extra)[:, None]
        inside = (moved.max(axis=1) >= extent[0]) & (moved.min(axis=1) <= extent[1])
        shapes.append(np.stack([moved[inside], y[inside]], axis=2))
        cells.append(np.flatnonzero(inside))
    return np.concatenate(shapes), np.concatenate(cells)


def _extended(values: Numbers, periodic: bool) -> Numbers:
    rows = np.concatenate(
        [2 * values[:1] - values[1:2], values, 2 * values[-1:] - values[-2:-1]], axis=0
    )
    if periodic:
        return np.concatenate([rows[:, -1:], rows, rows[:, :1]], axis=1)
    left, right = 2 * rows[:, :1] - rows[:, 1:2], 2 * rows[:, -1:] - rows[:, -2:-1]
    return np.concatenate([left, rows, right], axis=1)


def _corner_means(values: Numbers) -> Numbers:
    means = values[:-1, :-1] + values[1:, :-1] + values[:-1, 1:] + values[1:, 1:]
    return np.asarray(0.25 * means)


def values_within(grid: MapGrid, values: Numbers, extent: Extent) -> Numbers:
    """Finite values whose centres lie inside `extent`."""
    west, east, south, north = extent
    x, y = grid.longitude, grid.latitude
    if grid.regular:
        x, y = np.meshgrid(x, y)
    moved = west + np.remainder(x - west, 360.0) if grid.geographic else x
    inside = (moved <= east) & (y >= south) & (y <= north)
    return np.asarray(values[inside & np.isfinite(values)])


def arrow_places(
    grid: MapGrid, keep: NDArray[np.bool_], extent: Extent, across: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers, Numbers]:
    """Cells that get an arrow (j, i) and where it stands: about `across` of them along the map."""
    west, east, south, north = extent
    spacing = (east - west) / across
    upright = spacing
    if grid.geographic and east - west <= 180.0:
        upright *= float(np.cos(np.deg2rad(0.5 * (south + north))))
    if grid.regular:
        step_i = max(1, round(spacing / grid.spacing[0]))
        step_j = max(1, round(upright / grid.spacing[1]))
        rows = np.arange(step_j // 2, len(grid.latitude), step_j)
        columns = np.arange(step_i // 2, len(grid.longitude), step_i)
        j, i = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
        x, y = grid.longitude[i], grid.latitude[j]
    else:
        flat_x, flat_y = grid.longitude.ravel(), grid.latitude.ravel()
        boxes = np.stack([np.remainder(flat_x, 360.0) // spacing, flat_y // upright], axis=1)
        order = np.flatnonzero(keep.ravel())
        _, first = np.unique(boxes[order], axis=0, return_index=True)
        j, i = np.unravel_index(order[first], keep.shape)
        x, y = flat_x[order[first]], flat_y[order[first]]
    if grid.geographic:
        x = west + np.remainder(x - west, 360.0)
    inside = keep[j, i] & (x <= east) & (y >= south) & (y <= north)
    return j[inside], i[inside], x[inside], y[inside]


def evenly_spaced(values: Numbers) -> bool:
    """Whether numbers rise by equal steps, to 1 in 1000."""
    steps = np.diff(values)
    return bool(np.allclose(steps, steps.mean(), rtol=1e-3))


def nearest_cells(grid: MapGrid, x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Flat index of the cell nearest to each point, and its distance [degree of arc]."""
    longitude, latitude = grid.longitude, grid.latitude
    if grid.regular:
        longitude, latitude = np.meshgrid(longitude, latitude)
    cells = _unit_vectors(longitude.ravel(), latitude.ravel())
    points = _unit_vectors(x, y)
    products = [points[start : start + 64] @ cells.T for start in range(0, len(points), 64)]
    index = np.concatenate([product.argmax(axis=1) for product in products])
    cosine = np.concatenate([product.max(axis=1) for product in products])
    return index, np.rad2deg(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _unit_vectors(longitude: Numbers, latitude: Numbers) -> Numbers:
    a, b = np.deg2rad(longitude), np.deg2rad(latitude)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=1)
