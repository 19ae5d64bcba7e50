"""A variable of files at any points and levels of a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.grids.files.axes import Bilinear
from halocline.grids.files.gridded_files import GriddedFiles, Record
from halocline.grids.files.parts import FilePart
from halocline.grids.horizontal.gaps import Filling

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


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


same_levels = 0.1
"""Levels of files are ours if they lie no further off than this part of what they are apart."""


def own_levels(theirs: Array, ours: Array) -> LevelWeights | None:
    """Level by level where theirs are ours: none is between two of them. None where they are not.

    Oceans state the depth of a level where it suits them, which need not be its middle.

    >>> own_levels(np.array([4.9, 15.2]), np.array([15.0, 5.0])).upper.tolist()
    [1, 0]
    >>> own_levels(np.array([4.0, 11.0]), np.array([15.0, 5.0]))
    """
    if theirs.size != ours.size or ours.size < 2:
        return None
    upper = np.argsort(theirs)[np.argsort(np.argsort(ours))]
    apart = np.abs(np.diff(np.sort(ours)))
    nearest = np.minimum(np.append(apart, np.inf), np.append(np.inf, apart))
    if (np.abs(np.sort(theirs) - np.sort(ours)) > same_levels * nearest).any():
        return None
    return LevelWeights(upper, upper, np.zeros(ours.size))


@dataclass(frozen=True)
class WantedPoints:
    """Points that values are wanted at, and depths of levels over them; one map without these.

    Where points are not `wet` (levels, points), there is nothing to be known: values are 0.
    """

    x: Array  # longitude [degree]
    y: Array  # latitude [degree]
    depth: Array | None = None  # [m]
    wet: Mask | None = None

    @property
    def levels(self) -> int:
        """How many levels there are, 1 of a map."""
        return 1 if self.depth is None else self.depth.size


class FileField:
    """One variable of files, interpolated to wanted points.

    Bilinear in the file's grid, regular or curvilinear, linear over depth. Missing values (land,
    the floor) take the nearest value of the same level; a level without any takes the one above.
    Values at a point do not depend on the other points, and only the part of the file's grid that
    they need is read. `short_name` names the quantity, so that units are ours and values are
    checked; without it they are `units`, or those of the file.

    `refused` says which places of the file's grid must not be missing at the surface, as
    `GapsOverSea` tells; all gaps are filled without it. What is `like` another variable of the
    files at these points has its weights, and where gaps are the same its ways to fill them.
    Points that are `exact` are places of the files' grid, but for a hundredth of a cell; levels
    that are the files' own are taken as they are (`own_levels`).
    """

    def __init__(
        self,
        files: GriddedFiles,
        variable: str,
        wanted: WantedPoints,
        *,
        short_name: str = "",
        units: str = "",
        refused: Callable[[], Mask] | None = None,
        whose: str = "the model grid",
        like: FileField | None = None,
        exact: bool = False,
    ) -> None:
        self.files, self.variable, self.short_name = files, variable, short_name
        self.units = "" if short_name else units
        self.wanted, self.refused, self._exact = wanted, refused, exact
        if variable not in files.first.variables:
            raise UserError(
                f"{files.name} has no variable '{variable}'. It has: {files.first.listing()}."
            )
        if self.units:
            files.in_units(np.empty(0), variable, self.units)  # refused before anything is read
        where = f"'{variable}' in {files.name}"
        self.filling: Filling = (
            like.filling if like else Filling(files, self._weights(where, whose, exact=exact))
        )
        self.theirs = files.level_depths(variable)
        if wanted.depth is None and self.theirs is not None:
            raise UserError(
                f"The variable '{variable}' of {files.name} has {self.theirs.size} levels, but one"
                " map is needed."
            )

    def _weights(self, where: str, whose: str, *, exact: bool) -> Bilinear:
        weights = self.files.weights((self.wanted.x, self.wanted.y), where, whose)
        if not exact:
            return weights
        if (off := weights.off_places) > 0.01:
            raise UserError(
                f"{where} lies {off:.2g} cells off the places of {whose}. Use files on this grid."
            )
        return weights.of_nearest

    def _levels(self, theirs: Array, ours: Array) -> LevelWeights:
        same = own_levels(theirs, ours) if self._exact else None
        return same or level_weights(theirs, ours)

    @property
    def wet(self) -> Mask:
        """Which values are to be known, shape (levels, points)."""
        wanted = self.wanted
        return np.ones((wanted.levels, wanted.x.size), bool) if wanted.wet is None else wanted.wet

    def read(self, moment: Date | None = None) -> Array:
        """Values at the points, (points,) or (levels, points); of a moment, or the only record."""
        return self.of_record(self._record(moment))

    def read_known(self, moment: Date | None = None) -> Array:
        """The same without filling: weighted means of the values that the files have around.

        Not a number where less than half of the weight has any, and where it is not wet.
        """
        record = self._record(moment)
        if self.theirs is None or self.wanted.depth is None:
            value, weight = self._known(record, None)
        else:
            levels, shape = self._levels(self.theirs, self.wanted.depth), self.wet.shape
            value, weight = np.zeros(shape), np.zeros(shape)
            for level in np.unique([levels.upper, levels.lower]).tolist():
                shares = np.where(levels.upper == level, 1.0 - levels.weight, 0.0)
                shares += np.where(levels.lower == level, levels.weight, 0.0)
                if shares.any():
                    plane, known = self._known(record, level)
                    value += shares[:, None] * plane
                    weight += shares[:, None] * known
        told = self.wet & (weight >= 0.5)
        return np.where(told, value / np.where(told, weight, 1.0), np.nan)

    def _known(self, record: Record | None, level: int | None) -> tuple[Array, Array]:
        """Of one map what it has at the points, times the share of it, and that share."""
        return self.filling.known_at_points(lambda part: self._read(record, part, level))

    def of_record(self, record: Record | None) -> Array:
        """The same of a record of the files; None where they have no times."""
        if self.theirs is not None and self.wanted.depth is not None:
            return self._on_levels(record, self.theirs, self.wanted.depth)
        wanted = None if self.wanted.wet is None else np.logical_or.reduce(self.wanted.wet)
        plane = self._plane(record, None, wanted)
        if plane is None:
            raise UserError(
                f"The variable '{self.variable}' of {self.files.name} has no value at all."
            )
        return plane if self.wanted.depth is None else self.wet * plane

    def _on_levels(self, record: Record | None, theirs: Array, ours: Array) -> Array:
        """Values on our levels, those of the file read once each, from the surface down."""
        levels, wet = self._levels(theirs, ours), self.wet
        result = np.zeros(wet.shape)
        above: Array | None = None
        for level in np.argsort(theirs, kind="stable").tolist():
            shares = np.where(levels.upper == level, 1.0 - levels.weight, 0.0)
            shares += np.where(levels.lower == level, levels.weight, 0.0)
            taken = shares > 0.0
            if not taken.any():
                continue
            plane = self._plane(record, level, np.logical_or.reduce(wet[taken]))
            if plane is None and above is None:
                raise UserError(
                    f"The variable '{self.variable}' of {self.files.name} has no value at"
                    f" {theirs[level]:g} m, its uppermost level. Fill it."
                )
            above = above if plane is None else plane
            for k in np.flatnonzero(taken):
                result[k] += shares[k] * above
        result *= wet
        return result

    def _plane(self, record: Record | None, level: int | None, wanted: Mask | None) -> Array | None:
        """One map at the points, gaps filled around the wanted ones; None where it has no value."""
        assert self.theirs is None or level is not None
        at_surface = self.theirs is None or level == int(self.theirs.argmin())
        return self.filling.at_points(
            lambda part: self._read(record, part, level),
            number=level or 0,
            wanted=wanted,
            refused=self.refused if at_surface else None,
        )

    def _read(self, record: Record | None, part: FilePart | None, level: int | None) -> Array:
        """A part of a map of the files, in the units that are wanted."""
        values = self.files.read(self.variable, self.short_name, record, part, level=level)
        return self.files.in_units(values, self.variable, self.units) if self.units else values

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
