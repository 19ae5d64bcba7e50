"""When restart files are written, and how a run continues from one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halocline.core.clock import Alarm, Clock, Date, duration
from halocline.core.options import Options, option
from halocline.experiment.component import Component
from halocline.runtime.classic_files import read_header
from halocline.runtime.fields import Field
from halocline.runtime.restart import (
    Facts,
    latest_restart,
    on_first_rank,
    read_restart,
    restart_path,
    write_restart,
)


@dataclass(frozen=True, kw_only=True)
class RestartOptions(Options):
    """Restart files, in the output folder, and the one that a run begins with."""

    source: str = option(
        "", "", "restart file, or a folder whose newest one is taken; empty: begin anew"
    )
    interval: str | float = option(
        "", "s", "time between restart files, as '6h' or a number of seconds; empty: none"
    )
    at_end: bool = option(True, "", "write one where the run ends")


class Restarts:
    """Reads the restart that a run begins with and writes those that it leaves."""

    def __init__(self, options: RestartOptions, component: Component, clock: Clock) -> None:
        self.options, self.component, self.clock = options, component, clock
        self.alarm = (
            Alarm(clock.start, duration(options.interval)) if options.interval != "" else None
        )
        self.newest: Path | None = None
        self._source: Path | None = None
        self._more: list[Field] = []

    @property
    def fields(self) -> Sequence[Field]:
        """What the files hold: the state of the component, and what streams gather."""
        return [*self.component.restart_fields(), *self._more]

    def add(self, fields: Sequence[Field]) -> list[str]:
        """Put more fields into restarts; those in the file that was read are set from it.

        Returns the names of fields that it lacks.
        """
        self._more += fields
        if self._source is None or not fields:
            return []
        path, communicator = self._source, fields[0].decomposition.communicator
        there = on_first_rank(communicator, lambda: set(read_header(path).places))
        known = [field for field in fields if field.name in there]
        if known:
            read_restart(path, known, self.facts(), self.clock.calendar)
        return [field.name for field in fields if field.name not in there]

    def facts(self) -> Facts:
        """What a restart shares with the run that reads it."""
        world = self.component.run.decomposition.world
        mask = hashlib.sha256(world.mask.tobytes()).hexdigest()[:16]
        return {
            "rows": world.mask.shape[0],
            "columns": world.mask.shape[1],
            "sea points": world.sea_points,
            "mask": mask,
            **self.component.facts(),
        }

    def read(self) -> bool:
        """Set fields and clock from the case's restart; whether there is one."""
        if not self.options.source:
            return False
        path = Path(self.options.source)
        if path.is_dir():
            path = latest_restart(path)
        time = read_restart(path, self.fields, self.facts(), self.clock.calendar)
        self.clock.set(time)
        self._source = path
        return True

    def after_step(self, folder: Path, time: Date) -> None:
        """Write a restart where the schedule asks for one."""
        if self.alarm is not None and self.alarm.rings(time) and time > self.clock.start:
            self.write(folder, time)

    def at_end(self, folder: Path, time: Date, stopped: bool) -> None:
        """Write a restart where the run ends; always where it was stopped before its time."""
        path = restart_path(folder, time)
        if (self.options.at_end or stopped) and path != self.newest:
            self.write(folder, time)

    def write(self, folder: Path, time: Date) -> None:
        """Write a restart; a call for all ranks."""
        path = restart_path(folder, time)
        with self.component.run.recorder.time("restart"):
            write_restart(path, self.fields, time, self.facts())
        self.newest = path
