"""What the time loop asks of a model component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Protocol

from halocline.core.clock import Date
from halocline.runtime.fields.field import Field
from halocline.runtime.running.runner import Runner
from halocline.runtime.sums.reductions import GlobalSums


class Component(Protocol):
    """A model on one grid, with its forcing, that can be stepped and looked at."""

    run: Runner
    step_length: timedelta
    sums: Mapping[str, GlobalSums]  # those it makes, by what they add up

    def restart_fields(self) -> Sequence[Field]:
        """Fields that a restart file holds.

        Small state without a place on the grid is a field with `place=Place.none`, the same on
        all ranks.
        """

    def facts(self) -> dict[str, str | int | float]:
        """What a restart must share with the run that reads it."""

    def start(self, time: Date, restarted: bool) -> None:
        """Get ready for the first step at `time`; the fields hold a restart if `restarted`."""

    def step(self, time: Date) -> None:
        """Advance from `time` by `step_length`."""

    def diagnose(self, names: Sequence[str], time: Date) -> dict[str, Field]:
        """Output fields by short name, at `time`, computed from the state."""

    def close(self) -> None:
        """End what still goes on in the background and close the files that are read."""

    def summary(self) -> str:
        """One line on the state, for the end of a run: a call for all ranks."""
