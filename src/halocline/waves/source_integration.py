"""Integration of source terms in time, and the arrays and kernels that belong to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.core.constants import gravity
from halocline.core.native_options import native_of
from halocline.core.options import Options, option
from halocline.waves import _native
from halocline.waves.bottom_friction import BottomFriction
from halocline.waves.depth_breaking import DepthBreaking
from halocline.waves.quadruplets import Quadruplets
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.wind_stability import WindStability

PHASES = ("copy_in", "input", "friction", "quadruplets", "update", "copy_out")
"""What the values of `phase_times` [ns] are; `input` holds dissipation too."""

COUNTERS = ("points", "steps", "executed", "tiles")
"""What the values of `counters` are: points advanced, their sub-steps, sub-steps of tiles times
lanes (busy or not), sub-steps of tiles."""


@dataclass(frozen=True, kw_only=True)
class SourceIntegration(Options):
    """Semi-implicit integration with a dynamic step for every point (Tolman 1992).

    A step is the longest for which no prognostic component changes by more than the smaller of a
    parametric change (a share of a Pierson-Moskowitz level) and a relative one. It is not shorter
    than the minimum; where the minimum holds, changes are cut to the parametric one.
    """

    minimum_step: float = option(300.0, "s", "shortest step", at_least=0.5)
    parametric_change: float = option(
        0.15,
        "1",
        "X_p, largest change in Pierson-Moskowitz levels",
        at_least=1e-6,
        source="WAVEWATCH III manual",
    )
    relative_change: float = option(
        0.10, "1", "X_r, largest relative change", at_least=1e-6, source="WAVEWATCH III manual"
    )
    filter_level: float = option(
        0.05,
        "1",
        "X_f, share of the highest action below which a component is noise",
        at_least=0,
        source="WAVEWATCH III manual",
    )
    implicitness: float = option(
        1.0,
        "1",
        "epsilon, weight of the new time level",
        at_least=0.5,
        at_most=1,
        source="WAVEWATCH III from version 2.03; 0.5 in WAM",
    )
    seeding: bool | None = option(
        None,
        "",
        "keep a least energy at high frequencies near the wind; if not given, with ST2 only",
    )


usual_strength = {"ST2": 1.0e7, "ST4": 2.5e7}
"""Constant of the quadruplets that belongs to each package [1]."""


@dataclass(frozen=True)
class SourceSettings:
    """Everything that the source kernels need besides arrays; see `native`."""

    grid: SpectralGrid
    integration: SourceIntegration = field(default_factory=SourceIntegration)
    quadruplets: Quadruplets = field(default_factory=Quadruplets)
    friction: BottomFriction = field(default_factory=BottomFriction)
    breaking: DepthBreaking = field(default_factory=DepthBreaking)
    stability: WindStability = field(default_factory=WindStability)

    def native(self, physics: str = "ST2") -> Any:
        """The struct of options that the kernels of all packages take.

        What is not given is as the package `physics` wants it.
        """
        seeding, strength = self.integration.seeding, self.quadruplets.strength
        integration = native_of(
            _native.IntegrationOptions,
            self.integration,
            gravity=gravity,
            seeding=physics == "ST2" if seeding is None else seeding,
            friction=self.friction.enabled,
            friction_coefficient=self.friction.coefficient,
            breaking=self.breaking.enabled,
            breaking_intensity=self.breaking.intensity,
            breaking_height_ratio=self.breaking.height_ratio,
        )
        return native_of(
            _native.SourceOptions,
            grid=native_of(_native.SpectralNumbers, self.grid),
            integration=integration,
            quadruplets=native_of(
                _native.QuadrupletOptions,
                self.quadruplets,
                gravity=gravity,
                strength=usual_strength[physics] if strength is None else strength,
            ),
            stability=native_of(_native.StabilityOptions, self.stability, gravity=gravity),
        )


@dataclass(frozen=True)
class SourcePackage:
    """A source package as the kernels know it."""

    name: str
    integrate: Callable[..., None]
    separate: Callable[..., None]
    native_options: Any
    memory: int
    """Values kept per point from step to step; `source_memory` starts as zeros."""


class SourceCounters:
    """Counters and times that the kernels add to."""

    def __init__(self) -> None:
        self.counters: NDArray[np.int64] = np.zeros(len(COUNTERS), np.int64)
        self.phase_times: NDArray[np.int64] = np.zeros(len(PHASES), np.int64)

    def summary(self) -> dict[str, float]:
        """Mean sub-steps of points, share of the lanes that were busy, and seconds per phase."""
        count = dict(zip(COUNTERS, (int(value) for value in self.counters), strict=True))
        result = {
            "points": float(count["points"]),
            "mean_sub_steps": count["steps"] / max(count["points"], 1),
            "busy_lanes": count["steps"] / max(count["executed"], 1),
        }
        for name, time in zip(PHASES, self.phase_times, strict=True):
            result[f"{name}_seconds"] = 1e-9 * float(time)
        return result
