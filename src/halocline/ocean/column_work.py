"""What columns of the ocean cost: for the cut of a grid among ranks, and a step's expected time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.options import OceanOptions
from halocline.runtime.fields.load import Work

work = Work(plane=0.0, halo=0.25, message=500.0)
"""What a step costs beside its columns, in dry cells, of which one takes some 30 ns with minimal
and 50 with full physics: a halo column sends some 280 values, packed and unpacked at 2 GB/s, in
five exchanges, which take 7 us each."""


def column_work(levels: VerticalGrid) -> NDArray[np.float64]:
    """What a step costs column by column, in dry cells, shape (nj, ni).

    A dry cell takes half as long as a wet one, on land too: its zeros pass the memory. On 16 parts
    of POP's x1 grid with 26 to 85 % wet cells and full physics a column was measured to take 2.8 us
    and 65 ns for each of its wet cells, to 5 % (rms; 9.5 % at most).
    """
    return (levels.thickness.size + levels.wet_levels).astype(np.float64)


seconds = {
    "float64": {"common": 41e-9, "eddies": 21e-9, "kpp": 9e-9, "viscous": 10e-9,
                "upwind3": 4e-9, "limited3": 22e-9, "passive": 4e-9},
    "float32": {"common": 20e-9, "eddies": 9e-9, "kpp": 4e-9, "viscous": 3e-9,
                "upwind3": 2e-9, "limited3": 14e-9, "passive": 2e-9},
}  # fmt: skip
"""Time for a cell of POP's x1 grid, dry ones too, and a step on one core [s].

From `halocline lab ocean` on an Intel Xeon with AVX-512: what all physics have in common (momentum
with Laplacian viscosity, two tracers, density, Richardson numbers, the surface), and what eddies,
KPP and other viscosity add. By the least of 300 calls on 160 x 6 x 40 cells, and 13 GB/s for what
passes the memory: `upwind3`, for two tracers, and a passive tracer, as much once more with eddies.
`limited3`, for two tracers, on 200 x 128 x 20 wet cells of a busy machine."""

of_x1 = 1.0 + 0.545
"""Dry cells that a cell of that grid counts as, of which 54.5 % are wet."""

of_calls = 1.5e-3
"""What the calls of a step take on however small a grid [s]."""


def expected_seconds(levels: VerticalGrid, options: OceanOptions, precision: str) -> float:
    """A step on one core [s], the half steps included that averages of time levels take."""
    part, mixing, tracers = seconds[precision], options.mixing, options.tracers
    passive, moved = len(tracers.passive), part.get(tracers.advection, 0.0)
    cell = part["common"] + part["kpp"] * (mixing.scheme == "kpp")
    cell += part["eddies"] * mixing.eddies.act
    cell += part["viscous"] * (mixing.viscous.scheme != "laplacian")
    cell += moved + passive * (0.5 * moved + part["passive"] * (1.0 + mixing.eddies.act))
    once = cell / of_x1 * float(column_work(levels).sum()) + of_calls
    twice = options.time_filter.scheme != "robert" and options.averaging > 0
    return once * (1.0 + (1.0 / options.averaging if twice else 0.0))
