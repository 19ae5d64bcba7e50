"""One sample of valid random inputs for every kernel, for the generic tests of contracts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Sample:
    """Inputs of one kernel on one block.

    `box` is (j0, j1, i0, i1, points); `arrays` holds every argument of the contract by name;
    `location` gives, for arguments on points, the cell (j, i) of each point as an integer array
    (points, 2), so that the reach through a point list can be measured in cells.
    """

    box: tuple[int, int, int, int, int]
    arrays: dict[str, np.ndarray]
    scalars: dict[str, Any] = field(default_factory=dict)
    location: np.ndarray | None = None


Maker = Callable[[np.random.Generator, type], Sample]
samples: dict[str, Maker] = {}


def sample(kernel: str) -> Callable[[Maker], Maker]:
    """Register a maker of samples, called with a random generator and a NumPy float type."""

    def register(maker: Maker) -> Maker:
        samples[kernel] = maker
        return maker

    return register
