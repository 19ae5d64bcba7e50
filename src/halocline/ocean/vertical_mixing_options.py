"""Options of the schemes of vertical mixing; numbers are those of the Parallel Ocean Program."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class RichardsonOptions(Options):
    """Vertical mixing by the Richardson number (Pacanowski and Philander 1981)."""

    background_viscosity: float = option(
        1e-4, "m2 s-1", "viscosity where the water is steady", at_least=0.0
    )
    background_diffusivity: float = option(
        1e-5, "m2 s-1", "diffusivity where the water is steady", at_least=0.0
    )
    strength: float = option(
        5e-3, "m2 s-1", "viscosity that Richardson number 0 adds", at_least=0.0
    )
    steepness: float = option(5.0, "1", "factor of the Richardson number", at_least=0.0)


@dataclass(frozen=True, kw_only=True)
class DoubleDiffusionOptions(Options):
    """Double diffusion below KPP's boundary layer (Large, McWilliams and Doney 1994).

    Salt and passive tracers then diffuse otherwise than heat.
    """

    act: bool = option(
        False,
        "",
        "salt fingers where warm salt water lies above, layers where cold fresh water does",
    )
    fingers: float = option(
        1e-3, "m2 s-1", "diffusivity of salt by fingers, at a density ratio of 1", at_least=0.0
    )
    limit: float = option(1.9, "1", "density ratio above which fingers mix nothing", at_least=1.01)
    heat_share: float = option(
        0.7, "1", "diffusivity of heat by fingers over that of salt", at_least=0.0, at_most=1.0
    )


@dataclass(frozen=True, kw_only=True)
class KppOptions(Options):
    """Vertical mixing by a boundary layer's profile (Large, McWilliams and Doney 1994)."""

    critical: float = option(
        0.3, "1", "bulk Richardson number at the end of the boundary layer", at_least=0.01
    )
    nonlocal_strength: float = option(
        10.0, "1", "of what convection carries whatever the gradient; 0: nothing", at_least=0.0
    )
    shear_viscosity: float = option(
        5e-3, "m2 s-1", "what shear adds below the boundary layer at most", at_least=0.0
    )
    shear_limit: float = option(
        0.8, "1", "Richardson number above which shear adds nothing", at_least=0.01
    )
    smoothing: int = option(
        1, "1", "passes of 1-2-1 along columns over that number", at_least=0, at_most=9
    )
    background: float = option(
        1e-5, "m2 s-1", "diffusivity by waves below the boundary layer", at_least=0.0
    )
    prandtl: float = option(10.0, "1", "viscosity by waves over that diffusivity", at_least=0.0)
    limited: bool = option(
        False, "", "end the layer at Ekman's and Monin and Obukhov's depths in stable forcing"
    )
    double_diffusion: DoubleDiffusionOptions = option(
        DoubleDiffusionOptions(), meaning="double diffusion"
    )
    evened: bool = option(
        True,
        "",
        "let stable columns diffuse as the corners around them: without it waves of two cells grow"
        " where shear mixes",
    )
