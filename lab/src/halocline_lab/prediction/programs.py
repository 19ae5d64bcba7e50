"""What ranks do, as lists of operations: the input of the replay.

A program holds the operations of all ranks, rank after rank. They come from the events of a record
(`recorded_program`) or from a pattern (`program_patterns`), which builds them here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.runtime.record.run_record import Region, Table, nobody

operation_kinds = (
    "compute",
    "send",
    "receive",
    "start send",
    "start receive",
    "wait",
    "collective",
    "start collective",
    "enter",
    "leave",
)
"""In the order of `Operation::Kind` of replay.hpp. A wait with tag 1 ends with the next one."""

OperationKind = Literal[
    "compute",
    "send",
    "receive",
    "start send",
    "start receive",
    "wait",
    "collective",
    "start collective",
    "enter",
    "leave",
]

collective_kinds = (
    "barrier",
    "broadcast",
    "reduce",
    "all reduce",
    "gather",
    "scatter",
    "all gather",
    "all to all",
    "reduce scatter",
    "scan",
)
"""In the order of `Collective` of replay_collectives.hpp."""

operation_type = np.dtype(
    [
        ("seconds", "<f8"),  # compute: how long, on the machine of the record
        ("bytes", "<i8"),
        ("partner", "<i4"),  # of collectives the root; ranks of the world, or `nobody`
        (
            "tag",
            "<i4",
        ),  # of collectives which, as a place in `collective_kinds`; of waits see there
        ("request", "<u4"),  # wait: 0 is all that are open
        ("region", "<u4"),
        ("communicator", "<u2"),
        ("kind", "u1"),
        ("unused", "u1", 5),
    ]
)


def kind_number(kind: OperationKind) -> int:
    """Number of an operation's kind in `operation_type`.

    >>> kind_number("wait")
    5
    """
    return operation_kinds.index(kind)


@dataclass(frozen=True)
class Program:
    """Operations of all ranks.

    Those of rank r are `operations[first[r]:first[r + 1]]`, done `repeats` times. Communicators are
    ranks of the world; the first is the world, or those of it that do collectives together. Waits
    tell in `request` what they wait for. `assumptions` are sentences on what was taken for granted.
    """

    operations: Table
    first: NDArray[np.int64]
    regions: list[Region]
    communicators: list[NDArray[np.int32]]
    repeats: int = 1
    assumptions: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.first) - 1

    @property
    def rank(self) -> NDArray[np.int64]:
        """The rank of each operation."""
        return np.repeat(np.arange(self.size), np.diff(self.first))

    def of_rank(self, rank: int) -> Table:
        return self.operations[self.first[rank] : self.first[rank + 1]]

    def of_kind(self, kind: OperationKind) -> NDArray[np.bool_]:
        """Which operations are of a kind."""
        found: NDArray[np.bool_] = self.operations["kind"] == kind_number(kind)
        return found

    def repeated(self, repeats: int) -> Program:
        return replace(self, repeats=repeats)

    def scaled(self, factor: ArrayLike) -> Program:
        """With computations that take `factor` times as long, one number or one per operation."""
        operations = self.operations.copy()
        operations["seconds"] *= np.asarray(factor)
        return replace(self, operations=operations)

    @property
    def computing(self) -> NDArray[np.float64]:
        """Seconds of computation of each rank, of one repetition."""
        totals = np.concatenate([[0.0], np.cumsum(self.operations["seconds"])])
        return totals[self.first[1:]] - totals[self.first[:-1]]


@dataclass
class ProgramBuilder:
    """Makes a program of `size` ranks: what is added for a rank first, it does first.

    Every method adds one operation for each of some ranks (all where `ranks` is None); arguments
    are numbers or arrays with one value per rank. Ranks whose partner is `nobody` are left out.
    """

    size: int
    regions: list[Region] = field(default_factory=list)
    communicators: list[NDArray[np.int32]] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    _parts: list[Table] = field(default_factory=list)
    _ranks: list[NDArray[np.int64]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.communicators.insert(0, np.arange(self.size, dtype=np.int32))

    def region(self, name: str, kind: str) -> int:
        """The number of a region, new or known."""
        wanted = Region(name, kind)
        if wanted not in self.regions:
            self.regions.append(wanted)
        return self.regions.index(wanted)

    def add(self, kind: OperationKind, ranks: ArrayLike | None = None, **columns: Any) -> None:
        chosen = np.arange(self.size) if ranks is None else np.asarray(ranks, np.int64).reshape(-1)
        rows = np.zeros(len(chosen), operation_type)
        rows["kind"] = kind_number(kind)
        rows["partner"] = nobody
        for name, values in columns.items():
            rows[name] = values
        if kind in ("send", "receive", "start send", "start receive"):
            there = rows["partner"] != nobody
            chosen, rows = chosen[there], rows[there]
        self._parts.append(rows)
        self._ranks.append(chosen)

    def compute(self, seconds: ArrayLike, ranks: ArrayLike | None = None, *, name: str) -> None:
        """A computation that is recorded as a kernel."""
        region = self.region(name, "kernel")
        self.add("enter", ranks, region=region)
        self.add("compute", ranks, seconds=seconds, region=region)
        self.add("leave", ranks, region=region)

    def message(
        self,
        kind: Literal["send", "receive", "start send", "start receive"],
        partner: ArrayLike,
        size: ArrayLike,
        ranks: ArrayLike | None = None,
        *,
        tag: ArrayLike = 0,
        request: ArrayLike = 0,
    ) -> None:
        """A message of `size` bytes to or from `partner`."""
        call = {"send": "Send", "receive": "Recv", "start send": "Isend", "start receive": "Irecv"}
        region = self.region("MPI_" + call[kind], kind)
        columns = {"bytes": size, "tag": tag, "request": request, "region": region}
        self.add(kind, ranks, partner=partner, **columns)

    def wait(self, ranks: ArrayLike | None = None) -> None:
        """Wait for all that is open."""
        self.add("wait", ranks, region=self.region("MPI_Waitall", "wait"))

    def collective(
        self,
        which: str,
        size: ArrayLike = 0,
        ranks: ArrayLike | None = None,
        *,
        root: ArrayLike = nobody,
        communicator: ArrayLike = 0,
    ) -> None:
        """A blocking collective; `size` is what each rank contributes [byte]."""
        region = self.region("MPI_" + which.title().replace(" ", ""), "collective")
        columns = {"bytes": size, "region": region, "communicator": communicator}
        self.add("collective", ranks, partner=root, tag=collective_kinds.index(which), **columns)

    def enter(self, name: str, kind: str = "phase", ranks: ArrayLike | None = None) -> None:
        self.add("enter", ranks, region=self.region(name, kind))

    def leave(self, name: str, kind: str = "phase", ranks: ArrayLike | None = None) -> None:
        self.add("leave", ranks, region=self.region(name, kind))

    def program(self, repeats: int = 1) -> Program:
        """All that was added."""
        ranks = np.concatenate([np.empty(0, np.int64), *self._ranks])
        operations = np.concatenate([np.empty(0, operation_type), *self._parts])
        order = np.argsort(ranks, kind="stable")
        first = np.searchsorted(ranks[order], np.arange(self.size + 1)).astype(np.int64)
        return Program(
            operations[order],
            first,
            self.regions,
            self.communicators,
            repeats,
            tuple(self.assumptions),
        )


def joined(programs: Sequence[Program]) -> Program:
    """The same ranks do one program after the other.

    All have the same regions and communicators.
    """
    size = programs[0].size
    assert all(p.size == size and p.repeats == 1 for p in programs)
    ranks = np.concatenate([p.rank for p in programs])
    operations = np.concatenate([p.operations for p in programs])
    order = np.argsort(ranks, kind="stable")
    first = np.searchsorted(ranks[order], np.arange(size + 1)).astype(np.int64)
    words = dict.fromkeys(words for p in programs for words in p.assumptions)
    one = programs[0]
    return Program(operations[order], first, one.regions, one.communicators, 1, tuple(words))
