"""Table 4.1 of Tolman (2003): times of a 6 h forecast on the Titan cluster, m = 1, 10 runs each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A line of the table; None where it has none."""

    processes: int
    least: float  # [s]
    mean: float
    most: float
    fraction: float | None
    efficiency: float | None


table: tuple[Printed, ...] = tuple(
    Printed(*line)
    for line in (
        (1, 246.80, 247.45, 248.95, None, None),
        (2, 130.99, 131.68, 132.40, 0.936, 0.940),
        (3, 89.46, 89.95, 90.76, 0.955, 0.917),
        (4, 68.05, 68.19, 68.36, 0.966, 0.907),
        (5, 65.11, 66.04, 67.19, 0.916, 0.749),
        (6, 54.11, 55.32, 56.99, 0.932, 0.745),
        (7, 47.23, 48.42, 50.74, 0.938, 0.730),
        (8, 43.35, 44.25, 45.84, 0.938, 0.699),
        (9, 54.26, 56.02, 59.71, 0.955, 0.552),
        (10, 48.35, 49.60, 51.27, 0.963, 0.624),
        (11, 46.54, 48.21, 50.24, 0.957, 0.642),
        (12, 41.00, 42.04, 43.80, 0.967, 0.736),
        (13, 50.94, 53.91, 57.78, 0.965, 0.574),
        (14, 47.04, 48.35, 49.61, 0.972, 0.640),
        (15, 44.52, 45.75, 48.93, 0.972, 0.676),
        (16, 46.32, 47.17, 48.61, 0.965, 0.656),
    )
)

hours = 6.0
"""Forecast length of the timed runs."""

operational_hours = 7 * 24.0 + 6.0
operational_minutes = 20.0
"""The whole operational forecast, and the time that the report says it takes."""
