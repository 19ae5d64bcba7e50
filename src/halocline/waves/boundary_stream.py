"""Spectra on the active boundary of a nested grid, written for the nested run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halocline.component.streams.stations import Stations
from halocline.core.errors import UserError
from halocline.core.options import option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.waves.point_stream import PointStream


@dataclass(frozen=True, kw_only=True)
class BoundaryStreamOptions(StreamOptions):
    """Spectra on the edges of a nested grid, for the option boundary.file of the nested case."""

    case: str = option(
        "", "", "the nested case, a shipped name or a file; its grid.boundary names the sides"
    )


def boundary_points(nest: Grid, name: str) -> dict[str, tuple[float, float]]:
    """Name and place of every sea point on the active boundary of a nested grid."""
    if nest.boundary is None or not nest.boundary.any():
        raise UserError(
            f"The grid of the case '{name}' has no active boundary, so nothing can be written for"
            " it. Set grid.boundary = ['west', 'east', 'south', 'north'] there, or some of them."
        )
    active = nest.boundary[nest.mask]
    places = zip(nest.point_x[active], nest.point_y[active], strict=True)
    return {f"boundary{n}": (float(x), float(y)) for n, (x, y) in enumerate(places, 1)}


class BoundaryStream(PointStream):
    """Spectra at the points of a nested grid's active boundary.

    They are interpolated as those of other points; where the coarse grid has land only around a
    point, the nearest sea point stands for it.
    """

    def _stations(self, name: str, points: Mapping[str, tuple[float, float]] | None) -> Stations:
        assert points
        return Stations(points, self.grid, nearest_where_land=True)
