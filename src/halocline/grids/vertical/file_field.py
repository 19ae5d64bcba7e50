"""A variable of a file at any points and levels of a grid: what a model begins from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.grids.files.axes import Bilinear, bilinear
from halocline.grids.files.curvilinear_maps import CurvilinearFiles
from halocline.grids.files.gridded_files import GriddedFiles, Record
from halocline.grids.horizontal.gaps import nearest_places
from halocline.grids.sphere import vectors

Array = NDArray[np.float64]
Index = NDArray[np.int64]


@dataclass(frozen=True)
class LevelWeights:
    """For each of our levels two of a file: `1 - weight` of `upper` and `weight` of `lower`."""

    upper: Index
    lower: Index
    weight: Array


def level_weights(theirs: Array, ours: Array) -> LevelWeights:
    """Linear interpolation over depth [m]; above the first and below the last depth its value.

    >>> level_weights(np.array([5.0, 15.0]), np.array([0.0, 10.0, 99.0])).weight.tolist()
    [0.0, 0.5, 1.0]
    """
    order = np.argsort(theirs)
    depth = theirs[order]
    if depth.size == 1:
        zero = np.zeros(ours.size, np.int64)
        return LevelWeights(zero, zero, np.zeros(ours.size))
    low = np.clip(np.searchsorted(depth, ours, side="right") - 1, 0, depth.size - 2)
    weight = np.clip((ours - depth[low]) / (depth[low + 1] - depth[low]), 0.0, 1.0)
    return LevelWeights(order[low], order[low + 1], weight)


class FileField:
    """One variable of a file, interpolated to points (longitude, latitude) and depths [m].

    Bilinear in the file's grid, regular or curvilinear, linear over depth. Missing values (land,
    the floor) take the nearest value of the same level; a level without any takes the one above.
    Where points are not `wet` (levels, points), values are 0. Values at a point do not depend on
    the other points. `short_name` names the quantity, so that units are ours and values are
    checked; without it they are those of the file.
    """

    def __init__(
        self,
        files: GriddedFiles,
        variable: str,
        points: tuple[Array, Array],
        depth: Array | None = None,
        *,
        short_name: str = "",
        wet: NDArray[np.bool_] | None = None,
        whose: str = "the model grid",
    ) -> None:
        self.files, self.variable, self.short_name = files, variable, short_name
        if variable not in files.first.variables:
            raise UserError(
                f"{files.name} has no variable '{variable}'. It has: {files.first.listing()}."
            )
        self.weights = self._weights(points, whose)
        self.levels: LevelWeights | None = None
        theirs = files.level_depths(variable)
        if depth is not None and theirs is not None:
            self.levels = level_weights(theirs, depth)
        elif theirs is not None:
            raise UserError(
                f"The variable '{variable}' of {files.name} has {theirs.size} levels, but one map"
                " is needed."
            )
        self.depth = depth
        count = 1 if depth is None else depth.size
        self.wet = np.ones((count, points[0].size), bool) if wet is None else wet

    def _weights(self, points: tuple[Array, Array], whose: str) -> Bilinear:
        files = self.files
        if isinstance(files, CurvilinearFiles):
            return files.weights(points, whose)
        where = f"'{self.variable}' in {files.name}"
        return bilinear(files.longitude, files.latitude, points, where, whose)

    def read(self, moment: Date | None = None) -> Array:
        """Values at the points, (points,) or (levels, points); of a moment, or the only record."""
        record = self._record(moment)
        if self.levels is None:
            plane = self._plane(record, None, np.logical_or.reduce(self.wet))
            if plane is None:
                raise UserError(
                    f"The variable '{self.variable}' of {self.files.name} has no value at all."
                )
            return (
                plane
                if self.depth is None
                else np.broadcast_to(plane, (self.depth.size, plane.size))
            )
        return self._on_levels(record, self.levels)

    def _on_levels(self, record: Record | None, levels: LevelWeights) -> Array:
        """Values on our levels, those of the file read once each, from the surface down."""
        theirs = self.files.level_depths(self.variable)
        assert theirs is not None
        needed = set(levels.upper.tolist()) | set(levels.lower.tolist())
        planes: dict[int, Array] = {}
        above: Array | None = None
        for level in sorted(needed, key=lambda at: float(theirs[at])):
            taken = (levels.upper == level) & (levels.weight < 1.0)
            taken |= (levels.lower == level) & (levels.weight > 0.0)
            plane = self._plane(record, level, self.wet[taken].any(axis=0))
            if plane is None and above is None:
                raise UserError(
                    f"The variable '{self.variable}' of {self.files.name} has no value at"
                    f" {theirs[level]:g} m, its uppermost level. Fill it."
                )
            if plane is not None:
                above = plane
            assert above is not None
            planes[level] = above
        return self.wet * np.stack(
            [
                (1.0 - weight) * planes[upper] + weight * planes[lower]
                for upper, lower, weight in zip(
                    levels.upper.tolist(), levels.lower.tolist(), levels.weight, strict=True
                )
            ]
        )

    def _plane(
        self, record: Record | None, level: int | None, wanted: NDArray[np.bool_]
    ) -> Array | None:
        """One map at the points, gaps filled around the wanted ones; None where it has no value."""
        values = self.files.read(self.variable, self.short_name, record, level=level)
        valid = np.isfinite(values)
        if not valid.any():
            return None
        used = self.weights.part(wanted).used(self.files.shape)
        if (used & ~valid).any():
            target, source = nearest_places(
                valid, used, self._vectors, bool(self.files.longitude.period)
            )
            values[target] = values[source]
        return self.weights(np.where(np.isfinite(values), values, 0.0))

    def _vectors(self, places: Index) -> Array:
        """Unit vectors of places (j, i) of the file's grid."""
        j, i = places[:, 0], places[:, 1]
        if isinstance(self.files, CurvilinearFiles):
            return self.files.points[:, j, i]
        return vectors(self.files.longitude.values[i], self.files.latitude.values[j])

    def _record(self, moment: Date | None) -> Record | None:
        if self.files.axes[2] not in self.files.first[self.variable].dims:
            return None
        records = self.files.records
        if moment is None and len(records) == 1:
            return records[0]
        for record in records:
            if record.time == moment:
                return record
        which = "no date is given" if moment is None else f"there is none of {text(moment)}"
        raise UserError(
            f"{self.files.name} has {len(records)} records, from {text(records[0].time)} to"
            f" {text(records[-1].time)}; {which}. Name the date of one."
        )


def along_grid(east: Array, north: Array, angle: Array) -> tuple[Array, Array]:
    """Components along the axes of a grid of an eastward and northward vector.

    `angle` is that from east to the grid's x axis, anticlockwise [rad] (`Metrics.angle`).

    >>> x, y = along_grid(np.array(0.0), np.array(1.0), np.array(np.pi / 2))
    >>> round(float(x), 12), round(float(y), 12)
    (1.0, 0.0)
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    return east * cosine + north * sine, north * cosine - east * sine
