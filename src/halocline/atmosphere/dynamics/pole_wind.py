"""Wind along y at the poles, which no air passes: that of the flow over the pole beside it.

A flow straight over a pole is a wave of one period around it, of wind along x and along y alike, a
quarter of a turn apart. What row has such a wave beside the pole gives the flow over it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere.dynamics.polar_filter import has_poles
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.field import Field
from halocline.runtime.running.runner import Runner


def pole_wind(run: Runner, grid: Grid, u: Field, v: Field) -> Callable[[], None] | None:
    """What sets it in a run, if its grid has poles."""
    if not has_poles(grid) or run.plan is not None:
        return None
    return partial(set_pole_wind, grid, u, v)


def set_pole_wind(grid: Grid, u: Field, v: Field) -> None:
    """Set wind along y at the poles from the rows of u beside them, which a rank has whole."""
    rows = grid.shape[0]
    with v.change() as owned:
        for block, along_x, along_y in zip(v.layout.blocks, u.read(), owned, strict=True):
            assert isinstance(block, Block)
            j0, j1 = block.rectangle.j0, block.rectangle.j1
            if j0 == 0 and grid.reflections.on("south") == "pole":
                along_y[:, 0] = -over_pole(along_x[:, 0])
            if j1 == rows and grid.reflections.on("north") == "pole":
                along_y[:, -1] = over_pole(along_x[:, -1])


def over_pole(row: NDArray[np.floating]) -> NDArray[np.float64]:
    """Wind along y at a north pole in the columns of rows of wind along x, shape (..., i).

    Columns lie half a cell east of the faces of that wind.

    >>> face = np.radians([0.0, 90.0, 180.0, 270.0])
    >>> over_pole(np.cos(face)).round(3).tolist()  # it blows from 90 degrees west over the pole
    [-0.707, -0.707, 0.707, 0.707]
    """
    columns = row.shape[-1]
    wave = np.fft.rfft(row.astype(np.float64))[..., 1:2]
    turn = 2.0 * np.pi * (np.arange(columns) + 0.5) / columns + 0.5 * np.pi
    return np.asarray(2.0 / columns * (wave.real * np.cos(turn) - wave.imag * np.sin(turn)))
