"""Options of the atmosphere's dynamics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option

weno_source = "Jiang and Shu (1996), J. Comput. Phys. 126, 202"
steps_source = "Klemp, Skamarock and Dudhia (2007), Mon. Wea. Rev. 135, 2897"


@dataclass(frozen=True, kw_only=True)
class AcousticOptions(Options):
    """Short steps for sound and gravity waves within a stage of a step."""

    steps: int = option(
        4, "1", "acoustic steps in a step, an even number", at_least=2, at_most=40,
        source=steps_source,
    )  # fmt: skip
    off_centring: float = option(
        0.1,
        "1",
        "by which new values have more weight than old ones in the vertical; damps sound that goes"
        " up and down",
        at_least=0.0,
        at_most=1.0,
        source=steps_source,
    )
    divergence_damping: float = option(
        0.1,
        "1",
        "acoustic steps by which the pressure looks ahead, which damps sound along layers",
        at_least=0.0,
        at_most=0.5,
        source=steps_source,
    )
    external_damping: float = option(
        0.01, "1", "of waves in which whole columns go up and down", at_least=0.0, at_most=0.1,
        source="Skamarock et al. (2019), NCAR/TN-556, section 3.3.2",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.steps % 2:
            raise UserError(
                f"atmosphere.acoustic.steps = {self.steps}: the second stage takes half as many."
                " Give an even number."
            )


@dataclass(frozen=True, kw_only=True)
class UpperDampingOptions(Options):
    """Upward wind is damped in acoustic steps, the faster the nearer to the top (sin^2)."""

    depth: float = option(0.0, "m", "of the damped air below the top; 0: none", at_least=0.0)
    return_rate: float = option(
        0.0,
        "s-1",
        "at the top, of the return of wind along layers and potential temperature to the start",
        at_least=0.0,
        at_most=1.0,
        source="Skamarock et al. (2019), NCAR/TN-556, section 4.4: 0.003 s-1",
    )
    rate: float = option(
        0.2,
        "s-1",
        "at the top",
        at_least=0.0,
        at_most=10.0,
        source="Klemp, Dudhia and Hassiotis (2008), Mon. Wea. Rev. 136, 3987",
    )

    def rates(self, heights: NDArray[np.float64]) -> NDArray[np.float64]:
        """At interfaces [s-1].

        >>> UpperDampingOptions(depth=2.0).rates(np.array([0.0, 8.0, 10.0])).tolist()
        [0.0, 0.0, 0.2]
        """
        return self.rate * self._share(heights, heights[-1])

    def return_rates(self, heights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Those of the return to the start in layers between interfaces at `heights` [s-1].

        >>> UpperDampingOptions(depth=4.0, return_rate=1.0).return_rates(
        ...     np.array([0.0, 6.0, 10.0])).round(12).tolist()
        [0.0, 0.5]
        """
        return self.return_rate * self._share(0.5 * (heights[1:] + heights[:-1]), heights[-1])

    def _share(self, heights: NDArray[np.float64], top: np.float64) -> NDArray[np.float64]:
        """Of the rate at the top."""
        if not self.depth:
            return np.zeros_like(heights)
        share = np.clip(1.0 - (top - heights) / self.depth, 0.0, 1.0)
        return np.asarray(np.sin(0.5 * np.pi * share) ** 2)

    def refuse_long(self, dt: float) -> None:
        """Refuse a step of dt [s] in which air would pass its start."""
        if self.return_rate and not self.depth:
            raise UserError(
                f"atmosphere.damping.return_rate = {self.return_rate:g} s-1, but no air is damped:"
                " atmosphere.damping.depth = 0. Give the depth of the damped air below the top [m]."
            )
        if self.return_rate * dt > 1.0:
            raise UserError(
                f"atmosphere.damping.return_rate = {self.return_rate:g} s-1 passes the start in a"
                f" step of {dt:g} s. Use {1.0 / dt:g} s-1 or less."
            )


