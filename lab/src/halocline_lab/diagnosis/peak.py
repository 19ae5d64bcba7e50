"""`halocline lab peak`: what this machine can do at most, for the roofline of a record.

Bandwidth of the memory as STREAM measures it (`stream`), operations per second in registers, and
what the processor's own counters say of both loops, where it has counters (R-11).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from halocline.runtime.record.hardware_counters import running
from halocline_lab import _native
from halocline_lab.benchmarks import stream
from halocline_lab.diagnosis.quantities import Quantity, known, unknown
from halocline_lab.diagnosis.roofline import Machine

counted = (
    "instructions",
    "cycles",
    "D1 loads",
    "D1 misses",
    "D1 refills from L2",
    "D1 refills from memory",
)


def operations_per_second(threads: int = 1, *, seconds: float = 0.05, repeats: int = 5) -> float:
    """Products and sums of float64 per second: the best of some tries, times `threads` [s-1].

    One thread is measured: on a busy machine several would wait for each other.

    >>> operations_per_second(1, seconds=0.001, repeats=2) > 1e7
    True
    """
    rounds = 10_000

    def once() -> float:
        begin = time.perf_counter()
        value = _native.multiply_and_add(rounds, factor=0.5, summand=1.0, threads=1)
        spent = time.perf_counter() - begin
        assert np.isfinite(value)
        return spent

    once()
    while min(once(), once()) < seconds / 4.0:
        rounds *= 4
    best = min(once() for _ in range(repeats))
    return threads * _native.peak_operations(rounds) / best


def measure_machine(threads: int, *, size: int = 16_000_000) -> Machine:
    """Bandwidth and operations of `threads` cores of this machine."""
    bandwidth = stream.measure(threads, size=size)["triad"]
    return Machine(bandwidth, operations_per_second(threads), f"measured on {threads} cores")


def counters_of(work: Callable[[], object]) -> list[Quantity]:
    """What the processor counts while this thread works: ratios of hits, and rates of refills."""
    found: dict[str, float] = {}
    for half in (counted[:3], counted[3:]):  # a processor has few counters at a time
        counters = running(tuple(half))
        for one in counters.values():
            one.mark()
        begin = time.perf_counter()
        work()
        seconds = max(time.perf_counter() - begin, 1e-9)
        found |= {name: one.since() for name, one in counters.items()}
    known_ones = {name: value for name, value in found.items() if not math.isnan(value)}
    return counter_quantities(known_ones, seconds)


def counter_quantities(found: dict[str, float], seconds: float) -> list[Quantity]:
    """Ratios and rates of what was counted in some seconds; unknown what was not (R-11)."""
    none = "the processor, or the system, gives no such counter here"

    def ratio(name: str, over: str, meaning: str, *, less: bool) -> Quantity:
        if not found.get(over) or name not in found:
            return unknown(name if not less else "D1 hit ratio", "", meaning, none)
        value = found[name] / found[over]
        shown = "D1 hit ratio" if less else f"{name} per {over[:-1]}"
        return known(shown, 1.0 - value if less else value, "", meaning)

    def rate(name: str, meaning: str) -> Quantity:
        if name not in found:
            return unknown(name, "per second", meaning, none)
        return known(name, found[name] / seconds, "per second", meaning)

    per_cycle = ratio("instructions", "cycles", "instructions per cycle", less=False)
    refills = found.get("D1 refills from L2", 0.0) + found.get("D1 refills from memory", 0.0)
    hits = unknown("D2 hit ratio", "", "refills of D1 from D2 over all refills", none)
    if refills > 0.0:
        share = found.get("D1 refills from L2", 0.0) / refills
        hits = known("D2 hit ratio", share, "", "refills of D1 from D2 over all refills")
    return [
        per_cycle,
        ratio("D1 misses", "D1 loads", "loads found in the first cache", less=True),
        hits,
        rate("D1 refills from L2", "lines that the first cache got from the second"),
        rate("D1 refills from memory", "lines that the first cache got from memory"),
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab peak`."""
    parser.add_argument("--threads", type=int, help="cores to use; all")
    parser.add_argument("--json", metavar="FILE", help="write the numbers")


def main(options: Any) -> int:
    """Run the command."""
    threads = options.threads or len(os.sched_getaffinity(0))
    found = measure_machine(threads)
    print(f"{threads} cores: {found.bandwidth / 1e9:.2f} GB/s (STREAM triad)")
    print(f"  {found.operations / 1e9:.2f} Gop/s (products and sums of float64 in registers)")
    print(f"  they balance at {found.operations / found.bandwidth:.1f} operations per byte")
    arrays = [np.zeros(4_000_000) for _ in range(3)]
    loops: dict[str, Callable[[], object]] = {
        "triad": lambda: _native.stream_triad(*arrays, scale=3.0, threads=1),
        "registers": lambda: _native.multiply_and_add(10**6, 0.5, 1.0, threads=1),
    }
    for name, loop in loops.items():
        print(f"counters of the loop '{name}' on one core:")
        for quantity in counters_of(loop):
            print(f"  {quantity.name}: {quantity.words()}")
    if options.json:
        facts = {
            "stream_bytes_per_second": found.bandwidth,
            "peak_operations_per_second": found.operations,
            "cores": threads,
        }
        Path(options.json).write_text(json.dumps(facts, indent=1), encoding="utf-8")
    return 0
