"""Starts and sides from the files of `halocline analysis`, checked against the grid of a run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.constants import reference_temperature
from halocline.atmosphere.start.file_window import FileWindow
from halocline.atmosphere.start.hybrid_column import HybridColumn, dry_volume
from halocline.atmosphere.start.start_files import side_names
from halocline.atmosphere.starting_air import ReferenceColumns, StartColumns
from halocline.core.clock import Date, from_number, text
from halocline.core.errors import UserError
from halocline.grids.files.sources import open_source
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]

remedy = "Make it again with 'halocline analysis' and the case of this run."


def read_start(path: Path, grid: Grid, column: HybridColumn, moment: Date) -> Mapping[str, Array]:
    """All fields and planes of a start by name, (layers, rows, columns) or (rows, columns).

    The file must have the cells of the grid, the layers and the time of the run.
    """
    with StartFile(path, column) as file:
        file.check_grid(grid)
        if file.times[0] != moment:
            raise UserError(
                f"{path} is of {text(file.times[0])}, but the run begins at {text(moment)}."
                f" {remedy}"
            )
        return {name: file.read(name, 0) for name in file.names if name not in _axes}


def less_base(fields: Mapping[str, Array], reference: ReferenceColumns) -> StartColumns:
    """Mass, geopotential and potential temperature of a start as the model's fields have them.

    Less those of the base state over the ground of the start, and less 300 K.
    """
    base = reference.columns(fields["ground"])
    return StartColumns(
        fields["mass"] - base.mass,
        fields["geopotential"] - base.geopotential,
        fields["theta"] - reference_temperature,
    )


def as_dry_air(fields: Mapping[str, Array], column: HybridColumn) -> dict[str, Array]:
    """Air that is as heavy and as light as moist air, for a model without water.

    The mass of a column becomes that of all its air, potential temperature the virtual one, and the
    geopotential follows from both in the balance of the core.
    """
    mass, vapor = fields["mass"], fields["vapor"]
    kinds = [values for name, values in fields.items() if name.endswith("_mixing_ratio")]
    water = vapor + sum(kinds)
    whole = mass + column.weight(mass, water).sum(axis=0)
    theta = fields["theta"] / (1.0 + water)
    dry = np.zeros_like(vapor)
    volume = dry_volume(theta, column.pressure(whole, dry))
    lifted = column.geopotential(fields["geopotential"][0], whole, volume)
    return {**fields, "mass": whole, "theta": theta, "geopotential": lifted, "vapor": dry}


def clouds_in(path: Path) -> tuple[str, ...]:
    """Kinds of condensed water that a file of sides has; none where there is no file yet."""
    if not path.exists():
        return ()
    source = open_source(path)
    try:
        ending = f"_mixing_ratio_{side_names[0]}"
        return tuple(name.removesuffix(ending) for name in source.variables if ending in name)
    finally:
        source.close()


_axes = ("time", "level", "interface", "c1", "c2", "top_pressure", "longitude", "latitude")


class StartFile:
    """A file of `halocline analysis` on the layers of a run."""

    def __init__(self, path: Path, column: HybridColumn) -> None:
        self.path, self.source = path, open_source(path)
        self._part: dict[str, slice] = {}
        missing = {"time", "c1", "c2", "top_pressure"} - set(self.source.variables)
        if missing:
            raise UserError(
                f"{path} is no start and has no sides: it lacks {', '.join(sorted(missing))}."
                f" {remedy}"
            )
        time = self.source["time"]
        calendar = str(time.attrs.get("calendar", "standard"))
        self.times = [from_number(float(t), calendar) for t in np.atleast_1d(time.read())]
        self._check_layers(column)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self.source.close()

    def check_grid(self, grid: Grid) -> None:
        """Read at the cells of `grid` alone from now on; refuse a start that lacks any of them."""
        centers, shape = grid.at(Place.center), self.shape("mass")[1:]
        if shape[0] < grid.shape[0] or shape[1] < grid.shape[1]:
            raise UserError(
                f"{self.path} has {shape[0]} x {shape[1]} columns, but the grid of the run"
                f" {grid.shape[0]} x {grid.shape[1]}. {remedy}"
            )
        self._part = {}
        window = FileWindow.find(
            grid, self.read("longitude"), self.read("latitude"), str(self.path)
        )
        self._part = self._lines(window)
        turned = (self.read("longitude") - centers.x + 180.0) % 360.0 - 180.0
        off = np.abs(self.read("latitude") - centers.y).max()
        off = max(off, np.abs(turned * np.cos(np.deg2rad(centers.y))).max())
        if off > 1e-4:
            raise UserError(
                f"{self.path} lies up to {off:.3g} degrees off the grid of the run. {remedy}"
            )

    def _lines(self, window: FileWindow) -> dict[str, slice]:
        """Of each axis those lines that a grid has, in a file with all of its faces."""
        rows, columns = window.slices()
        row_faces, column_faces = window.slices(Place.y_face)[0], window.slices(Place.x_face)[1]
        found = {"y": rows, "x": columns, "y_face": row_faces, "x_face": column_faces}
        for axis, which, number in (("y_face", "v", -2), ("x_face", "u", -1)):
            if self.shape(which)[number] < found[axis].stop:
                raise UserError(
                    f"{self.path} ends with the sides of the grid joined, so that it lacks the last"
                    f" faces of '{which}' of the grid of the run. {remedy}"
                )
        return found

    @property
    def names(self) -> list[str]:
        """Variables that are no coordinates of faces."""
        return [name for name in self.source.variables if not name.endswith(("_face",))]

    def shape(self, name: str) -> tuple[int, ...]:
        return self.source[name].shape

    def read(self, name: str, record: int | None = None) -> Array:
        """A variable, or one record of it."""
        variable = self.source[name]
        return variable.read(**self._part, **({} if record is None else {"time": record}))

    def _check_layers(self, column: HybridColumn) -> None:
        c1, top = self.read("c1"), float(self.read("top_pressure"))
        same = c1.shape == column.c1.shape and abs(top - column.top_pressure) < 1e-3
        if same and np.allclose(c1, column.c1, atol=1e-9):
            return
        raise UserError(
            f"{self.path} has {c1.size} layers up to {top:.6g} Pa, the run {column.c1.size} up to"
            f" {column.top_pressure:.6g} Pa, or they are cut in another way. {remedy}"
        )


@dataclass
class _Held:
    """Two records around a moment."""

    number: int
    values: dict[str, tuple[Array, Array]]


class AnalysedSides:
    """Values on the outer rows of sides at any moment of a run, linear between two records."""

    def __init__(
        self, path: Path, grid: Grid, column: HybridColumn, period: tuple[Date, Date], width: int
    ) -> None:
        self.file = StartFile(path, column)
        times = self.file.times
        if times[0] > period[0] or times[-1] < period[1]:
            raise UserError(
                f"{path} has sides from {text(times[0])} to {text(times[-1])}, but the run needs"
                f" {text(period[0])} to {text(period[1])}. Shorten the run, or make them from more"
                " analyses."
            )
        for side, along in zip(side_names, (0, 0, 1, 1), strict=True):
            shape = self.file.shape(f"mass_{side}")[-2:]
            if shape != (width, grid.shape[along]):
                raise UserError(
                    f"{path} has {shape[0]} rows of {shape[1]} columns along the {side}ern side,"
                    f" the run wants {width} of {grid.shape[along]}. {remedy}"
                )
        self._held = _Held(-1, {})

    def close(self) -> None:
        self.file.close()

    def at(self, name: str, side: str, moment: Date) -> Array:
        """A field on a side, (layers, inward, along) or (inward, along)."""
        times = self.file.times
        number = min(max(bisect_right(times, moment) - 1, 0), max(len(times) - 2, 0))
        if number != self._held.number:
            self._held = _Held(number, {})
        key = f"{name}_{side}"
        if key not in self._held.values:
            after = min(number + 1, len(times) - 1)
            pair = self.file.read(key, number), self.file.read(key, after)
            self._held.values[key] = pair
        before, later = self._held.values[key]
        length = (times[min(number + 1, len(times) - 1)] - times[number]).total_seconds()
        share = (moment - times[number]).total_seconds() / length if length else 0.0
        return (1.0 - share) * before + share * later
