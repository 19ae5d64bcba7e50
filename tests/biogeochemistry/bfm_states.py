"""States of BFM for tests, and its kernels on plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm import tracers
from halocline.biogeochemistry.bfm.options import BfmOptions

Array = NDArray[Any]
Surroundings = tuple[Array, Array, Array]
names = tracers.names
corners = ("dark", "anoxic", "no nutrients", "no prey", "no biomass", "nothing")


def random_states(random: np.random.Generator, count: int) -> tuple[Array, Surroundings]:
    """States (51, count) around the one of the preset, over three decades, and surroundings."""
    start = np.array(list(tracers.homogeneous_start().values()))[:, None]
    state = start * np.exp(random.normal(0.0, 1.5, (len(names), count)))
    quotas = random.uniform(0.3, 2.8, (len(names), count))
    for group in (*tracers.living, "R1", "R6"):
        carbon = state[tracers.index[group + "c"]]
        for one in "npls":
            if group + one in tracers.index:
                at = tracers.index[group + one]
                state[at] = start[at] * quotas[at] * carbon
    state[tracers.index["O3c"]] = 27060.0 * random.uniform(0.9, 1.1, count)
    state[tracers.index["O3h"]] = 2660.0 * random.uniform(0.9, 1.1, count)
    state[tracers.index["O2o"]] = random.uniform(0.0, 350.0, count) ** 2 / 350.0
    temperature, light = random.uniform(0.0, 30.0, count), random.exponential(100.0, count)
    return state, (temperature, light, random.uniform(0.5, 6.0, count))


def cornered(corner: str, state: Array, around: Surroundings) -> tuple[Array, Surroundings]:
    """The same states in a corner of what can be."""
    state = state.copy()
    temperature, light, calcite = around

    def empty(*some: str) -> None:
        for name in names:
            if name in some or name[:2] in some:
                state[tracers.index[name]] = 0.0

    if corner == "dark":
        light = np.zeros_like(light)
    elif corner == "anoxic":
        empty("O2o")
    elif corner == "no nutrients":
        empty("N1p", "N3n", "N4n", "N5s")
    elif corner == "no prey":
        empty("B1", "P1", "P2", "P3", "P4")
    elif corner == "no biomass":
        empty(*tracers.living)
    else:
        state[...] = 0.0
    return state, (temperature, light, calcite)


def box_of(count: int) -> tuple[int, int, int, int, int]:
    """All of a row of cells."""
    return (0, 1, 0, count, 0)


def rates(
    state: Array, around: Surroundings, options: BfmOptions | None = None, dtype: Any = np.float64
) -> tuple[Array, Array]:
    """Gains and losses [per second], (51, count), of states of that shape."""
    count = state.shape[1]
    gain = np.empty((len(names), 1, 1, count), dtype)
    loss = np.empty_like(gain)
    temperature, light, calcite = (a.astype(dtype).reshape(1, 1, count) for a in around)
    _native.bfm_rates(
        box=box_of(count),
        tracer=state.astype(dtype).reshape(gain.shape),
        temperature=temperature,
        light=light,
        calcite_saturation=calcite,
        tracer_gain=gain,
        tracer_loss=loss,
        numbers=(options or BfmOptions()).native(),
    )
    return gain.reshape(state.shape), loss.reshape(state.shape)


def advanced(
    state: Array,
    around: Surroundings,
    dt: float,
    steps: int = 1,
    options: BfmOptions | None = None,
    dtype: Any = np.float64,
) -> tuple[Array, Array, Array]:
    """States after some steps of `dt` [s]; gross, primary and bacterial production of the last one
    [s-1]; how many steps of cells were cut, and how many were not finished."""
    count = state.shape[1]
    tracer = state.astype(dtype).reshape(len(names), 1, 1, count)
    temperature, light, calcite = (a.astype(dtype).reshape(1, 1, count) for a in around)
    productions = np.empty((3, 1, 1, count), dtype)
    cut = np.zeros(2, np.int64)
    numbers = (options or BfmOptions()).native()
    for _ in range(steps):
        _native.bfm_react(
            box=box_of(count),
            tracer=tracer,
            volume=np.ones((1, 1, count), dtype),
            temperature=temperature,
            light=light,
            calcite_saturation=calcite,
            gross_production=productions[0],
            primary_production=productions[1],
            bacterial_production=productions[2],
            cut_cells=cut,
            numbers=numbers,
            dt=dt,
        )
    return tracer.reshape(state.shape), productions.reshape(3, count), cut


def contents(state: Array, element: str) -> Array:
    """Sum of the tracers that hold an element."""
    return np.asarray(sum(state[tracers.index[name]] for name in tracers.elements[element]))
