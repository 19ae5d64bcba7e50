"""To look inside: source terms of given spectra one by one, and the model at one point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halocline.core.constants import gravity
from halocline.core.errors import UserError, nearest
from halocline.core.native_options import native_of
from halocline.core.options import Options
from halocline.waves import _native
from halocline.waves.ardhuin import ardhuin
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.quadruplets import Quadruplets
from halocline.waves.source_integration import (
    SourceCounters,
    SourceIntegration,
    SourcePackage,
    SourceSettings,
)
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.tolman_chalikov import TolmanChalikov

Array = NDArray[Any]


def tolman_chalikov(options: TolmanChalikov | None = None) -> SourcePackage:
    """The package ST2."""
    return SourcePackage(
        "ST2",
        _native.integrate_tolman_chalikov,
        _native.separate_tolman_chalikov,
        native_of(_native.TolmanChalikovOptions, options or TolmanChalikov(), gravity=gravity),
        1,
    )


PACKAGES: dict[str, Callable[[Any], SourcePackage]] = {"ST2": tolman_chalikov, "ST4": ardhuin}
"""Makers of the source packages by name."""


def package_of(physics: str, options: Options | None = None) -> SourcePackage:
    """The source package of a name, with its default options or those given."""
    if physics not in PACKAGES:
        known = ", ".join(PACKAGES)
        raise UserError(
            f"Unknown physics {physics!r}; known are {known}.{nearest(physics, PACKAGES)}"
        )
    return PACKAGES[physics](options)


def wind_components(wind: tuple[float, float]) -> tuple[float, float]:
    """Wind towards east and north [m s-1] from speed [m s-1] and direction from [degree].

    >>> u, v = wind_components((10.0, 270.0))
    >>> round(u, 6), round(abs(v), 6)
    (10.0, 0.0)
    """
    speed, origin = wind
    angle = math.radians(270.0 - origin)
    return speed * math.cos(angle), speed * math.sin(angle)


class PointState:
    """The arrays of the source kernels for a few points, all float32 or float64."""

    def __init__(
        self,
        grid: SpectralGrid,
        package: SourcePackage,
        depth: ArrayLike,
        dtype: Any = np.float64,
    ) -> None:
        depths = np.atleast_1d(np.asarray(depth, np.float64))
        points = len(depths)
        k, cg = linear_dispersion(depths, grid.frequency)
        self.points = points
        self.arrays: dict[str, Array] = {
            "spectrum": np.zeros((grid.components, points), dtype),
            "wavenumber": np.ascontiguousarray(k, dtype),
            "group_velocity": np.ascontiguousarray(cg, dtype),
            "depth": depths.astype(dtype),
        }
        for name in (
            "wind_u",
            "wind_v",
            "air_sea_difference",
            "friction_velocity",
            "roughness",
        ):
            self.arrays[name] = np.zeros(points, dtype)
        self.arrays["open_water"] = np.ones(points, dtype)
        self.arrays["source_memory"] = np.zeros((max(package.memory, 1), points), dtype)

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]


@dataclass(frozen=True)
class SourceTerms:
    """Source terms of one spectrum [m2 Hz-1 rad-1 s-1], each of shape (frequency, direction)."""

    input: Array
    """Wind input, swell damping and linear input."""
    dissipation: Array
    """Whitecapping."""
    quadruplets: Array
    friction: Array
    breaking: Array
    quadruplet_diagonal: Array = field(repr=False)
    """Derivative of the transfer by the component's own density [s-1]."""
    friction_velocity: float
    """[m s-1]"""
    roughness: float
    """[m]"""

    @property
    def total(self) -> Array:
        """All source terms together."""
        return self.input + self.dissipation + self.quadruplets + self.friction + self.breaking


def default_settings(physics: str, grid: SpectralGrid) -> SourceSettings:
    """Settings that belong to a package."""
    if physics == "ST4":
        return SourceSettings(
            grid,
            integration=SourceIntegration(seeding=False),
            quadruplets=Quadruplets(strength=2.5e7),
        )
    return SourceSettings(grid)


