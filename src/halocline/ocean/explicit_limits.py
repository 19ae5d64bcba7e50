"""What explicit steps bear of horizontal viscosity and diffusivity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.metrics import CornerMetrics, area_ratio, least_around, least_length
from halocline.ocean.options import OceanMixingOptions
from halocline.ocean.watch import point_words
from halocline.runtime.fields.place import Place

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ExplicitTerm:
    """An option of the mixing, and what it is times the square of a length, where that acts.

    A step by tau lets the shortest wave of the grid grow where coefficient times tau is more than
    `share` of L^2, or of L^4 where `power` is 2; L^2 = 2 / (1 / dx^2 + 1 / dy^2). Diffusion is of
    the old level; viscosity, of the velocity of `rubbing.hpp`, may be half as much again.
    """

    name: str
    unit: str
    given: float
    here: Array  # what cells have of it
    dx: Array  # [m]
    dy: Array  # [m]
    acts: NDArray[np.bool_]
    share: float
    power: int = 1

    def borne(self, tau: float) -> Array:
        """How often what there is goes into what a step by `tau` [s] bears; infinite elsewhere."""
        square = 2.0 / (1.0 / self.dx**2 + 1.0 / self.dy**2)
        load = tau * np.where(self.acts, self.here, 0.0)
        most = np.full(load.shape, np.inf)
        return np.divide(self.share * square**self.power, load, out=most, where=load > 0.0)


def refuse_unstable(levels: VerticalGrid, mixing: OceanMixingOptions, step: float) -> None:
    """Refuse viscosities and diffusivities that grow waves of two cells in steps of `step` [s]."""
    for term in _terms(levels, mixing):
        borne = term.borne(2.0 * step)
        j, i = (int(n) for n in np.unravel_index(int(np.argmin(borne)), borne.shape))
        least = float(borne[j, i])
        if least < 1.0:
            raise UserError(
                f"ocean.mixing.{term.name} = {term.given:g} {term.unit} is more than explicit steps"
                f" of {step:g} s (time.step) bear: {term.here[j, i] * least:.2g} {term.unit} in"
                f" {point_words(levels.horizontal, j, i)}, where cells are"
                f" {term.dx[j, i] / 1e3:.3g} x {term.dy[j, i] / 1e3:.3g} km. Use less, or steps of"
                f" {_rounded_down(step * least)} s or less."
            )


def _rounded_down(value: float) -> str:
    """With two digits, not more than the value."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.floor(value / unit) * unit:g}"


def _terms(levels: VerticalGrid, mixing: OceanMixingOptions) -> list[ExplicitTerm]:
    metrics, at = CornerMetrics.of(levels.horizontal), levels.horizontal.at(Place.center)
    corners = metrics.dx, metrics.dy, least_around(levels, levels.wet_levels) > 0
    planes = np.broadcast_arrays(at.dx, at.dy)
    dx, dy = (np.maximum(length, least_length) for length in planes)
    cells = dx, dy, levels.mask
    ratio = area_ratio(*corners[:2], mixing.viscosity_length)
    ones = np.ones(levels.mask.shape)

    def viscosity(name: str, given: float) -> ExplicitTerm:
        return ExplicitTerm(name, "m2 s-1", given, given * ratio, *corners, share=3.0 / 8.0)

    def diffusivity(name: str, given: float) -> ExplicitTerm:
        return ExplicitTerm(name, "m2 s-1", given, given * ones, *cells, share=1.0 / 4.0)

    found = [
        diffusivity("diffusivity", mixing.diffusivity),
        diffusivity("eddies.along", mixing.eddies.along),
    ]
    if mixing.viscous.scheme == "biharmonic":
        given = mixing.viscous.biharmonic
        here = given * ratio**2
        twice = ExplicitTerm(
            "viscous.biharmonic", "m4 s-1", given, here, *corners, share=3.0 / 64.0, power=2
        )
        return [*found, twice]
    found.append(viscosity("viscosity", mixing.viscosity))
    if mixing.viscous.scheme == "anisotropic":
        found.append(viscosity("viscous.across", mixing.viscous.across))
    return found
