"""The record of a run: what every rank did, when, and with whom. All reports read this.

A record holds *statistics* of everything, over the whole run, and *events*, each with its begin and
end, of representative *spans* of it: so it stays small however long the run is. Times are
nanoseconds since the record's zero, on one clock for all ranks. Tables are NumPy arrays of rows
(structured arrays, the types below); the file has the same columns (`run_record_file`).

Regions
    are what time is spent in: a phase, a kernel, a call of MPI from one place of the source. Kinds:
    see `kinds`. Regions nest in time; the time of a region without that of the regions inside is
    its own time.
Messages
    A rank's sends and receives are events of the kinds "send", "receive", "start send", "start
    receive"; partners are ranks of MPI_COMM_WORLD. A non-blocking operation has a `request` number
    (1, 2, ... of its rank; 0: none), and its completion is an event of the kind "completion" with
    the same number, inside the wait or test that completed it; its begin and end are the end of
    that call. A send-receive in one call is an event "send receive" with two events inside, "start
    send" and "start receive", and their completions. Sends and receives between two ranks match in
    order, by tag and communicator. The region of a call whose data have gaps in memory (a derived
    type that is not contiguous) has `of_derived_type` at the end of its name.
Collectives
    `partner` is the root, in ranks of MPI_COMM_WORLD, or `nobody`; `bytes` are what this rank
    contributes. Communicators are numbered alike on all their ranks (0 is MPI_COMM_WORLD);
    `about["communicators"]` lists the members of each, where they are known.
Spans
    tell where the events of a rank are complete: between `begin` and `end`.
Members
    Where a run has several, the names of regions begin with that of their member ("waves: step");
    what has none is of all. A step is then an interval of the schedule, at the end of which ranks
    are in `for_others` until all have come. `about["members"]` tells of each member, in order, what
    it is ("component", "title") and on which "ranks" it computes.
Periods
    "start-up" until the first step begins, "steady" until the last one ends, then "end". A record
    without steps is steady throughout, or where that is known from the end of MPI_Init to the begin
    of MPI_Finalize.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.void]

message_kinds = ("send", "receive", "start send", "start receive", "send receive")
mpi_kinds = (
    *message_kinds,
    "wait",
    "test",
    "completion",
    "collective",
    "start collective",
    "one-sided",
    "file",
    "other mpi",
)
kinds = {
    "phase": "a part of the program that others lie in: a step, the start, a user's region",
    "kernel": "computation of which the work is known, or computation named by the user",
    "threads": "what one thread did of a parallel region",
    "thread wait": "what a thread waits at the end of a parallel region for the others",
    "halo": "filling halos by whatever means, shared memory among them",
    "sum": "a global sum by whatever means",
    "transpose": "moving fields between two decompositions",
    "output": "what a rank spends on output and restarts",
    "input": "reading, and waiting for what is read",
    "send": "a blocking send",
    "receive": "a blocking receive",
    "start send": "the start of a non-blocking or persistent send",
    "start receive": "the start of a non-blocking or persistent receive",
    "send receive": "a send and a receive in one call",
    "wait": "waiting for requests",
    "test": "asking for requests, probing",
    "completion": "the end of a non-blocking operation, inside a wait or test",
    "collective": "a blocking collective operation or barrier",
    "start collective": "the start of a non-blocking collective operation",
    "one-sided": "put, get, accumulate, and the synchronisation of windows",
    "file": "a call of MPI-IO",
    "other mpi": "all other calls of MPI",
}
"""What a region is."""

nobody = -1
"""The partner of what has none."""

anybody = -2
"""The partner of a receive from any source whose sender is not known (yet)."""

of_member = ": "
"""Between the name of a member and that of a region of it, where a run has several."""

for_others = "waiting for other members"
"""The region in which a rank waits until all members of a run are at one moment."""

of_derived_type = " of derived type"
"""The end of the name of a region of MPI whose data have gaps in memory."""

beside_thread = 1 << 15
"""From this number on, a thread stands for all threads beside the model's that do one thing: its
region's number is what is left."""

periods = ("start-up", "steady", "end")

