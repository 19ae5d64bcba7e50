"""Latency and bandwidth of a path from transfers of several sizes.

A message of `size` bytes and the word that it is there take a round trip and size / bandwidth, once
windows are open: a line, whose slope and height are fitted. What repeats tell otherwise, drawn
again and again, gives the bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError

resampled = 400


@dataclass(frozen=True)
class PathFit:
    """A path as transfers show it; bounds enclose 95 %."""

    latency: float
    """One way [s]: half of what an empty message and its answer take."""
    bandwidth: float
    """[bit/s]"""
    latency_bounds: tuple[float, float]
    bandwidth_bounds: tuple[float, float]
    residual: float
    """The largest difference of a size's median from the line [s]."""

    def words(self) -> str:
        """Both numbers and their bounds."""
        latency = [f"{1e3 * some:.4g}" for some in (self.latency, *self.latency_bounds)]
        width = [f"{1e-6 * some:.4g}" for some in (self.bandwidth, *self.bandwidth_bounds)]
        return (
            f"latency {latency[0]} ms each way ({latency[1]} to {latency[2]}), bandwidth"
            f" {width[0]} Mbit/s ({width[1]} to {width[2]})"
        )


def fit_path(transfers: Sequence[tuple[int, float]], *, seed: int = 1) -> PathFit:
    """Fit a line through the medians of each size.

    >>> fit = fit_path([(size, 0.03 + 8 * size / 1e8) for size in (1000, 100_000, 1_000_000)] * 2)
    >>> round(1e3 * fit.latency, 6), round(1e-6 * fit.bandwidth, 6)
    (15.0, 100.0)
    """
    by_size: dict[int, list[float]] = {}
    for size, seconds in transfers:
        by_size.setdefault(size, []).append(seconds)
    if len(by_size) < 3:
        raise UserError(
            f"Transfers of {len(by_size)} sizes tell no bandwidth: the path was too slow for larger"
            " ones."
        )
    bytes_sent = np.array(sorted(by_size), np.float64)
    times = [np.array(by_size[int(size)]) for size in bytes_sent]
    height, slope, residual = _line(bytes_sent, np.array([np.median(one) for one in times]))
    drawn = np.random.default_rng(seed)
    others = np.array([
        _line(bytes_sent, np.array([np.median(drawn.choice(one, one.size)) for one in times]))[:2]
        for _ in range(resampled)
    ])  # fmt: skip
    low, high = np.quantile(others, [0.025, 0.975], axis=0)
    return PathFit(
        0.5 * height,
        8.0 / slope,
        (0.5 * float(low[0]), 0.5 * float(high[0])),
        (8.0 / float(high[1]), 8.0 / float(low[1])),
        residual,
    )


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, float]:
    """Height and (positive) slope of the line through points, and the farthest one from it."""
    slope, height = np.polyfit(x, y, 1)
    residual = float(np.abs(y - height - slope * x).max())
    return float(height), max(float(slope), 1e-15), residual


def bandwidth_of_exchanges(size: float, seconds: float, exchanges: int, latency: float) -> float:
    """What the paper infers [bit/s]: all bytes, in the time less a round trip for each exchange.

    >>> round(1e-6 * bandwidth_of_exchanges(4 * 2 * 161**2 * 8, 0.34, 4, 0.015), 1)
    60.3
    """
    return 8.0 * size / (seconds - 2.0 * latency * exchanges)
