"""A field at the two records of files around a moment."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_places import FieldPlaces
from halocline.component.forcing.field_series import SeriesOptions
from halocline.component.forcing.file_series import Brackets, FileSeries, Share
from halocline.core.clock import Date, date
from halocline.core.errors import UserError
from halocline.core.names import quantity
from halocline.grids.files.curvilinear_maps import open_maps
from halocline.grids.files.gridded_files import (
    GriddedFiles,
    expand,
    named_variable,
    variables_of,
)
from halocline.grids.horizontal.grid import Grid
from halocline.grids.vertical.file_field import WantedPoints
from halocline.runtime.fields.field import Field
from halocline.runtime.record.recorder import Recorder

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RecordSource:
    """Files with many variables, each on a grid and with times of its own, for one period."""

    options: SeriesOptions
    variables: dict[str, str]  # names in the files that the user gives, by our short name
    grid: Grid
    period: tuple[Date, Date]
    what: str
    base: Path = Path()
    recorder: Recorder = dataclasses.field(default_factory=Recorder)

    @cached_property
    def paths(self) -> list[Path]:
        """All files."""
        return expand(self.options.file, self.base)

    @cached_property
    def _names(self) -> dict[str, str]:
        return variables_of(self.paths)

    def has(self, short_name: str) -> bool:
        """Whether some file has the quantity."""
        return bool(self.variables.get(short_name) or named_variable(self._names, short_name))

    def open(self, short_name: str) -> tuple[GriddedFiles, str]:
        """The files of a quantity on the grid of its own variable, and the name of this."""
        variable = self.variables.get(short_name) or named_variable(self._names, short_name)
        if variable not in self._names:
            facts = quantity(short_name)
            raise UserError(
                f"The {self.what} needs {facts.long_name}, but none of the files has"
                f" {repr(variable) if variable else 'it'}: {self.paths[0]}"
                f"{' and others' * (len(self.paths) > 1)} have {', '.join(self._names)}. Name the"
                f" variable: variables.{short_name}."
            )
        return open_maps(self.paths, str(self.period[0].calendar), variable), variable


Cells = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rows and columns."""


class PointSums(Protocol):
    """Sums of values of files at some points."""

    def wanted(self, depth: Array | None) -> WantedPoints:
        """The points."""

    def __call__(self, values: Array) -> Array:
        """What values at the points make."""


class FieldRecords:
    """One field at the records before and after a moment: `before` and `after`, made like it.

    Values are interpolated to the field's places; what a `stencil` makes of these cells (rows,
    columns) are sums of values at its points. Points may have to be `exact` places of the files'
    grid. To make one is a call for all ranks, and so is each update.
    """

    def __init__(
        self,
        source: RecordSource,
        like: Field,
        *,
        exact: bool = False,
        stencil: Callable[[Cells], PointSums] | None = None,
        found: str = "",
    ) -> None:
        levels, found = like.axes[0] if like.axes else None, found or like.name
        self._places = FieldPlaces(like.space, like.place, source.grid, levels)
        wanted = self._places.wanted
        self._stencil = None if stencil is None else stencil(self._places.cells)
        if self._stencil is not None:
            wanted = self._stencil.wanted(wanted.depth)
        files, variable = source.open(found)
        options, calendar = source.options, str(source.period[0].calendar)
        self._series = FileSeries(
            files,
            (found,),
            (variable,),
            source.grid,
            source.period,
            source.what,
            Share(np.zeros(0, np.int64), like.decomposition.communicator, source.recorder),
            date(options.at, calendar) if options.at else None,
            wanted=wanted,
            between=options.interpolation,
            every_year=options.every_year,
            exact=exact,
            daily=True,
        )
        self.before, self.after = (self._made(like, when) for when in ("before", "after"))
        self.now: Brackets | None = None

    @staticmethod
    def _made(like: Field, when: str) -> Field:
        return Field(
            f"{like.name}_{when}",
            like.units,
            like.space,
            axes=like.axes,
            place=like.place,
            dtype=like.dtype,
        )

    def update(self, moment: Date) -> bool:
        """Hold the records around a moment; whether they are others than before."""
        known, self.now = self.now, self._series.brackets(moment)
        if known is not None and known.number == self.now.number:
            return False
        for field, (values,) in ((self.before, self.now.before), (self.after, self.now.after)):
            own = values if self._stencil is None else self._stencil(values)
            self._places.put(own, field)
        return True

    def weight(self, moment: Date) -> float:
        """Of `after` at a moment, which may lie beyond the two: from 0 to 1."""
        assert self.now is not None
        return self.now.weight_at(moment)

    def look_through(self, deadline: float) -> tuple[int, int]:
        """As that of `FileSeries`."""
        return self._series.look_through(deadline)

    def close(self) -> None:
        """Let readings end and close the files."""
        self._series.close()
