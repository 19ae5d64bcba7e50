"""Analyses on pressure levels: what stands in their files, in our units and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.start.analysis_quantities import (
    AnalysisQuantity,
    at_surface,
    condensed,
    on_levels,
)
from halocline.atmosphere.start.pressure_columns import standard_gravity
from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.core.units import meaning
from halocline.grids.files.axes import Bilinear
from halocline.grids.files.gridded_files import GriddedFiles, Record
from halocline.grids.files.parts import FilePart
from halocline.grids.files.sources import Variable

Array = NDArray[np.float64]


humidities = ("specific_humidity", "mixing_ratio", "relative_humidity")
heights = ("height", "geopotential")
_pressure_names = ("plev", "level", "isobaricinhpa", "pressure_level", "lev", "pressure")
_ways_to_write = {
    "gpm": "m", "meter": "m", "meters": "m", "metres": "m", "millibar": "hPa", "millibars": "hPa",
    "mb": "hPa", "mbar": "hPa", "(0 - 1)": "1", "0-1": "1", "fraction": "1", "": "1",
    "dimensionless": "1", "proportion": "1", "Kelvin": "K", "percent": "%",
}  # fmt: skip
_celsius = ("degC", "degree_C", "degrees_C", "celsius", "Celsius", "C")


class PressureLevelFiles:
    """Analyses on the pressure levels of a regular latitude-longitude grid.

    Variables are found by CF standard names, then by usual names. Levels ascend from the greatest
    pressure, whatever order they have in the files.
    """

    def __init__(self, paths: Sequence[Path], calendar: str = "standard") -> None:
        self.files = GriddedFiles(paths, calendar)
        needed = ("temperature", "u", "v")
        self.variables = {name: self._needed((name,)) for name in needed}
        self.humidity, self.variables["humidity"] = self._one_of(humidities, "humidity")
        self.height, self.variables["height"] = self._one_of(heights, "height of levels")
        self.condensed = {
            kind: found for kind, facts in condensed.items() if (found := self._on_levels(facts))
        }
        self.surface = {name: self._flat(name) for name in at_surface if self._flat(name)}
        self._check_levels()

    @property
    def name(self) -> str:
        return self.files.name

    @cached_property
    def levels(self) -> Array:
        """Pressures [Pa], descending."""
        return self._pressures(self.variables["temperature"])[self._order]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """Which of the file's levels is which of ours."""
        return np.argsort(-self._pressures(self.variables["temperature"]), kind="stable")

    def record(self, moment: Date) -> Record:
        """The record of a moment; the analysis must have it."""
        for record in self.files.records:
            if record.time == moment:
                return record
        times = self.files.times
        raise UserError(
            f"{self.name} has no analysis of {text(moment)}. It has {len(times)}, from"
            f" {text(times[0])} to {text(times[-1])}. Begin at one of them, or name other files."
        )

    def within(self, period: tuple[Date, Date]) -> list[Record]:
        """The records that sides of a run need: from the last before it to the first after it."""
        times, (begin, end) = self.files.times, period
        if times[0] > begin or times[-1] < end:
            raise UserError(
                f"{self.name} covers {text(times[0])} to {text(times[-1])}, but the run needs sides"
                f" from {text(begin)} to {text(end)}. Shorten the run, add files, or let sides stay"
                " as at the start (--steady, atmosphere.analysis.steady)."
            )
        first = max(at for at, time in enumerate(times) if time <= begin)
        last = min(at for at, time in enumerate(times) if time >= end)
        return self.files.records[first : last + 1]

    def weights(self, x: Array, y: Array, whose: str) -> Bilinear:
        """Weights to points (longitude, latitude) [degree], all of which the files must cover."""
        return self.files.weights((x, y), self.name, whose)

    def on_levels(self, name: str, record: Record, part: FilePart) -> Array:
        """A quantity on all levels of a part of the grid, (levels, rows, columns); gaps are NaN.

        `name` is "temperature", "u", "v", "humidity" (of the kind `self.humidity`) or "height"
        [m].
        """
        variable = self.variables[name]
        kind = {"humidity": self.humidity, "height": self.height}.get(name, name)
        facts = on_levels[kind]
        planes = np.stack(
            [self.files.read(variable, "", record, part, level=int(level)) for level in self._order]
        )
        values = self._in_our_units(planes, variable, facts)
        self._refuse_implausible(values, variable, facts, record, self.levels)
        self._refuse_gaps(values, variable, record, part)
        return values / standard_gravity if kind == "geopotential" else values

    def condensed_on_levels(self, kind: str, record: Record, part: FilePart) -> Array:
        """The mixing ratio of a kind of `self.condensed` on all levels, (levels, rows, columns).

        0 where it is missing, as below the ground, and on levels that the file has it not on.
        """
        variable, facts = self.condensed[kind], condensed[kind]
        theirs = self._pressures(variable)
        planes = np.zeros((self.levels.size, part.rows.stop - part.rows.start, part.columns.size))
        for k, level in enumerate(self.levels):
            for there in np.flatnonzero(np.isclose(theirs, level)):
                planes[k] = self.files.read(variable, "", record, part, level=int(there))
        values = self._in_our_units(planes, variable, facts)
        self._refuse_implausible(values, variable, facts, record, self.levels)
        return np.maximum(np.nan_to_num(values), 0.0)

    def at_surface(self, name: str, record: Record, part: FilePart) -> Array:
        """A map of the surface, (rows, columns)."""
        variable, facts = self.surface[name], at_surface[name]
        plane = self._in_our_units(self.files.read(variable, "", record, part), variable, facts)
        self._refuse_implausible(plane[None], variable, facts, record, None)
        return plane

    def close(self) -> None:
        self.files.close()

    def _one_of(self, kinds: tuple[str, ...], what: str) -> tuple[str, str]:
        """Which of some quantities the files hold, and its variable."""
        for kind in kinds:
            if found := self._on_levels(on_levels[kind]):
                return kind, found
        raise self._lacks(kinds, what)

    def _needed(self, kinds: tuple[str, ...]) -> str:
        return self._one_of(kinds, kinds[0])[1]

    def _lacks(self, kinds: tuple[str, ...], what: str) -> UserError:
        names = " or ".join(f"'{on_levels[kind].standard_names[0]}'" for kind in kinds)
        return UserError(
            f"{self.name} has no {what} on pressure levels (CF standard_name {names}, or a usual"
            f" name). It has: {self.files.first.listing()}."
        )

    def _on_levels(self, facts: AnalysisQuantity) -> str:
        """The variable on pressure levels that holds a quantity, or ''."""
        some = {
            name: variable
            for name, variable in self.files.first.variables.items()
            if self._level_axis(variable)
        }
        return _named(some, facts)

    def _flat(self, kind: str) -> str:
        """The map that holds a quantity of the surface, or ''."""
        j, i, _ = self.files.axes
        some = {
            name: variable
            for name, variable in self.files.first.variables.items()
            if {j, i} <= set(variable.dims) and not self._level_axis(variable)
        }
        facts = at_surface[kind]
        if kind == "temperature_2m":  # a height above the ground is not in the standard name
            facts = AnalysisQuantity((), facts.names, "K", facts.least, facts.greatest)
        return _named(some, facts)

    def _level_axis(self, variable: Variable) -> str:
        """The dimension of pressure levels of a variable on the maps, or ''."""
        j, i, time = self.files.axes
        if not {j, i} <= set(variable.dims):
            return ""
        sizes = zip(variable.dims, variable.shape, strict=True)
        more = [dim for dim, size in sizes if dim not in (j, i, time) and size > 1]
        return more[0] if len(more) == 1 and self._is_pressure(more[0]) else ""

    def _is_pressure(self, axis: str) -> bool:
        coordinate = self.files.first.variables.get(axis)
        if coordinate is None:
            return False
        standard = str(coordinate.attrs.get("standard_name", ""))
        return standard == "air_pressure" or axis.lower() in _pressure_names

    def _pressures(self, variable: str) -> Array:
        """Pressures of the levels of a variable [Pa], in the order of the file."""
        axis = self._level_axis(self.files.first[variable])
        coordinate = self.files.first[axis]
        units = str(coordinate.attrs.get("units", "")).strip()
        scale = _factor(units, "Pa")
        if scale is None or not units:
            raise UserError(
                f"The levels '{axis}' of {self.name} have the units '{units}', which are no"
                " pressure. Give them the CF attribute units = 'Pa' or 'hPa'."
            )
        values = coordinate.read() * scale
        if not np.isfinite(values).all() or values.min() <= 0.0 or values.max() > 1.2e5:
            raise UserError(
                f"The levels '{axis}' of {self.name} reach from {values.min():g} to"
                f" {values.max():g} Pa. Are their units '{units}'?"
            )
        return values

    def _check_levels(self) -> None:
        """Refuse levels that stand twice, are too few, or differ between the variables."""
        if self.levels.size < 3 or (np.diff(self.levels) >= 0.0).any():
            raise UserError(
                f"{self.name} has the levels {_list(self.levels)}. At least three different ones"
                " are needed."
            )
        for name, variable in self.variables.items():
            theirs = self._pressures(variable)
            order = np.argsort(-theirs, kind="stable")
            if theirs.size == self.levels.size and np.array_equal(order, self._order):
                continue
            first = "temperature", self.variables["temperature"], self.levels
            other = name, variable, theirs
            for some, more in ((other, first), (first, other)):
                if missing := sorted(set(more[2]) - set(some[2]), reverse=True):
                    raise UserError(
                        f"{self.name} lacks levels: {some[0]} ('{some[1]}') has {some[2].size}"
                        f" levels and {more[0]} ('{more[1]}') {more[2].size}; it lacks"
                        f" {_list(np.array(missing))}. All need the same levels."
                    )
            raise UserError(
                f"{self.name} has the levels of {name} ('{variable}') in another order than those"
                " of temperature. All need the same levels."
            )

    def _units(self, variable: str) -> str:
        return str(self.files.first[variable].attrs.get("units", "")).strip()

    def _in_our_units(self, values: Array, variable: str, facts: AnalysisQuantity) -> Array:
        units = self._units(variable)
        if facts.units == "K" and units in _celsius:
            return values + 273.15
        scale = _factor(units, facts.units)
        if scale is None:
            raise UserError(
                f"The variable '{variable}' of {self.name} has the units '{units}', which cannot be"
                f" brought to '{facts.units}'. Mend its CF attribute units."
            )
        return values * scale if scale != 1.0 else values

    def _refuse_implausible(
        self,
        values: Array,
        variable: str,
        facts: AnalysisQuantity,
        record: Record,
        levels: Array | None,
    ) -> None:
        beyond = (values < facts.least) | (values > facts.greatest)
        most = np.nanmax(values, initial=-np.inf)
        if not beyond.any() and levels is not None and -np.inf < most < facts.reached:
            raise UserError(
                f"'{variable}' of {self.name} is at most {most:.3g}, {text(record.time)}: air so"
                f" dry everywhere is none. Are its units '{self._units(variable)}'?"
            )
        if not beyond.any():
            return
        at = tuple(int(n) for n in np.argwhere(beyond)[0])
        level = "" if levels is None else f" at {levels[at[0]] / 100:g} hPa"
        units = "" if facts.units == "1" else f" {facts.units}"
        raise UserError(
            f"'{variable}' of {self.name} is {float(values[at]):g}{units}{level},"
            f" {text(record.time)} ({int(beyond.sum())} such values): it lies between"
            f" {facts.least:g} and {facts.greatest:g}{units}. Are its units and its missing values"
            " marked?"
        )

    def _refuse_gaps(self, values: Array, variable: str, record: Record, part: FilePart) -> None:
        """Refuse values that are missing where one below them is not."""
        missing = np.isnan(values)
        gap = missing[1:] & ~missing[:-1]
        if not gap.any():
            return
        k, j, i = (int(n) for n in np.argwhere(gap)[0])
        x, y = self.files.longitude.values[part.columns[i]], self.files.latitude.values[part.rows]
        raise UserError(
            f"'{variable}' of {self.name} is missing at {self.levels[k + 1] / 100:g} hPa,"
            f" {self.files.place(float(x), float(y[j]))}, {text(record.time)}"
            f" ({int(gap.sum())} such columns), but not below. Only what lies below the ground may"
            " be missing: fill it, or use another analysis."
        )


def _named(some: Mapping[str, Variable], facts: AnalysisQuantity) -> str:
    """The variable with one of the standard names, else with one of the usual names, or ''."""
    for standard in facts.standard_names:
        for name, variable in some.items():
            if variable.attrs.get("standard_name") == standard:
                return name
    lower = {name.lower(): name for name in some}
    return next((lower[name] for name in facts.names if name in lower), "")


def _factor(theirs: str, ours: str) -> float | None:
    """By which values in their units become ours, None where that is none.

    >>> _factor("m**2 s**-2", "m2 s-2"), _factor("millibars", "Pa"), _factor("K", "Pa")
    (1.0, 100.0, None)
    """
    words = _ways_to_write.get(theirs, theirs).replace("**", "").replace("^", "")
    try:
        (scale, powers), (our_scale, our_powers) = meaning(words), meaning(ours)
    except UserError:
        return None
    return float(scale / our_scale) if powers == our_powers else None


def _list(levels: Array) -> str:
    return ", ".join(f"{level / 100:g}" for level in levels) + " hPa"
