"""Bandwidth of the memory, the yardstick of all other benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from halocline.runtime.ranks.communicator import Communicator
from halocline_lab import _native


def measure(threads: int = 1, *, size: int = 16_000_000, repeats: int = 5) -> dict[str, float]:
    """Measure copy (b = a) and triad (c = a + s b) of three float64 arrays [byte s-1].

    Counts the bytes that the program names, 16 and 24 per element, best of `repeats`, as STREAM
    does (McCalpin 1995, "Memory bandwidth and machine balance in current high performance
    computers"). `size` elements per array should exceed four times the last cache.

    >>> sorted(measure(1, size=100_000, repeats=2))
    ['copy', 'triad']
    """
    a, b, c = np.empty(size), np.empty(size), np.empty(size)
    _native.stream_triad(a, b, c, scale=0.0, threads=threads)  # pages to their threads
    a[:], b[:] = 1.0, 2.0

    def best(run: Callable[[], None]) -> float:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        return min(times)

    copy = best(lambda: _native.stream_copy(a, b, threads=threads))
    triad = best(lambda: _native.stream_triad(a, b, c, scale=3.0, threads=threads))
    return {"copy": 16 * size / copy, "triad": 24 * size / triad}


def of_all(communicator: Communicator, threads: int, *, quick: bool = False) -> dict[str, float]:
    """The same of all ranks at once, together; of short arrays if `quick`. A call for all ranks."""
    communicator.sum(np.zeros(1))  # none begins before all are here
    mine = measure(threads, size=1_000_000) if quick else measure(threads)
    total = communicator.sum(np.array(list(mine.values())))
    return dict(zip(mine, total.tolist(), strict=True))


def lines(measured: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What was measured by numbers of threads, as text.

    >>> lines({"2": {"copy": 8e9, "triad": 9.5e9}})
    ['STREAM, 2 threads: copy 8.0, triad 9.5 GB/s']
    """
    return [
        f"STREAM, {threads} threads: copy {found['copy'] / 1e9:.1f}, triad"
        f" {found['triad'] / 1e9:.1f} GB/s"
        for threads, found in measured.items()
    ]
