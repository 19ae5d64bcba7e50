"""Horizontal viscosity of the ocean as the divergence of a stress tensor, once or twice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.metrics import CornerMetrics, area_ratio, least_length
from halocline.ocean.options import OceanMixingOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.place import Place

if TYPE_CHECKING:
    from halocline.ocean.model import OceanState

Array = NDArray[np.float64]
second = 1.0
"""What makes units of the two passes of the biharmonic force alike [s]."""


def side_ratios(levels: VerticalGrid, dx: Array, dy: Array) -> tuple[Array, Array]:
    """Width over length of southern and of western sides of cells [1], from lengths at corners."""
    grid, topology = levels.horizontal, levels.topology
    x_face, y_face = map(grid.at, (Place.x_face, Place.y_face))
    wide_dy = topology.widened(dy, (0, 1, 0, 0), Place.corner, nearest=True)
    wide_dx = topology.widened(dx, (0, 0, 0, 1), Place.corner, nearest=True)
    rows, columns = topology.shape(Place.y_face)
    width = 0.5 * (wide_dy[:, :-1] + wide_dy[:, 1:])[:rows, :columns]
    along_x = width / np.maximum(y_face.dx, least_length)
    rows, columns = topology.shape(Place.x_face)
    width = 0.5 * (wide_dx[:-1] + wide_dx[1:])[:rows, :columns]
    return along_x, width / np.maximum(x_face.dy, least_length)


def squared_length(levels: VerticalGrid) -> Array:
    """L^2 = 2 / (1 / dx^2 + 1 / dy^2) of cells [m2]."""
    at = levels.horizontal.at(Place.center)
    dx, dy = (np.maximum(length, least_length) for length in (at.dx, at.dy))
    length: Array = 2.0 / (1.0 / dx**2 + 1.0 / dy**2)
    return length


def set_planes(s: OceanState, levels: VerticalGrid, mixing: OceanMixingOptions) -> None:
    """Geometry, least viscosities and the axis, as fields of the state."""
    viscous, center, at = mixing.viscous, Place.center, levels.horizontal.at(Place.center)
    metrics = CornerMetrics.of(levels.horizontal)
    s.add_static("per_dx", "m-1", Place.corner, 1.0 / metrics.dx)
    s.add_static("per_dy", "m-1", Place.corner, 1.0 / metrics.dy)
    along_x, along_y = side_ratios(levels, metrics.dx, metrics.dy)
    s.add_static("along_x", "1", Place.y_face, along_x)
    s.add_static("along_y", "1", Place.x_face, along_y)
    s.add_static("squared_length", "m2", center, squared_length(levels))
    ratio = area_ratio(at.dx, at.dy, mixing.viscosity_length)
    along = mixing.viscosity * ratio
    across = along
    if viscous.scheme == "biharmonic":
        along = across = math.sqrt(viscous.biharmonic / second) * ratio
    elif viscous.scheme == "anisotropic":
        across = viscous.across * ratio
    s.add_static("viscosity_along", "m2 s-1", center, along)
    s.add_static("viscosity_across", "m2 s-1", center, across)
    turned = viscous.scheme == "anisotropic" and viscous.axis == "east"
    angle = -2.0 * np.asarray(at.angle) if turned else np.zeros(())
    s.add_static("axis_x", "1", center, np.cos(angle))
    s.add_static("axis_y", "1", center, np.sin(angle))


class StressViscosity:
    """Forces of viscosity on the velocity that rubs (`rubbing.hpp`), for one state."""

    def __init__(
        self,
        s: OceanState,
        levels: VerticalGrid,
        mixing: OceanMixingOptions,
        bound: Callable[..., Any],
    ) -> None:
        self.mixing, viscous = mixing, mixing.viscous
        self.twice = viscous.scheme == "biharmonic"
        anisotropic = viscous.scheme == "anisotropic"
        self.share = viscous.smagorinsky_across if anisotropic else 1.0
        set_planes(s, levels, mixing)
        old = {"u": s.old_u, "v": s.old_v}
        flow = {**old, "now_u": s.u, "now_v": s.v}
        strained: dict[str, Field | None] = {"strain_viscosity": None}
        self.strain: Any = None
        if viscous.smagorinsky:
            made = s.add("strain_viscosity", "m2 s-1", Place.center, s.levels)
            strained["strain_viscosity"] = made
            self.strain = bound("strain_viscosity", **old)
        force = self._vector(s, "viscous_force")
        self.first = bound("viscous", **flow, **strained, force_x=force[0], force_y=force[1])
        if self.twice:
            between = force
            force = self._vector(s, "biharmonic_force")
            self.second = bound(
                "viscous_again",
                **strained,
                u=between[0],
                v=between[1],
                now_u=None,
                now_v=None,
                force_x=force[0],
                force_y=force[1],
            )
        s.friction_x, s.friction_y = force

    @staticmethod
    def _vector(s: OceanState, name: str) -> tuple[Field, Field]:
        x, y = (s.add(f"{name}_{c}", "m s-2", Place.corner, s.levels) for c in "xy")
        pair(x, y)
        return x, y

    def __call__(self, tau: float, width: int) -> None:
        """Set the forces, before a step by `tau` [s]."""
        more = {"share": self.share, "twice": self.twice, "width": width}
        if self.strain is not None:
            strength = (self.mixing.viscous.smagorinsky / math.pi) ** 2
            self.strain(strength=strength, most=0.25 / tau)
        self.first(factor=1.0, **more)
        if self.twice:
            self.second(factor=-second, **more)
