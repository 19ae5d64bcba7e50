"""The events of a record as an OTF2 archive, which Vampir, Scalasca and others read.

Needs the package otf2. Messages, requests and collectives become events of MPI on a communicator
of all ranks; all other regions are functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.record.run_record import RunRecord, Table, nobody

nanoseconds_per_second = 1_000_000_000


def write_otf2(folder: Path, record: RunRecord) -> None:
    """Write the archive into a folder that does not exist yet."""
    try:
        import otf2
    except ImportError:
        raise UserError(
            "OTF2 archives need the package otf2, which is not here. Install it with 'pip install"
            " otf2', or use '--to perfetto'."
        ) from None
    if folder.exists():
        raise UserError(f"'{folder}' is there already. Remove it, or choose another --output.")
    with otf2.writer.open(str(folder), timer_resolution=nanoseconds_per_second) as trace:
        _Archive(otf2, trace, record).write()


class _Archive:
    """What is written, and the definitions that it refers to."""

    def __init__(self, otf2: Any, trace: Any, record: RunRecord) -> None:
        self.otf2, self.trace, self.record = otf2, trace, record
        define = trace.definitions
        root = define.system_tree_node("machine")
        hosts = record.about.get("hosts", [])
        nodes = [define.system_tree_node(host, parent=root) for host in hosts] or [root]
        self.groups = [
            define.location_group(f"rank {row['rank']}", system_tree_parent=nodes[row["host"]])
            for row in record.ranks
        ]
        paradigm = otf2.Paradigm
        self.regions = [
            define.region(
                region.name,
                description=region.site,
                paradigm=paradigm.MPI if region.is_mpi else paradigm.USER,
            )
            for region in record.regions
        ]
        self.writers: dict[tuple[int, int], Any] = {}
        for rank in range(record.size):
            self._writer(rank, 0)
        members = tuple(
            define.location("thread 0", group=self.groups[rank]) for rank in range(record.size)
        )
        define.group(
            "all ranks",
            group_type=otf2.GroupType.COMM_LOCATIONS,
            paradigm=paradigm.MPI,
            members=members,
        )
        self.world = define.comm(
            "MPI_COMM_WORLD",
            group=define.group(
                "world",
                group_type=otf2.GroupType.COMM_GROUP,
                paradigm=paradigm.MPI,
                members=members,
            ),
        )

    def write(self) -> None:
        """Write all events, rank by rank and thread by thread."""
        for rank in range(self.record.size):
            events = self.record.of_rank(rank)
            for thread in sorted(set(events["thread"].tolist())):
                self._write_thread(rank, thread, events[events["thread"] == thread])

    def _writer(self, rank: int, thread: int) -> Any:
        if (rank, thread) not in self.writers:
            place = self.trace.definitions.location(f"thread {thread}", group=self.groups[rank])
            self.writers[rank, thread] = self.trace.event_writer_from_location(place)
        return self.writers[rank, thread]

    def _write_thread(self, rank: int, thread: int, events: Table) -> None:
        writer = self._writer(rank, thread)
        for time, event, enters in walk(events):
            region = self.regions[event["region"]]
            kind = self.record.regions[event["region"]].kind
            if enters:
                writer.enter(time, region)
                self._begin(writer, time, event, kind)
            else:
                self._end(writer, time, event, kind)
                writer.leave(time, region)

    def _begin(self, writer: Any, time: int, event: Any, kind: str) -> None:
        partner, tag = int(event["partner"]), max(0, int(event["tag"]))
        size, request = int(event["bytes"]), int(event["request"])
        if kind == "send" and partner >= 0:
            writer.mpi_send(time, partner, self.world, tag, size)
        elif kind == "start send" and partner >= 0:
            writer.mpi_isend(time, partner, self.world, tag, size, request)
        elif kind == "start receive":
            writer.mpi_irecv_request(time, request)
        elif kind == "collective":
            writer.mpi_collective_begin(time)

    def _end(self, writer: Any, time: int, event: Any, kind: str) -> None:
        partner, tag = int(event["partner"]), max(0, int(event["tag"]))
        size, request = int(event["bytes"]), int(event["request"])
        if kind == "receive" and partner >= 0:
            writer.mpi_recv(time, partner, self.world, tag, size)
        elif kind == "completion" and (int(event["rank"]), request) in self._receives:
            writer.mpi_irecv(time, max(0, partner), self.world, tag, size, request)
        elif kind == "completion":
            writer.mpi_isend_complete(time, request)
        elif kind == "collective":
            operation = collective_operation(self.otf2, self.record.regions[event["region"]].name)
            root = partner if partner != nobody else self.otf2.CollectiveRoot.NONE.value
            writer.mpi_collective_end(time, operation, self.world, root, size, size)

    @property
    def _receives(self) -> set[tuple[int, int]]:
        """Ranks and requests of non-blocking receives."""
        if not hasattr(self, "_known_receives"):
            events = self.record.events
            some = events[self.record.kinds_of(events["region"]) == "start receive"]
            self._known_receives = set(
                zip(some["rank"].tolist(), some["request"].tolist(), strict=True)
            )
        return self._known_receives


def collective_operation(otf2: Any, name: str) -> Any:
    """The operation that a region's name means, such as ALLREDUCE of "MPI_Allreduce".

    A global sum of our own is an ALLREDUCE.
    """
    word = name.removeprefix("MPI_").removeprefix("I").upper().replace("-", "")
    return getattr(otf2.CollectiveOp, word, otf2.CollectiveOp.ALLREDUCE)


def walk(events: Table) -> Iterator[tuple[int, Any, bool]]:
    """Enters and leaves of the events of one thread in order of time, well nested.

    `events` are by begin, those that enclose others first. Where one ends after what encloses it,
    it is left with it.
    """
    entered: list[tuple[int, Any]] = []
    for event in events:
        begin = int(event["begin"])
        while entered and entered[-1][0] <= begin and entered[-1][0] < int(event["end"]):
            end, left = entered.pop()
            yield end, left, False
        end = int(event["end"])
        if entered:
            end = min(end, entered[-1][0])
        yield min(begin, end), event, True
        entered.append((end, event))
    while entered:
        end, left = entered.pop()
        yield end, left, False
