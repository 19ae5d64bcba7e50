"""Pictures of grids: sea by its depth, land, and the lines of cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection, QuadMesh
from matplotlib.colors import Colormap, ListedColormap, Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from halocline.analysis import looks
from halocline.analysis.coastline import Extent
from halocline.analysis.map_grid import MapGrid, Numbers, extent_of, shapes_within, windowed
from halocline.analysis.maps import add_colour_bar, draw_around_pole, prepare_axes
from halocline.analysis.polar_view import PolarView
from halocline.analysis.sheet import BOTTOM, LEFT, RIGHT, label_room, panel_size, sheet_size
from halocline.analysis.titles import fitting, headline

LAND, LINE = "#cfcac0", "#30343a"
LINES_ACROSS = 40
POLAR_GAP = 0.8
"""Between the colour bar of the map and the view from above the pole [inch]."""


@dataclass(frozen=True)
class GridShown:
    """A grid to be drawn: its cells (j, i) and their corners, one more each way.

    Coordinates are degrees, or km where it is not `geographic`; `depth` [m] is NaN on land;
    `words` are what is to be said of it in one line.
    """

    centers: MapGrid
    corner_x: Numbers
    corner_y: Numbers
    depth: Numbers
    words: str = ""


def grid_sheet(
    grid: GridShown, title: str, *, region: str | Extent | None = None, lines: int | None = None
) -> Figure:
    """A figure with the depth of the sea, land in grey, and the lines of every n-th cell.

    `lines` is n; without it there are some 40 lines along the longer side, 0 draws none. A
    curvilinear grid around the North Pole is shown from above it too.
    """
    shown, depth = grid.centers, grid.depth
    extent = extent_of(region, shown)
    every = max(1, round(max(depth.shape) / LINES_ACROSS)) if lines is None else lines
    width, height = panel_size(shown, extent, 1)
    label = label_room(shown)
    across, up = sheet_size(1, 1, width, height, label)
    left, bottom = LEFT + label[0], BOTTOM + label[1]
    beside = across + POLAR_GAP - RIGHT
    polar = region is None and _around_the_pole(grid)
    across = beside + height if polar else across
    figure = Figure(figsize=(across, up))
    axes = figure.add_axes((left / across, bottom / up, width / across, height / up))
    prepare_axes(axes, shown, extent)
    sea = depth[np.isfinite(depth)]
    low, high, marks = looks.limits(sea if sea.size else np.ones(1), "from zero")
    land = np.where(np.isfinite(depth), np.nan, 0.0)
    draw = _draw_boxes if shown.regular else _draw_quadrilaterals
    draw(axes, grid, land, extent, Normalize(0, 1), ListedColormap([LAND]))
    field = draw(axes, grid, depth, extent, Normalize(low, high), _light())
    if polar:
        view = PolarView(
            figure.add_axes((beside / across, BOTTOM / up, height / across, height / up))
        )
        view.cells(grid.corner_x, grid.corner_y, land, Normalize(0, 1), ListedColormap([LAND]))
        view.cells(grid.corner_x, grid.corner_y, depth, Normalize(low, high), _light())
        chosen = _every(grid, every) if every else []
        view.lines([(grid.corner_x[at], grid.corner_y[at]) for at in chosen], LINE)
    if every:
        segments = grid_lines(grid, every, extent)
        axes.add_collection(
            LineCollection(segments, colors=LINE, linewidths=0.35, alpha=0.7, zorder=2),
            autolim=False,
        )
    add_colour_bar(figure, axes, field, marks, bool((sea > high).any()))
    room = 1.0 - RIGHT / across
    headline(figure, title, LEFT / across, 1.0 - 0.24 / up, room)
    drawn = {0: "", 1: " · lines of all cells"}.get(every, f" · a line every {every} cells")
    words, size = fitting(f"{grid.words}{drawn}", room * across - LEFT, (8.5, 7.5, 6.5))
    figure.text(LEFT / across, 1.0 - 0.52 / up, words, fontsize=size, va="center")
    return figure


def _around_the_pole(grid: GridShown) -> bool:
    """Whether a curvilinear grid goes round the Earth and far to the north."""
    centers = grid.centers
    return not centers.regular and centers.encloses and bool(grid.corner_y.max() > 80.0)


def _light() -> Colormap:
    """Colours of depths, the darkest left out so that lines stay visible."""
    return ListedColormap(looks.palette("deep")(np.linspace(0.0, 0.7, 256)))


def _draw_boxes(
    axes: Axes,
    grid: GridShown,
    values: Numbers,
    extent: Extent,
    norm: Normalize,
    colours: Colormap,
) -> QuadMesh:
    """Cells of a regular grid, each in one colour."""
    x, turned = windowed(grid.centers, values, extent)
    half = 0.5 * (grid.corner_x[0, 1] - grid.corner_x[0, 0])
    edges = np.append(x - half, x[-1] + half)
    return axes.pcolormesh(edges, grid.corner_y[:, 0], turned, norm=norm, cmap=colours, zorder=1)


def _draw_quadrilaterals(
    axes: Axes,
    grid: GridShown,
    values: Numbers,
    extent: Extent,
    norm: Normalize,
    colours: Colormap,
) -> PolyCollection:
    """Cells of a curvilinear grid between their corners, each in one colour."""
    keep = np.isfinite(values)
    corners = grid.corner_x, grid.corner_y
    around = [(slice(None, -1), slice(None, -1)), (slice(None, -1), slice(1, None)),
              (slice(1, None), slice(1, None)), (slice(1, None), slice(None, -1))]  # fmt: skip
    x, y = (np.stack([plane[at][keep] for at in around], axis=-1) for plane in corners)
    centre = grid.centers.longitude[keep]
    x = centre[:, None] + np.remainder(x - centre[:, None] + 180.0, 360.0) - 180.0
    shapes, cell = shapes_within(x, y, centre, extent)
    cells = PolyCollection(
        list(shapes), array=values[keep][cell], norm=norm, cmap=colours, edgecolors="face",
        linewidths=0.2, zorder=1,
    )  # fmt: skip
    axes.add_collection(cells, autolim=False)
    draw_around_pole(axes, grid.centers, values, extent, norm, colours)
    return cells


def _every(grid: GridShown, every: int) -> list[tuple[int | slice, int | slice]]:
    """Places in planes of corners of every n-th row and column, and of the last ones."""
    nj, ni = grid.corner_x.shape
    rows, columns = (sorted({*range(0, size, every), size - 1}) for size in (nj, ni))
    return [*((j, slice(None)) for j in rows), *((slice(None), i) for i in columns)]


def grid_lines(grid: GridShown, every: int, extent: Extent) -> list[NDArray[np.float64]]:
    """Rows and columns of corners as lines (points, 2), every so many and the last ones.

    Longitudes are turned into the extent, and lines end where they leave it.
    """
    segments = []
    for at in _every(grid, every):
        x, y = grid.corner_x[at], grid.corner_y[at]
        breaks = np.zeros(0, np.int64)
        if grid.centers.geographic:
            x = extent[0] + np.remainder(x - extent[0], 360.0)
            breaks = np.flatnonzero(np.abs(np.diff(x)) > 180.0) + 1
        segments += [
            np.stack([some_x, some_y], axis=1)
            for some_x, some_y in zip(np.split(x, breaks), np.split(y, breaks), strict=True)
            if some_x.size > 1
        ]
    return segments
