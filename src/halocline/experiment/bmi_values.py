"""Variables of the Basic Model Interface: fields of components as flat arrays of whole grids."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.component import Component
from halocline.component.port import Port
from halocline.core.clock import Date
from halocline.core.names import quantities
from halocline.experiment.bmi_grids import BmiGrid
from halocline.experiment.joint_run import JointRun
from halocline.experiment.member_run import MemberRun
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place

Values = NDArray[Any]


class BmiVariable:
    """A field that can be looked at (`is_shown`), or one that others fill (`port`), or both."""

    def __init__(
        self, member: MemberRun, name: str, units: str, grid: int, dtype: np.dtype[Any], shown: bool
    ) -> None:
        self.member, self.name, self.units, self.grid, self.dtype = member, name, units, grid, dtype
        self.is_shown = shown
        self.port: Port | None = member.component.ports.get(name)
        self._given: Values | None = None  # what was set
        self._followed: Values | None = None  # what `get_value_ptr` gave

    @property
    def component(self) -> Component:
        return self.member.component

    def values(self, time: Date) -> Values:
        """All values of now, flat; a call for all ranks."""
        if not self.is_shown:
            return self.given
        field = self.component.diagnose([self.name], time)[self.name]
        return self._whole(field).astype(self.dtype)

    @property
    def given(self) -> Values:
        """What fills the port before the next step, to be changed in place."""
        assert self.port is not None
        if self._given is None:
            self._given = self._whole(self.port.field)
        return self._given

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """Where the model uses what fills the port: not where it is dry, flat."""
        assert self.port is not None
        field = self.port.field
        even = Field("used", "1", field.space, axes=field.axes, place=field.place)
        even.fill(1.0)
        return np.isfinite(self._whole(even))

    def followed(self, time: Date) -> Values:
        """Values that `refresh` keeps those of now, or those that are `given`."""
        if not self.is_shown:
            return self.given
        if self._followed is None:
            self._followed = self.values(time)
        return self._followed

    def refresh(self, time: Date) -> None:
        """Bring what was followed to now."""
        if self._followed is not None:
            self._followed[:] = self.values(time)

    def put(self) -> None:
        """Fill the port with what was set, if something was."""
        if self._given is None:
            return
        assert self.port is not None
        field, plane = self.port.field, self.component.plane
        rows = np.where(self.used, self._given, 0.0).reshape(
            *field.outer, *_plane_of(plane, field.place)
        )
        field.set_global(rows if field.place.planar else rows[..., plane.mask])
        self.component.took([self.name], self.member.clock.time)

    def _whole(self, values: Field | Values) -> Values:
        """Flat values of the whole grid on all ranks, NaN where it is dry."""
        plane, communicator = self.component.plane, self.member.communicator
        on_points = isinstance(values, Field) and not values.place.planar
        mine = _dry_missing(values).gather() if isinstance(values, Field) else values
        all_values: Values = communicator.broadcast(mine)
        if not on_points and all_values.ndim > 1:
            return np.array(all_values).reshape(-1)
        whole = np.full((*all_values.shape[:-1], *plane.mask.shape), np.nan, all_values.dtype)
        whole[..., plane.mask] = all_values
        return whole.reshape(-1)


def variables_of(joint: JointRun) -> tuple[dict[str, BmiVariable], list[BmiGrid]]:
    """All variables of the members of a run, by name, and the grids that they lie on."""
    found: dict[str, BmiVariable] = {}
    grids: list[BmiGrid] = []
    numbers: dict[tuple[str, Place, tuple[int, ...]], int] = {}

    def number(member: MemberRun, place: Place, axes: Sequence[Axis]) -> int:
        key = member.name, place, tuple(axis.size for axis in axes)
        if key not in numbers:
            numbers[key] = len(grids)
            grids.append(BmiGrid(member.component.plane, place, axes))
        return numbers[key]

    for member in joint.here:
        before = f"{member.name}." if member.name else ""
        component, described = member.component, member.case.described()
        not_computed = member.case.exports.keys() - member.case.gives().keys()
        dtype = np.dtype(member.case.precision)
        for name, shape in member.case.map_shapes().items():
            if name in not_computed:
                continue
            field = component.shown.get(name)
            axes = field.axes if field else tuple(Axis("", size) for size in shape.extents)
            units = described[name].units if name in described else quantities[name].units
            grid = number(member, _planar(shape.place), axes)
            found[before + name] = BmiVariable(member, name, units, grid, dtype, shown=True)
        for name, port in component.ports.items():
            if before + name not in found:
                field = port.field
                grid = number(member, _planar(field.place), field.axes)
                found[before + name] = BmiVariable(
                    member, name, field.units, grid, field.dtype, shown=False
                )
    return found, grids


def _planar(place: Place) -> Place:
    return place if place.planar else Place.center


def _plane_of(plane: Grid, place: Place) -> tuple[int, int]:
    return plane.topology.shape(_planar(place))


def _dry_missing(field: Field) -> Field:
    """The field with NaN where it is dry; points of the sea as they are."""
    if not field.place.planar:
        return field
    copy = Field(
        field.name, field.units, field.space, axes=field.axes, place=field.place, dtype=field.dtype
    )
    with copy.change() as owned:
        for array, values, wet in zip(owned, field.read(), field.wet, strict=True):
            array[...] = np.where(wet, values, np.nan)
    return copy
