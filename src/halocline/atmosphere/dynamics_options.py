"""Options of the atmosphere's dynamics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halocline.core.errors import UserError
from halocline.core.options import Options, option

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
        if not self.depth:
            return np.zeros_like(heights)
        share = np.clip(1.0 - (heights[-1] - heights) / self.depth, 0.0, 1.0)
        return np.asarray(self.rate * np.sin(0.5 * np.pi * share) ** 2)


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


@dataclass(frozen=True, kw_only=True)
class AirMixingOptions(Options):
    """Mixing with constant coefficients, along layers and across them."""

    viscosity: float = option(0.0, "m2 s-1", "of wind along x, y and upward", at_least=0.0)
    diffusivity: float = option(
        0.0,
        "m2 s-1",
        "of potential temperature, as it is: nothing multiplies it (WRF's shipped density current"
        " has three times the viscosity here)",
        at_least=0.0,
    )
