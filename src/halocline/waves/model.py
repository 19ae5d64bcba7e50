"""The wave model: what it holds and the list that is its step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.options import Options, option
from halocline.grids.grid import Grid
from halocline.runtime.decomposition import Decomposition
from halocline.runtime.fields import Field
from halocline.runtime.kernel import kernels_of
from halocline.runtime.runner import PerBlock, Runner
from halocline.waves import _native
from halocline.waves.spatial_propagation import (
    SpatialPropagation,
    cells_of_points,
    propagation_arrays,
    sub_steps,
    transparencies,
    travel,
)
from halocline.waves.spectrum import SpectralGrid

kernels = kernels_of(_native)


@dataclass(frozen=True, kw_only=True)
class WavesOptions(Options):
    """The spectral wave model."""

    propagation: SpatialPropagation = option(SpatialPropagation(), meaning="propagation in space")
    spatial_step: float | None = option(
        None,
        "s",
        "longest spatial step of the lowest frequency; if not given, from the Courant number",
        at_least=1e-3,
    )


class WaveModel:
    """Spectra on one decomposed grid.

    Fields are attributes named as in the contracts of the kernels.
    """

    def __init__(
        self,
        grid: Grid,
        spectral: SpectralGrid,
        options: WavesOptions,
        decomposition: Decomposition,
        time_step: float,
        *,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.grid, self.spectral, self.options = grid, spectral, options
        self.decomposition, self.time_step, self.dtype = decomposition, time_step, np.dtype(dtype)
        self.spectrum = self._field(
            "spectrum", "m2 Hz-1 rad-1", (spectral.components,), by_component=True, restart=True
        )
        self._prepare_propagation()

    def _field(self, name: str, units: str, outer: tuple[int, ...] = (), **more: Any) -> Field:
        more.setdefault("dtype", self.dtype)
        return Field(name, units, self.decomposition, outer=outer, **more)

    def _static(
        self, name: str, units: str, values: NDArray[Any], on: Any = "none", **more: Any
    ) -> Field:
        horizontal = {"none": 0, "points": 1, "cells": 2}[on]
        outer = values.shape[: values.ndim - horizontal]
        field = self._field(name, units, outer, on=on, static=True, **more)
        field.set_global(values.astype(field.dtype))
        return field

    def _prepare_propagation(self) -> None:
        """Static fields of `propagate_space`, and the number of sub-steps of each frequency."""
        spectral, grid = self.spectral, self.grid
        arrays = propagation_arrays(grid, spectral)
        frequency, direction = np.divmod(np.arange(spectral.components), spectral.directions)
        table = {"on": "none", "dtype": np.int32, "by_component": True}
        self.frequency_of = self._static("frequency_of", "1", frequency, **table)
        self.direction_of = self._static("direction_of", "1", direction, **table)
        self.cell_of_point = self._field("cell_of_point", "1", dtype=np.int32, static=True)
        self.cell_of_point.set_per_block(cells_of_points)
        self.fixed_point = self._static(
            "fixed_point", "1", arrays["fixed_point"], on="points", dtype=np.int32
        )
        for name, units in (
            ("crossing_rate_x", "s-1"),
            ("crossing_rate_y", "s-1"),
            ("cell_area", "1"),
            ("cell_aspect", "1"),
        ):
            setattr(self, name, self._static(name, units, arrays[name], on="cells"))
        for name, plane in transparencies(grid, self.options.propagation).items():
            setattr(self, name, self._static(name, "1", plane, on="cells"))
        self.travel = self._static("travel", "1", travel(spectral))
        self.sub_steps = sub_steps(
            spectral,
            arrays["crossing_rate_x"],
            arrays["crossing_rate_y"],
            self.time_step,
            spatial_step=self.options.spatial_step,
        )
        self.spatial_step = self._static("spatial_step", "s", self.time_step / self.sub_steps)

    def step(self, run: Runner, number: int) -> None:
        """Advance by one global step, the `number`-th since a fixed date.

        1. propagation in space
        """
        # 1. propagation in space: the slower a frequency, the fewer its sub-steps
        propagation = self.options.propagation.scalars(self.spectral)
        for sub_step in range(int(self.sub_steps.max())):
            moving = int((self.sub_steps > sub_step).sum()) * self.spectral.directions
            spectrum = self.spectrum.rows(moving)
            run(
                kernels["propagate_space"],
                self,
                spectrum=spectrum,
                components=PerBlock(lambda layout, _, rows=spectrum: rows.local(layout)),
                x_first=(number + sub_step) % 2 == 0,
                **propagation,
            )
