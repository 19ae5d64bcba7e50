"""What frames are written to, as its clerk sees it: begun, completed, or given up."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.runtime.files.classic_files import unwritable
from halocline.runtime.files.disk import File
from halocline.runtime.writing.record_files import RecordFiles


class Target(Protocol):
    """A file to which a frame is written."""

    @property
    def written(self) -> Path:
        """The name under which the file is written."""

    @property
    def base(self) -> int:
        """Where the frame begins in the file [byte]."""

    def begin(self) -> None:
        """Make the file ready for the frame."""

    def file(self) -> File:
        """The file, open."""

    def complete(self, sums: NDArray[np.uint32]) -> None:
        """Make the frame count: its bytes are written, `sums` are the checksums of its ranges.

        Bytes that other processes wrote are on the disk.
        """

    def give_up(self) -> None:
        """Leave nothing behind of a frame that cannot be completed."""

    def failure(self, error: OSError) -> UserError:
        """What to say where it cannot be written."""


class RecordTarget:
    """Record number `record` of the file `number` of a stream."""

    def __init__(self, files: RecordFiles, number: int, record: int) -> None:
        self.files, self.number, self.record = files, number, record

    @property
    def written(self) -> Path:
        return self.files.plan.path(self.number)

    @property
    def base(self) -> int:
        return self.files.plan.header.record_at(self.record)

    def begin(self) -> None:
        self.files.open(self.number)

    def file(self) -> File:
        assert self.files.file is not None, "the file is open"
        return self.files.file.file

    def complete(self, sums: NDArray[np.uint32]) -> None:
        assert self.files.file is not None, "the file is open"
        assert self.files.file.records == self.record, "records come one after the other"
        self.files.file.complete(int(sums[0]))

    def give_up(self) -> None:
        """What was written lies behind the last record that counts."""

    def failure(self, error: OSError) -> UserError:
        return unwritable(
            self.written, error, f" The file keeps its {self.record} complete records."
        )
