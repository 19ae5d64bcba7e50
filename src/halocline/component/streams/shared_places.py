"""Places between sea points (stations, positions of a path), each of which one rank looks after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.fields.dealt import Dealt
from halocline.runtime.fields.field import Field
from halocline.runtime.writing.picking import Picker, Picking
from halocline.runtime.writing.sources import TableSource, of_dealt
from halocline.runtime.writing.streams import missing_value

Array = NDArray[Any]


class SharedPlaces:
    """Makes the values at places from those at the sea points around, each place on one rank.

    `numbers` and `weights` (places, points around) are known to all ranks: sea points and their
    shares, of which each place has some that are not zero. The rank that owns the first of these
    has the place; `dealt` says which that is.
    """

    def __init__(self, picker: Picker, numbers: Array, weights: Array) -> None:
        used = weights > 0.0
        first = np.take_along_axis(numbers, used.argmax(axis=1)[:, np.newaxis], axis=1)[:, 0]
        self.dealt = Dealt(picker.owners[first], picker.rank)
        ranks = self.dealt.ranks
        wanted = {
            int(rank): np.unique(numbers[ranks == rank][used[ranks == rank]])
            for rank in np.unique(ranks)
        }
        self._picking = Picking(picker, wanted)
        self.sea_numbers = self._picking.numbers
        own = self.dealt.own
        self._weights = weights[own]
        self._at = np.searchsorted(self.sea_numbers, np.where(used[own], numbers[own], -1))

    def pick(self, fields: Sequence[Field]) -> list[Array]:
        """Values (sea points, ...) of fields at `sea_numbers`; a call for all ranks."""
        return self._picking(fields)

    def at(self, values: Array) -> Array:
        """Weighted sums (own places, ...) of values (sea points, ...), in float64, in order."""
        result = np.zeros((self._at.shape[0], *values.shape[1:]))
        for at, weights in zip(self._at.T, self._weights.T, strict=True):
            some = np.flatnonzero(weights > 0.0)
            share = weights[some].reshape(-1, *[1] * (values.ndim - 1))
            result[some] += share * values[at[some]]
        return result

    def value_at(self, values: Array, *, direction: bool) -> Array:
        """A field (own places,) from its values (sea points,); NaN where all are missing.

        Missing values do not count; a direction [degree] is that of the mean unit vector.
        """
        some = np.isfinite(values)
        share = self.at(some.astype(np.float64))
        if not direction:
            total = self.at(np.where(some, values, 0.0))
            return np.where(share > 0.0, total / np.where(share > 0.0, share, 1.0), np.nan)
        angle = np.deg2rad(np.where(some, values, 0.0).astype(np.float64))
        east = self.at(np.where(some, np.sin(angle), 0.0))
        north = self.at(np.where(some, np.cos(angle), 0.0))
        found = np.hypot(east, north) > 1e-6
        return np.where(found, np.mod(np.rad2deg(np.arctan2(east, north)), 360.0), np.nan)

    def source(self, values: Array, precision: str) -> TableSource:
        """Values (own places, ...) for a record; what is not finite is missing."""
        return of_dealt(values.astype(precision), self.dealt, fill=missing_value)
