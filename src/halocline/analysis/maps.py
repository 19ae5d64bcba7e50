"""Maps of gridded fields: equirectangular, global or regional, land over field, with arrows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import Collection, PolyCollection, QuadMesh
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.quiver import Barbs, Quiver
from matplotlib.text import Text

from halocline.analysis import looks, reading
from halocline.analysis.arrows import draw_arrows
from halocline.analysis.coastline import Extent, draw_land, inland_at
from halocline.analysis.map_grid import (
    MapGrid,
    Numbers,
    carried_to_coast,
    cell_shapes,
    evenly_spaced,
    extent_of,
    grid_of,
    nearest_cells,
    values_on,
    values_within,
    windowed,
)
from halocline.analysis.titles import panel_title
from halocline.analysis.undefined import draw_undefined, undefined_cells
from halocline.analysis.wave_fields import HEIGHT, Arrows

NO_WAVES = 0.005
"""Where waves are lower [m], they have no period and no direction."""
POLAR = 84.0
"""Latitude beyond which cells of curvilinear grids may go round the pole [degree]."""
WIDE = 7.4
"""Maps that are wider [inch] have a colour bar no wider than that of such a one."""

Field = AxesImage | QuadMesh | PolyCollection


def prepare_axes(axes: Axes, grid: MapGrid, extent: Extent) -> None:
    """Frame, degree marks and the ratio of the axes (true at the middle latitude of a region)."""
    west, east, south, north = extent
    axes.set_xlim(west, east)
    axes.set_ylim(south, north)
    axes.tick_params(length=2.5, pad=2.0)
    if not grid.geographic:
        axes.set_aspect("equal" if 0.2 < (north - south) / (east - west) < 5.0 else "auto")
        axes.set_xlabel("x [km]")
        axes.set_ylabel("y [km]")
        return
    middle = np.deg2rad(0.5 * (south + north))
    axes.set_aspect(1.0 if east - west > 180.0 else 1.0 / float(np.cos(middle)))
    step_x, step_y = degree_step(east - west, 7), degree_step(north - south, 6)
    x = np.arange(np.ceil(west / step_x), np.floor(east / step_x) + 0.5) * step_x
    y = np.arange(np.ceil(south / step_y), np.floor(north / step_y) + 0.5) * step_y
    axes.set_xticks(x, [degrees_east(value) for value in x])
    axes.set_yticks(y, [degrees_north(value) for value in y])


def degree_step(span: float, parts: int) -> float:
    """A round step [degree] that cuts a span into at most so many parts."""
    steps = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0]
    return next((step for step in steps if span / step <= parts), 90.0)


def degrees_east(value: float) -> str:
    """A longitude as printed.

    >>> degrees_east(270.0), degrees_east(-360.0)
    ('90°W', '0°')
    """
    turned = np.remainder(value + 180.0, 360.0) - 180.0
    letter = "" if turned in (0.0, -180.0) else ("E" if turned > 0.0 else "W")
    return f"{abs(turned):g}°{letter}"


def degrees_north(value: float) -> str:
    """A latitude as printed."""
    letter = "" if value == 0.0 else ("N" if value > 0.0 else "S")
    return f"{abs(value):g}°{letter}"


def draw_field(
    axes: Axes, grid: MapGrid, values: Numbers, extent: Extent, norm: Normalize, look: looks.Look
) -> Field:
    """Colour the cells: smoothly on evenly spaced latitudes and longitudes, else cell by cell."""
    if grid.regular:
        x, turned = windowed(grid, values, extent)
        if evenly_spaced(x) and evenly_spaced(grid.latitude):
            return _draw_smooth(axes, x, grid.latitude, turned, norm, look)
        mesh = axes.pcolormesh(x, grid.latitude, turned, norm=norm, cmap=look.colours, zorder=1)
        return mesh
    return _draw_cells(axes, grid, values, extent, norm, look)


def _draw_smooth(
    axes: Axes, x: Numbers, y: Numbers, values: Numbers, norm: Normalize, look: looks.Look
) -> AxesImage:
    dx, dy = x[1] - x[0], y[1] - y[0]
    box = (x[0] - dx / 2, x[-1] + dx / 2, y[0] - dy / 2, y[-1] + dy / 2)
    cyclic = look.scale == "direction"
    return axes.imshow(
        np.ma.masked_invalid(values if cyclic else _edges_filled(values)),
        extent=box,
        origin="lower",
        interpolation="nearest" if cyclic else "bilinear",
        norm=norm,
        cmap=look.colours,
        aspect=axes.get_aspect(),
        zorder=1,
    )


def _edges_filled(values: Numbers) -> Numbers:
    """Empty outermost rows and columns (closed sides) take the values beside them.

    Half of such a cell at most is drawn, where colours run on instead of fading out.
    """
    filled = values.copy()
    for ordered in (filled, filled[::-1], filled.T, filled.T[::-1]):
        known = np.flatnonzero(np.isfinite(ordered).any(axis=1))
        if len(known) and known[0] == 1:
            ordered[0] = ordered[1]
    return filled


def _draw_cells(
    axes: Axes, grid: MapGrid, values: Numbers, extent: Extent, norm: Normalize, look: looks.Look
) -> PolyCollection:
    """Cells of a curvilinear grid as quadrilaterals."""
    keep = np.isfinite(values)
    shapes, cell = cell_shapes(grid, keep, extent)
    cells = PolyCollection(
        list(shapes),
        array=values[keep][cell],
        norm=norm,
        cmap=look.colours,
        edgecolors="none",
        linewidths=0.0,
        antialiaseds=False,
        zorder=1,
    )
    axes.add_collection(cells, autolim=False)
    draw_around_pole(axes, grid, values, extent, norm, look.colours)
    return cells


def draw_around_pole(
    axes: Axes, grid: MapGrid, values: Numbers, extent: Extent, norm: Normalize, colours: Colormap
) -> None:
    """Colour what lies around the North Pole, under the cells there, whose sides are no straight
    lines on a map: each place as the nearest cell."""
    if not (grid.encloses and extent[3] > POLAR and grid.latitude.max() > POLAR):
        return
    north = grid.latitude > POLAR - 4.0
    cells = MapGrid(grid.longitude[north], grid.latitude[north], False, grid.dimensions)
    x = np.arange(extent[0] + 0.5, extent[1], 1.0)
    y = np.arange(POLAR + 0.25, extent[3], 0.5)
    nearest, away = nearest_cells(cells, *(plane.ravel() for plane in np.meshgrid(x, y)))
    shown = np.where(away < 2.0 * max(grid.spacing), values[north][nearest], np.nan)
    axes.pcolormesh(
        x, y, np.ma.masked_invalid(shown.reshape(y.size, x.size)), norm=norm, cmap=colours,
        zorder=0.95,
    )  # fmt: skip


def draw_contours(
    axes: Axes, grid: MapGrid, values: Numbers, extent: Extent, levels: Numbers
) -> None:
    """Thin lines at `levels` over a smoothly coloured field, labelled by the colour bar only."""
    if not grid.regular or min(values.shape) < 4:
        return
    x, turned = windowed(grid, values, extent)
    if not (evenly_spaced(x) and evenly_spaced(grid.latitude)):
        return
    axes.contour(
        x, grid.latitude, np.ma.masked_invalid(turned), levels=levels, colors="white",
        linewidths=0.4, alpha=0.4, zorder=1.3,
    )  # fmt: skip


def add_colour_bar(
    figure: Figure,
    axes: Axes,
    shown: ScalarMappable,
    marks: Numbers,
    beyond: bool = False,
) -> None:
    """A slim colour bar to the right of the map, pointed if values lie `beyond` its end.

    Beside wide maps it is no wider, so that its labels have room; those of numbers below 0.01 have
    a common power of ten over the bar.
    """
    width = figure.get_figwidth() * axes.get_position().width
    share = min(1.0, WIDE / width)
    place = axes.inset_axes((1.0 + 0.015 * share, 0.0, 0.02 * share, 1.0))
    extend = "max" if beyond else "neither"
    bar = figure.colorbar(shown, cax=place, ticks=list(marks), extend=extend, extendfrac=0.03)
    bar.outline.set_linewidth(0.5)
    place.ticklabel_format(axis="y", scilimits=(-3, 5))
    place.tick_params(length=2.0, pad=2.0)


@dataclass
class DrawnMap:
    """One drawn map: its axes, its colours, and what stands on them."""

    axes: Axes
    grid: MapGrid
    extent: Extent
    coast: bool
    field: Field
    undefined: Collection | None
    norm: Normalize
    arrows: Quiver | Barbs | None
    title: Text


def shown_values(grid: MapGrid, dataset: xr.Dataset, data: xr.DataArray) -> Numbers:
    """Values of shape (j, i) that say something, NaN elsewhere.

    Depths of the sea floor are empty on land, where files have 0; periods, directions and spreads
    where there are no waves, as under ice.
    """
    values = values_on(grid, data)
    name = str(data.attrs.get("standard_name", ""))
    if "sea_floor_depth" in name:
        return np.where(values > 0.0, values, np.nan)
    height = reading.find(dataset, HEIGHT)
    with_height = "sea_surface" in name and "wave" in name and "height" not in name
    if height is not None and with_height and set(height.dims) == set(data.dims):
        return np.where(values_on(grid, height) >= NO_WAVES, values, np.nan)
    return values


def has_land(dataset: xr.Dataset, data: xr.DataArray) -> bool:
    """Whether the sea of a file keeps to the coasts, or its fields are those of the air.

    Idealised cases lie on a map, but their sea knows no land.
    """
    words = f"{data.attrs.get('standard_name', '')} {data.attrs.get('long_name', '')}"
    height = reading.find(dataset, HEIGHT)
    marine = reading.record(height, -1) if height is not None else data
    if height is None and any(word in words for word in ("wind", "air", "pressure", "ice")):
        return True
    grid = grid_of(marine)
    return not _goes_inland(grid, values_on(grid, marine))


def coast_of(
    dataset: xr.Dataset, data: xr.DataArray, grid: MapGrid, values: Numbers
) -> tuple[bool, bool]:
    """Whether a map has coasts, and whether there are values over land, which it must not hide."""
    over_land = reading.find(dataset, "surface_altitude") is not None
    coast = grid.geographic and (over_land or has_land(dataset, data))
    return coast, over_land or (coast and _goes_inland(grid, values))


def _goes_inland(grid: MapGrid, values: Numbers) -> bool:
    """Whether most cells far from the sea have values."""
    x, y = (
        np.meshgrid(grid.longitude, grid.latitude)
        if grid.regular
        else (grid.longitude, grid.latitude)
    )
    inland = inland_at(x, y)
    return bool(inland.any() and np.isfinite(values[inland]).mean() >= 0.5)


def level_words(data: xr.DataArray) -> str:
    """The height or the pressure of a field that has one, " at 500 hPa"; '' of depths."""
    level = reading.coordinate(data, "depth")
    if level is None or level.ndim or not np.issubdtype(level.dtype, np.number):
        return ""
    if level.attrs.get("standard_name") == "air_pressure":
        return f" at {float(level) * (0.01 if level.attrs.get('units') == 'Pa' else 1.0):g} hPa"
    return f" at {float(level):g} m" if level.attrs.get("positive") == "up" else ""


def draw_map(
    figure: Figure,
    axes: Axes,
    dataset: xr.Dataset,
    data: xr.DataArray,
    *,
    extent: Extent | None = None,
    arrows: Arrows = "auto",
    across: int = 40,
    seen: Numbers | None = None,
    contours: bool = True,
) -> DrawnMap:
    """Draw one record of one variable as a map with colour bar, coast, arrows and title.

    `dataset` is the same record of the whole file, where directions and wind are looked for;
    `seen` holds all values the colour scale must cover (those drawn, if not given).
    """
    grid = grid_of(data)
    values = shown_values(grid, dataset, data)
    extent = extent or extent_of(None, grid, values)
    look = looks.look_of(data)
    seen = values_within(grid, values, extent) if seen is None else seen
    low, high, marks = looks.limits(seen, look.scale)
    prepare_axes(axes, grid, extent)
    norm = Normalize(low, high)
    coast, over_land = coast_of(dataset, data, grid, values)
    everywhere = "streamfunction" in str(data.attrs.get("standard_name", ""))
    sea = coast and not over_land
    painted = carried_to_coast(grid, values, everywhere=everywhere) if sea else values
    field = draw_field(axes, grid, painted, extent, norm, look)
    empty = undefined_cells(grid, dataset, data, values)
    undefined = draw_undefined(axes, grid, empty, painted, extent)
    if look.contours and contours:
        draw_contours(axes, grid, painted, extent, marks[1:-1])
    if coast:
        draw_land(axes, extent, filled=sea)
    ink = looks.ink_on(look)
    drawn = draw_arrows(axes, grid, dataset, data, extent, arrows, across, ink)
    units = looks.units_of(data)
    name = looks.title_of(data)
    title = panel_title(axes, (f"{name} [{units}]" if units else name) + level_words(data))
    add_colour_bar(figure, axes, field, marks, bool((seen > high).any()))
    return DrawnMap(axes, grid, extent, coast, field, undefined, norm, drawn, title)
