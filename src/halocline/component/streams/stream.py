"""What all output streams of a run share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.streams.interval_values import IntervalValues
from halocline.core.clock import Alarm, Date, to_number
from halocline.runtime.fields.field import Field
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.streams import Stream
from halocline.runtime.writing.writers import Writers


class OutputStream(ABC):
    """One output file series with its own schedule; calls are for all ranks.

    `names` are the fields that `write` wants. Where records stand for intervals, `interval` has
    what was counted in since the last one, by `samples`.
    """

    names: Sequence[str] = ()
    stream: Stream
    interval: IntervalValues | None = None
    samples: Alarm

    @property
    def plan(self) -> FilePlan:
        """The files that it writes."""
        return self.stream.plan

    @property
    def path(self) -> Path:
        """The file, under the name that it has when it is finished."""
        return self.stream.final_path

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What restarts hold of it: the interval so far."""
        return self.interval.fields if self.interval else ()

    def open(self, writers: Writers) -> None:
        """Open the first file."""
        self.stream.open(writers)

    def due(self, time: Date) -> bool:
        """Whether the stream wants the fields of `time`, for a record or a sample of one."""
        if self.interval is None:
            return self.stream.due(time)
        return time > self.samples.start and self.samples.rings(time)

    @abstractmethod
    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append the record of `time`, or count its fields into the interval of one."""

    def close(self) -> None:
        """Finish the file."""
        self.stream.close()

    def counted(self, time: Date, sample: Mapping[str, Any]) -> Mapping[str, Field] | None:
        """Count a sample into the interval; what was gathered where it ends, None before."""
        assert self.interval is not None
        self.interval.add(sample)
        return self.interval.take() if self.stream.due(time) else None

    def time_bounds(self, time: Date) -> dict[str, NDArray[np.float64]]:
        """Both ends of the interval that ends at `time`, of records that stand for one."""
        if self.interval is None:
            return {}
        begin = time - self.stream.alarm.interval
        return {"time_bounds": np.array([to_number(begin), to_number(time)])}
