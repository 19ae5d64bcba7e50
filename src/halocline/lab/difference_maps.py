"""Pictures of a comparison: A, B and A - B as maps, and the growth of differences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from halocline.analysis import looks, maps, reading
from halocline.analysis.coastline import draw_land
from halocline.analysis.map_grid import Grid, extent_of, grid_of, values_on, windowed
from halocline.analysis.sheet import panel_size
from halocline.lab.differences import Difference, less
from halocline.lab.outputs import Output

smallest_power = -3
"""Differences below a thousandth of their units are drawn in powers of ten of them."""


def draw_maps(a: Output, b: Output, found: Difference, path: Path) -> bool:
    """Maps of the record, and level, of the largest difference; False where there is no map."""
    data = [_plane(output, found) for output in (a, b)]
    if data[0] is None or data[1] is None:
        return False
    grid = grid_of(data[0])
    first, second = (values_on(grid, one) for one in (data[0], data[1]))
    away = less(first, second, cyclic=a.cyclic(found.name))
    extent = extent_of(None, grid, first)
    look = looks.look_of(data[0])
    low, high, marks = looks.limits(np.concatenate([first, second]), look.scale)
    with looks.style():
        width, height = panel_size(grid, extent, 2)
        width, height = 0.75 * width, 0.75 * height
        figure = Figure(figsize=(width + 1.7, 3.0 * height + 2.6))
        titles = [f"{letter}: {name_of(o.path)}" for letter, o in zip("AB", (a, b), strict=True)]
        coast = grid.geographic and maps.has_land(a.decoded, data[0])
        for number, values in enumerate((first, second, away)):
            place = (0.6, 0.35 + (2 - number) * (height + 0.65), width, height)
            size = (width + 1.7, 3.0 * height + 2.6)
            box = [part / size[at % 2] for at, part in enumerate(place)]
            axes = figure.add_axes((box[0], box[1], box[2], box[3]))
            if number < 2:
                units = looks.units_of(data[0])
                _panel(figure, axes, grid, values, extent, Normalize(low, high), look, marks, coast)
                axes.set_title(f"{titles[number]}{f' [{units}]' if units else ''}")
            else:
                _difference(figure, axes, grid, values, extent, coast, looks.units_of(data[0]))
        time = reading.valid_time(data[0])
        name = looks.title_of(data[0])
        figure.text(0.03, 0.985, name, fontsize=12.0, fontweight="bold", va="top")
        when = f"{time}  {_level(a, found)}".strip()
        lower = 0.985 - 0.28 / (3.0 * height + 2.6)
        figure.text(0.03, lower, when, fontsize=9.0, va="top")
        figure.savefig(path, dpi=110)
    return True


def name_of(path: Path) -> str:
    """A file with its folder, which often says more than its name.

    >>> name_of(Path("results/gcc/maps.nc"))
    'gcc/maps.nc'
    """
    return str(Path(*path.absolute().parts[-2:]))


def _plane(output: Output, found: Difference) -> xr.DataArray | None:
    """The horizontal plane that holds the largest difference."""
    name, data = found.name, output.decoded[found.name]
    if name not in reading.fields_of(output.decoded) or not found.index:
        return None
    latitude, longitude = reading.horizontal(data)
    flat = {*latitude.dims, *longitude.dims}
    rest = [d for d in data.dims if d != output.time]
    some = {d: at for d, at in zip(rest, found.index, strict=True) if d not in flat}
    if output.time in data.dims:
        some[output.time] = found.record
    return data.isel(some)


def _level(output: Output, found: Difference) -> str:
    """Where the plane lies besides its time."""
    data = output.decoded[found.name]
    latitude, longitude = reading.horizontal(data)
    flat = {*latitude.dims, *longitude.dims, output.time}
    rest = [d for d in data.dims if d != output.time]
    return ", ".join(
        f"{d} {float(data[d][at]):.6g}" if d in data.coords else f"{d} {at}"
        for d, at in zip(rest, found.index, strict=True)
        if d not in flat
    )


def _panel(
    figure: Figure,
    axes: Axes,
    grid: Grid,
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    extent: tuple[float, float, float, float],
    norm: Normalize,
    look: looks.Look,
    marks: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    coast: bool,
) -> None:
    maps.prepare_axes(axes, grid, extent)
    if grid.regular:
        # Cell by cell: a difference at one point is not to be smoothed away.
        x, turned = windowed(grid, values, extent)
        field: maps.Field = axes.pcolormesh(
            x, grid.latitude, turned, norm=norm, cmap=look.colours, zorder=1
        )
    else:
        field = maps.draw_field(axes, grid, values, extent, norm, look)
    if coast:
        draw_land(axes, extent)
    maps.add_colour_bar(figure, axes, field, marks)


def _difference(
    figure: Figure,
    axes: Axes,
    grid: Grid,
    away: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    extent: tuple[float, float, float, float],
    coast: bool,
    units: str,
) -> None:
    """The map of A - B: colours are symmetric about zero, and reach to the largest difference."""
    largest = float(np.nanmax(np.abs(away))) if np.isfinite(away).any() else 0.0
    power = int(np.floor(np.log10(largest))) if largest > 0.0 else 0
    power = power if power < smallest_power else 0
    scaled = away / 10.0**power
    end = largest / 10.0**power or 1.0
    marks = np.linspace(-end, end, 5)
    norm = Normalize(-end, end)
    look = looks.Look("balance", "around zero")
    _panel(figure, axes, grid, scaled, extent, norm, look, np.round(marks, 2), coast)
    factor = f"10$^{{{power}}}$ " if power else ""
    words = f"{factor}{units}".strip()
    axes.set_title(f"A - B{f' [{words}]' if words else ''}")


def draw_growth(a: Output, found: Sequence[Difference], path: Path) -> bool:
    """The relative size of differences over time; False where there are none in time."""
    hours = a.seconds / 3600.0
    lines = [d for d in found if len(d.rms_by_record) == hours.size > 1 and d.rms > 0.0]
    if not lines:
        return False
    colours = (looks.BLUE, looks.ORANGE, looks.GREEN, looks.PURPLE)
    dashes = ("-", "--", ":")
    with looks.style():
        figure = Figure(figsize=(7.0, 4.2), layout="constrained")
        axes = figure.subplots()
        for number, (one, colour) in enumerate(zip(lines, cycle(colours))):
            scale = one.rms / one.relative if np.isfinite(one.relative) else 1.0
            y = np.array(one.rms_by_record) / scale
            label = one.name
            if one.growth:
                label += f", doubles in {one.growth.doubling / 3600.0:.3g} h"
            style = dashes[number // len(colours) % len(dashes)]
            y = np.where(y > 0.0, y, np.nan)
            axes.semilogy(hours, y, style, color=colour, label=label, marker="o", markersize=3)
        axes.set_xlabel("hours since the first record")
        axes.set_ylabel("rms of A - B over rms of A")
        axes.set_title("Growth of differences")
        axes.grid(color="white", linewidth=0.8)
        axes.legend(fontsize=7.5)
        figure.savefig(path, dpi=110)
    return True
