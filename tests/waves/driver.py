"""Runs `propagate_space` on the blocks of a decomposition held by this process."""

from __future__ import annotations

import numpy as np

from halocline.grids.grid import Grid
from halocline.runtime.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields import Field
from halocline.runtime.kernel import kernels_of
from halocline.runtime.runner import Runner
from halocline.waves import _native
from halocline.waves.spatial_propagation import (
    SpatialPropagation,
    cells_of_points,
    halo,
    propagation_arrays,
    transparencies,
    travel,
)
from halocline.waves.spectrum import SpectralGrid

kernel = kernels_of(_native)["propagate_space"]


class SpaceDriver:
    """A grid, its static arrays and one spectrum, stepped by the kernel alone."""

    def __init__(
        self,
        grid: Grid,
        spectral: SpectralGrid,
        options: SpatialPropagation,
        step: float,
        *,
        dtype: type = np.float64,
        along_y: bool = True,
        ice: np.ndarray | None = None,
        kind: str = "blocks",
        blocks: int = 1,
        check_halos: bool = False,
    ) -> None:
        self.grid, self.spectral, self.options = grid, spectral, options
        self.decomposition = Decomposition(
            grid.mask,
            grid.topology,
            halo=halo,
            options=DecompositionOptions(kind=kind, blocks_per_rank=blocks),
            components=spectral.components,
        )
        self.runner = Runner(self.decomposition, check_halos=check_halos)
        self.dtype = dtype
        components = np.arange(spectral.components, dtype=np.int32)
        arrays = propagation_arrays(grid, spectral) | transparencies(grid, options, ice)
        self.arrays = arrays
        directions = spectral.directions
        for name, units, values, on, kind_ in (
            ("crossing_rate_x", "s-1", arrays["crossing_rate_x"], "cells", dtype),
            ("crossing_rate_y", "s-1", arrays["crossing_rate_y"], "cells", dtype),
            ("transparency_x", "1", arrays["transparency_x"], "cells", dtype),
            ("transparency_y", "1", arrays["transparency_y"], "cells", dtype),
            ("cell_area", "1", arrays["cell_area"], "cells", dtype),
            ("cell_aspect", "1", arrays["cell_aspect"], "cells", dtype),
            ("fixed_point", "1", arrays["fixed_point"], "points", np.int32),
            ("frequency_of", "1", components // directions, "none", np.int32),
            ("direction_of", "1", components % directions, "none", np.int32),
            ("travel", "1", travel(spectral, along_y=along_y), "none", dtype),
            ("spatial_step", "s", np.full(spectral.frequencies, step), "none", dtype),
        ):
            self._static(name, units, np.asarray(values), on, kind_)
        self._static("cell_of_point", "1", np.zeros(grid.sea_points), "points", np.int32)
        storage = self.cell_of_point.storage(self.decomposition.planes)
        for array, block in zip(storage.arrays, self.decomposition.planes.blocks, strict=True):
            array[...] = cells_of_points(block)
        self.spectrum = Field(
            "spectrum",
            "m2 Hz-1 rad-1",
            self.decomposition,
            outer=(spectral.components,),
            dtype=dtype,
            by_component=True,
        )

    def _static(self, name: str, units: str, values: np.ndarray, on: str, dtype: type) -> None:
        outer = {"cells": values.shape[:-2], "points": values.shape[:-1], "none": values.shape}[on]
        field = Field(name, units, self.decomposition, outer=outer, on=on, dtype=dtype, static=True)
        field.set_global(values)
        setattr(self, name, field)

    def step(self, x_first: bool = True, components: int | None = None) -> None:
        self.runner(
            kernel,
            self,
            components=self.spectral.components if components is None else components,
            x_first=x_first,
            **self.options.scalars(self.spectral),
        )

    def steps(self, count: int) -> None:
        for number in range(count):
            self.step(number % 2 == 0)

    def set(self, planes: np.ndarray) -> None:
        """Set the spectrum from planes (component, nj, ni)."""
        self.spectrum.set_global(planes[:, self.grid.mask])

    @property
    def planes(self) -> np.ndarray:
        """The spectrum as planes (component, nj, ni), 0 on land."""
        return self.decomposition.to_map(self.spectrum.gather(), 0.0)
