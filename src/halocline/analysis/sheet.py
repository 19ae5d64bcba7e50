"""Sheets: one figure with the maps of one time, such as a wave forecast."""

from __future__ import annotations

import math
from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from halocline.analysis import reading
from halocline.analysis.coastline import Extent
from halocline.analysis.map_grid import MapGrid, Numbers, extent_of, grid_of, values_on
from halocline.analysis.maps import DrawnMap, draw_map
from halocline.analysis.titles import headline
from halocline.analysis.undefined import NOTE
from halocline.analysis.wave_fields import Arrows

MAP_WIDTH, LARGEST_WIDTH = 7.4, 10.0
LEFT, RIGHT, TOP, BOTTOM, GAP_X, GAP_Y = 0.52, 0.74, 0.78, 0.34, 1.12, 0.62
LABEL_X, LABEL_Y = 0.24, 0.1
"""What labels of axes need beside the marks, of maps that have any [inch]."""
PAGE = 1.4
"""Width over height of a page that is easy to look at."""


def map_sheet(
    dataset: xr.Dataset,
    variables: list[xr.DataArray],
    *,
    region: str | Extent | None = None,
    arrows: Arrows = "auto",
    title: str = "",
    seen: Numbers | Mapping[str, Numbers] | None = None,
    contours: bool = True,
) -> tuple[Figure, list[DrawnMap]]:
    """A figure with one map of each variable, all of one box and of the record in `dataset`.

    `seen` (of all maps, or by the name of the variable) and `contours` as in `draw_map`.
    """
    first = variables[0]
    grid = grid_of(first)
    extent = extent_of(region, grid, values_on(grid, first))
    label = label_room(grid)
    width, height = panel_size(grid, extent, len(variables))
    columns = columns_of(len(variables), width, height, label)
    rows = math.ceil(len(variables) / columns)
    total_x, total_y = sheet_size(columns, rows, width, height, label)
    figure = Figure(figsize=(total_x, total_y))
    drawn = []
    for number, variable in enumerate(variables):
        row, column = divmod(number, columns)
        x = LEFT + label[0] + column * (width + GAP_X + label[0])
        y = BOTTOM + label[1] + (rows - 1 - row) * (height + GAP_Y + label[1])
        axes = figure.add_axes((x / total_x, y / total_y, width / total_x, height / total_y))
        across = 46 if len(variables) == 1 else 38
        drawn.append(
            draw_map(
                figure,
                axes,
                dataset,
                variable,
                extent=extent,
                arrows=arrows,
                across=across,
                seen=seen.get(str(variable.name)) if isinstance(seen, Mapping) else seen,
                contours=contours,
            )
        )
    hatched = any(each.undefined is not None for each in drawn)
    figure.text(
        LEFT / total_x, 1.0 - 0.44 / total_y, NOTE, fontsize=8.0, va="center", visible=hatched
    )
    time = reading.valid_time(variables[0])
    headline(
        figure, title, LEFT / total_x, 1.0 - 0.24 / total_y, 1.0 - RIGHT / total_x,
        time and f"valid {time}",
    )  # fmt: skip
    return figure, drawn


def label_room(grid: MapGrid) -> tuple[float, float]:
    """What labels of axes take at the left and below [inch]: marks of degrees have none."""
    return (0.0, 0.0) if grid.geographic else (LABEL_X, LABEL_Y)


def columns_of(
    panels: int, width: float, height: float, label: tuple[float, float] = (0.0, 0.0)
) -> int:
    """Columns for so many maps of this size [inch]: the sheet nearest to the shape of a page.

    >>> columns_of(3, 5.0, 5.0), columns_of(3, 7.4, 3.0), columns_of(4, 5.0, 5.0)
    (3, 1, 2)
    """

    def away(columns: int) -> float:
        across, up = sheet_size(columns, math.ceil(panels / columns), width, height, label)
        return abs(math.log(across / up / PAGE))

    full = [n for n in range(1, panels + 1) if panels % n == 0 or panels > 4]
    return min(full, key=away)


def sheet_size(
    columns: int,
    rows: int,
    width: float,
    height: float,
    label: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, float]:
    """Width and height of a sheet [inch] whose maps have this width, height and room of labels."""
    across = LEFT + RIGHT + columns * (width + label[0]) + (columns - 1) * GAP_X
    return across, TOP + BOTTOM + rows * (height + label[1]) + (rows - 1) * GAP_Y


def panel_size(grid: MapGrid, extent: Extent, panels: int) -> tuple[float, float]:
    """Width and height of one map [inch], in the proportions of its box."""
    west, east, south, north = extent
    ratio = (north - south) / (east - west)
    if not grid.geographic:
        ratio = ratio if 0.2 < ratio < 5.0 else 0.5
    elif east - west <= 180.0:
        ratio /= math.cos(math.radians(0.5 * (south + north)))
    width = LARGEST_WIDTH if panels == 1 else MAP_WIDTH
    tallest = 7.0 if panels == 1 else 5.2
    width = min(width, tallest / ratio)
    return width, width * ratio
