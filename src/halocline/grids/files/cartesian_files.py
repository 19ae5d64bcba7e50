"""A file whose maps lie on a plane: x and y [m] in place of longitude and latitude."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.files.axes import FileAxis
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.files.sources import FileVariables
from halocline.grids.files.units_in_files import unit_factors, units_of

_letter = {"longitude": "x", "latitude": "y"}


class CartesianFile(GriddedFiles):
    """One file with x and y in metres, or in the unit of length that they name."""

    def coordinate(self, which: str, source: FileVariables | None = None) -> str:
        """Name of the one-dimensional x (for longitude), y (for latitude) or time."""
        if which == "time":
            return super().coordinate(which, source)
        source, letter = source or self.first, _letter[which]
        one = {n: v.attrs for n, v in source.variables.items() if v.ndim == 1}
        by_standard = [
            n for n, a in one.items() if a.get("standard_name") == f"projection_{letter}_coordinate"
        ]
        by_name = [n for n in one if n.lower() == letter]
        by_axis = [n for n, a in one.items() if a.get("axis") == letter.upper()]
        for name in [*by_standard, *by_name, *by_axis]:
            return name
        raise UserError(
            f"{self.name} has no {letter} that can be recognised: {source.listing()}. A grid with"
            f" grid.kind = 'cartesian' needs '{letter}' with one value per"
            f" {'column' if letter == 'x' else 'row'}, in metres or in the length that its 'units'"
            " name; one with longitude and latitude is grid.kind = 'spherical'."
        )

    @cached_property
    def longitude(self) -> FileAxis:
        return self._length_axis("longitude")

    @cached_property
    def latitude(self) -> FileAxis:
        return self._length_axis("latitude")

    def _length_axis(self, which: str) -> FileAxis:
        """x or y from small to large [m]."""
        letter, name = _letter[which], self.coordinate(which)
        units = units_of(self.first[name].attrs, "m", f"The {letter} '{name}' of {self.name}")
        factor = 1.0 if units == "m" else unit_factors["m"].get(units)
        if factor is None:
            raise UserError(
                f"The {letter} '{name}' of {self.name} has the units '{units}', which are no"
                f" length. Known units are: {', '.join(['m', *unit_factors['m']])}; a file with"
                " longitude and latitude is grid.kind = 'spherical'."
            )
        given: NDArray[np.float64] = self.first[name].read() * factor
        if not given.size or not np.isfinite(given).all():
            raise UserError(
                f"The {letter} '{name}' of {self.name} is empty or has missing values. Every place"
                " of an axis needs a number."
            )
        order = np.argsort(given, kind="stable")
        if np.any(np.diff(given[order]) == 0.0):
            raise UserError(
                f"A value of {letter} stands twice in {self.name}. Each may stand there once."
            )
        return FileAxis(letter, given[order], order)

    def place(self, x: float, y: float) -> str:
        return f"x = {x:g} m, y = {y:g} m"
