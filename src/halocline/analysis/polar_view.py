"""Cells and lines of a grid seen from above the North Pole, where maps of longitude tell little."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Colormap, Normalize
from matplotlib.patches import Circle

from halocline.analysis.map_grid import Numbers
from halocline.analysis.maps import degrees_east

SOUTH = 50.0
"""Latitude of the rim [degree]."""


def from_north(longitude: Numbers, latitude: Numbers) -> Numbers:
    """Points on the stereographic plane, Greenwich below the pole; shape (..., 2).

    >>> from_north(np.array([180.0]), np.array([0.0])).round(9).tolist()
    [[0.0, 1.0]]
    """
    radius = np.tan(np.deg2rad(45.0 - 0.5 * np.asarray(latitude)))
    angle = np.deg2rad(longitude)
    return np.stack([radius * np.sin(angle), -radius * np.cos(angle)], axis=-1)


class PolarView:
    """A round picture of all that lies north of `SOUTH` on one pair of axes."""

    def __init__(self, axes: Axes) -> None:
        self.axes, edge = axes, float(np.hypot(*from_north(np.zeros(()), np.array(SOUTH))))
        axes.set_xlim(-1.12 * edge, 1.12 * edge)
        axes.set_ylim(-1.12 * edge, 1.12 * edge)
        axes.set_aspect("equal")
        axes.set_axis_off()
        self.rim = Circle((0.0, 0.0), edge, fill=False, linewidth=0.6, zorder=3)
        axes.add_patch(self.rim)
        for longitude in (0.0, 90.0, 180.0, 270.0):
            x, y = 1.06 * from_north(np.array(longitude), np.array(SOUTH))
            turned = 90.0 if longitude in (90.0, 270.0) else 0.0
            axes.text(
                x, y, degrees_east(longitude), fontsize=7.5, ha="center", va="center",
                rotation=turned,
            )  # fmt: skip

    def cells(
        self, corner_x: Numbers, corner_y: Numbers, values: Numbers, norm: Normalize, map: Colormap
    ) -> None:
        """Cells (j, i) between their corners, each in one colour, none where a value is NaN."""
        points = from_north(corner_x, np.maximum(corner_y, SOUTH - 40.0))
        keep = np.isfinite(values) & (corner_y[1:, 1:] > SOUTH - 20.0)
        around = (np.s_[:-1, :-1], np.s_[:-1, 1:], np.s_[1:, 1:], np.s_[1:, :-1])
        shapes = np.stack([points[at][keep] for at in around], axis=1)
        self._add(
            PolyCollection(
                list(shapes), array=values[keep], norm=norm, cmap=map, edgecolors="face",
                linewidths=0.2, zorder=1,
            )
        )  # fmt: skip

    def lines(self, lines: list[tuple[Numbers, Numbers]], colour: str) -> None:
        """Lines through points (longitude, latitude)."""
        shown = [
            from_north(x, np.where(y > SOUTH - 20.0, y, np.nan)) for x, y in lines if x.size > 1
        ]
        self._add(LineCollection(shown, colors=colour, linewidths=0.35, alpha=0.7, zorder=2))

    def _add(self, collection: PolyCollection | LineCollection) -> None:
        self.axes.add_collection(collection, autolim=False)
        collection.set_clip_path(self.rim)
