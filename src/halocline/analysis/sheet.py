"""Sheets: one figure with the maps of one time, such as a wave forecast."""

from __future__ import annotations

import math
import textwrap

import xarray as xr
from matplotlib.figure import Figure

from halocline.analysis import reading
from halocline.analysis.coastline import Extent
from halocline.analysis.map_grid import Grid, Numbers, extent_of, grid_of, values_on
from halocline.analysis.maps import DrawnMap, draw_map
from halocline.analysis.wave_fields import Arrows

MAP_HEIGHT, MAP_WIDTH, LARGEST_WIDTH = 3.6, 7.4, 10.0


def map_sheet(
    dataset: xr.Dataset,
    variables: list[xr.DataArray],
    *,
    region: str | Extent | None = None,
    arrows: Arrows = "auto",
    title: str = "",
    seen: Numbers | None = None,
    contours: bool = True,
) -> tuple[Figure, list[DrawnMap]]:
    """A figure with one map of each variable, all of one box and of the record in `dataset`.

    `seen` and `contours` as in `draw_map`.
    """
    columns = 1 if len(variables) in (1, 3) else 2
    rows = math.ceil(len(variables) / columns)
    first = variables[0]
    grid = grid_of(first)
    extent = extent_of(region, grid, values_on(grid, first))
    width, height = panel_size(grid, extent, len(variables))
    left, right, top, bottom, gap_x, gap_y = 0.52, 0.68, 0.78, 0.34, 1.12, 0.62
    total_x = left + right + columns * width + (columns - 1) * gap_x
    total_y = top + bottom + rows * height + (rows - 1) * gap_y
    figure = Figure(figsize=(total_x, total_y))
    drawn = []
    for number, variable in enumerate(variables):
        row, column = divmod(number, columns)
        x = left + column * (width + gap_x)
        y = bottom + (rows - 1 - row) * (height + gap_y)
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
                seen=seen,
                contours=contours,
            )
        )
    _headline(figure, drawn[0], title, reading.valid_time(variables[0]), left, right)
    return figure, drawn


def panel_size(grid: Grid, extent: Extent, panels: int) -> tuple[float, float]:
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


def _headline(
    figure: Figure, drawn: DrawnMap, title: str, time: str, left: float, right: float
) -> None:
    width, height = figure.get_size_inches()
    y = 1.0 - 0.24 / height
    room = int((width - left - right - 2.6) / 0.125)
    title = textwrap.shorten(title, max(room, 16), placeholder=" ...")
    figure.text(left / width, y, title, fontsize=13.5, fontweight="bold", va="center")
    figure.text(
        1.0 - right / width, y, time and f"valid {time}", fontsize=11.0, ha="right", va="center"
    )
