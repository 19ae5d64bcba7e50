"""Means and extremes of fields over the interval of an output record.

What is gathered so far lies in fields that go into restarts, so that a run split by a restart
writes the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.clock import Alarm, Clock, duration, duration_text
from halocline.core.errors import UserError
from halocline.core.names import Quantity
from halocline.core.options import option
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.dealt import Dealt
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.writing.stream_options import StreamOptions

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class IntervalOptions(StreamOptions):
    """Streams whose records may stand for intervals; `processing` is theirs."""

    processing: str = option(
        "instantaneous",
        "",
        "what a record holds: values of its moment, or their mean, least or greatest over the"
        " interval that ends there",
        choices=("instantaneous", "mean", "minimum", "maximum"),
    )
    sampling: str | float = option(
        "",
        "s",
        "time between the values that a mean or an extreme is made of; every step of the model if"
        " empty",
    )

    @property
    def cumulative(self) -> bool:
        """Whether a record stands for the interval that ends at its time."""
        return self.processing != "instantaneous"

    def samples(self, clock: Clock) -> Alarm:
        """When values are taken for means and extremes."""
        alarm = self.alarm(clock)
        step = duration(self.sampling) if self.sampling else clock.step
        if step.total_seconds() <= 0 or step % clock.step or alarm.interval % step:
            raise UserError(
                f"sampling = {duration_text(step)} must be a multiple of the model's step of"
                f" {duration_text(clock.step)} and divide interval ="
                f" {duration_text(alarm.interval)}."
            )
        return Alarm(alarm.start, step, alarm.end)

    def most(self, clock: Clock) -> int:
        """How many samples an interval has."""
        return int(self.alarm(clock).interval / self.samples(clock).interval)

    def cell_methods(self, samples: Alarm) -> str:
        """How CF says what a record stands for."""
        return f"time: {self.processing} (interval: {samples.interval.total_seconds():g} s)"


class OneBlock:
    """Values of items that are dealt to the ranks, as a field has them."""

    def __init__(self, values: Array) -> None:
        self._values = values

    def read(self) -> list[Array]:
        """As `Field.read`."""
        return [self._values]


class IntervalValues:
    """The `kind` (mean, minimum, maximum) of some fields since the last record.

    Values that are not finite (no waves, no direction) do not count. Directions are averaged as
    unit vectors; they have no extremes. Sums are in float64, sample after sample; means are
    `written` in another precision. There are `most` samples in an interval. Of cells those at sea
    points are kept, and what lies below the sea floor is missing, but where cells stand on a fold.
    """

    def __init__(
        self,
        stream: str,
        kind: str,
        names: Mapping[str, Quantity],
        axes: Mapping[str, tuple[Axis, ...]],
        space: Space | Decomposition,
        *,
        place: Place,
        dtype: DTypeLike,
        most: int,
        written: DTypeLike = np.float64,
        dealt: Dealt | None = None,
        like: Mapping[str, Field] | None = None,
    ) -> None:
        self.kind, self.names = kind, names
        self._counts = np.int16 if most <= np.iinfo(np.int16).max else np.int32
        self._fields: dict[str, dict[str, Field]] = {}
        self._results: dict[str, Field] = {}
        self._cells: list[str] = []  # those given on cells and kept at sea points
        for name, quantity in names.items():
            if quantity.is_direction and kind != "mean":
                raise UserError(
                    f"'{name}' is a direction, which has no {kind}. Use processing = 'mean' or"
                    " 'instantaneous', or leave it out."
                )
            model = (like or {}).get(name)
            where = (place, space) if model is None else (model.place, model.space)
            if model is not None:
                _check_seam(model, kind)
            kept = _kept_at(*where)
            self._fields[name] = {
                part: Field(
                    f"{stream}_{name}_{kind}_{part}",
                    quantity.units,
                    where[1],
                    axes=axes.get(name, ()),
                    place=kept,
                    dtype=kind_of_number,
                    restart=True,
                    dealt=dealt,
                )
                for part, kind_of_number in self._parts(quantity, np.dtype(dtype)).items()
            }
            self._results[name] = Field(
                f"{stream}_{name}_{kind}",
                quantity.units,
                where[1],
                axes=axes.get(name, ()),
                place=kept,
                dtype=written if kind == "mean" else dtype,
                dealt=dealt,
            )
            if kept is not where[0]:
                self._cells.append(name)
            elif model is not None:
                self._results[name].direction = model.direction
        self.clear()

    def _parts(self, quantity: Quantity, dtype: np.dtype[Any]) -> dict[str, Any]:
        if self.kind != "mean":
            return {"extreme": dtype}
        if quantity.is_direction:
            return {"east": np.float64, "north": np.float64}
        return {"sum": np.float64, "count": self._counts}

    @property
    def fields(self) -> Sequence[Field]:
        """What a restart holds."""
        return [field for parts in self._fields.values() for field in parts.values()]

    def clear(self) -> None:
        """Begin a new interval."""
        for field in self.fields:
            field.fill(np.nan if self.kind != "mean" else 0)

    def add(self, fields: Mapping[str, Any]) -> None:
        """Count one sample of every field in."""
        for name, quantity in self.names.items():
            with ExitStack() as changes:
                parts = {
                    part: changes.enter_context(field.change())
                    for part, field in self._fields[name].items()
                }
                at_sea = self._at_sea(fields[name]) if name in self._cells else fields[name].read()
                for block, values in enumerate(at_sea):
                    here = {part: owned[block] for part, owned in parts.items()}
                    self._add(here, values, quantity)

    @staticmethod
    def _at_sea(field: Field) -> Iterator[Array]:
        """What the sea points of each block have of a field on cells."""
        for values, block in zip(field.read(), field.layout.blocks, strict=True):
            assert isinstance(block, Block)
            yield values[..., _sea(block)]

    def _add(self, parts: Mapping[str, Array], values: Array, quantity: Quantity) -> None:
        if self.kind != "mean":
            smaller = self.kind == "minimum"
            (np.fmin if smaller else np.fmax)(parts["extreme"], values, out=parts["extreme"])
            return
        some = np.isfinite(values)
        if not quantity.is_direction and some.all():
            parts["sum"][...] += values
            parts["count"][...] += 1
            return
        if quantity.is_direction:
            angle = np.deg2rad(np.where(some, values, 0.0).astype(np.float64))
            parts["east"][...] += np.where(some, np.sin(angle), 0.0)
            parts["north"][...] += np.where(some, np.cos(angle), 0.0)
            return
        parts["sum"][...] += np.where(some, values, 0.0)
        parts["count"][...] += some

    def take(self) -> dict[str, Field]:
        """Values of the interval, and begin a new one."""
        for name, result in self._results.items():
            parts = {part: field.read() for part, field in self._fields[name].items()}
            with result.change() as owned:
                for number, target in enumerate(owned):
                    target[...] = self._value({part: here[number] for part, here in parts.items()})
                    if name in self._cells and (levels := result.levels) is not None:
                        block = result.layout.blocks[number]
                        assert isinstance(block, Block)
                        wet = result.space.wet_in(block, Place.center, levels)[:, _sea(block)]
                        target[..., ~wet] = np.nan
        self.clear()
        return self._results

    def _value(self, parts: Mapping[str, Array]) -> Array:
        if self.kind != "mean":
            return parts["extreme"]
        if "sum" in parts:
            total, count = parts["sum"], parts["count"]
            return np.where(count > 0, total / np.maximum(count, 1), np.nan)
        length = np.hypot(parts["east"], parts["north"])
        angle = np.mod(np.rad2deg(np.arctan2(parts["east"], parts["north"])), 360.0)
        return np.where(length > 1e-6, angle, np.nan)


def _kept_at(place: Place, space: Space | Decomposition) -> Place:
    """Where values of a place are gathered: those of cells at sea points, which need less memory.

    On a fold through centres cells stand twice, and both have values.
    """
    decomposition = space.decomposition if isinstance(space, Space) else space
    once = decomposition.world.topology.seam(place) is None
    return Place.point if place is Place.center and once else place


def _sea(block: Block) -> NDArray[np.bool_]:
    """Which cells that a block owns are its sea points, in their order."""
    r = block.rectangle
    return block.world.mask[r.j0 : r.j1, r.i0 : r.i1]


def _check_seam(field: Field, kind: str) -> None:
    """Refuse the extreme of a component of a vector where points stand twice on a fold."""
    seam = field.decomposition.world.topology.seam(field.place)
    if field.vector and kind != "mean" and seam is not None:
        raise UserError(
            f"'{field.name}' is a component of a vector and stands twice on the fold of the grid,"
            f" where the {kind} of one is not that of the other. Use processing = 'mean' or"
            " 'instantaneous', or leave it out."
        )