@dataclass(frozen=True, kw_only=True)
class AirAdvectionOptions(Options):
    """Advection in flux form (Wicker and Skamarock 2002, Mon. Wea. Rev. 130, 2088)."""

    order: int = option(5, "1", "along layers; odd ones damp", at_least=2, at_most=6)
    vertical_order: int = option(3, "1", "across layers", at_least=2, at_most=6)
    limiter: str = option(
        "positive",
        "",
        "of water in the last stage of a step: 'positive' does not become negative, 'monotone'"
        " stays between the values around it",
        choices=("none", "positive", "monotone"),
        source="Skamarock (2006), Mon. Wea. Rev. 134, 2241;"
        " Zalesak (1979), J. Comput. Phys. 31, 335",
    )
    weno: bool = option(
        False,
        "",
        "water has weighted values of fifth order at faces, whatever the order, in all stages:"
        " steps in it hardly overshoot; the limiter still holds",
        source=weno_source,
    )
    weno_heat: bool = option(
        False, "", "the same of potential temperature, which nothing limits", source=weno_source
    )
    weno_wind: bool = option(
        False, "", "the same of the wind along x, y and upward", source=weno_source
    )

    @property
    def weighted(self) -> dict[str, bool]:
        """Whether values at faces are weighted, by what the kernels of tendencies carry."""
        return {"w": self.weno_wind, "wind": self.weno_wind, "theta": self.weno_heat}


@dataclass(frozen=True, kw_only=True)
class AirMixingOptions(Options):
    """Mixing by what is smaller than cells: stress and fluxes down the gradient."""

    kind: str = option(
        "constant",
        "",
        "coefficients: constant; by the deformation of cells (Smagorinsky), or by that along layers"
        " for mixing along layers alone; by an energy of eddies that is carried, made and lost",
        choices=("constant", "smagorinsky", "smagorinsky-2d", "turbulent-energy"),
        source="Skamarock et al. (2019), NCAR/TN-556, section 4.2",
    )
    viscosity: float = option(0.0, "m2 s-1", "of wind along x, y and upward, constant", at_least=0)
    diffusivity: float = option(
        0.0,
        "m2 s-1",
        "of potential temperature, constant, as it is: nothing multiplies it (WRF's shipped density"
        " current has three times the viscosity here)",
        at_least=0.0,
    )
    coefficient: float = option(
        0.25, "1", "of Smagorinsky's length in the width of a cell", at_least=0.0, at_most=1.0,
        source="Skamarock et al. (2019), NCAR/TN-556, section 4.2",
    )  # fmt: skip
    prandtl: float = option(
        1.0 / 3.0, "1", "viscosity over diffusivity, where these follow from deformation",
        at_least=0.1, at_most=10.0, source="Skamarock et al. (2019), NCAR/TN-556, section 4.2",
    )  # fmt: skip
    energy_coefficient: float = option(
        0.15, "1", "of the length of eddies times the root of their energy", at_least=0.01,
        at_most=1.0, source="Skamarock et al. (2019), NCAR/TN-556, section 4.2.4",
    )  # fmt: skip
    least_energy: float = option(
        1e-6, "m2 s-2", "of eddies, which a run begins with", at_least=1e-12, at_most=1.0
    )
    filter: float = option(
        0.0,
        "1",
        "part of a wave two cells long along x and y that a filter of sixth order along layers"
        " takes in a step; 0: none, ARW has 0.12",
        at_least=0.0,
        at_most=1.0,
        source="Knievel, Bryan and Hacker (2007), Mon. Wea. Rev. 135, 3808",
    )
    ground_heat_flux: float = option(
        0.0, "K m s-1", "heat that enters the air at the ground and is mixed upward from there",
        at_least=-1.0, at_most=1.0,
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ground_heat_flux and not self.of_heat:
            raise UserError(
                f"atmosphere.mixing.ground_heat_flux = {self.ground_heat_flux:g} K m/s, but nothing"
                " mixes heat. Give atmosphere.mixing.diffusivity, or another"
                " atmosphere.mixing.kind."
            )

    @property
    def upward(self) -> bool:
        """Whether it mixes across layers too."""
        return self.kind != "smagorinsky-2d"

    @property
    def of_wind(self) -> bool:
        return self.kind != "constant" or self.viscosity > 0.0

    @property
    def of_heat(self) -> bool:
        return self.kind != "constant" or self.diffusivity > 0.0

    @property
    def acts(self) -> bool:
        return self.of_wind or self.of_heat

    @property
    def heat_factor(self) -> float:
        """Of what the field `viscosity` says, for potential temperature."""
        if self.kind == "turbulent-energy":
            return 1.0
        if self.kind != "constant":
            return 1.0 / self.prandtl
        return self.diffusivity / (self.viscosity or 1.0)

    def constant(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[np.floating]:
        """The field `viscosity` of constant mixing: 1 where wind is not mixed."""
        return np.full(shape, self.viscosity or 1.0, dtype)
