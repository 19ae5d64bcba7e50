"""What global sums cost: the terms of a field on one core, and the way over the ranks."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.case.shipped import data_folder
from halocline.grids.vertical.levels import read_layers
from halocline.runtime import _native as runtime
from halocline.runtime.ranks.communicator import Alone, Communicator
from halocline.runtime.sums.choice import SumChoice, choices
from halocline.runtime.sums.reductions import GlobalSums
from halocline_lab import _native
from halocline_lab.benchmarks import stream

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
    "rows.values": "order-independent sums in one call, of four words each",
    "rows.microseconds": "median time of a call, greatest over ranks [us]",
    "rows.spread": "quartiles of the batches [us]",
    "rows.over_first": "its ratio to MPI's all-reduce in the same run",
    "floor": "the same among two threads by flags, without interpreter or message passing; on one"
    " rank only [us]",
    "global_sum": "rows of the sum over POP's x1 grid, local part included; held to an ordinary sum"
    " by all-reduce",
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
        rows += [{"values": count, **row} for row in _take_turns(communicator, calls, repeats)]
    return rows


def measure_global_sum(
    communicator: Communicator, ways: Sequence[SumChoice] | None = None, repeats: int = 15
) -> list[dict[str, Any]]:
    """GLOBAL_SUM of paper 4: time of a sum over the sea of POP's x1 grid, cut into rows.

    The first row is the plain one: an ordinary sum by MPI's all-reduce. A call for all ranks.
    """
    grid = read_layers(data_folder() / "g_pop_x1_grid.nc", 1)
    field = np.where(grid.mask, np.random.default_rng(0).standard_normal(grid.mask.shape), 0.0)
    mine = np.ascontiguousarray(np.array_split(field, communicator.size)[communicator.rank])
    plain = GlobalSums(communicator, 1, SumChoice(), ordinary=True)
    calls = {"ordinary, all-reduce": _GlobalSum(plain, mine)}
    for choice in ways or choices(communicator):
        calls[str(choice)] = _GlobalSum(GlobalSums(communicator, 1, choice), mine)
    return _take_turns(communicator, calls, repeats)


def _take_turns(
    communicator: Communicator, calls: Mapping[str, _Call | _GlobalSum], repeats: int
) -> list[dict[str, Any]]:
    """Median times of calls in batches that take turns; the first is what others are held to."""
    batches = {name: _batch(communicator, call) for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            seconds[name].append(_time(communicator, call, batches[name]))
    for call in calls.values():
        call.sums.free()
    first = statistics.median(next(iter(seconds.values())))
    rows = []
    for name, times in seconds.items():
        low, median, high = statistics.quantiles(times, n=4)
        rows.append(
            {
                "choice": name,
                "microseconds": 1e6 * median,
                "spread": [1e6 * low, 1e6 * high],
                "over_first": median / first,
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


class _GlobalSum:
    """One sum over a field of which `mine` is this rank's part."""

    def __init__(self, sums: GlobalSums, mine: NDArray[np.float64]) -> None:
        self.sums, self.terms = sums, [[mine]]

    def __call__(self) -> None:
        self.sums(self.terms)


def _time(communicator: Communicator, call: Callable[[], None], count: int) -> float:
    """Seconds per call of a batch, greatest over ranks."""
    communicator.maximum(np.zeros(1))
    start = time.perf_counter()
    for _ in range(count):
        call()
    spent = np.array([(time.perf_counter() - start) / count])
    return float(communicator.maximum(spent)[0])


def _batch(communicator: Communicator, call: Callable[[], None]) -> int:
    """How many calls make a batch, the same on all ranks."""
    _time(communicator, call, 10)
    return max(5, min(1000, int(batch_seconds / _time(communicator, call, 10))))


def measure_floor(values: Sequence[int] = (1, 3, 50), repeats: int = 51) -> list[float]:
    """Least time of a sum between two cores that share memory, and nothing else [us]."""
    found = []
    for count in values:
        words = count * runtime.word_count
        times = [_native.time_flag_sum(2, words, 1000) for _ in range(repeats)]
        found.append(1e6 * min(times))
    return found


def measure_sums(communicator: Communicator, repeats: int = 15) -> dict[str, Any]:
    """All measurements; see `keys`. A call for all ranks; the local one is rank 0's."""
    local = measure_local() if communicator.rank == 0 else None
    return {
        "ranks": communicator.size,
        "local": communicator.broadcast(local),
        "floor": measure_floor() if communicator.size == 1 else [],
        "rows": measure_latency(communicator, repeats=repeats),
        "global_sum": measure_global_sum(communicator, repeats=repeats),
    }


def table(result: dict[str, Any]) -> str:
    """What `measure_sums` found, as text."""
    lines = [f"{'sum of 320 x 384 values on one core':<42}{'ns per value':>14}{'x sequential':>14}"]
    for row in result["local"]:
        lines.append(f"{row['name']:<42}{row['nanoseconds']:>14.3f}{row['over_sequential']:>14.2f}")
    rows = [*result["rows"], *({"values": 0, **row} for row in result["global_sum"])]
    counts = list(dict.fromkeys(row["values"] for row in rows))
    heads = [f"{count} sums" if count else "over the sea" for count in counts]
    lines += [
        f"global sums of {result['ranks']} ranks: us per call (x all-reduce)",
        f"{'choice':<34}" + "".join(f"{head:>20}" for head in heads),
    ]
    for choice in dict.fromkeys(row["choice"] for row in [*result["global_sum"], *rows]):
        found = {row["values"]: row for row in rows if row["choice"] == choice}
        cells = [
            f"{found[at]['microseconds']:.2f} ({found[at]['over_first']:.2f})"
            if at in found
            else ""
            for at in counts
        ]
        lines.append(f"{choice:<34}" + "".join(f"{cell:>20}" for cell in cells))
    if result["floor"]:
        cells = [f"{time:.2f}" for time in result["floor"]]
        lines.append(f"{'two threads, shared flags':<34}" + "".join(f"{c:>20}" for c in cells))
    return "\n".join(lines)
