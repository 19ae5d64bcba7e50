"""What a run asks of an output stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from halocline.core.clock import Date
from halocline.runtime.fields.field import Field
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.writers import Writers


class OutputStream(Protocol):
    """One output file series with its own schedule; calls are for all ranks."""

    names: Sequence[str]

    @property
    def plan(self) -> FilePlan:
        """The files that it writes."""

    @property
    def path(self) -> Path:
        """The file, under the name that it has when it is finished."""

    @property
    def restart_fields(self) -> Sequence[Field]:
        """What restarts hold of it."""

    def open(self, writers: Writers) -> None:
        """Open the first file."""

    def due(self, time: Date) -> bool:
        """Whether the stream wants a record at `time`."""

    def write(self, time: Date, fields: Mapping[str, Field]) -> None:
        """Append a record."""

    def close(self) -> None:
        """Finish the files."""
