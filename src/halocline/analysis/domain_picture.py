"""A picture of where a model computes: a frame for each domain, over coasts where it is a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from halocline.analysis import looks
from halocline.analysis.coastline import Extent, draw_land
from halocline.analysis.grid_picture import LINE, GridShown, grid_lines
from halocline.analysis.map_grid import Numbers, extent_of
from halocline.analysis.maps import prepare_axes
from halocline.analysis.sheet import BOTTOM, LEFT, RIGHT, label_room, panel_size, sheet_size
from halocline.analysis.titles import fitting, headline

COLOURS = ("#1d2329", looks.ORANGE, looks.BLUE, looks.GREEN, looks.PURPLE)
WORDS_ROOM = 0.2
"""Height of a line of words below the title [inch]."""


@dataclass(frozen=True)
class Domain:
    """One domain: its name, its grid, and what is to be said of it in one line."""

    name: str
    grid: GridShown
    words: str


def domains_sheet(
    domains: Sequence[Domain], title: str, every: int, *, region: str | Extent | None = None
) -> Figure:
    """A figure with the frames of all domains, the first around the others.

    Lines of its every n-th cell are drawn of the first one; none with 0. `region` as in `plot`.
    """
    outer = domains[0].grid
    extent = extent_of(region, outer.centers)
    width, height = panel_size(outer.centers, extent, 1)
    label = label_room(outer.centers)
    across, up = sheet_size(1, 1, width, height, label)
    across, up = across - RIGHT + LEFT / 2, up + WORDS_ROOM * (len(domains) - 1)
    left, bottom = LEFT + label[0], BOTTOM + label[1]
    figure = Figure(figsize=(across, up))
    axes = figure.add_axes((left / across, bottom / up, width / across, height / up))
    prepare_axes(axes, outer.centers, extent)
    if outer.centers.geographic:
        draw_land(axes, extent)
    if every:
        lines = grid_lines(outer, every, extent)
        axes.add_collection(
            LineCollection(lines, colors=LINE, linewidths=0.25, alpha=0.5, zorder=2.5),
            autolim=False,
        )
    room = 1.0 - LEFT / 2 / across
    headline(figure, title, LEFT / across, 1.0 - 0.24 / up, room)
    for number, domain in enumerate(domains):
        colour = COLOURS[number % len(COLOURS)]
        _frame(axes, domain, colour, west=extent[0])
        named = f"{domain.name}: {domain.words}" if domain.name else domain.words
        words, size = fitting(named, room * across - LEFT, (8.5, 7.5, 6.5))
        figure.text(
            LEFT / across, 1.0 - (0.52 + number * WORDS_ROOM) / up, words, fontsize=size,
            va="center", color=colour,
        )  # fmt: skip
    return figure


def _frame(axes: Axes, domain: Domain, colour: str, *, west: float) -> None:
    """The outermost corners of a grid as a line, with its name at its north-western corner."""
    x, y = _around(domain.grid.corner_x), _around(domain.grid.corner_y)
    if domain.grid.centers.geographic:
        middle = np.median(domain.grid.centers.longitude)
        middle = west + np.remainder(middle - west, 360.0)
        x = middle + np.remainder(x - middle + 180.0, 360.0) - 180.0
    axes.plot(x, y, color=colour, linewidth=1.6, zorder=3)
    if domain.name:
        nj, ni = domain.grid.corner_x.shape
        at = 2 * (ni - 1) + nj - 1  # the north-western corner
        axes.annotate(
            domain.name, (x[at], y[at]), xytext=(2, 3), textcoords="offset points", color=colour,
            fontweight="bold", fontsize=8.5, zorder=4, annotation_clip=True,
        )  # fmt: skip


def _around(corners: Numbers) -> Numbers:
    """Values around a plane of corners: south, east, north, west, back to the first."""
    return np.concatenate([corners[0], corners[1:, -1], corners[-1, -2::-1], corners[-2::-1, 0]])
