"""What the processor counted in each kernel, as rates and ratios (paper 3, R-11)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from halocline.runtime.record.run_record import RunRecord

ratios = (
    ("instructions per cycle", "instructions", ("cycles",)),
    ("D1 hit ratio", "", ("D1 loads", "D1 misses")),
    ("L2 hit ratio", "L2 hits", ("L2 hits", "L2 misses")),
    ("refills from L2", "D1 refills from L2", ("D1 refills from L2", "D1 refills from memory")),
)
"""Name, what is divided, and by the sum of what; without the second, 1 - misses / loads."""


@dataclass(frozen=True)
class KernelCounters:
    """Of one kernel: counts per second of its own time, and the ratios that they give."""

    name: str
    rates: dict[str, float]
    ratios: dict[str, float]


def kernel_counters(record: RunRecord) -> list[KernelCounters]:
    """Kernels whose calls were counted, those of most time first."""
    names = [str(name) for name in record.about.get("counters") or []]
    found: list[tuple[float, KernelCounters]] = []
    for number in np.unique(record.counters["region"]):
        rows = record.counters[record.counters["region"] == number]
        rows = rows[np.isfinite(rows["value"])]  # not counted: NaN
        mine = record.statistics[record.statistics["region"] == number]
        seconds = float(mine["own_seconds"][mine["thread"] == 0].sum())
        sums = np.bincount(rows["counter"], rows["value"], minlength=len(names))
        counts = {name: float(sums[at]) for at, name in enumerate(names) if at in rows["counter"]}
        if seconds <= 0.0:
            continue
        rates = {name: value / seconds for name, value in counts.items()}
        name = record.regions[number].name
        found.append((-seconds, KernelCounters(name, rates, _ratios(counts))))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _ratios(counts: dict[str, float]) -> dict[str, float]:
    """The ratios that can be made of some counts.

    >>> _ratios({"L2 hits": 3.0, "L2 misses": 1.0, "D1 loads": 8.0, "D1 misses": 4.0})
    {'D1 hit ratio': 0.5, 'L2 hit ratio': 0.75}
    """
    found = {}
    for name, over, under in ratios:
        if not all(one in counts for one in (*under, *([over] if over else []))):
            continue
        if not over:
            loads, misses = (counts[one] for one in under)
            if loads > 0.0:
                found[name] = 1.0 - misses / loads
        elif sum(counts[one] for one in under) > 0.0:
            found[name] = counts[over] / sum(counts[one] for one in under)
    return found
