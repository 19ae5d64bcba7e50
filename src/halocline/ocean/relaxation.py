"""Boxes whose temperature and salinity are drawn to targets on all levels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_series import FieldSeries
from halocline.core.clock import Date
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import in_boxes
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean import _native
from halocline.ocean.options import OceanOptions
from halocline.ocean.relaxation_options import RelaxationOptions
from halocline.ocean.rotation import is_cartesian
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.runner import Runner

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
kernels = kernels_of(_native)
seconds_per_day = 86400.0


def relaxation_rate(given: RelaxationOptions, grid: Grid, name: str) -> Array:
    """The rate of a box at centres [s-1], 0 outside of it, shape (nj, ni)."""
    center, around = grid.at(Place.center), not is_cartesian(grid)
    x, y = np.broadcast_arrays(center.x, center.y)
    where = f"ocean.relax.{name}.box"
    inside = in_boxes([list(given.box)], x, y, around=around, named=where)
    west, east, south, north = given.box
    from_west = (x - west) % 360.0 if around else x - west
    distances = from_west, east - west - from_west, y - south, north - y
    share = inside.astype(np.float64)
    for distance, width in zip(distances, given.ramp, strict=True):
        if width:
            share *= np.clip(distance / width, 0.0, 1.0)
    return share / (seconds_per_day * given.time_scale)


class BoxRelaxation:
    """One box of one ocean."""

    def __init__(
        self,
        name: str,
        given: RelaxationOptions,
        levels: VerticalGrid,
        state: OceanState,
        run: Runner,
    ) -> None:
        self.name, self.given, self.state = name, given, state
        self.series: FieldSeries | None = None
        space, dtype = state.space, state.dtype
        rate = Field(f"{name}_rate", "s-1", space, place=Place.center, dtype=dtype, static=True)
        rate.set_global(relaxation_rate(given, levels.horizontal, name).astype(dtype))
        self.targets = [
            Field(
                f"{name}_{of}_target",
                state.tracer.units,
                space,
                axes=(state.levels,),
                place=Place.center,
                dtype=dtype,
                restart=not given.file,
            )
            for of in ("temperature", "salinity")
        ]
        self.gains = [
            Field(f"{name}_{of}_gain", "1", space, place=Place.center, dtype=dtype)
            for of in ("temperature", "salinity")
        ]
        self.calls = [
            run.bind(
                kernels["ocean_relax"],
                state,
                relaxed=state.new_tracer.part(number),
                target=target,
                relaxation_rate=rate,
                gain=self.gains[number],
            )
            for number, target in enumerate(self.targets)
        ]

    def keep_start(self) -> None:
        """Take tracers as they are as the target, unless files give it."""
        if not self.given.file:
            for number, target in enumerate(self.targets):
                target.copy(self.state.tracer.part(number))


class Relaxation:
    """All boxes of one ocean."""

    def __init__(
        self, levels: VerticalGrid, options: OceanOptions, state: OceanState, run: Runner
    ) -> None:
        self.grid, self.run = levels.horizontal, run
        self.boxes = [
            BoxRelaxation(name, given, levels, state, run) for name, given in options.relax.items()
        ]

    def __call__(self, tau: float) -> None:
        """Draw the new level to the targets, for the `tau` seconds since the old one."""
        for box in self.boxes:
            for call in box.calls:
                call(tau=tau)

    def keep_start(self) -> None:
        """Take the start as the target where no files give one."""
        for box in self.boxes:
            box.keep_start()

    def kept(self) -> list[Field]:
        """Targets that come from the start, which a restart must hold."""
        return [target for box in self.boxes for target in box.targets if target.restart]

    def follow(self, period: tuple[Date, Date]) -> None:
        """Open the files, for a period; a call for all ranks."""
        for box in self.boxes:
            if box.given.file:
                box.series = FieldSeries(
                    box.given,
                    box.targets,
                    self.grid,
                    period,
                    f"water of ocean.relax.{box.name}",
                    variables=(box.given.temperature, box.given.salinity),
                    units=("degree_C", "1e-3"),
                    base=Path(),
                    recorder=self.run.recorder,
                )

    @property
    def series(self) -> Sequence[FieldSeries]:
        """What gives the targets from files."""
        return [box.series for box in self.boxes if box.series is not None]

    def update(self, moment: Date) -> None:
        """Bring the targets to a moment; a call for all ranks."""
        for series in self.series:
            with self.run.recorder.time("forcing"):
                series.update(moment)
