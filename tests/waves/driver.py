"""Runs `propagate_space` on the blocks of a decomposition held by this process."""

from __future__ import annotations

import numpy as np

from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.running.bound import local_count
from halocline.runtime.running.runner import Runner
from halocline.waves import _native
from halocline.waves.spatial_propagation import (
    SpatialPropagation,
    cells_of_points,
    halo,
    propagation_arrays,
    schemes,
    travel,
)
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.turning import Turning, turning_arrays
from references.spatial_propagation import transparencies

kernels = kernels_of(_native)
kernel = kernels["propagate_space"]


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
        for name, units, values, place, kind_ in (
            ("crossing_rate", "s-1", arrays["crossing_rate"], Place.center, dtype),
            ("transparency_x", "1", arrays["transparency_x"], Place.x_face, dtype),
            ("transparency_y", "1", arrays["transparency_y"], Place.y_face, dtype),
            ("cell_area", "1", arrays["cell_area"], Place.center, dtype),
            ("cell_aspect", "1", arrays["cell_aspect"], Place.center, dtype),
            ("fixed_point", "1", arrays["fixed_point"], Place.point, np.int32),
            ("frequency_of", "1", components // directions, Place.none, np.int32),
            ("direction_of", "1", components % directions, Place.none, np.int32),
            ("travel", "1", travel(spectral, options.along), Place.none, dtype),
            ("spatial_step", "s", np.full((3, spectral.frequencies), step), Place.none, dtype),
        ):
            self._static(name, units, np.asarray(values), place, kind_)
        self.cell_of_point = Field(
            "cell_of_point", "1", self.decomposition, dtype=np.int32, static=True
        )
        self.cell_of_point.set_per_block(cells_of_points)
        self.spectrum = Field(
            "spectrum",
            "m2 Hz-1 rad-1",
            self.decomposition,
            axes=(self.decomposition.component_axis,),
            dtype=dtype,
        )

    def _static(self, name: str, units: str, values: np.ndarray, place: Place, dtype: type) -> None:
        outer = values.shape[: values.ndim - {Place.none: 0, Place.point: 1}.get(place, 2)]
        dealt = name in ("frequency_of", "direction_of")
        field = Field(
            name,
            units,
            self.decomposition,
            axes=(self.decomposition.component_axis,) if dealt else outer,
            place=place,
            dtype=dtype,
            static=True,
        )
        if place in (Place.x_face, Place.y_face):  # nothing passes closed sides
            rows, columns = field.shape
            values = np.pad(values, ((0, rows - len(values)), (0, columns - values.shape[1])))
        field.set_global(values)
        setattr(self, name, field)

    def step(self, x_first: bool = True, **scalars: float) -> None:
        """One sub-step; `scalars` are arguments of the kernel in place of those of the options."""
        rows = self.spectrum.part(slice(self.spectral.components))
        self.runner(
            kernel,
            self,
            spectrum=rows,
            components=local_count(rows),
            x_first=x_first,
            **self.options.scalars(self.spectral) | scalars,
        )

    def steps(self, count: int) -> None:
        for number in range(count):
            self.step(number % 2 == 0)

    def turn(self, time_step: float, options: Turning) -> None:
        """Shift all directions by one time step."""
        if not hasattr(self, "turning_x"):
            arrays = turning_arrays(self.grid, self.spectral, options, time_step)
            self._static("turning_x", "rad s-1", arrays["turning_x"], Place.point, self.dtype)
            self._static("turning_y", "rad s-1", arrays["turning_y"], Place.point, self.dtype)
            self._static("direction_face", "1", arrays["direction_face"], Place.none, self.dtype)
        self.runner(
            kernels["turn_directions"],
            self,
            step=time_step / self.spectral.direction_width,
            steps=1,
            scheme=schemes[options.scheme],
        )

    def set(self, planes: np.ndarray) -> None:
        """Set the spectrum from planes (component, nj, ni)."""
        self.spectrum.set_global(planes[:, self.grid.mask])

    @property
    def planes(self) -> np.ndarray:
        """The spectrum as planes (component, nj, ni), 0 on land."""
        return self.decomposition.to_map(self.spectrum.gather(), 0.0)
