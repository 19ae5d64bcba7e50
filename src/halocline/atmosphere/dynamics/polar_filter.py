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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halocline.atmosphere import _native
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
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
        self._known: dict[Place, list[list[FilteredRows]]] = {}

    def __call__(self, fields: Sequence[Field]) -> None:
        """Filter fields along their rows, each on its own."""
        with self.recorder.time("polar filter"):
            for field in fields:
                with field.change() as owned:
                    for array, parts in zip(owned, self.rows_of(field), strict=True):
                        for part in parts:
                            part.waves.filter(array[:, part.rows])

    def heat(self, heat: Field, theta: Field, mass: Field, c1: Array) -> None:
        """Filter the change of heat less what the change of mass has of the mean of each row.

        So air of one potential temperature keeps it, and the mean of a row stays as it is.

        - heat: mass times potential temperature since the state of the stage [Pa K], `theta` its
          potential temperature [K], `mass` of columns since then [Pa], `c1` how much of that
          layers have [1].
        """
        with self.recorder.time("polar filter"), heat.change() as owned:
            arrays = zip(owned, theta.read(), mass.read(), self.rows_of(heat), strict=True)
            for array, warm, heavier, parts in arrays:
                for part in parts:
                    rows = part.rows
                    part.waves.filter_heat(array[:, rows], warm[:, rows], heavier[rows], c1)

    def rows_of(self, field: Field) -> list[list[FilteredRows]]:
        """The rows to filter of the place of a field, for each block of this rank."""
        place = field.place
        if place not in self._known:
            latitude = self.grid.at(place).y[:, 0]
            self._known[place] = []
            for block in field.layout.blocks:
                assert isinstance(block, Block)
                j0, j1, *_ = block.box_of(place)
                first = block.rectangle.j0
                columns = self.grid.shape[1]
                own = remaining(latitude[first : first + j1 - j0], columns, self.start)
                self._known[place].append(filtered_rows(own, columns))
        return self._known[place]


class FilteredRows(NamedTuple):
    """Neighbouring rows of a block, and what filters their waves (`polar_rows.hpp`)."""

    rows: slice
    waves: Any


def filtered_rows(rest: Array, columns: int) -> list[FilteredRows]:
    """The stretches of rows of which not all waves remain as they are.

    - rest: what remains of waves 0 to columns / 2 [1], shape (rows, waves).
    """
    ends = np.flatnonzero(np.diff((rest < 1.0).any(axis=1), prepend=False, append=False))
    pairs = zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True)
    return [FilteredRows(slice(a, b), _native.PolarRows(columns, rest[a:b])) for a, b in pairs]


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
    if blocks > grid.shape[0]:
        raise UserError(
            f"Cannot cut {grid.shape[0]} rows into {blocks} blocks for {ranks} ranks: on a grid"
            " with poles the filter along rows needs whole rows. Use at most"
            f" {grid.shape[0] // cut.blocks_per_rank} ranks (-n), and threads for other cores."
        )
    return DecompositionOptions(blocks_per_rank=cut.blocks_per_rank, rows=blocks)
