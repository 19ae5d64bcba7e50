"""What the model tells its output servers, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.runtime.writing.frame_writing import Sums
from halocline.runtime.writing.frames import Frame
from halocline.runtime.writing.record_files import FilePlan
from halocline.runtime.writing.restart import RestartTarget

order_tag, done_tag, answer_tag, ready_tag, group_tag = range(1, 6)
"""Tags (parts of frames have 0): orders of the model's rank 0; a server's share of a frame is on
disk, to the clerk; answers to the model's rank 0; a file is there, to other servers; how many
frames count, to other clerks."""


@dataclass(frozen=True)
class TakeStream:
    """Go on with the files of a stream, which are open at file `number`, with `records` in it."""

    plan: FilePlan
    group: int
    number: int


@dataclass(frozen=True)
class WriteFrame:
    """Write a frame: a record of a stream, or a restart file.

    `sequence` counts all frames of a run. `frame` is given where it differs from the last of that
    name; `begins` says that the file is not there yet.
    """

    sequence: int
    name: str
    group: int
    begins: bool
    base: int
    frame: Frame | None
    number: int = 0
    record: int = 0
    restart: RestartTarget | None = None


@dataclass(frozen=True)
class LeaveStream:
    """Close the file of a stream as it is (`finish`: turn it into its format); answer then."""

    sequence: int
    name: str
    group: int
    finish: bool


@dataclass(frozen=True)
class Stop:
    """Write all, then end when told so again; with `because`, a failure of the model, end now."""

    because: str = ""


Order = TakeStream | WriteFrame | LeaveStream | Stop


@dataclass(frozen=True)
class ShareReport:
    """A server's share of a frame is on disk, or it failed."""

    sequence: int
    sums: Sums
    failure: str


@dataclass(frozen=True)
class Answer:
    """An order is carried out: seconds from it to its end, or what went wrong."""

    sequence: int
    seconds: float
    failure: str
    most_bytes: int = 0  # of blocks in memory at once
    part: bytes = b""  # of the record of the run, with the last answer


last_sequence = -1
"""Sequence of the answer to `Stop`."""