def sources(
    spectrum: ArrayLike,
    *,
    depth: float,
    wind: tuple[float, float],
    physics: str = "ST2",
    grid: SpectralGrid | None = None,
    options: Options | None = None,
    settings: SourceSettings | None = None,
    rounds: int = 12,
    dtype: Any = np.float64,
) -> SourceTerms:
    """Source terms of one given spectrum, one by one.

    `spectrum` [m2 Hz-1 rad-1] has the shape (frequency, direction) of `grid` (default
    SpectralGrid()), `depth` [m], `wind` is the speed [m s-1] and the direction it comes from
    [degree]. The stress and the spectrum are brought into balance by `rounds` evaluations.

    >>> from halocline.waves import spectra
    >>> terms = sources(np.ones((25, 24)), depth=100.0, wind=(10.0, 270.0))
    >>> terms.input.shape, bool(terms.friction.max() <= 0)
    ((25, 24), True)
    """
    grid = grid or SpectralGrid()
    density = np.asarray(spectrum, dtype)
    if density.shape != grid.shape:
        raise UserError(
            f"The spectrum has the shape {density.shape}, the spectral grid {grid.shape}. "
            "Give the grid of the spectrum as `grid`."
        )
    package = package_of(physics, options)
    settings = replace(settings or default_settings(physics, grid), grid=grid)
    state = PointState(grid, package, depth, dtype)
    state["spectrum"][:, 0] = density.ravel()
    state["wind_u"][:], state["wind_v"][:] = wind_components(wind)
    names = ("input", "dissipation", "quadruplets", "quadruplet_diagonal", "friction", "breaking")
    parts = {name: np.zeros((grid.components, 1), dtype) for name in names}
    package.separate(
        (0, 0, 0, 0, 1),
        **state.arrays,
        **parts,
        options=settings.native(physics),
        package=package.native_options,
        rounds=rounds,
    )
    return SourceTerms(
        **{name: part.reshape(grid.shape) for name, part in parts.items()},
        friction_velocity=float(state["friction_velocity"][0]),
        roughness=float(state["roughness"][0]),
    )


class BoxModel:
    """The wave model at one point (or a few that do not know of each other): source terms only.

    >>> box = BoxModel(SpectralGrid(first_frequency=0.0485, frequencies=30), wind=(10.0, 270.0))
    >>> box.advance(900.0)
    >>> box.significant_height > 0
    True
    """

    def __init__(
        self,
        grid: SpectralGrid | None = None,
        *,
        depth: ArrayLike = 2500.0,
        wind: tuple[float, float] = (0.0, 270.0),
        physics: str = "ST2",
        options: Options | None = None,
        settings: SourceSettings | None = None,
        dtype: Any = np.float64,
    ) -> None:
        self.grid = grid or SpectralGrid()
        self.package = package_of(physics, options)
        self.settings = replace(settings or default_settings(physics, self.grid), grid=self.grid)
        self.state = PointState(self.grid, self.package, depth, dtype)
        self.counters = SourceCounters()
        self.source_steps = np.zeros(self.state.points, dtype)
        self.set_wind(wind)

    def set_wind(self, wind: tuple[float, float]) -> None:
        """Set speed [m s-1] and direction from [degree]."""
        self.state["wind_u"][:], self.state["wind_v"][:] = wind_components(wind)

    def advance(self, duration: float) -> None:
        """Advance by one global step [s]."""
        self.package.integrate(
            (0, 0, 0, 0, self.state.points),
            **self.state.arrays,
            source_steps=self.source_steps,
            wave_stress=np.zeros((4, 0), self.source_steps.dtype),
            counters=self.counters.counters,
            phase_times=self.counters.phase_times,
            options=self.settings.native(self.package.name),
            package=self.package.native_options,
            duration=duration,
            timed=True,
        )

    @property
    def spectrum(self) -> Array:
        """Variance density of the first point [m2 Hz-1 rad-1], shape (frequency, direction)."""
        density: Array = self.state["spectrum"][:, 0].reshape(self.grid.shape)
        return density

    @property
    def significant_height(self) -> float:
        """4 sqrt(m0) of the first point, tail included [m]."""
        row = self.spectrum.sum(axis=1) * self.grid.direction_width
        m0 = (row * self.grid.output_band_width).sum() + 0.25 * row[-1] * self.grid.frequency[-1]
        return 4.0 * math.sqrt(m0)

    @property
    def friction_velocity(self) -> float:
        """Friction velocity of the first point [m s-1]."""
        return float(self.state["friction_velocity"][0])
