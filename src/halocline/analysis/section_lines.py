"""Lines of vertical sections: places along them, and where these lie in a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.analysis.map_grid import MapGrid, Numbers, extent_of, nearest_cells
from halocline.analysis.maps import degrees_east, degrees_north
from halocline.analysis.sections import parse_section
from halocline.core.errors import UserError

earth_radius = 6371.0
"""[km]"""


@dataclass(frozen=True)
class SectionLine:
    """Places along a section: longitude and latitude [degree], or x and y [km]; words say where."""

    x: Numbers
    y: Numbers
    words: str
    along: str = ""  # "longitude", "latitude", "x" or "y"; "" between two places
    flat: bool = False  # x and y, not the sphere

    @property
    def axis(self) -> Numbers:
        """What the picture has along it: longitude, latitude, x, y, or the way [km]."""
        if not self.along:
            return self.way
        return self.x if self.along in ("longitude", "x") else self.y

    @property
    def way(self) -> Numbers:
        """From the first place [km]."""
        steps = np.hypot(np.diff(self.x), np.diff(self.y))
        if not self.flat:
            a, b = np.deg2rad(self.x), np.deg2rad(self.y)
            half = np.sin(0.5 * np.diff(b)) ** 2
            half += np.cos(b[1:]) * np.cos(b[:-1]) * np.sin(0.5 * np.diff(a)) ** 2
            steps = 2.0 * earth_radius * np.arcsin(np.sqrt(half))
        return np.concatenate([[0.0], np.cumsum(steps)])


def line_of(grid: MapGrid, section: str, steps: int = 0) -> SectionLine:
    """The places of a section, about one per cell: "latitude=54", "x=10" and the like, or two
    places as "-5,54,0,53", between which they lie on a great circle, or straight on flat grids."""
    if "=" not in section:
        return _between(grid, section, steps)
    along, at = parse_section(section)
    if grid.geographic != (along in ("latitude", "longitude")):
        raise UserError(
            f"There is no line {section} on this grid: write latitude= or longitude=NUMBER on the"
            " sphere, x= or y=NUMBER in km on a Cartesian grid, or two places."
        )
    flat = along in ("x", "y")
    words = f"at {along} = {at:g} km" if flat else f"along {_word(at, along == 'latitude')}"
    x, y = _centres(grid)
    if along in ("latitude", "y"):
        return SectionLine(x, np.full_like(x, at), words, "x" if flat else "longitude", flat)
    return SectionLine(np.full_like(y, at), y, words, "y" if flat else "latitude", flat)


def _centres(grid: MapGrid) -> tuple[Numbers, Numbers]:
    """Places across a grid, about one per cell: its centres where it is regular."""
    if grid.regular:
        return grid.longitude, grid.latitude
    west, east, south, north = extent_of(None, grid)
    dx, dy = (max(step, 1e-3) for step in grid.spacing)
    return np.arange(west + dx / 2, east, dx), np.arange(south + dy / 2, north, dy)


def _word(at: float, is_latitude: bool) -> str:
    return degrees_north(at) if is_latitude else degrees_east(at)


def _between(grid: MapGrid, section: str, steps: int) -> SectionLine:
    try:
        x0, y0, x1, y1 = (float(word) for word in section.split(","))
    except ValueError:
        raise UserError(
            f"'{section}' is not a section. Write latitude=NUMBER, longitude=NUMBER, x=NUMBER or"
            " y=NUMBER, or two places: longitude,latitude,longitude,latitude, or x,y,x,y in km."
        ) from None
    if not grid.geographic:
        count = steps or 1 + int(np.ceil(np.hypot(x1 - x0, y1 - y0) / min(grid.spacing)))
        words = f"from x {x0:g}, y {y0:g} to x {x1:g}, y {y1:g} km"
        line = np.linspace(x0, x1, max(count, 2)), np.linspace(y0, y1, max(count, 2))
        return SectionLine(*line, words, flat=True)
    ends = _unit(np.array([x0, x1]), np.array([y0, y1]))
    arc = float(np.arccos(np.clip(ends[0] @ ends[1], -1.0, 1.0)))
    cell = np.deg2rad(min(grid.spacing[0] * np.cos(np.deg2rad(0.5 * (y0 + y1))), grid.spacing[1]))
    share = np.linspace(0.0, 1.0, max(steps or 1 + int(np.ceil(arc / cell)), 2))[:, None]
    way = (np.sin((1.0 - share) * arc) * ends[0] + np.sin(share * arc) * ends[1]) / np.sin(arc)
    names = [f"{degrees_north(y)} {degrees_east(x)}" for x, y in ((x0, y0), (x1, y1))]
    return SectionLine(
        np.rad2deg(np.arctan2(way[:, 1], way[:, 0])),
        np.rad2deg(np.arcsin(np.clip(way[:, 2], -1.0, 1.0))),
        f"from {names[0]} to {names[1]}",
    )


def _unit(x: Numbers, y: Numbers) -> Numbers:
    a, b = np.deg2rad(x), np.deg2rad(y)
    return np.stack([np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)], axis=-1)


def indices(grid: MapGrid, line: SectionLine) -> tuple[Numbers, Numbers]:
    """Rows and columns of the places of a line, between whole numbers; outside is refused."""
    rows, columns = grid.latitude.shape[0], grid.longitude.shape[-1]
    if grid.regular:
        x = line.x
        if grid.geographic:
            west = grid.longitude[0] - 0.5 * grid.spacing[0] - 1e-9
            x = west + np.mod(x - west, 360.0)
        j, i = _number(grid.latitude, line.y), _number(grid.longitude, x)
    else:
        j, i = _on_curves(grid, line)
    outside = (j < -0.501) | (j > rows - 0.499) | (i < -0.501) | (i > columns - 0.499)
    if outside.any():
        first = int(outside.argmax())
        raise UserError(
            f"The section {line.words} leaves the grid of the file at {line.x[first]:.6g},"
            f" {line.y[first]:.6g}. Choose places inside."
        )
    return np.clip(j, 0.0, rows - 1.0), np.clip(i, 0.0, columns - 1.0)


def _number(centres: Numbers, at: Numbers) -> Numbers:
    """Index of places along ascending centres, straight on beyond the ends."""
    if centres.size == 1:
        return np.zeros_like(at)
    step = centres[1] - centres[0], centres[-1] - centres[-2]
    inside = np.interp(at, centres, np.arange(centres.size, dtype=np.float64))
    before, after = np.minimum(at - centres[0], 0.0), np.maximum(at - centres[-1], 0.0)
    return np.asarray(inside + before / step[0] + after / step[1])


def _on_curves(grid: MapGrid, line: SectionLine) -> tuple[Numbers, Numbers]:
    """By Newton's method on the bilinear cells of a curvilinear grid, from the nearest centre.

    Differences to a place are those in the plane that touches the sphere there.
    """
    nearest, _ = nearest_cells(grid, line.x, line.y)
    j, i = (some.astype(np.float64) for some in np.divmod(nearest, grid.longitude.shape[1]))
    for _ in range(4):
        row = np.clip(np.floor(j), 0, grid.longitude.shape[0] - 2).astype(int)
        column = np.clip(np.floor(i), 0, grid.longitude.shape[1] - 2).astype(int)
        around = [(row + dj, column + di) for dj in (0, 1) for di in (0, 1)]
        turn = [np.deg2rad(grid.longitude[at] - line.x) for at in around]
        north, here = [np.deg2rad(grid.latitude[at]) for at in around], np.deg2rad(line.y)
        a = [np.cos(b) * np.sin(t) for b, t in zip(north, turn, strict=True)]
        b = [
            np.sin(b) * np.cos(here) - np.cos(b) * np.sin(here) * np.cos(t)
            for b, t in zip(north, turn, strict=True)
        ]
        (value_a, aj, ai), (value_b, bj, bi) = (
            _with_slopes(some, j - row, i - column) for some in (a, b)
        )
        size = aj * bi - ai * bj
        j = j - (value_a * bi - value_b * ai) / size
        i = i - (value_b * aj - value_a * bj) / size
    return j, i


def _with_slopes(corners: list[Numbers], j: Numbers, i: Numbers) -> tuple[Numbers, ...]:
    """Bilinear value of four corners (j, i: 00, 01, 10, 11), its slopes along j and along i."""
    low, high = (corners[n] + i * (corners[n + 1] - corners[n]) for n in (0, 2))
    west, east = corners[2] - corners[0], corners[3] - corners[1]
    across = (corners[1] - corners[0]) * (1.0 - j) + (corners[3] - corners[2]) * j
    return low + j * (high - low), west + i * (east - west), across
