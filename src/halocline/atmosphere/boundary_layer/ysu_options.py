"""Options of the boundary layer."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class YsuOptions(Options):
    """Mixing by the boundary layer of Yonsei University (Hong, Noh and Dudhia 2006)."""

    critical: float = option(
        0.25,
        "1",
        "bulk Richardson number at the top of stable layers; of unstable ones it is 0",
        at_least=0.0,
        at_most=1.0,
        source="Hong 2010, Q. J. R. Meteorol. Soc. 136, 1481",
    )
    entrainment: float = option(
        0.15,
        "1",
        "flux of heat at the top over that at the ground where there is no wind",
        at_least=0.0,
        at_most=1.0,
        source="Hong et al. 2006, equation 10",
    )
    free_length: float = option(
        30.0,
        "m",
        "length of mixing far above the ground",
        at_least=1.0,
        at_most=500.0,
        source="that of ARW; Hong et al. 2006 have 150 m",
    )
    background: float = option(
        0.01, "m2 s-1", "least viscosity and diffusivity", at_least=0.0, at_most=10.0
    )
