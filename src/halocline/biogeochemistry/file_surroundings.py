"""Water and air around the tracers from the files of a circulation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from halocline.biogeochemistry.environment import Environment
from halocline.biogeochemistry.merging import Merging
from halocline.biogeochemistry.reacting_state import ReactingState
from halocline.component.forcing.field_records import FieldRecords, RecordSource
from halocline.core.clock import Date
from halocline.runtime.fields.field import Field

read = {
    "temperature": "temperature",
    "salinity": "salinity",
    "short_wave": "short_wave",
    "wind_speed": "wind_speed",
    "ice": "ice_fraction",
}
"""Fields of the state that come from the files, by our short name; ice only where they have it."""


class FileSurroundings(Environment):
    """Temperature, salinity, short wave, wind and ice, linear in time between records."""

    def __init__(self, source: RecordSource, merging: Merging | None = None) -> None:
        self.source, self.merging = source, merging
        self._records: dict[str, FieldRecords] = {}

    def settle(self, state: ReactingState) -> Sequence[FieldRecords]:
        """Open the files for the fields of `state`."""
        for found, name in read.items():
            if found == "ice" and not self.source.has(found):
                continue
            field: Field = getattr(state, name)
            mean = None
            if self.merging is not None:
                mean = self.merging.of_volume if field.axes else self.merging.of_surface
            self._records[name] = FieldRecords(self.source, field, stencil=mean, found=found)
        return list(self._records.values())

    def fill(self, state: ReactingState, time: Date, dt: float) -> None:
        """Set the fields to what they are in the middle of the step of `dt` [s] from `time`."""
        middle = time + timedelta(seconds=0.5 * dt)
        for name, records in self._records.items():
            field: Field = getattr(state, name)
            records.update(middle)
            records.set_now(middle, field)
