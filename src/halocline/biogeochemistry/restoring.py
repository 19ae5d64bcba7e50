"""Tracers that are drawn to values from files, which may change in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.component.forcing.field_series import FieldSeries, SeriesOptions
from halocline.core.clock import Date
from halocline.core.errors import UserError
from halocline.core.options import option
from halocline.grids.vertical.levels import VerticalGrid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.python_kernels import kernel, read, update
from halocline.runtime.fields.space import Space
from halocline.runtime.running.runner import Runner

Array = NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class RestoringOptions(SeriesOptions):
    """Tracers that are drawn to values from files, at the surface or further down too."""

    variables: dict[str, str] = option({}, "", "variable of the files by tracer")
    time_scale: float = option(
        30.0,
        "day",
        "time in which a difference falls to 1/e; 0: the values of the files are held",
        at_least=0,
    )
    depth: float = option(
        0.0,
        "m",
        "down to which levels are restored, by their centres; the uppermost always is",
        at_least=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.file) != bool(self.variables):
            raise UserError(
                "restoring needs both: 'file', and 'variables' that name one for each tracer that"
                " is restored."
            )

    def share(self, dt: float) -> float:
        """The part of a difference that a step of `dt` [s] takes away, implicit in time [1].

        >>> RestoringOptions(time_scale=1.0).share(43200.0) == 1 / 3
        True
        """
        return dt / (dt + 86400.0 * self.time_scale)


@kernel(
    tracer=update(Place.center, "1", "depth"),
    goal=read(Place.center, "1", "restored_depth"),
    volume=read(Place.center, "m3", "depth"),
    brought=update(Place.center, "m3"),
)
def restore_tracer(
    at: Any, tracer: Array, goal: Array, volume: Array, brought: Array, share: float
) -> None:
    """Take a share of the difference away:  tracer += share (goal - tracer), on levels of `goal`.

    These are the upper ones of the tracer. What that brings is counted.
    """
    upper, wanted = at(tracer)[-goal.shape[0] :], at(goal)
    before = upper.astype(np.float64)
    upper += upper.dtype.type(share) * (wanted - upper)
    at(brought)[...] += ((upper - before) * at(volume)[-goal.shape[0] :]).sum(axis=0)


class TracerState(Protocol):
    """What tracers and their levels are called in a state."""

    space: Space
    tracer: Field
    tracers: Axis
    volume: Field


class Restoring:
    """Draws some tracers of a state to values from files."""

    def __init__(
        self,
        options: RestoringOptions,
        grid: VerticalGrid,
        state: TracerState,
        period: tuple[Date, Date],
        run: Runner,
        brought: Field,
    ) -> None:
        self.options, self.state, self.run, self.brought = options, state, run, brought
        count = max(int((grid.depth <= options.depth).sum()), 1)
        upper = Axis("restored_depth", coordinates=tuple(grid.depth[-count:].tolist()), units="m")
        dtype = state.tracer.dtype
        self.goals = {
            name: Field("goal", "1", state.space, axes=(upper,), place=Place.center, dtype=dtype)
            for name in options.variables
        }
        self.series = FieldSeries(
            options,
            list(self.goals.values()),
            grid.horizontal,
            period,
            "restoring of tracers",
            variables=list(options.variables.values()),
            recorder=run.recorder,
        )

    def step(self, moment: Date, dt: float) -> None:
        """Restore at the end of a step of `dt` [s] that ends at `moment`."""
        with self.run.recorder.time("forcing"):
            self.series.update(moment)
        share = self.options.share(dt)
        for name, goal in self.goals.items():
            number = self.state.tracers.entries.index(name)
            self.run(
                restore_tracer,
                tracer=self.state.tracer.part(number),
                goal=goal,
                volume=self.state.volume,
                brought=self.brought.part(number),
                share=share,
            )
