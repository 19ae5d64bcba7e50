"""Records of a run that never was: a model of the sea on any number of ranks, its times made up.

Steps of a baroclinic phase with halos, a barotropic solver with halos and sums, and tracers; the
last ranks compute longer. All waiting follows from the times of the others.
"""

from __future__ import annotations

import numpy as np

from halocline.runtime.record.run_record import Region, RunRecord, empty, nobody
from halocline.runtime.record.run_record_tables import record_of_events

regions = [
    Region("read bathymetry", "phase"),
    Region("step", "phase"),
    Region("baroclinic", "phase"),
    Region("barotropic solver", "phase"),
    Region("tracers", "phase"),
    Region("momentum tendency", "kernel"),
    Region("nine-point operator", "kernel"),
    Region("advection", "kernel"),
    Region("halo of velocity", "halo"),
    Region("MPI_Irecv", "start receive", "halos.cpp:40 in post"),
    Region("MPI_Isend", "start send", "halos.cpp:52 in send"),
    Region("MPI_Waitall", "wait", "halos.cpp:61 in complete"),
    Region("MPI_Allreduce", "collective", "sums.cpp:18 in global_sum"),
    Region("output fields", "output"),
    Region("completion", "completion"),
]
number_of = {region.name: at for at, region in enumerate(regions)}


class MadeRun:
    """Clocks of all ranks [ns], and the events so far."""

    def __init__(self, size: int, seed: int = 0, imbalance: float = 0.3) -> None:
        self.size = size
        self.random = np.random.default_rng(seed)
        self.clock = self.random.integers(0, 20_000, size)
        self.load = 1.0 + imbalance * np.linspace(0.0, 1.0, size) ** 3
        self.requests = np.ones(size, np.int64)
        self.events: list[np.ndarray] = []

    def add(self, name: str, begin: np.ndarray, end: np.ndarray, **columns: object) -> None:
        rows = empty("events", self.size)
        rows["rank"] = np.arange(self.size)
        rows["region"], rows["partner"] = number_of[name], nobody
        rows["begin"], rows["end"] = begin, end
        for column, values in columns.items():
            rows[column] = values
        self.events.append(rows)

    def compute(self, name: str, nanoseconds: float) -> None:
        begin = self.clock.copy()
        noise = self.random.gamma(4.0, 0.005 * nanoseconds, self.size)
        self.clock += (self.load * nanoseconds + noise).astype(np.int64)
        self.add(name, begin, self.clock)

    def exchange(self, size: int) -> None:
        """Both neighbours of a ring; a message takes 2 us and 1 ns per byte."""
        begin = self.clock.copy()
        sent = {}
        for partner in (-1, 1):
            other = (np.arange(self.size) + partner) % self.size
            start, self.clock = self.clock.copy(), self.clock + 400
            facts = {"partner": other, "bytes": size, "tag": 3 if partner < 0 else 4}
            self.add("MPI_Irecv", start, self.clock, request=self.requests, **facts)
            self.requests += 1
        for partner in (-1, 1):
            other = (np.arange(self.size) + partner) % self.size
            start, self.clock = self.clock.copy(), self.clock + 900
            facts = {"partner": other, "bytes": size, "tag": 4 if partner < 0 else 3}
            self.add("MPI_Isend", start, self.clock, request=self.requests, **facts)
            self.requests += 1
            sent[partner] = self.clock.copy()
        arrived = np.maximum(np.roll(sent[1], 1), np.roll(sent[-1], -1)) + 2_000 + size
        waited, self.clock = self.clock.copy(), np.maximum(self.clock, arrived) + 600
        self.add("MPI_Waitall", waited, self.clock)
        for back in range(4):
            self.add("completion", self.clock, self.clock, request=self.requests - 4 + back)
        self.add("halo of velocity", begin, self.clock)

    def add_up(self) -> None:
        begin = self.clock.copy()
        self.clock = np.full(self.size, self.clock.max() + 3_000)
        self.clock += self.random.integers(0, 300, self.size)
        self.add("MPI_Allreduce", begin, self.clock, bytes=8)

    def within(self, name: str, begin: np.ndarray) -> None:
        self.add(name, begin, self.clock)


def made_record(size: int = 8, steps: int = 6, iterations: int = 5, **options: float) -> RunRecord:
    """A record of a run of `steps` steps on `size` ranks, with solves of `iterations`."""
    run = MadeRun(size, **options)
    run.compute("read bathymetry", 2e6)
    for step in range(steps):
        begin = run.clock.copy()
        run.compute("momentum tendency", 400_000)
        run.exchange(6_000)
        run.within("baroclinic", begin)
        middle = run.clock.copy()
        for _ in range(iterations):
            run.exchange(800)
            run.compute("nine-point operator", 20_000)
            run.add_up()
        run.within("barotropic solver", middle)
        last = run.clock.copy()
        run.compute("advection", 250_000)
        run.exchange(6_000)
        run.within("tracers", last)
        if step == steps // 2:
            run.compute("output fields", 120_000)
        run.within("step", begin)
    about = {
        "program": "a made-up sea",
        "command": ["halocline", "run", "made-up-sea", "-n", str(size)],
        "began": "2026-11-21T09:30:00",
        "hosts": ["one.example"],
        "roles": ["model"],
        "mpi": "none: times are made up",
        "simulated_seconds": 1800.0 * steps,
        "notes": ["Times are made up."],
    }
    return record_of_events(about, regions, np.concatenate(run.events), size, step="step")
