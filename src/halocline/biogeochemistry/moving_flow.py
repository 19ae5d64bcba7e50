"""A flow that changes from step to step, and the volumes of cells that it moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_records import FieldRecords
from halocline.component.forcing.file_series import look_through_all
from halocline.core.clock import Date, text
from halocline.core.errors import UserError
from halocline.core.geography import position_words
from halocline.grids.vertical.levels import VerticalGrid
from halocline.numerics import _native
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import pair
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.biogeochemistry.transport import TransportState

Array = NDArray[np.float64]
kernels = kernels_of(_native)


class MovingFlow(ABC):
    """Sets fluxes, volumes and diffusivity of a state for every step.

    The volumes of a step begin where those of the last one ended; the fluxes are those of its
    middle. Vertical fluxes follow from both (`numerics/given_flow.hpp`); what has to come through
    the surface carries the tracers of the uppermost cell.
    """

    def __init__(
        self, grid: VerticalGrid, state: TransportState, run: Runner, *, at_once: bool = False
    ) -> None:
        self.grid, self.state, self.run, self.at_once = grid, state, run, at_once
        _set_moving_fields(state)
        self._fit = run.bind(kernels["fit_volumes"], state)

    @abstractmethod
    def start(self, moment: Date) -> None:
        """Set the volumes of a moment that no step has led to."""

    @abstractmethod
    def set_step(self, moment: Date, length: timedelta) -> None:
        """Set the fluxes of a step of a length from a moment on, and `next_volume`, after it."""

    def step(self, moment: Date, length: timedelta, number: int) -> None:
        """Set everything for the step of a length from a moment on; `number` counts the steps."""
        self.set_step(moment, length)
        self._fit(dt=length.total_seconds(), x_first=number % 2 == 0, at_once=self.at_once)
        if self.run.plan is None:
            self.check(moment, length)

    def finish(self) -> None:
        """After the tracers have been moved: the volumes after the step are those of now."""
        self.state.volume.swap(self.state.next_volume)

    def check(self, moment: Date, length: timedelta) -> None:
        """Refuse a flow that empties cells in the step from a moment on."""
        most, place = self.greatest(self.state.outflow.read())
        dt = length.total_seconds()
        if not most <= 1.0:
            raise UserError(
                f"In a step of {dt:g} s, {most:.2f} of a cell's volume leaves it in one direction"
                f" at {place}, {text(moment)}; at most 1 may. Use time.step ="
                f" {0.95 * dt / most:.0f} s or less."
            )

    def greatest(self, values: Sequence[Array]) -> tuple[float, str]:
        """Greatest of wet owned values over all ranks, and where it is; a call for all ranks."""
        most, at, columns = -1.0, -1, self.grid.shape[2]
        state = self.state
        blocks = state.area.layout.blocks
        for plane, wet, block in zip(values, state.area.wet, blocks, strict=True):
            assert isinstance(block, Block)
            some = np.where(wet, np.where(np.isfinite(plane), plane, np.inf), -1.0)
            if some.size and some.max() > most:
                j, i = np.unravel_index(int(some.argmax()), some.shape)
                j0, _, i0, _, _ = block.box_of(Place.none)
                most = float(some[j, i])
                at = (block.rectangle.j0 + int(j)) * columns + block.rectangle.i0 + int(i)
        communicator = state.space.decomposition.communicator
        greatest = float(communicator.maximum(np.array([most]))[0])
        if greatest > most:
            at = -1
        number = int(communicator.maximum(np.array([float(at)]))[0])
        center = self.grid.horizontal.at(Place.center)
        x, y = (float(plane[divmod(number, columns)]) for plane in (center.x, center.y))
        return greatest, position_words(x, y)

    @property
    def all_records(self) -> Sequence[FieldRecords]:
        """What it reads."""
        return ()

    def look_through(self, deadline: float) -> tuple[int, int]:
        """Read all records, for what is wrong in them; how many of how many."""
        return look_through_all(self.all_records, deadline)

    def close(self) -> None:
        """Let readings end and close the files."""
        for records in self.all_records:
            records.close()


def _set_moving_fields(state: TransportState) -> None:
    """Fields of a flow that changes: fluxes, volumes, and what comes through the surface."""
    for axis, place in (("x", Place.x_face), ("y", Place.y_face)):
        setattr(
            state, f"{axis}_volume_flux", state.on_levels(f"{axis}_volume_flux", "m3 s-1", place)
        )
    pair(state.x_volume_flux, state.y_volume_flux)
    state.z_volume_flux = state.on_levels("z_volume_flux", "m3 s-1")
    state.volume = state.on_levels("volume", "m3", restart=True)
    state.next_volume = state.on_levels("next_volume", "m3")
    state.surface_water = state.on_plane("surface_water", "m3")
    state.outflow = state.on_plane("outflow", "1")