rank_type = np.dtype(
    [
        ("rank", "<u4"),
        ("host", "<u4"),  # place in about["hosts"]
        ("role", "<u4"),  # place in about["roles"]
        ("threads", "<u4"),
        ("begin", "<i8"),  # [ns]
        ("end", "<i8"),
        ("steady_begin", "<i8"),
        ("steady_end", "<i8"),
        ("cpu_seconds", "<f8"),  # of all its threads; NaN: unknown
        ("steady_processor_seconds", "<f8"),  # of its main thread in the steady period, or NaN
        ("peak_memory", "<i8"),  # [byte]; -1: unknown
        ("recording_seconds", "<f8"),  # what the recorder itself took, as it reckons
    ]
)
statistic_type = np.dtype(
    [
        ("rank", "<u4"),
        ("thread", "<u4"),
        ("region", "<u4"),
        ("period", "<u4"),  # place in `periods`
        ("calls", "<i8"),
        ("seconds", "<f8"),  # sum
        ("own_seconds", "<f8"),  # sum without regions inside
        ("shortest", "<f8"),  # [s]
        ("longest", "<f8"),
        ("squares", "<f8"),  # sum of squared seconds [s2]
        ("bytes", "<i8"),  # sent, received or contributed
    ]
)
message_type = np.dtype(
    [
        ("rank", "<u4"),
        ("partner", "<i4"),
        ("region", "<u4"),
        ("size_class", "<u4"),  # the least c with size <= 2**c bytes
        ("count", "<i8"),
        ("bytes", "<i8"),
        ("seconds", "<f8"),  # inside the calls
    ]
)
step_type = np.dtype(
    [
        ("rank", "<u4"),
        ("step", "<i8"),  # first step of the row, from 0
        ("count", "<u4"),  # steps in this row: 1, or a power of two where the run is long
        ("begin", "<i8"),  # [ns]
        ("seconds", "<f8"),  # sum
        ("longest", "<f8"),
        ("mpi_seconds", "<f8"),  # sum of own times of the kinds in `mpi_kinds`, halos and sums
        ("signature", "<u8"),  # of the pattern of the (first) step: regions, partners, sizes
    ]
)
span_type = np.dtype(
    [
        ("rank", "<u4"),
        ("begin", "<i8"),  # [ns]
        ("end", "<i8"),
        ("step", "<i8"),  # first step in it; -1 where steps are not known
        ("steps", "<u4"),
    ]
)
event_type = np.dtype(
    [
        ("begin", "<i8"),  # [ns]
        ("end", "<i8"),
        ("bytes", "<i8"),
        ("region", "<u4"),
        ("rank", "<u4"),
        ("partner", "<i4"),
        ("tag", "<i4"),
        ("request", "<u4"),
        ("communicator", "<u2"),
        ("thread", "<u2"),
    ]
)
work_type = np.dtype(
    [
        ("rank", "<u4"),
        ("region", "<u4"),
        ("calls", "<i8"),
        ("bytes", "<f8"),  # that all calls must move, by the contract
        ("operations", "<f8"),  # that all calls do; NaN: unknown
    ]
)

counter_type = np.dtype(
    [
        ("rank", "<u4"),
        ("region", "<u4"),
        ("counter", "<u4"),  # place in about["counters"]
        ("value", "<f8"),  # over all calls
    ]
)

table_types = {
    "ranks": rank_type,
    "statistics": statistic_type,
    "messages": message_type,
    "steps": step_type,
    "spans": span_type,
    "events": event_type,
    "work": work_type,
    "counters": counter_type,
}


def empty(name: str, rows: int = 0) -> Table:
    """A table of zeros.

    >>> empty("spans").size
    0
    """
    return np.zeros(rows, table_types[name])


@dataclass(frozen=True)
class Region:
    """What time is spent in: a name, one of `kinds`, and where in the source ("" if unknown)."""

    name: str
    kind: str
    site: str = ""

    @property
    def is_mpi(self) -> bool:
        return self.kind in mpi_kinds


@dataclass
class RunRecord:
    """A record in memory; the tables are described at the top of this module.

    `about` tells what was run and where, in plain JSON: "program", "command" (list), "began" (ISO
    date), "hosts", "cores" (of each host, that its ranks may use), "roles", "mpi" (library and
    version), "machine" (see `lab`), "communicators", "counters" (names of what the processor
    counted in kernels), "notes" (list of sentences on what the record lacks), and for models
    "simulated_seconds", "points" and what else is known; everything in it is optional.
    """

    about: dict[str, Any]
    regions: list[Region]
    ranks: Table = field(default_factory=lambda: empty("ranks"))
    statistics: Table = field(default_factory=lambda: empty("statistics"))
    messages: Table = field(default_factory=lambda: empty("messages"))
    steps: Table = field(default_factory=lambda: empty("steps"))
    spans: Table = field(default_factory=lambda: empty("spans"))
    events: Table = field(default_factory=lambda: empty("events"))
    work: Table = field(default_factory=lambda: empty("work"))
    counters: Table = field(default_factory=lambda: empty("counters"))

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.ranks)

    @property
    def seconds(self) -> float:
        """From the first rank's begin to the last one's end."""
        return float(self.ranks["end"].max() - self.ranks["begin"].min()) / 1e9

    @property
    def steady_seconds(self) -> float:
        """From the first begin of the steady period to its last end."""
        return float(self.ranks["steady_end"].max() - self.ranks["steady_begin"].min()) / 1e9

    def kinds_of(self, regions: NDArray[Any]) -> NDArray[np.str_]:
        """The kinds of regions given by number, for example of `events["region"]`."""
        names = np.array([region.kind for region in self.regions] or [""])
        return names[regions] if len(regions) else np.empty(0, names.dtype)

    def of_rank(self, rank: int) -> Table:
        """The events of a rank, by begin; those that enclose others come first."""
        first, last = np.searchsorted(self.events["rank"], [rank, rank + 1])
        return self.events[first:last]

    def common_spans(self) -> list[tuple[int, int]]:
        """Where the events of all ranks are complete: begins and ends [ns], in order."""
        common: list[tuple[int, int]] | None = None
        for rank in range(self.size):
            own = self.spans[self.spans["rank"] == rank]
            mine = _united(zip(own["begin"].tolist(), own["end"].tolist(), strict=True))
            common = mine if common is None else _intersection(common, mine)
        return common or []


def _united(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch made one."""
    found: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return found


def _intersection(
    some: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Where both lists of spans are.

    >>> _intersection([(0, 4), (6, 9)], [(2, 7)])
    [(2, 4), (6, 7)]
    """
    pairs = [(max(a, c), min(b, d)) for a, b in some for c, d in others]
    return sorted((begin, end) for begin, end in pairs if begin < end)


def size_class(size: int) -> int:
    """The least c with size <= 2**c.

    >>> [size_class(n) for n in (0, 1, 2, 3, 4, 5, 1024)]
    [0, 0, 1, 2, 2, 3, 10]
    """
    return max(0, int(size) - 1).bit_length()
