"""Spectra at the start of a run: calm, JONSWAP by local wind, Gaussian, or given.

Every start is a product of two factors of frequency, direction and sea point, computed point by
point, so that a rank's share has the same bits for any decomposition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core import constants
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.grids.horizontal.grid import Grid
from halocline.waves.spectra import cosine_power, jonswap, normalised, to_cartesian
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.spectrum_files import read_spectrum

Array = NDArray[np.float64]
Numbers = NDArray[np.integer]


@dataclass(frozen=True)
class StartSpectra:
    """Variance density [m2 Hz-1 rad-1] as a product of two factors.

    Each factor broadcasts to (frequency, direction, sea point), points by global sea number, or by
    their place in the ascending `numbers` where these are given.
    """

    shape: tuple[int, int]
    first: Array
    second: Array
    numbers: Numbers | None = None

    def at(self, numbers: Numbers) -> Array:
        """Spectra at the sea points of these numbers, shape (component, point)."""
        places = numbers if self.numbers is None else np.searchsorted(self.numbers, numbers)
        parts = [f[..., places] if f.shape[-1] > 1 else f for f in (self.first, self.second)]
        frequencies, directions = self.shape
        whole = np.broadcast_to(parts[0] * parts[1], (frequencies, directions, len(numbers)))
        return np.ascontiguousarray(whole).reshape(frequencies * directions, len(numbers))


@dataclass(frozen=True)
class BoundedSpectra:
    """One start in the sea and another at the points of the active boundary."""

    inner: StartSpectra
    outer: StartSpectra
    on_boundary: NDArray[np.bool_]  # by global sea number

    def at(self, numbers: NDArray[np.integer]) -> Array:
        """Spectra at the sea points of these numbers, shape (component, point)."""
        return np.where(self.on_boundary[numbers], self.outer.at(numbers), self.inner.at(numbers))


@dataclass(frozen=True, kw_only=True)
class JonswapStart(Options):
    """A young sea by the local wind: JONSWAP (Hasselmann et al. 1973), cos^n about the wind."""

    fetch: float | None = option(
        None,
        "m",
        "fetch; where not given, half the diagonal of the cell",
        at_least=1.0,
        source="WAVEWATCH III manual, initial conditions",
    )
    least_wind: float = option(
        1.0, "m s-1", "weaker winds count as this", at_least=0.1, source="WAVEWATCH III"
    )
    greatest_wind: float = option(
        20.0, "m s-1", "stronger winds count as this", at_least=1.0, source="WAVEWATCH III"
    )
    cosine_power: float = option(2.0, "1", "power n of the directional shape", at_least=0.5)
    peak_width: float = option(
        0.07, "1", "width of the peak on both sides", at_least=0.01, source="WAVEWATCH III"
    )

    def spectra(
        self,
        spectral: SpectralGrid,
        grid: Grid,
        wind_u: Array,
        wind_v: Array,
        numbers: Numbers | None = None,
    ) -> StartSpectra:
        """Give the spectra for the wind [m s-1] at the sea points; no wind, no waves.

        With ascending `numbers` the wind and the spectra are those of some points only.

        With X = g fetch / U2: fp = 3.5 (g / U) X^-0.33, alpha = 0.076 X^-0.22 and
        gamma = max(1, 7 X^-0.143).
        """
        numbers = np.arange(grid.sea_points) if numbers is None else numbers
        _check_points("wind", wind_u, numbers.size)
        speed = np.hypot(wind_u, wind_v)
        used = np.clip(speed, self.least_wind, self.greatest_wind)
        if self.fetch is None:
            dx, dy = (grid.at_points(plane)[numbers] for plane in (grid.dx, grid.dy))
            fetch = 0.5 * np.hypot(dx, dy)
        else:
            fetch = np.full(numbers.size, self.fetch)
        relative = constants.gravity * fetch / used**2
        energy = jonswap(
            spectral.frequency[:, None],
            0.076 * relative**-0.22,
            3.5 * (constants.gravity / used) * relative**-0.33,
            np.maximum(1.0, 7.0 * relative**-0.143),
            self.peak_width,
            self.peak_width,
        )
        energy = np.where(speed > 0.0, energy, 0.0)
        direction = np.arctan2(wind_v, wind_u)
        shape = cosine_power(spectral.direction, direction[:, None], self.cosine_power)
        shape = normalised(shape, spectral.direction_width).T
        return StartSpectra(spectral.shape, energy[:, None, :], shape[None, :, :], numbers)


@dataclass(frozen=True, kw_only=True)
class GaussianStart(Options):
    """One swell field, Gaussian in space and frequency, cos^n in direction.

    E ~ exp(-((f - fp) / width)2 / 8) max(0, cos(theta - theta0))^n
    times exp(-((x - x0)2 / rx2 + (y - y0)2 / ry2) / 2), scaled to the height at the centre. A width
    below a tenth of the band puts all energy into the nearest frequency.
    """

    height: float = option(2.5, "m", "significant height at the centre", at_least=0.0)
    peak_frequency: float = option(0.1, "Hz", "frequency of the maximum", at_least=1e-4)
    frequency_width: float = option(0.01, "Hz", "width in frequency", at_least=1e-9)
    direction: float = option(270.0, "degree", "mean direction from, clockwise from north")
    cosine_power: float = option(2.0, "1", "power n of the directional shape", at_least=0.0)
    x: float = option(0.0, "degree or m", "longitude or x of the centre")
    y: float = option(0.0, "degree or m", "latitude or y of the centre")
    radius_x: float = option(1.0, "degree or m", "radius along x", at_least=1e-9)
    radius_y: float = option(1.0, "degree or m", "radius along y", at_least=1e-9)

    def spectra(self, spectral: SpectralGrid, grid: Grid) -> StartSpectra:
        """Give the spectra at the sea points of `grid`."""
        f, band = spectral.frequency, spectral.band_width
        nearest = int(np.argmin(np.abs(f - self.peak_frequency)))
        if self.frequency_width < 0.1 * band[nearest]:
            energy = (np.arange(f.size) == nearest).astype(np.float64)
        else:
            energy = np.exp(-(((f - self.peak_frequency) / self.frequency_width) ** 2) / 8.0)
        mean = to_cartesian(self.direction)
        shape = cosine_power(spectral.direction, mean, self.cosine_power)
        # Rounding leaves a trace at right angles; it is not meant.
        shape = np.where(np.cos(spectral.direction - mean) > 1e-12, shape, 0.0)
        density = energy[:, None] * shape[None, :]
        sum_ = (density * band[:, None]).sum() * spectral.direction_width
        if not sum_ > 0.0:
            raise UserError(
                f"The Gaussian start has no energy on the spectral grid: peak_frequency ="
                f" {self.peak_frequency} Hz, the grid spans {f[0]:.5g} to {f[-1]:.5g} Hz. Give a"
                " peak within, or a greater frequency_width."
            )
        density *= self.height**2 / 16.0 / sum_
        return StartSpectra(spectral.shape, density[:, :, None], self._bump(grid)[None, None, :])

    def _bump(self, grid: Grid) -> Array:
        """The share of the energy at each sea point, 1 at the centre."""
        along, across = grid.point_x - self.x, grid.point_y - self.y
        if grid.spherical:
            along = (along + 180.0) % 360.0 - 180.0
        return np.exp(-0.5 * ((along / self.radius_x) ** 2 + (across / self.radius_y) ** 2))


@dataclass(frozen=True, kw_only=True)
class GivenStart(Options):
    """The same given spectrum everywhere, read from a point-spectrum file."""

    file: str = option("", "", "point-spectrum file (netCDF)")
    time: int = option(-1, "1", "number of the record, -1 for the last")
    station: int = option(0, "1", "number of the station")

    def spectra(self, spectral: SpectralGrid, grid: Grid) -> StartSpectra:
        """Give the spectrum of the file, interpolated to `spectral`, at all sea points."""
        if not self.file:
            raise UserError("The start from a given spectrum needs its file. Set start.given.file.")
        return given(read_spectrum(self.file, spectral, self.time, self.station), spectral, grid)


kinds = ("calm", "jonswap", "gaussian", "given")


@dataclass(frozen=True, kw_only=True)
class WaveStart(Options):
    """How the waves begin where there is no restart."""

    kind: str = option("calm", "", "state of the sea at the start", choices=kinds)
    boundary: str = option(
        "same",
        "",
        "spectra at points of the active boundary, where they stay: as in the sea, or another kind",
        choices=("same", *kinds),
    )
    jonswap: JonswapStart = option(JonswapStart(), "", "a young sea by the local wind")
    gaussian: GaussianStart = option(GaussianStart(), "", "one swell field")
    given: GivenStart = option(GivenStart(), "", "a given spectrum")

    @property
    def lacks(self) -> str:
        """What waves under wind lack in the first days after this start; empty where nothing."""
        return {
            "calm": "begun from a calm sea: waves need hours to days to grow, swell a week to cross"
            " an ocean",
            "jonswap": "begun from a sea of the local wind: swell from before is missing",
        }.get(self.kind, "")

    def spectra(
        self,
        spectral: SpectralGrid,
        grid: Grid,
        wind_u: Array,
        wind_v: Array,
        numbers: Numbers | None = None,
    ) -> StartSpectra | BoundedSpectra:
        """Give the spectra of the chosen kind.

        The wind [m s-1] is that at the sea points of ascending `numbers`, or at all of them; the
        spectra can be asked for there.
        """
        wind = wind_u, wind_v
        inner = self._of_kind(self.kind, spectral, grid, wind, numbers)
        if self.boundary in ("same", self.kind):
            return inner
        if grid.boundary is None:
            raise UserError(
                f"start.boundary = '{self.boundary}', but the grid has no active boundary. Name its"
                " sides in grid.boundary, or leave start.boundary out."
            )
        outer = self._of_kind(self.boundary, spectral, grid, wind, numbers)
        return BoundedSpectra(inner, outer, grid.at_points(grid.boundary))

    def _of_kind(
        self,
        kind: str,
        spectral: SpectralGrid,
        grid: Grid,
        wind: tuple[Array, Array],
        numbers: Numbers | None,
    ) -> StartSpectra:
        if kind == "jonswap":
            return self.jonswap.spectra(spectral, grid, *wind, numbers)
        if kind == "gaussian":
            return self.gaussian.spectra(spectral, grid)
        if kind == "given":
            return self.given.spectra(spectral, grid)
        return calm(spectral, grid)


def calm(spectral: SpectralGrid, grid: Grid) -> StartSpectra:
    """Give a sea without waves."""
    nothing = np.zeros((1, 1, 1))
    return StartSpectra(spectral.shape, nothing, nothing)


def given(spectrum: Array, spectral: SpectralGrid, grid: Grid) -> StartSpectra:
    """Give the spectra of an array [m2 Hz-1 rad-1].

    Its shape is (frequency, direction) for one spectrum everywhere, or (component, point) or
    (frequency, direction, point) with points by global sea number.
    """
    values = np.asarray(spectrum, np.float64)
    points = grid.sea_points
    shapes = (spectral.shape, (*spectral.shape, points), (spectral.components, points))
    if values.shape not in shapes:
        raise UserError(
            f"The given spectrum has shape {values.shape}; the case needs {shapes[0]} for one"
            f" spectrum everywhere or {shapes[1]} for one at each sea point."
        )
    if not (np.isfinite(values).all() and (values >= 0.0).all()):
        raise UserError("The given spectrum holds negative or undefined values. Mend them.")
    return StartSpectra(spectral.shape, values.reshape(*spectral.shape, -1), np.ones((1, 1, 1)))


def _check_points(name: str, values: Array, points: int) -> None:
    if values.shape != (points,):
        raise UserError(
            f"The {name} at the start has shape {values.shape}; it needs one value at each of the"
            f" {points} sea points."
        )
    assert math.isfinite(float(values.sum()))
