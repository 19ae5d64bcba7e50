"""What happens, on record: time per phase and kernel, messages and bytes.

Every rank has one recorder. Its counters are what a run's own log and decisions need; its recording
(`cpp/base/recording.hpp`) holds the statistics and events of which the record of the run is made.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime import _native
from halocline.runtime._native import now_ns
from halocline.runtime.ranks.communicator import Communicator
from halocline.runtime.record.run_record import of_member


@dataclass
class Counter:
    """How often something was done and how long it took [s]."""

    calls: int = 0
    seconds: float = 0.0


@dataclass
class KernelWork:
    """What all calls of a kernel had to move [byte], and what the processor counted of them."""

    bytes: float = 0.0
    calls: int = 0
    counts: dict[str, tuple[float, int]] = field(default_factory=dict)  # sum, calls counted

    def take(self, counts: dict[str, float]) -> None:
        """Add what was counted in a call; a count is NaN where the counter did not run."""
        for name, value in counts.items():
            total, counted = self.counts.get(name, (0.0, 0))
            if not math.isnan(value):
                self.counts[name] = total + value, counted + 1

    def counted(self) -> dict[str, float]:
        """Counts of all calls, reckoned from those that were counted."""
        return {name: self.calls * total / n for name, (total, n) in self.counts.items()}


@dataclass(frozen=True)
class Partners:
    """The messages of one exchange of this rank: to whom and from whom, and their bytes."""

    targets: NDArray[np.int64]
    sent: NDArray[np.int64]
    sources: NDArray[np.int64]
    received: NDArray[np.int64]

    @classmethod
    def of(cls, sent: Iterable[tuple[int, int]], received: Iterable[tuple[int, int]]) -> Partners:
        """From pairs of rank and bytes."""
        out, back = (np.array(list(pairs), np.int64).reshape(-1, 2) for pairs in (sent, received))
        return cls(*(np.ascontiguousarray(some[:, at]) for some in (out, back) for at in (0, 1)))


@dataclass
class Recorder:
    """What one rank does. `halocline lab recorder` measures what that costs.

    `world_ranks` are the ranks of MPI_COMM_WORLD that the ranks of the model are, where these are
    not the same. Where a run has several members, each has a recorder on its ranks that is part of
    the rank's `whole` one: it counts for itself, and what it records has the member's name before
    it. `communicator` is the number of the member's ranks in the record.
    """

    counters: dict[str, Counter] = field(default_factory=dict)
    message_count: int = 0
    message_bytes: int = 0
    work: dict[str, KernelWork] = field(default_factory=dict)  # of kernels, by name
    hardware: dict[str, Any] = field(default_factory=dict)  # counters of the processor, by name
    world_ranks: NDArray[np.int64] | None = None
    ranks: int = 1
    """How many ranks make a record together: the more, the less each keeps."""
    whole: Recorder | None = None
    member: str = ""
    communicator: int = 0
    server_ranks: NDArray[np.int64] | None = None
    """Ranks of MPI_COMM_WORLD that the ranks of a member and of its output servers are."""
    recording: Any = field(init=False, repr=False)
    members: list[Recorder] = field(default_factory=list, repr=False)
    _regions: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)
    _kernels: dict[str, int] = field(default_factory=dict, repr=False)  # regions by name
    _requests: int = 1

    def __post_init__(self) -> None:
        if self.whole is None:
            self.recording = _native.Recording(_native.limits_of(self.ranks))
        else:
            self.recording = self.whole.recording
            self.whole.members.append(self)

    @contextmanager
    def records_member(self, name: str, communicator: int) -> Iterator[Recorder]:
        """Whatever component is made within has this recorder of a member (`recorder_here`)."""
        member = Recorder(ranks=self.ranks, whole=self, member=name, communicator=communicator)
        _here.append(member)
        try:
            yield member
        finally:
            _here.pop()

    @contextmanager
    def goes_on(self) -> Iterator[None]:
        """What is made within has this recorder, as what it is made in place of has."""
        _here.append(self)
        try:
            yield
        finally:
            _here.pop()

    def region(self, name: str, kind: str) -> int:
        """The number of a region of the recording; see run_record.kinds."""
        number = self._regions.get((name, kind))
        if number is None:
            number = self.recording.region(self.name_of(name), kind, "")
            self._regions[name, kind] = number
        return number

    def name_of(self, name: str) -> str:
        """The name of a region in the record.

        >>> Recorder(whole=Recorder(), member="waves").name_of("step")
        'waves: step'
        """
        return f"{self.member}{of_member}{name}" if self.member else name

    @contextmanager
    def time(self, name: str, kind: str = "phase") -> Iterator[None]:
        """Count one call of `name` and its wall time."""
        self.recording.begin(self.region(name, kind))
        start = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - start
            self.recording.end()
            self.count(name, seconds)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Record a step of the run; all ranks do the same steps. That of a member is a phase."""
        if self.whole is None:
            self.recording.step_begin()
        with self.time("step"):
            yield
        if self.whole is None:
            self.recording.step_end()

    def add(self, name: str, seconds: float, kind: str = "kernel") -> None:
        """Count one call of `name` that took `seconds` and ends now."""
        end = _native.now_ns()
        self.recording.add(self.region(name, kind), end - int(1e9 * seconds), end, 0, -1)
        self.count(name, seconds)

    def add_beside(self, name: str, begin: int, end: int, kind: str) -> None:
        """Count one call of `name` by another thread, from `begin` to `end` [ns]."""
        self.recording.add_beside(self.region(name, kind), begin, end)
        self.count(name, 1e-9 * (end - begin))

    def kernel_begins(self) -> int:
        """When a kernel begins [ns], for `kernel_ends`; the processor's counters run from here."""
        for counter in self.hardware.values():
            counter.mark()
        begin: int = _native.now_ns()
        return begin

    def kernel_ends(self, name: str, begin: int, moved: int) -> None:
        """Record a call of a kernel, and the bytes that it had to move."""
        end = now_ns()
        number = self._kernels.get(name)
        if number is None:
            number = self._kernels[name] = self.region(name, "kernel")
        self.recording.add(number, begin, end, 0, -1)
        counter = self.counters.get(name)
        if counter is None:
            counter = self.counters[name] = Counter()
        counter.calls += 1
        counter.seconds += 1e-9 * (end - begin)
        work = self.work.get(name)
        if work is None:
            work = self.work[name] = KernelWork()
        work.bytes += moved
        work.calls += 1
        if self.hardware:
            work.take({what: counter.since() for what, counter in self.hardware.items()})

    def exchange(self, name: str, partners: Partners, begin: int) -> None:
        """Record messages that were begun at `begin` [ns] and have come now."""
        counting = self.whole or self  # requests have numbers of their rank
        self.message_count += len(partners.targets)
        self.message_bytes += int(partners.sent.sum())
        self.recording.exchange(
            self.region(f"{name}: send", "start send"),
            self.region(f"{name}: receive", "start receive"),
            self.region(f"{name}: done", "completion"),
            self._in_world(partners.targets),
            partners.sent,
            self._in_world(partners.sources),
            partners.received,
            begin,
            _native.now_ns(),
            0,
            counting._requests,
        )
        counting._requests += len(partners.targets) + len(partners.sources)

    def sent(self, name: str, partner: int, size: int) -> None:
        """Record a message to a rank of the world that leaves now."""
        now = _native.now_ns()
        if self.server_ranks is not None:
            partner = int(self.server_ranks[partner])
        self.recording.add(self.region(name, "send"), now, now, size, partner)

    def reduce(self, name: str, seconds: float, size: int) -> None:
        """Record a sum of `size` bytes over all ranks, by whatever means, that ends now."""
        self._add_of_all(name, "collective", seconds, size)

    def add_sum(self, name: str, seconds: float) -> None:
        """Count one sum over all ranks that took `seconds` and ends now."""
        self._add_of_all(name, "sum", seconds, 0)
        self.count(name, seconds)

    def _add_of_all(self, name: str, kind: str, seconds: float, size: int) -> None:
        end = _native.now_ns()
        self.recording.add_of_all(
            self.region(name, kind), end - int(1e9 * seconds), end, size, self.communicator
        )

    def _in_world(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return ranks if self.world_ranks is None else self.world_ranks[ranks]

    def count(self, name: str, seconds: float, calls: int = 1) -> None:
        """Count calls of `name`, and nothing else."""
        counter = self.counters.get(name)
        if counter is None:
            counter = self.counters[name] = Counter()
        counter.calls += calls
        counter.seconds += seconds

    def seconds(self, name: str) -> float:
        return self.counters[name].seconds if name in self.counters else 0.0

    def clear(self) -> None:
        self.counters.clear()
        self.work.clear()
        self.message_count = self.message_bytes = 0

    def part(self, rank: int, size: int, about: dict[str, Any]) -> bytes:
        """What this rank brings to the record of the run; once, at its end.

        `rank` and `size` are those of the world.
        """
        everyone = [self, *self.members]
        words = {
            **about,
            "recording_seconds": self._seconds_of_recording(),
            "work": {
                some.name_of(name): [work.bytes, work.counted()]
                for some in everyone
                for name, work in some.work.items()
            },
            "counters": list(dict.fromkeys(name for some in everyone for name in some.hardware)),
        }
        found: bytes = self.recording.part(rank, size, json.dumps(words))
        return found

    def _seconds_of_recording(self) -> float:
        """What recording has taken this rank: calls of each kind times what one takes here [s]."""
        other = Recorder(hardware=self.hardware)

        def kernel() -> None:
            other.kernel_ends("cost", other.kernel_begins(), 0)

        def phase() -> None:
            with other.time("cost"):
                pass

        messages = 2 * (self._requests - 1)
        everyone = [self, *self.members]
        kernels = sum(work.calls for some in everyone for work in some.work.values())
        others = max(0, self.recording.calls - messages - kernels)
        spent: float = 1e-9 * _native.recording_cost() * messages
        return spent + kernels * _median_cost(kernel) + others * _median_cost(phase)

    def table(self, communicator: Communicator) -> str | None:
        """Time per phase over all ranks as text, on rank 0; a call for all ranks."""
        everyone = communicator.gather((self.counters, self.message_count, self.message_bytes))
        if everyone is None:
            return None
        names = sorted(
            {name for counters, _, _ in everyone for name in counters},
            key=lambda name: -max(c[name].seconds if name in c else 0 for c, _, _ in everyone),
        )
        lines = [f"{'phase':<32}{'calls':>9}{'min s':>10}{'mean s':>10}{'max s':>10}"]
        for name in names:
            seconds = [c[name].seconds if name in c else 0.0 for c, _, _ in everyone]
            calls = max(c[name].calls if name in c else 0 for c, _, _ in everyone)
            lines.append(
                f"{name:<32}{calls:>9}{min(seconds):>10.3f}"
                f"{sum(seconds) / len(seconds):>10.3f}{max(seconds):>10.3f}"
            )
        count = sum(n for _, n, _ in everyone)
        size = sum(b for _, _, b in everyone)
        lines.append(f"messages: {count}, {size / 1e6:.3f} MB in all")
        return "\n".join(lines)


_here: list[Recorder] = []  # of the member whose component is being made


def recorder_here(ranks: int) -> Recorder:
    """The recorder of what is being made on this rank: a member's, or a new one for `ranks`."""
    return _here[-1] if _here else Recorder(ranks=ranks)


def _median_cost(action: Callable[[], None], laps: int = 7, calls: int = 50) -> float:
    """Median seconds of a call."""
    found = []
    for _ in range(laps):
        begin = time.perf_counter()
        for _ in range(calls):
            action()
        found.append((time.perf_counter() - begin) / calls)
    return sorted(found)[laps // 2]
