"""Regular grids on maps as a case describes them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import Conic, LatitudeLongitude, Mercator, Projection

on_maps = ("lambert", "polar-stereographic", "mercator", "rotated")


@dataclass(frozen=True, kw_only=True)
class ProjectionOptions(Options):
    """The map of a grid made here whose steps `grid.dx` and `grid.dy` are metres on it."""

    center_longitude: float = option(0.0, "degree", "of the middle of the grid")
    center_latitude: float = option(
        45.0, "degree", "of the middle of the grid", at_least=-90.0, at_most=90.0
    )
    true_latitudes: list[float] = option(
        [],
        "degree",
        "where lengths on the map are true: one or two of Lambert's map, one of the stereographic"
        " one and Mercator's; if not given, that of the middle",
    )
    longitude: float | None = option(
        None, "degree", "of the meridian that runs north on the map; if not given, of the middle"
    )
    pole_longitude: float | None = option(
        None,
        "degree",
        "of the pole of a rotated grid; if not given, the equator of the turned globe and its first"
        " meridian cross in the middle",
    )
    pole_latitude: float | None = option(
        None, "degree", "of the pole of a rotated grid", at_least=-90.0, at_most=90.0
    )
    parents: list[tuple[int, int, int, int, int]] = option(
        [],
        "1",
        "grids that a nest lies in, the outermost first, each [columns, rows, ratio, column, row]:"
        " its size, how many cells of the next grid lie along a side of its own ones, and its cell,"
        " counted from 1, that the next one begins in; the middle is then that of the outermost",
    )

    def projection(self, kind: str, radius: float) -> Projection:
        """The map of a kind of grid on a sphere of a radius [m]."""
        rotated = kind == "rotated"
        others = ("true_latitudes", "longitude") if rotated else ("pole_longitude", "pole_latitude")
        for name in others:
            if getattr(self, name) not in (None, []):
                raise UserError(
                    f"grid.projection.{name} = {getattr(self, name)} says nothing of a grid with"
                    f" grid.kind = '{kind}'. Leave it out."
                )
        if rotated:
            return self._rotated(radius)
        middle = self.center_longitude if self.longitude is None else self.longitude
        most = 2 if kind == "lambert" else 1
        if len(self.true_latitudes) > most:
            raise UserError(
                f"grid.projection.true_latitudes = {self.true_latitudes}: a grid with grid.kind ="
                f" '{kind}' has {most} of them at most."
            )
        latitudes = self.true_latitudes or [self.center_latitude]
        if kind == "lambert":
            return Conic.lambert(latitudes, middle, radius)
        if kind == "mercator":
            return Mercator(latitude=latitudes[0], longitude=middle, radius=radius)
        return Conic.stereographic(latitudes[0], middle, radius)

    def _rotated(self, radius: float) -> LatitudeLongitude:
        """A turned globe: by its pole, or around the middle of the grid."""
        if self.pole_longitude is not None and self.pole_latitude is not None:
            return LatitudeLongitude(pole=(self.pole_longitude, self.pole_latitude), radius=radius)
        if self.pole_longitude is not None or self.pole_latitude is not None:
            raise UserError(
                "A rotated grid has one of grid.projection.pole_longitude and .pole_latitude. Give"
                " both, or none."
            )
        return LatitudeLongitude.around(self.center_longitude, self.center_latitude, radius)


def made_on_map(
    kind: str,
    shape: tuple[int, int],
    steps: tuple[float, float],
    radius: float,
    options: ProjectionOptions,
) -> Projected:
    """So many rows and columns of a kind that is `on_maps`, with steps in x and y [m].

    A nest is found by its parents, so that its lines are theirs.
    """
    parents = options.parents
    if any(ratio < 1 for _, _, ratio, _, _ in parents):
        raise UserError(f"grid.projection.parents = {parents}: a ratio is less than 1.")
    coarser = math.prod(ratio for _, _, ratio, _, _ in parents)
    shapes = [(rows, columns) for columns, rows, *_ in parents] + [shape]
    grid = Projected.around(
        options.projection(kind, radius),
        (options.center_longitude, options.center_latitude),
        (coarser * steps[1], coarser * steps[0]),
        shapes[0],
    )
    for (_, _, ratio, column, row), inner in zip(parents, shapes[1:], strict=True):
        grid = grid.nest(ratio, (row - 1, column - 1), inner)
    return grid
