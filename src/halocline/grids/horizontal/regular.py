"""Horizontal grids as a case describes them: from a file, or made here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.memory import refuse_beyond_memory
from halocline.core.options import option
from halocline.grids.files.gridded_files import expand
from halocline.grids.horizontal.bathymetry import BathymetryOptions, read_bathymetry
from halocline.grids.horizontal.curvilinear_files import is_curvilinear, read_displaced_pole
from halocline.grids.horizontal.depths_at import depths_at
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Metrics
from halocline.grids.horizontal.poles import (
    PoleOptions,
    at_poles,
    corners_between_poles,
    made_here,
)
from halocline.grids.horizontal.projection_options import (
    ProjectionOptions,
    made_on_map,
    on_maps,
)
from halocline.grids.horizontal.relief import ReliefOptions, with_relief
from halocline.grids.horizontal.side_options import SideOptions, refuse_poles
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Fold, all_sides

bytes_per_cell = 64
"""Memory that the planes of a grid take: depth, mask, metrics, and what they are made of."""

radius_of_maps = 6.37e6
"""Of the sphere that maps are of where nothing is said [m], that of WRF."""


@dataclass(frozen=True, kw_only=True)
class GridOptions(BathymetryOptions):
    """The horizontal grid: from a file, or made here with simple depths."""

    kind: str = option(
        "spherical",
        "",
        "coordinates: longitude and latitude, or x and y in metres (in a file, in any length that"
        " their units name); or a grid of the whole sea made here, of `nx` and `ny` cells, with"
        " [grid.poles]; or one made here with steps in metres on a map, with [grid.projection]",
        choices=("spherical", "cartesian", *made_here, *on_maps),
    )
    file: str = option(
        "",
        "",
        "netCDF file or Zarr folder with coordinates and depth; curvilinear where it has corners"
        " (ulon, ulat); empty for a grid made here; with a displaced pole or three poles its depths"
        " are brought to the grid made here, and what it does not cover is land",
    )
    nx: int = option(3, "1", "columns of a grid made here", at_least=1, at_most=10_000_000)
    ny: int = option(3, "1", "rows of a grid made here", at_least=1, at_most=10_000_000)
    x0: float = option(0.0, "degree or m", "x of the first column; not on maps or between poles")
    y0: float = option(0.0, "degree or m", "y of the first row; not on maps or between poles")
    dx: float | None = option(
        None,
        "degree or m",
        "distance of columns; if not given, 1 degree or, of a Cartesian grid or on a map, 10 km",
        at_least=1e-9,
    )
    dy: float | None = option(
        None, "degree or m", "distance of rows; the default is that of dx", at_least=1e-9
    )
    radius: float | None = option(
        None,
        "m",
        "of the sphere; if not given, 6,366,198 m (40,000 km around), or on maps 6,370 km",
        at_least=1.0,
    )
    depth: float | list[float] | list[list[float]] = option(
        2500.0,
        "m",
        "depth of a grid made here: one number, one for every column, or a list of these for every"
        " row, from the south; 0 is land",
        at_least=0,
    )
    depth_file: str = option(
        "",
        "",
        "file, on another grid, whose depths a grid of longitude and latitude made here has instead"
        " of `depth`, interpolated; grids on maps and between poles take those of `file`",
    )
    land: list[list[float]] = option(
        [],
        "degree or m",
        "boxes of land in a grid made here, each [west, east, south, north]: cells whose centres"
        " lie in one",
    )
    straits: list[tuple[float, float, float, float, float]] = option(
        [],
        "degree or m; m",
        "boxes of a grid made here, each [west, east, south, north, depth]: cells whose centres lie"
        " in one are sea at least so deep, for passages that its cells are too wide to show",
    )
    relief: ReliefOptions = option(
        ReliefOptions(), meaning="a shelf and hills on the floor of a regular grid made here"
    )
    projection: ProjectionOptions = option(
        ProjectionOptions(), meaning="the map of a grid whose lines are straight on it"
    )
    poles: PoleOptions = option(
        PoleOptions(), meaning="poles and rows of a displaced-pole or tripole grid made here"
    )
    periodic_x: bool | None = option(
        None, "", "east joins west; if not given, where a spherical grid spans 360 degrees"
    )
    periodic_y: bool = option(False, "", "north joins south (Cartesian only)")
    fold: str = option(
        "file",
        "",
        "how the north of a tripolar grid is joined with itself, along the northern faces of the"
        " last row or through its centres; 'file': as the corners of the file are, 'none': closed",
        choices=("file", "none", "faces", "centres"),
    )
    sides: SideOptions = option(SideOptions(), meaning="what stands beyond each side of the grid")
    closed_edges: bool = option(True, "", "outermost rows and columns of closed sides are land")
    boundary: list[str] = option(
        [], "", f"sides whose outermost sea points keep their first values: {', '.join(all_sides)}"
    )

    @property
    def steps(self) -> tuple[float, float]:
        """Distance of columns and rows [degree or m]."""
        usual = 1e4 if self.kind in ("cartesian", *on_maps) else 1.0
        return self.dx or usual, self.dy or usual


def build_grid(options: GridOptions) -> Grid:
    """The grid of a case: from its file, or made here; `options.file` is a path."""
    if options.kind in made_here:
        return grid_between_poles(options)
    if options.kind in on_maps:
        return grid_on_map(options)
    if not options.file:
        return regular_grid(options)
    path = expand(options.file, Path())[0]
    if options.kind == "spherical" and is_curvilinear(path):
        return finish(read_displaced_pole(path, options), options)
    return finish(read_bathymetry(options), options)


def regular_grid(options: GridOptions) -> Grid:
    """Make the regular grid that `options` describe without a file."""
    _refuse_too_many(options)
    dx, dy = options.steps
    x = np.asarray(options.x0 + dx * np.arange(options.nx), np.float64)
    y = np.asarray(options.y0 + dy * np.arange(options.ny), np.float64)
    spherical = options.kind == "spherical"
    if options.depth_file and not spherical:
        raise UserError(
            f"grid.depth_file has places in degrees, but grid.kind is '{options.kind}'. Give"
            " grid.depth."
        )
    land = in_boxes(options.land, x, y[:, None], around=spherical)
    given = _depth(options)
    if options.depth_file:
        other = replace(options, file=options.depth_file)
        given = depths_at(other, Path(options.depth_file), *np.meshgrid(x, y))
    depth = with_relief(np.where(land, 0.0, given), options.relief, x, y[:, None])
    depth = _opened(depth, options.straits, x, y[:, None], around=spherical)
    if spherical and (y.min() < -90 or y.max() > 90):
        raise UserError(f"Latitudes run from {y.min()} to {y.max()}; they lie between -90 and 90.")
    grid = Grid(
        x=x,
        y=y,
        depth=depth,
        mask=depth > 0,
        spherical=spherical,
        single_x=dx,
        single_y=dy,
    )
    return finish(grid, options)


def grid_between_poles(options: GridOptions) -> Grid:
    """Make the displaced-pole or tripole grid that `options` describe.

    Depths are those of its file, if there is one. Cells at the poles of a fold are land.
    """
    _refuse_too_many(options)
    _refuse_first_places(options, "grid.poles")
    corners = corners_between_poles(options.kind, options.nx, options.ny, options.poles)
    depth = _depth_around(options, corners.at(Place.center), at_poles(corners))
    return finish(Grid.of(corners, depth), options)


def grid_on_map(options: GridOptions) -> Grid:
    """Make the grid on a map that `options` describe; depths are those of its file, if any."""
    _refuse_too_many(options)
    _refuse_first_places(options, "grid.projection (center_longitude, center_latitude or parents)")
    projected = made_on_map(
        options.kind,
        (options.ny, options.nx),
        options.steps,
        options.radius or radius_of_maps,
        options.projection,
    )
    depth = _depth_around(options, projected.at(Place.center), np.zeros(projected.shape, bool))
    return finish(Grid.on_map(projected, depth), options)


def _depth_around(
    options: GridOptions, center: Metrics, land: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Depths [m] of cells anywhere on the globe, some of which are land."""
    if options.file:
        depth = depths_at(options, expand(options.file, Path())[0], center.x, center.y)
    else:
        depth = _depth(options)
    land = land | in_boxes(options.land, center.x, center.y, around=True)
    return _opened(np.where(land, 0.0, depth), options.straits, center.x, center.y, around=True)


