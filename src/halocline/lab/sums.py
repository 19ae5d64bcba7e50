"""What global sums cost: the terms of a field on one core, and the way over the ranks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from halocline.lab import _native, stream
from halocline.runtime import _native as runtime
from halocline.runtime.communicator import Alone, Communicator
from halocline.runtime.reductions import GlobalSums
from halocline.runtime.sum_choice import SumChoice, choices

field_shape = (384, 320)
"""Cells of POP's x1 grid; the field fits the last cache."""

level_to_reach = 1.3
"""Time of the order-independent sum over that of the sequential loop."""

batch_seconds = 1e-3
"""Calls are timed in batches of about this length [s]."""

keys = {
    "ranks": "number of ranks",
    "local.name": "how the terms of one field are added on one core",
    "local.nanoseconds": "median time per value [ns]",
    "local.over_sequential": "its ratio to the plain sequential loop",
    "rows.choice": "how sums are added over the ranks",
    "rows.values": "order-independent sums in one call",
    "rows.microseconds": "median time of a call, greatest over ranks [us]",
    "rows.spread": "quartiles of the batches [us]",
    "rows.over_all_reduce": "its ratio to MPI's all-reduce in the same run",
}


def measure_local(repeats: int = 101) -> list[dict[str, Any]]:
    """Time per value of the sum over a field in cache, in several ways that take turns."""
    values = np.random.default_rng(0).standard_normal(field_shape).reshape(-1)
    parts = GlobalSums(Alone(), 1).new_parts()[0]
    parts[runtime.exponent_place] = runtime.exponent_of(float(np.abs(values).max()))
    ways: dict[str, Callable[[], Any]] = {
        "sequential loop": lambda: _native.add_in_sequence(values),
        "order-independent": lambda: runtime.add_exactly(values, parts),
        "vectorised loop": lambda: runtime.add_ordinarily(values, parts),
        "NumPy": values.sum,
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - start)
    unit = 1e9 / values.size
    found = {name: statistics.median(times) * unit for name, times in seconds.items()}
    for words, size in (("cache", values.size // 2), ("memory", 4_000_000)):
        bandwidth = stream.measure(1, size=size, repeats=5)["copy"]
        found[f"read at STREAM's pace, {words}"] = 8e9 / bandwidth
    return [
        {"name": name, "nanoseconds": t, "over_sequential": t / found["sequential loop"]}
        for name, t in found.items()
    ]


def measure_latency(
    communicator: Communicator,
    values: Sequence[int] = (1, 3, 50),
    ways: Sequence[SumChoice] | None = None,
    repeats: int = 15,
) -> list[dict[str, Any]]:
    """Time of a call for every way to add over these ranks, taking turns; for all ranks."""
    rows = []
    for count in values:
        calls = {
            str(choice): _Call(GlobalSums(communicator, count, choice))
            for choice in ways or choices(communicator)
        }
        batches = {name: _batch(communicator, call) for name, call in calls.items()}
        seconds: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(repeats):
            for name, call in calls.items():
                seconds[name].append(_time(communicator, call, batches[name]))
        for call in calls.values():
            call.sums.free()
        first = statistics.median(next(iter(seconds.values())))
        for name, times in seconds.items():
            low, median, high = statistics.quantiles(times, n=4)
            rows.append(
                {
                    "choice": name,
                    "values": count,
                    "microseconds": 1e6 * median,
                    "spread": [1e6 * low, 1e6 * high],
                    "over_all_reduce": median / first,
                }
            )
    return rows


class _Call:
    """One reduction of the words of `sums`."""

    def __init__(self, sums: GlobalSums) -> None:
        self.sums = sums
        self.words = np.ones(sums.count * runtime.word_count)
        self.add = sums.reduction.add

    def __call__(self) -> None:
        self.add(self.words)


def _time(communicator: Communicator, call: _Call, count: int) -> float:
    """Seconds per call of a batch, greatest over ranks."""
    communicator.maximum(np.zeros(1))
    start = time.perf_counter()
    for _ in range(count):
        call()
    spent = np.array([(time.perf_counter() - start) / count])
    return float(communicator.maximum(spent)[0])


def _batch(communicator: Communicator, call: _Call) -> int:
    """How many calls make a batch, the same on all ranks."""
    _time(communicator, call, 10)
    return max(5, min(1000, int(batch_seconds / _time(communicator, call, 10))))


def measure_sums(communicator: Communicator, repeats: int = 15) -> dict[str, Any]:
    """Both measurements; see `keys`. A call for all ranks; the local one is rank 0's."""
    local = measure_local() if communicator.rank == 0 else None
    return {
        "ranks": communicator.size,
        "local": communicator.broadcast(local),
        "rows": measure_latency(communicator, repeats=repeats),
    }


def table(result: dict[str, Any]) -> str:
    """What `measure_sums` found, as text."""
    lines = [f"{'sum of 320 x 384 values on one core':<42}{'ns per value':>14}{'x sequential':>14}"]
    for row in result["local"]:
        lines.append(f"{row['name']:<42}{row['nanoseconds']:>14.3f}{row['over_sequential']:>14.2f}")
    counts = list(dict.fromkeys(row["values"] for row in result["rows"]))
    lines += [
        f"global sums of {result['ranks']} ranks: us per call (x all-reduce)",
        f"{'choice':<34}" + "".join(f"{f'{count} sums':>20}" for count in counts),
    ]
    for choice in dict.fromkeys(row["choice"] for row in result["rows"]):
        cells = [
            f"{row['microseconds']:.2f} ({row['over_all_reduce']:.2f})"
            for row in result["rows"]
            if row["choice"] == choice
        ]
        lines.append(f"{choice:<34}" + "".join(f"{cell:>20}" for cell in cells))
    return "\n".join(lines)
