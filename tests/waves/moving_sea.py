"""Seas with currents and changing depth, and what linear theory says of their waves.

Along rays of a steady medium the absolute frequency sigma + k . U, the wavenumber along which
nothing changes, and the density of action in k-space, N(k), are constant (Liouville's theorem, as
the equations of rays are Hamilton's). N(k) = N(sigma, theta) c_g / k, N(sigma, theta) = F / sigma.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from halocline.core.constants import gravity
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.running.runner import Runner
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.model import WaveModel
from halocline.waves.moving_water import WaterThatMoves
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.waves_options import WavesOptions

plain = {"averaging_along": 0.0, "averaging_across": 0.0}


def sigma_of(wavenumber, depth):
    return np.sqrt(gravity * wavenumber * np.tanh(wavenumber * depth))


def group_speed(wavenumber, depth):
    kd = np.minimum(wavenumber * depth, 300.0)
    return 0.5 * sigma_of(wavenumber, depth) / wavenumber * (1.0 + 2.0 * kd / np.sinh(2.0 * kd))


def action_in_k(spectrum, sigma, wavenumber, depth):
    """N(k) but for constant factors, from F(f, theta)."""
    return spectrum / sigma * group_speed(wavenumber, depth) / wavenumber


class Sea:
    """A wave model on a plane with steady or changing water, stepped without a case."""

    def __init__(
        self,
        grid: Grid,
        spectral: SpectralGrid,
        step: float,
        water: Callable[[float], dict[str, np.ndarray]],
        *,
        changes: bool = False,
        cut: dict | None = None,
        dtype: type = np.float64,
        **options: dict,
    ) -> None:
        self.grid, self.spectral, self.time, self.number, self.step = grid, spectral, 0.0, 0, step
        self.water = water
        cut_options = DecompositionOptions(**(cut or {}))
        cells = Decomposition(
            grid.mask, grid.topology, halo=3, options=cut_options, components=spectral.components,
            staggered=False,
        )  # fmt: skip
        table = {"physics": "none", "propagation": plain} | options
        self.changes = changes
        self.model = WaveModel(
            grid,
            spectral,
            WavesOptions.from_table(table),
            cells,
            step,
            dtype=dtype,
            water=WaterThatMoves(changes, "sea_level" in water(0.0), False, 0.1),
        )
        self.run = Runner(cells)
        self.numbers = np.arange(grid.sea_points)
        self._give(0.0)
        self.model.water.settle(self.run)

    def _give(self, time: float) -> None:
        given = {
            name: np.broadcast_to(v, self.grid.sea_points) for name, v in self.water(time).items()
        }
        self.model.water.give(given, self.numbers)

    def set(self, spectra: np.ndarray) -> None:
        """Spectra of shape (frequencies, directions, points)."""
        flat = np.ascontiguousarray(spectra.reshape(self.spectral.components, -1))
        self.model.set_spectra(lambda some: flat[:, some])

    def hold(self, points: np.ndarray, spectra: np.ndarray) -> None:
        flat = spectra.reshape(self.spectral.components, -1)
        self.model.set_boundary(points, flat[:, points])

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.time += self.step
            if self.changes:
                self._give(self.time)
            self.model.step(self.run, self.number)
            self.number += 1

    @property
    def spectra(self) -> np.ndarray:
        return self.model.spectrum.gather().reshape(*self.spectral.shape, -1)

    @property
    def action(self) -> float:
        """All action but for a constant factor: bins are as wide as their frequencies."""
        return float(self.spectra.sum())


def channel(cells, width, along="x", depth=4000.0, ends=()):
    """A channel along one axis, periodic across."""
    shape = (3, cells) if along == "x" else (cells, 3)
    centre = (np.arange(cells) + 0.5) * width
    line = np.broadcast_to(depth(centre) if callable(depth) else depth, (cells,))
    boundary = np.zeros(shape, bool)
    for end in ends:
        boundary[(slice(None), end) if along == "x" else (end, slice(None))] = True
    small = (np.arange(3) + 0.5) * width
    return Grid(
        x=centre if along == "x" else small,
        y=small if along == "x" else centre,
        depth=np.broadcast_to(line[None, :] if along == "x" else line[:, None], shape).copy(),
        mask=np.ones(shape, bool),
        spherical=False,
        periodic_x=along == "y",
        periodic_y=along == "x",
        boundary=boundary,
    )


def along_rays(spectral, inflow, along, here, there):
    """The steady spectrum (frequency, direction, point) where waves come from `there`.

    `here` and `there` are depth and both components of the current; `inflow(sigma, theta)` is F
    there. Waves that no ray brings in have none.
    """
    depth, u, v = (np.asarray(some, float) for some in here)
    depth0, u0, v0 = there
    sigma = spectral.sigma[:, None, None]
    theta = spectral.direction[None, :, None]
    k = linear_dispersion(depth, spectral.frequency)[0][:, None, :]
    kx, ky = k * np.cos(theta), k * np.sin(theta)
    absolute = sigma + kx * u + ky * v
    moving, fixed = (kx, ky) if along == "x" else (ky, kx)
    low, high = np.zeros_like(moving), np.full_like(moving, 3.0)

    def excess(trial):
        trial_x, trial_y = (trial, fixed) if along == "x" else (fixed, trial)
        size = np.hypot(trial_x, trial_y)
        return sigma_of(size, depth0) + trial_x * u0 + trial_y * v0 - absolute

    rising = 0.25 * gravity / max(-(u0 if along == "x" else v0), 1e-9) ** 2
    high = np.minimum(high, rising)  # beyond it waves are carried backwards
    found = (excess(low) <= 0.0) & (excess(high) >= 0.0) & (moving > 0.0)
    for _ in range(80):
        middle = 0.5 * (low + high)
        above = excess(middle) > 0.0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    came = 0.5 * (low + high)
    came_x, came_y = (came, fixed) if along == "x" else (fixed, came)
    k0 = np.maximum(np.hypot(came_x, came_y), 1e-9)
    sigma0 = sigma_of(k0, depth0)
    first = inflow(sigma0, np.arctan2(came_y, came_x))
    in_k = action_in_k(first, sigma0, k0, depth0)
    return np.where(found, in_k * sigma * k / group_speed(k, depth), 0.0)
