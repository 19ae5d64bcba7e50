"""The output of Tolman's (2003) wave model: what its tables 5.2 and 5.3 load a day's run with.

Hourly 10 fields on the grid, spectra of 86 points, and boundary spectra of 284 points in three
files; one restart of all 29,792 spectra.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halocline.grids.horizontal.grid import Grid
from halocline.waves.output import OutputOptions, WaveMapOptions
from halocline.waves.point_stream import PointStreamOptions

fields = (
    "wind_u", "wind_v", "significant_height", "mean_period", "mean_period_zero_crossing",
    "mean_direction", "directional_spread", "peak_period", "peak_direction", "friction_velocity",
)  # fmt: skip
"""Input and mean parameters: ten, as in the paper."""

points = 86
boundary = (95, 95, 94)
"""Spectra in each of the three boundary files: 284."""

bytes_of_day = {"fields": 41.5e6, "points": 5.3e6, "restart": 72.5e6, "boundary": 16.6e6}
"""Sizes in the paper."""


def load(grid: Grid) -> OutputOptions:
    """Streams with the load of the paper, at sea points spread evenly over the grid."""
    counts = (points, *boundary)
    spread = _spread(grid, sum(counts))
    ends = np.cumsum(counts)
    parts = [spread[end - count : end] for end, count in zip(ends, counts, strict=True)]
    names = ["points", *(f"boundary{number}" for number in range(1, len(counts)))]
    return OutputOptions(
        fields={"fields": WaveMapOptions(variables=list(fields), existing="replace")},
        points={
            name: PointStreamOptions(
                points={f"{name}_{n}": place for n, place in enumerate(part)}, existing="replace"
            )
            for name, part in zip(names, parts, strict=True)
        },
    )


def kind_of(stream: str) -> str:
    """To which of the paper's kinds a stream belongs.

    >>> kind_of("boundary2")
    'boundary'
    """
    return stream.rstrip("0123456789")


def _spread(grid: Grid, count: int) -> Sequence[tuple[float, float]]:
    """Sea points, each a good way from the last, so that files lie all over the ocean."""
    each = np.linspace(0, grid.sea_points - 1, count).round().astype(int)
    order = np.argsort(np.arange(count) * 0.6180339887498949 % 1.0)
    x, y = grid.point_x[each[order]], grid.point_y[each[order]]
    return [(float(a), float(b)) for a, b in zip(x, y, strict=True)]
