"""Regular grids on a map of the sphere, and nests in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.metrics import Metrics
from halocline.grids.horizontal.projections import Projection
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Projected:
    """A grid whose lines are straight and equally far apart on a map.

    A length on the sphere is that on the map by the map factor, so that `at` gives true lengths;
    areas are their products.
    """

    projection: Projection
    face_x: Array  # of western faces and the last eastern one on the map [m], shape (ni + 1,)
    face_y: Array  # of southern faces and the last northern one [m], shape (nj + 1,)

    @classmethod
    def around(
        cls,
        projection: Projection,
        center: tuple[float, float],
        steps: tuple[float, float],
        shape: tuple[int, int],
    ) -> Self:
        """So many rows and columns, with steps in y and x [m], around a point [degree].

        >>> from halocline.grids.horizontal.projections import Mercator
        >>> map_ = Mercator(latitude=0.0, longitude=10.0, radius=6.37e6)
        >>> grid = Projected.around(map_, (10.0, 0.0), (2e3, 1e3), (2, 4))
        >>> grid.face_x.tolist()
        [-2000.0, -1000.0, 0.0, 1000.0, 2000.0]
        """
        x, y = projection.to_map(*(np.array(one) for one in center))
        lines = (
            middle + step * (np.arange(count + 1) - 0.5 * count)
            for middle, step, count in zip((y, x), steps, shape, strict=True)
        )
        face_y, face_x = lines
        return cls(projection=projection, face_x=face_x, face_y=face_y)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of cells."""
        return self.face_y.size - 1, self.face_x.size - 1

    @property
    def steps(self) -> tuple[float, float]:
        """Distance of rows and of columns on the map [m]."""
        (nj, ni), (y, x) = self.shape, (self.face_y, self.face_x)
        return float(y[-1] - y[0]) / nj, float(x[-1] - x[0]) / ni

    def lines(self, place: Place) -> tuple[Array, Array]:
        """x of the columns and y of the rows of a place on the map [m], on both ends."""
        x = self.face_x if place.between_columns else _middles(self.face_x)
        return x, self.face_y if place.between_rows else _middles(self.face_y)

    def factors(self, place: Place) -> tuple[Array, Array]:
        """Map factors along x and y at a place [1], planes with both ends of rows and columns."""
        x, y = np.meshgrid(*self.lines(place))
        return self.projection.factors(x, y)

    def at(self, place: Place) -> Metrics:
        """Geometry of a place, faces and corners on both ends of rows and columns."""
        x, y = np.meshgrid(*self.lines(place))
        longitude, latitude = self.projection.from_map(x, y)
        (step_y, step_x), (factor_x, factor_y) = self.steps, self.projection.factors(x, y)
        dx, dy = step_x / factor_x, step_y / factor_y
        return Metrics(longitude, latitude, dx, dy, dx * dy, self.projection.angle(x, y))

    def nest(self, ratio: int, first: tuple[int, int], shape: tuple[int, int]) -> Self:
        """The grid of cells `ratio` times finer whose first lies in the corner of cell (j, i).

        >>> from halocline.grids.horizontal.projections import Mercator
        >>> map_ = Mercator(latitude=0.0, longitude=10.0, radius=6.37e6)
        >>> grid = Projected.around(map_, (10.0, 0.0), (3e3, 3e3), (4, 4))
        >>> grid.nest(3, (1, 2), (3, 3)).face_x.tolist()
        [0.0, 1000.0, 2000.0, 3000.0]
        """
        faces = []
        for line, step, start, count, name in zip(
            (self.face_y, self.face_x), self.steps, first, shape, ("rows", "columns"), strict=True
        ):
            there = line.size - 1
            if not 0 <= start <= start + count / ratio <= there or count % ratio:
                raise UserError(
                    f"A nest of {count} {name} with a ratio of {ratio} that begins in"
                    f" {name[:-1]} {start + 1} of its parent ends after {start + count / ratio:g},"
                    f" but the parent has {name} 1 to {there}. Move it, or take fewer, a multiple"
                    f" of {ratio}."
                )
            faces.append(line[start] + step / ratio * np.arange(count + 1))
        return replace(self, face_y=faces[0], face_x=faces[1])


def _middles(line: Array) -> Array:
    return 0.5 * (line[:-1] + line[1:])