def _opened(
    depth: NDArray[np.float64],
    straits: list[tuple[float, float, float, float, float]],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    around: bool,
) -> NDArray[np.float64]:
    """Depths [m] with straits that are open."""
    for *box, floor in straits:
        inside = in_boxes([box], x, y, around=around, named="grid.straits")
        depth = np.where(inside, np.maximum(depth, floor), depth)
    return depth


def _refuse_first_places(options: GridOptions, by: str) -> None:
    """Refuse places of the first column and row that would be without effect."""
    given = {"grid.x0": options.x0, "grid.y0": options.y0}
    words = ", ".join(f"{name} = {value:g}" for name, value in given.items() if value)
    if words:
        raise UserError(f"{words}: a grid of kind '{options.kind}' is placed by {by}. Leave them.")


def _refuse_too_many(options: GridOptions) -> None:
    """Refuse a grid that memory does not hold."""
    refuse_beyond_memory(
        bytes_per_cell * options.nx * options.ny,
        f"A grid of {options.nx} x {options.ny} cells",
        "Take fewer (grid.nx, grid.ny).",
    )


def in_boxes(
    boxes: list[list[float]],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    around: bool,
    named: str = "grid.land",
) -> NDArray[np.bool_]:
    """Which cells lie in a box, by their centres; the shape is that of x and y together.

    With `around` x is a longitude, and as good as one a turn further.
    """
    inside = np.zeros(np.broadcast_shapes(x.shape, y.shape), bool)
    for box in boxes:
        if len(box) != 4 or box[0] > box[1] or box[2] > box[3]:
            raise UserError(
                f"{named} has the box {box}. Give [west, east, south, north], the lesser first."
            )
        west, east, south, north = box
        along = (x - west) % 360.0 if around else x - west
        here = (y >= south) & (y <= north) & (along >= 0.0) & (along <= east - west)
        if not here.any():
            raise UserError(
                f"{named} has the box {box}, in which no cell has its centre: centres lie from"
                f" {x.min():g} to {x.max():g} along x and from {y.min():g} to {y.max():g} along y."
                " Mend the box, or take it out."
            )
        inside |= here
    return inside


