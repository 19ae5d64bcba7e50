"""Output streams made by a user's own function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.conventions import conventions, define_coordinates
from halocline.component.streams.stream import OutputStream
from halocline.core.clock import Clock, Date
from halocline.core.errors import UserError
from halocline.core.names import quantities
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.field import Field
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.writing.restart import on_first_rank
from halocline.runtime.writing.stream_options import StreamOptions
from halocline.runtime.writing.streams import (
    Stream,
    define_time,
    define_values,
    missing_value,
)

Array = NDArray[Any]
Function = Callable[[Mapping[str, Array], Grid], Mapping[str, Any]]


class OwnStream(OutputStream):
    """A stream of what `function` makes of some fields.

    `function(fields, grid)` is called on the first rank with the fields named in `reads`, each
    (..., nj, ni) with NaN on land, and returns a value for each name in `writes`, which gives its
    units: a number, or with `maps` a plane (nj, ni). Since it sees whole fields these are gathered
    on that rank, which no other stream does. `options` are those of a stream in a case file
    (interval, start, end, file, precision, format, split, ...).

    >>> import halocline
    >>> def extent(fields, grid):
    ...     rough = fields["significant_height"] > 1.0
    ...     return {"rough_area": grid.area[rough].sum()}
    >>> stream = OwnStream("extent", extent, reads=["significant_height"],
    ...                    writes={"rough_area": "m2"}, interval="6h")
    >>> stream.names
    ('significant_height',)
    """

    def __init__(
        self,
        name: str,
        function: Function,
        *,
        reads: Sequence[str],
        writes: Mapping[str, str],
        maps: bool = False,
        **options: Any,
    ) -> None:
        self.name, self.function = name, function
        self.names: Sequence[str] = tuple(reads)
        self.writes, self.maps = dict(writes), maps
        if not self.writes or "time" in self.writes:
            raise UserError(f"Stream '{name}': name what it writes with units, besides the time.")
        self.options = StreamOptions.from_table(options, f"stream {name}")

    def prepare(
        self, grid: Grid, clock: Clock, folder: Path, communicator: Communicator, *, resumed: bool
    ) -> OwnStream:
        """Get ready for a run, whose results are in a folder."""
        self.grid, self.calendar, self._communicator = grid, clock.calendar, communicator
        self.stream = Stream(self.name, self.options, clock, folder, self._define, resumed=resumed)
        return self

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append what the function makes of the fields of `time`."""
        planes = {name: self._plane(fields[name]) for name in self.names}
        made: dict[str, Array] = {}

        def make() -> None:
            made.update(self._make({k: v for k, v in planes.items() if v is not None}))

        on_first_rank(self._communicator, make)
        self.stream.append(time, made)

    def _plane(self, field: Field) -> Array | None:
        values = field.gather()
        if values is None:
            return None
        mask = self.grid.mask
        kind = np.result_type(values.dtype, np.float32)
        if values.shape[-2:] == mask.shape:
            return np.where(mask, values, np.nan)
        plane = np.full((*values.shape[:-1], *mask.shape), np.nan, kind)
        plane[..., mask] = values
        return plane

    def _make(self, planes: Mapping[str, Array]) -> dict[str, Array]:
        """The function's values, checked; its mistakes are told to all ranks."""
        try:
            found = self.function(planes, self.grid)
            values = {name: np.asarray(value, np.float64) for name, value in found.items()}
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f"The function of the output stream '{self.name}' failed:"
                f" {type(error).__name__}: {error}"
            ) from error
        shape = self.grid.shape if self.maps else ()
        if values.keys() != self.writes.keys() or any(v.shape != shape for v in values.values()):
            shapes = {name: value.shape for name, value in values.items()}
            raise UserError(
                f"The function of the output stream '{self.name}' gave {shapes}, but each of"
                f" {', '.join(self.writes)} with shape {shape} is needed (option maps:"
                f" {self.maps})."
            )
        return {name: np.where(np.isfinite(v), v, missing_value) for name, v in values.items()}

    def _define(self, file: netCDF4.Dataset) -> None:
        file.setncatts(conventions(f"Halocline output stream {self.name}"))
        define_time(file, self.calendar)
        horizontal = define_coordinates(file, self.grid) if self.maps else ()
        kind = {"float32": "f4", "float64": "f8"}[self.options.precision]
        for name, units in self.writes.items():
            known = quantities.get(name)
            attributes = {"long_name": name.replace("_", " "), "units": units}
            if known is not None and known.units == units:
                attributes = known.attributes()
            if self.maps and self.grid.longitude is not None:
                attributes["coordinates"] = "latitude longitude"
            define_values(file, name, kind, ("time", *horizontal), attributes)
