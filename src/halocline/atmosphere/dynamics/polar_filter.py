"""Fourier filter of rows near the poles, where cells are narrow: their shortest waves would need
shorter steps than all else.

Of wave k of the n cells of a row at the latitude psi what remains is

    a(k) = min(1, (cos psi / cos psi_0)^2 / sin^2(pi k / n))

poleward of psi_0 (Skamarock et al. 2019, NCAR/TN-556, section 4.1): where an acoustic step bears
the shortest waves at psi_0, it bears all that is filtered so. Waves longer than pi cells at psi_0
stay as they are, and so does the mean of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.numerics import _native
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.cut_options import DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.record.recorder import Recorder
from halocline.runtime.running.runner import Runner

Array = NDArray[np.float64]


class PolarFilter:
    """The filter on the blocks of this rank, which have whole rows; `start` is psi_0 [degree]."""

    def __init__(self, grid: Grid, start: float, recorder: Recorder) -> None:
        self.grid, self.start, self.recorder = grid, start, recorder
        self._weights: dict[tuple[Place, str], list[NDArray[np.floating]]] = {}

    @cached_property
    def of_place(self) -> dict[Place, Array]:
        """Weights of the rows of centres and of northern faces."""
        columns = self.grid.shape[1]
        lines = {place: self.grid.at(place).y[:, 0] for place in (Place.center, Place.y_face)}
        found = {place: row_weights(y, columns, self.start) for place, y in lines.items()}
        return found | {Place.x_face: found[Place.center]}

    def __call__(self, fields: Sequence[Field]) -> None:
        """Filter fields along their rows, each on its own."""
        with self.recorder.time("polar filter"):
            for field in fields:
                with field.change() as owned:
                    for array, weights in zip(owned, self._of_blocks(field), strict=True):
                        planes = array if array.ndim == 3 else array[np.newaxis]
                        _native.lessen_row_waves(planes, weights)

    def _of_blocks(self, field: Field) -> list[NDArray[np.floating]]:
        """Weights of the rows that the blocks of this rank own of the place of a field."""
        key = field.place, field.dtype.name
        if key not in self._weights:
            made = []
            for block in field.layout.blocks:
                assert isinstance(block, Block)
                j0, j1, *_ = block.box_of(field.place)
                first = block.rectangle.j0
                weights = self.of_place[field.place][first : first + j1 - j0]
                made.append(np.ascontiguousarray(weights, field.dtype))
            self._weights[key] = made
        return self._weights[key]


def remaining(latitude: Array, columns: int, start: float) -> Array:
    """What remains of waves 0 to columns / 2 of rows at latitudes [degree], shape (rows, waves).

    >>> remaining(np.array([0.0, 60.0]), 4, 45.0).round(12).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 0.5]]
    """
    wave = np.arange(columns // 2 + 1)
    narrow = (np.cos(np.radians(latitude)) / np.cos(np.radians(start)))[:, np.newaxis]
    short = np.sin(np.pi * wave / columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(wave == 0, 1.0, np.minimum(1.0, (narrow / short) ** 2))
    return np.where(np.abs(latitude)[:, np.newaxis] > start, rest, 1.0)


def row_weights(latitude: Array, columns: int, start: float) -> Array:
    """Weights w(m) of `lessen_row_waves` that do so, shape (rows, columns / 2).

    They are minus the Fourier transform of what is taken of each wave; the farthest column, which
    both directions reach, counts half.
    """
    taken = 1.0 - remaining(latitude, columns, start)
    weights = -np.fft.irfft(taken, columns, axis=1)[:, 1 : columns // 2 + 1]
    weights[:, -1] *= 0.5
    weights[~taken.any(axis=1)] = 0.0
    return np.asarray(weights)


def polar_filter(run: Runner, grid: Grid, start: float) -> PolarFilter | None:
    """That of a run, if its grid has poles and cells so narrow."""
    if not has_poles(grid) or start >= 90.0 or run.plan is not None:
        return None
    return PolarFilter(grid, start, run.recorder)


def filtered_width(grid: Grid, start: float) -> float:
    """Of the narrowest cells whose waves are not filtered [m]; 0 where none are."""
    if not has_poles(grid):
        return 0.0
    return float(grid.step_x * grid.radius * np.radians(1.0) * np.cos(np.radians(start)))


def has_poles(grid: Grid) -> bool:
    """Whether the rows of a grid end at a pole."""
    return "pole" in grid.reflections


def cut_of(grid: Grid, cut: DecompositionOptions | None, ranks: int) -> DecompositionOptions | None:
    """How a grid is cut: with poles into blocks of whole rows, since the filter needs these."""
    if not has_poles(grid):
        return cut
    cut = cut or DecompositionOptions()
    blocks = ranks * cut.blocks_per_rank
    if cut.kind != "blocks" or cut.tiles != "given" or cut.rows not in (0, blocks):
        raise UserError(
            f"decomposition.kind = '{cut.kind}', tiles = '{cut.tiles}', rows = {cut.rows} for"
            f" {blocks} blocks: on a grid with poles the filter along rows needs whole rows. Leave"
            " these options out; decomposition.blocks_per_rank alone may be given."
        )
    return DecompositionOptions(blocks_per_rank=cut.blocks_per_rank, rows=blocks)