def _depth(options: GridOptions) -> NDArray[np.float64]:
    """Depth of every cell of a grid made here [m], shape (ny, nx)."""
    given = options.depth
    by_row = isinstance(given, list) and bool(given) and isinstance(given[0], list)
    rows: list[Any] = given if isinstance(given, list) and by_row else [given]
    if by_row and len(rows) != options.ny:
        raise UserError(
            f"grid.depth has {len(rows)} rows for {options.ny} rows (grid.ny). Give one list of"
            " numbers for every row, from the south."
        )
    for number, row in enumerate(rows):
        if isinstance(row, list) and len(row) != options.nx:
            raise UserError(
                f"grid.depth{f'[{number}]' if by_row else ''} has {len(row)} numbers for"
                f" {options.nx} columns (grid.nx). Give one number, or one for every column."
            )
    return np.broadcast_to(np.asarray(given, float), (options.ny, options.nx)).copy()


def finish(grid: Grid, options: GridOptions) -> Grid:
    """Join or close the sides of a grid and mark its active boundary, as `options` say."""
    spans = (
        grid.periodic_x
        or grid.spherical
        and abs(grid.step_x * grid.x.size - 360.0) < 1e-3 * grid.step_x
    )
    periodic_x = options.sides.joined("west", "east", options.periodic_x, spans)
    periodic_y = options.sides.joined("south", "north", options.periodic_y or None, False)
    if periodic_y and grid.spherical:
        raise UserError("grid.periodic_y: north and south of a spherical grid cannot be joined.")
    fold = _fold(grid, options)
    if fold and "north" in options.boundary:
        raise UserError("grid.boundary = 'north': the north of the grid is folded onto itself.")
    unknown = [side for side in options.boundary if side not in all_sides]
    if unknown:
        raise UserError(f"grid.boundary = {unknown}: the sides are {', '.join(all_sides)}.")
    refuse_poles(grid, options.sides)
    grid = grid if options.radius is None else grid.on_sphere(options.radius)
    joined = replace(
        grid,
        periodic_x=periodic_x,
        periodic_y=periodic_y,
        fold=fold,
        reflections=options.sides.reflections,
    )
    mask = grid.mask.copy()
    boundary = _on_sides(mask, options.boundary)
    if options.closed_edges:
        closed = [side for side in all_sides if joined.topology.is_closed(side)]
        mask &= ~_on_sides(mask, closed) | boundary
    return replace(joined, mask=mask, boundary=boundary & mask if boundary.any() else None)


def _fold(grid: Grid, options: GridOptions) -> Fold:
    """The fold that is asked for, which the corners of the grid must have."""
    if options.fold in ("file", grid.fold):
        if grid.fold and options.sides.north:
            raise UserError(
                f"grid.sides.north = '{options.sides.north}', but the north of the grid is folded"
                " onto itself. Leave it out; grid.fold = 'none' closes it."
            )
        return grid.fold
    if options.fold == "none":
        return ""
    own = f"fold along its {grid.fold}" if grid.fold else "do not meet each other across a fold"
    raise UserError(
        f"grid.fold = '{options.fold}', but the northernmost corners of the grid {own}. Leave the"
        " option out (what the corners of the file say counts), or mend the file."
    )


def _on_sides(mask: NDArray[np.bool_], chosen: list[str]) -> NDArray[np.bool_]:
    """Sea cells in the outermost rows and columns of the chosen sides."""
    on_side = np.zeros_like(mask)
    places: dict[str, Any] = {
        "west": np.s_[:, 0],
        "east": np.s_[:, -1],
        "south": np.s_[0, :],
        "north": np.s_[-1, :],
    }
    for side in chosen:
        on_side[places[side]] = True
    return on_side & mask
