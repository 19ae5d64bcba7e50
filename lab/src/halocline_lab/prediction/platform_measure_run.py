"""What messages cost on the ranks that run this program, and how long patterns take on them.

`python -m halocline_lab.prediction.platform_measure_run SETTINGS.json ANSWER`, under a launcher of
MPI.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.runtime.running.contest import median_bounds
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.prediction.program_patterns import grid_of, neighbour

Trial = Callable[[], float]

summed = 524288
"""Bytes of the sum that tells what the arithmetic of sums costs."""

many = 50  # messages in a row, where one alone is too short to time


class Messages:
    """Messages between the first two ranks; the others wait at the next barrier."""

    def __init__(self) -> None:
        from mpi4py import MPI

        self.mpi, self.comm = MPI, MPI.COMM_WORLD
        self.rank, self.size = self.comm.Get_rank(), self.comm.Get_size()
        self.out = np.ones(2**24, np.uint8)
        self.back = np.ones(2**24, np.uint8)
        self.vector = np.ones(summed // 8)
        self._next = 0

    def _places(self, buffer: Any, size: int, count: int) -> list[Any]:
        """Another place for each message, as a model's messages have: not all in the cache."""
        self._next += 1
        begins = [(self._next + n) * (size + 4096) % (len(buffer) - size) for n in range(count)]
        return [buffer[begin : begin + size] for begin in begins]

    def one_way(self, size: int) -> float:
        """Half of a ping-pong [s]."""
        repeats = max(2, min(many, int(2e6 / (size + 1))))
        outs, backs = self._places(self.out, size, repeats), self._places(self.back, size, repeats)
        begin = time.perf_counter()
        for out, back in zip(outs, backs, strict=True):
            if self.rank == 0:
                self.comm.Send(out, 1)
                self.comm.Recv(back, 1)
            elif self.rank == 1:
                self.comm.Recv(back, 0)
                self.comm.Send(out, 0)
        return (time.perf_counter() - begin) / (2 * repeats)

    def both_ways(self, size: int) -> float:
        """Two ranks send to each other at the same time [s]."""
        repeats = max(2, min(many, int(2e6 / (size + 1))))
        outs, backs = self._places(self.out, size, repeats), self._places(self.back, size, repeats)
        begin = time.perf_counter()
        if self.rank < 2:
            for out, back in zip(outs, backs, strict=True):
                requests = [self.comm.Irecv(back, 1 - self.rank)]
                requests.append(self.comm.Isend(out, 1 - self.rank))
                self.mpi.Request.Waitall(requests)
        return (time.perf_counter() - begin) / repeats

    def overheads(self) -> tuple[float, float]:
        """What starting a message, and posting and ending a receive, cost a processor [s]."""
        if self.rank > 1 or self.size == 1:
            return 0.0, 0.0
        start = time.perf_counter()
        receives = [
            self.comm.Irecv(self.back[8 * n : 8 * n + 8], 1 - self.rank) for n in range(many)
        ]
        posted = time.perf_counter()
        sends = [self.comm.Isend(self.out[:8], 1 - self.rank) for _ in range(many)]
        sent = time.perf_counter()
        self.comm.Sendrecv(self.out[:8], 1 - self.rank, 9, self.back[-8:], 1 - self.rank, 9)
        there = time.perf_counter()
        self.mpi.Request.Waitall(receives + sends)
        ended = time.perf_counter()
        return (sent - posted) / many, (posted - start + ended - there) / many

    def leaves_at_once(self, size: int) -> float:
        """1 where a send ends before its receive is posted."""
        self.comm.Barrier()
        begin = time.perf_counter()
        if self.rank == 0:
            self.comm.Send(self.out[:size], 1)
        elif self.rank == 1:
            time.sleep(0.01)
            self.comm.Recv(self.back[:size], 0)
        return float(time.perf_counter() - begin < 0.005)

    def barrier(self) -> float:
        begin = time.perf_counter()
        for _ in range(many):
            self.comm.Barrier()
        return (time.perf_counter() - begin) / many

    def sum(self) -> float:
        """A sum of `summed` bytes over all ranks [s]."""
        begin = time.perf_counter()
        for _ in range(10):
            self.comm.Allreduce(self.mpi.IN_PLACE, self.vector, self.mpi.SUM)
        return (time.perf_counter() - begin) / 10


class Work:
    """Computation of a fixed amount, in small pieces."""

    def __init__(self) -> None:
        self.a = np.full((48, 48), 0.01)
        self.b = np.empty_like(self.a)

    def do(self, pieces: int) -> None:
        for _ in range(pieces):
            np.matmul(self.a, self.a, out=self.b)

    def seconds(self, pieces: int) -> float:
        begin = time.perf_counter()
        self.do(pieces)
        return time.perf_counter() - begin


