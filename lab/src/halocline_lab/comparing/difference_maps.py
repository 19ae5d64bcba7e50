"""Pictures of a comparison: A, B and A - B as maps, and the growth of differences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from halocline.analysis import looks, maps, reading
from halocline.analysis.coastline import Extent, draw_land
from halocline.analysis.map_grid import MapGrid, extent_of, grid_of, values_on, windowed
from halocline.analysis.sheet import panel_size
from halocline_lab.comparing.differences import Difference, less
from halocline_lab.comparing.outputs import Numbers, Output

plain_powers = range(-1, 3)
"""Differences from 0.1 to 1000 are drawn in their units, others in powers of ten of them."""


def draw_maps(a: Output, b: Output, found: Difference, path: Path) -> bool:
    """Maps of the record, and level, of the largest difference; False where there is no map."""
    first, second = (_plane(output, found) for output in (a, b))
    if first is None or second is None:
        return False
    grid, look, units = grid_of(first), looks.look_of(first), looks.units_of(first)
    values = [values_on(grid, data) for data in (first, second)]
    low, high, marks = looks.limits(np.concatenate(values), look.scale)
    extent = extent_of(None, grid, values[0])
    coast, over_land = maps.coast_of(a.decoded, first, grid, values[0])
    page = _Page(grid, extent, units, coast=coast, over_land=over_land)
    with looks.style():
        for letter, output, some in zip("AB", (a, b), values, strict=True):
            title = f"{letter}: {name_of(output.path)}"
            page.draw(some, Normalize(low, high), look, marks, title, units)
        page.draw_difference(less(*values, cyclic=a.cyclic(found.name)))
        when = f"{reading.valid_time(first)}  {_level(a, found)}".strip()
        page.head(looks.title_of(first), when)
        page.figure.savefig(path, dpi=110)
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
    words = []
    for dimension, at in zip(rest, found.index, strict=True):
        if dimension not in flat:
            known = dimension in data.coords and data[dimension].dtype.kind in "iuf"
            value = f"{float(data[dimension][at]):.6g}" if known else f"[{at}]"
            words.append(f"{dimension} {value}")
    return ", ".join(words)


class _Page:
    """A figure with three maps of one grid below each other."""

    def __init__(
        self, grid: MapGrid, extent: Extent, units: str, *, coast: bool, over_land: bool
    ) -> None:
        self.grid, self.extent, self.units = grid, extent, units
        self.coast, self.over_land = coast, over_land
        width, height = panel_size(grid, extent, 2)
        self.panel = 0.75 * width, 0.75 * height
        self.size = self.panel[0] + 1.7, 3.0 * self.panel[1] + 3.1
        self.figure = Figure(figsize=self.size)
        self.drawn = 0

    def head(self, name: str, when: str) -> None:
        """What all three maps show."""
        self.figure.text(0.03, 0.985, name, fontsize=12.0, fontweight="bold", va="top")
        self.figure.text(0.03, 0.985 - 0.28 / self.size[1], when, fontsize=9.0, va="top")

    def draw(
        self,
        values: Numbers,
        norm: Normalize,
        look: looks.Look,
        marks: Numbers,
        title: str,
        units: str,
    ) -> None:
        """Draw the next map, cell by cell: a difference at one point is not smoothed away."""
        width, height = self.panel
        left, below = 0.65, 0.5 + (2 - self.drawn) * (height + 0.8)
        across, up = self.size
        axes = self.figure.add_axes((left / across, below / up, width / across, height / up))
        maps.prepare_axes(axes, self.grid, self.extent)
        if self.grid.regular:
            x, turned = windowed(self.grid, values, self.extent)
            y = self.grid.latitude
            field: maps.Field = axes.pcolormesh(
                x, y, turned, norm=norm, cmap=look.colours, zorder=1
            )
        else:
            field = maps.draw_field(axes, self.grid, values, self.extent, norm, look)
        if self.coast:
            draw_land(axes, self.extent, filled=not self.over_land)
        maps.add_colour_bar(self.figure, axes, field, marks)
        axes.set_title(f"{title} [{units}]" if units else title)
        self.drawn += 1

    def draw_difference(self, away: Numbers) -> None:
        """Draw A - B: colours are symmetric about zero and reach to the largest difference."""
        largest = float(np.nanmax(np.abs(away))) if np.isfinite(away).any() else 0.0
        power = int(np.floor(np.log10(largest))) if largest > 0.0 else 0
        power = 0 if power in plain_powers else power
        end = np.ceil(50.0 * largest / 10.0**power) / 50.0 or 1.0
        factor = f"10$^{{{power}}}$ " if power else ""
        self.draw(
            away / 10.0**power,
            Normalize(-end, end),
            looks.Look("balance", "around zero"),
            np.linspace(-end, end, 5),
            "A - B",
            f"{factor}{self.units}".strip(),
        )


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
        axes.set_xlim(-0.02 * hours[-1], 1.02 * hours[-1])
        axes.set_xlabel("hours since the first record")
        axes.set_ylabel("rms of A - B over rms of A")
        axes.set_title("Growth of differences")
        axes.grid(color="white", linewidth=0.8)
        axes.legend(fontsize=7.5)
        figure.savefig(path, dpi=110)
    return True
