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
from halocline.component.forcing.file_series import Around, FileSeries, Share
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
                f"No file of the {self.what} has {facts.long_name}"
                f"{f', {variable!r}' if variable else ''}: in {self.paths[0]}"
                f"{' and others' * (len(self.paths) > 1)} are {', '.join(self._names)}. Name the"
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
    grid. With `ends` these are `before` and `after`, and each is what `turn` makes of the field,
    which then holds what was read last. To make one is a call for all ranks, and so is each update.
    """

    def __init__(
        self,
        source: RecordSource,
        like: Field,
        *,
        exact: bool = False,
        stencil: Callable[[Cells], PointSums] | None = None,
        found: str = "",
        ends: tuple[Field, Field] | None = None,
        turn: Callable[[Field], None] | None = None,
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
        self._like, self._turn = like, turn
        self.before, self.after = ends or (self._made(like, "before"), self._made(like, "after"))
        self.now: Around | None = None

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

    def update(self, moment: Date) -> None:
        """Hold the records around a moment; what one of them was before is not read again."""
        known, self.now = self.now, self._series.around(moment)
        numbers = self.now.before, self.now.after
        if known is not None and numbers == (known.before, known.after):
            return
        if known is not None and numbers[0] == known.after:
            self.before.swap(self.after)
        else:
            self._read(numbers[0], self.before)
        if numbers[0] == numbers[1]:
            self.after.copy(self.before)
        else:
            self._read(numbers[1], self.after)

    def _read(self, number: int, end: Field) -> None:
        (values,) = self._series.record(number)
        own = values if self._stencil is None else self._stencil(values)
        if self._turn is None:
            self._places.put(own, end)
            return
        self._places.put(own, self._like)
        self._turn(end)

    def weight(self, moment: Date) -> float:
        """Of `after` at a moment, which may lie beyond the two: from 0 to 1."""
        assert self.now is not None
        return self.now.weight_at(moment)

    def set_now(self, moment: Date, field: Field) -> None:
        """Set a field to what it is at a moment, between the records around it."""
        share = self.weight(moment)
        with field.change() as owned:
            for to, before, after in zip(owned, self.before.read(), self.after.read(), strict=True):
                to[...] = before if share == 0.0 else (1.0 - share) * before + share * after

    def look_through(self, deadline: float) -> tuple[int, int]:
        """As that of `FileSeries`."""
        return self._series.look_through(deadline)

    def close(self) -> None:
        """Let readings end and close the files."""
        self._series.close()