class Patterns:
    """Steps of real ranks, the same as the programs of `program_patterns`."""

    def __init__(self, messages: Messages, pieces: int) -> None:
        self.of, self.work, self.pieces = messages, Work(), pieces
        self.comm, self.mpi = messages.comm, messages.mpi
        shape = grid_of(messages.size, 2)
        self.sides = [  # partner, tag of what comes from it, tag of what goes to it
            (
                int(neighbour(shape, axis, step, periodic=True)[messages.rank]),
                2 * axis + (step < 0),
                2 * axis + (step > 0),
            )
            for axis in (0, 1)
            for step in (-1, 1)
            if shape[axis] > 1
        ]

        self.outs: dict[int, Any] = {}
        self.places: dict[int, Any] = {}
        self.words: dict[int, Any] = {}
        self.prepare(8)

    def compute(self, size: int) -> None:
        self.work.do(self.pieces)

    def halo(self, size: int) -> None:
        self.work.do(self.pieces)
        self._exchange(size)

    def all_reduce(self, size: int) -> None:
        self.work.do(self.pieces)
        self.comm.Allreduce(self.mpi.IN_PLACE, self.words[size], self.mpi.SUM)

    def solver(self, size: int) -> None:
        self._exchange(size)
        for _ in range(2):
            self.work.do(self.pieces // 2)
            self.comm.Allreduce(self.mpi.IN_PLACE, self.words[8], self.mpi.SUM)

    def all_to_one(self, size: int) -> None:
        self.work.do(self.pieces)
        if self.of.rank == 0:
            for other in range(1, self.of.size):
                self.comm.Recv(self.of.back[:size], other)
        else:
            self.comm.Send(self.of.out[:size], 0)

    def _exchange(self, size: int) -> None:
        comm = self.comm
        requests = [comm.Irecv(place, partner, tag) for place, partner, tag in self.places[size]]
        out = self.outs[size]
        requests += [comm.Isend(out, partner, tag) for partner, _, tag in self.sides]
        self.mpi.Request.Waitall(requests)

    def prepare(self, size: int) -> None:
        """Buffers of a size, so that steps make none."""
        self.outs[size] = self.of.out[:size]
        self.words[size] = np.zeros(max(1, size // 8))
        self.places[size] = [
            (self.of.back[at * size : (at + 1) * size], partner, tag)
            for at, (partner, tag, _) in enumerate(self.sides)
        ]

    def timed(self, name: str, size: int, steps: int) -> float:
        step = getattr(self, name)
        self.prepare(size)
        self.comm.Barrier()
        begin = time.perf_counter()
        for _ in range(steps):
            step(size)
        return (time.perf_counter() - begin) / steps


def measure(settings: dict[str, Any]) -> dict[str, Any]:
    """Trials in turns, round after round; the slowest rank counts.

    Returns the least of all rounds of each message, and all rounds of each pattern.
    """
    messages = Messages()
    if settings.get("bound"):  # the same number of ranks on each processor, whoever else runs
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[messages.rank % len(allowed)]})
    sizes = settings.get("sizes", [])
    trials: dict[str, Trial] = {}
    for size in sizes:
        trials[f"one way {size}"] = _bound(messages.one_way, size)
        trials[f"both ways {size}"] = _bound(messages.both_ways, size)
    trials["barrier"], trials["sum"] = messages.barrier, messages.sum
    patterns = Patterns(messages, settings.get("pieces", 1))
    steps = settings.get("steps", 1)
    for name, size in settings.get("patterns", []):
        trials[f"{name} {size}"] = _bound3(patterns.timed, name, size, steps)
    found: dict[str, list[float]] = {name: [] for name in trials}
    overheads: list[NDArray[np.float64]] = []
    order = list(trials)
    for turn in range(settings["rounds"]):
        for name in order if turn % 2 == 0 else order[::-1]:
            messages.comm.Barrier()
            found[name].append(_slowest(messages, trials[name]()))
        messages.comm.Barrier()
        overheads.append(np.array(messages.overheads()))
    answer: dict[str, Any] = {
        "least": {name: min(times) for name, times in found.items()},
        "median": {name: float(np.median(times)) for name, times in found.items()},
        "bounds": {name: median_bounds(np.array(times)) for name, times in found.items()},
        "rounds": found,
        "overheads": np.min(overheads, axis=0).tolist(),
        "piece": min(Work().seconds(20) for _ in range(50)) / 20,
    }
    if messages.size > 1:
        at_once = {size: [messages.leaves_at_once(size) for _ in range(5)] for size in sizes}
        answer["eager"] = {size: max(found) for size, found in at_once.items()}
    return answer


def _bound(call: Callable[[int], float], size: int) -> Trial:
    return lambda: call(size)


def _bound3(call: Callable[[str, int, int], float], name: str, size: int, steps: int) -> Trial:
    return lambda: call(name, size, steps)


def _slowest(messages: Messages, seconds: float) -> float:
    return float(messages.comm.allreduce(seconds, messages.mpi.MAX))


if __name__ == "__main__":
    give_answer(measure)
