"""Propagation of the spectrum in space: scheme, averaging, obstacles, sub-steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.place import Place
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.spectrum import SpectralGrid

Array = NDArray[np.float64]
schemes = {"upwind": 0, "QUICKEST": 1, "UQ": 2}
behind_coast = {"linear": -1.0, "zero": 0.0, "constant": 1.0}
"""Spectrum behind a coast over that of the cell before it, for each shape."""
halo = 3
"""Depth of halo that one sub-step with averaging reads [cells]."""


@dataclass(frozen=True, kw_only=True)
class SpatialPropagation(Options):
    """Finite volumes with one sweep in x and one in y per sub-step."""

    scheme: str = option(
        "UQ",
        "",
        "first-order upwind, third-order QUICKEST, or that with the ULTIMATE limiter (UQ)",
        choices=tuple(schemes),
        source="Leonard (1979, 1991); Tolman (1995)",
    )
    coast: str = option(
        "linear",
        "",
        "shape of the spectrum in a cell with land upstream: falling linearly to 0 at the coast;"
        " with zero energy on land, as in WAVEWATCH III; or constant, which is first order",
        choices=tuple(behind_coast),
    )
    along: str = option(
        "both", "", "axes of the grid along which waves travel", choices=("both", "x", "y")
    )
    averaging_along: float = option(
        1.5,
        "1",
        "half-width of the averaging along the direction of travel, in spreads of group speed"
        " of a frequency band; 0 with averaging_across = 0 switches averaging off",
        at_least=0,
        source="Tolman (2002), garden-sprinkler effect",
    )
    averaging_across: float = option(
        1.5,
        "1",
        "half-width of the averaging across the direction of travel, in widths of a direction bin",
        at_least=0,
        source="Tolman (2002), garden-sprinkler effect",
    )
    open_ice: float = option(
        0.25,
        "1",
        "ice concentration up to which waves pass freely",
        at_least=0,
        at_most=1,
        source="Tolman (2003), unresolved islands and ice",
    )
    closed_ice: float = option(
        0.75,
        "1",
        "ice concentration from which no wave passes; linear between",
        at_least=0,
        at_most=1,
        source="Tolman (2003), unresolved islands and ice",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.open_ice < self.closed_ice:
            raise UserError(
                f"open_ice = {self.open_ice} must be smaller than closed_ice = {self.closed_ice}."
            )

    def scalars(self, spectral: SpectralGrid) -> dict[str, Any]:
        """Arguments `scheme`, `behind_coast`, `width_along`, `width_across` of `propagate_space`.

        Widths are half-widths of the averaging area per distance travelled. Together they are
        kept below 1, so that the area stays within the ring of neighbours at Courant number 1.
        """
        along = self.averaging_along * 0.5 * (spectral.factor - 1.0 / spectral.factor)
        across = self.averaging_across * spectral.direction_width
        scale = min(1.0, 1.0 / max(along + across, 1e-30))
        return {
            "scheme": schemes[self.scheme],
            "behind_coast": behind_coast[self.coast],
            "width_along": along * scale,
            "width_across": across * scale,
        }


def travel(spectral: SpectralGrid, along: str = "both") -> Array:
    """Cosine and sine of each direction, exact on the axes; shape (directions, 2).

    Along an axis that is not in `along` waves do not move.
    """
    table = np.array([_cosine_and_sine(angle) for angle in spectral.direction])
    return table * axes_along(along)


def axes_along(along: str) -> Array:
    """1 for the axes, x and y, along which waves travel, 0 for the other."""
    return np.array([along != "y", along != "x"], float)


def _cosine_and_sine(angle: float) -> tuple[float, float]:
    x, y = math.cos(angle), math.sin(angle)
    return (0.0 if abs(x) < 1e-12 else x), (0.0 if abs(y) < 1e-12 else y)


def propagation_arrays(grid: Grid, spectral: SpectralGrid) -> dict[str, Array]:
    """Global static arrays of the kernel, from grid and depth.

    crossing_rate [s-1], shape (frequency, nj, ni): group speed over width of cells, 0 on land.
    cell_area, cell_aspect, shape (nj, ni). fixed_point, shape (sea points,).
    """
    _, group_speed = linear_dispersion(np.where(grid.mask, grid.depth, 1.0), spectral.frequency)
    area = grid.area
    fixed = np.zeros(grid.shape, bool) if grid.boundary is None else grid.boundary
    return {
        "crossing_rate": np.where(grid.mask, group_speed / grid.dx, 0.0),
        "cell_area": area / area.max(),
        "cell_aspect": grid.dx / grid.dy,
        "fixed_point": grid.at_points(fixed),
    }


def block_transparencies(
    grid: Grid,
    options: SpatialPropagation,
    block: Block,
    ice: tuple[NDArray[np.integer[Any]], Array] | None = None,
) -> dict[str, Array]:
    """Planes transparency_x, transparency_y on the padded cells of a block: energy that passes [1].

    Islands and ice let a share T of the energy pass a cell, half of it, sqrt(T), at each of its
    two faces (Tolman 2003). 0 where land touches the face: what comes there is absorbed.
    `ice` are ascending sea numbers, those within one cell of the padded ones among them, and the
    concentrations [1] there.
    """
    r, h = block.rectangle, block.halo
    j, i = np.mgrid[r.j0 - h - 1 : r.j1 + h, r.i0 - h - 1 : r.i1 + h]
    cell_j, cell_i, inside = grid.topology.resolve(Place.center, j, i)[:3]
    sea = grid.mask[cell_j, cell_i] & inside
    free = np.ones(sea.shape)
    if ice is not None:
        numbers, concentration = ice
        places = np.searchsorted(numbers, block.world.numbers_of(cell_j[sea], cell_i[sea]))
        covered = (concentration[places] - options.open_ice) / (
            options.closed_ice - options.open_ice
        )
        free[sea] = 1.0 - np.clip(covered, 0.0, 1.0)
    planes = {}
    for name, behind, closed in (
        ("transparency_x", np.s_[1:, :-1], grid.obstruction_x),
        ("transparency_y", np.s_[:-1, 1:], grid.obstruction_y),
    ):
        islands = 0.0 if closed is None else closed[cell_j, cell_i]
        cell = np.where(sea, free * (1.0 - islands), 0.0)
        planes[name] = np.sqrt(cell[1:, 1:] * cell[behind])
    return planes


def cells_of_points(block: Block) -> NDArray[np.int32]:
    """Place j * width + i of every point in the padded plane of a block (`cell_of_point`)."""
    return (block.point_j * block.shape[1] + block.point_i).astype(np.int32)


def sub_steps(
    spectral: SpectralGrid,
    crossing_rate: Array,
    cell_aspect: Array,
    time_step: float,
    *,
    along: str = "both",
    spatial_step: float | None = None,
    maximum_courant: float = 0.9,
) -> NDArray[np.int32]:
    """Number of steps of the sweeps in x and in y in `time_step` [s], shape (2, frequency).

    With `spatial_step` [s], the longest step of the lowest frequency, a frequency takes longer
    ones as its group speed in deep water is smaller. Without it, each axis takes steps of its own,
    so that no wave crosses more than `maximum_courant` of a cell. All come from the whole grid.
    """
    fastest = np.stack(
        [crossing_rate.max(axis=(1, 2)), (crossing_rate * cell_aspect).max(axis=(1, 2))]
    )
    return sub_steps_of(
        fastest,
        spectral,
        time_step,
        along=along,
        spatial_step=spatial_step,
        maximum_courant=maximum_courant,
    )


def sub_steps_of(
    fastest: Array,
    spectral: SpectralGrid,
    time_step: float,
    *,
    along: str = "both",
    spatial_step: float | None = None,
    maximum_courant: float = 0.9,
) -> NDArray[np.int32]:
    """The same for the `fastest` crossing of cells in x and y [s-1], shape (2, frequency)."""
    fastest = fastest * axes_along(along)[:, None]
    if spatial_step is None:
        longest = maximum_courant / np.maximum(fastest, 1e-30)
    else:
        longest = np.tile(spatial_step * spectral.frequency / spectral.frequency[0], (2, 1))
    count = np.maximum(np.ceil(time_step / longest * (1.0 - 1e-12)), 1.0)
    courant = (fastest * time_step / count).max(axis=0)
    if spatial_step is not None and courant.max() > 1.0:
        raise UserError(
            f"A spatial step of {spatial_step} s is too long: waves of"
            f" {spectral.frequency[courant.argmax()]:.4f} Hz would cross {courant.max():.2f} cells"
            f" in one. Use at most {math.floor(spatial_step / courant.max())} s, or leave it out."
        )
    return count.astype(np.int32)


def sub_step_times(counts: NDArray[np.int32], time_step: float) -> list[Array]:
    """`spatial_step` of the kernel [s], shape (3, frequency), for each sub-step in turn.

    A frequency has as many sub-steps as the axis with the most. In each of them it is averaged; the
    other axis rests in some, spread evenly, and ends with the last.
    """
    most = counts.max(axis=0)
    times = []
    for number in range(int(most.max())):
        due = (number + 1) * counts // most > number * counts // most
        sweeps = np.where(due, time_step / counts, 0.0)
        times.append(np.vstack([time_step / most, sweeps]))
    return times
