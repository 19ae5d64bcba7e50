"""Effect of the stability of the air on the growth of waves."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class WindStability(Options):
    """Effective wind speed for the stability of the air (Tolman 2002, WAVEWATCH III's STAB2).

    U_e = U sqrt(c0 / (1 + c1 tanh(max(0, f1 (S - S0))) + c2 tanh(max(0, f2 (S - S0))))) with the
    bulk number S = h g (T_air - T_sea) / (T_0 U^2), f1 = -steepness, f2 = f1 c1 / c2. With air and
    sea equally warm the wind counts more than it measures.
    """

    enabled: bool = option(False, "", "whether the wind is corrected")
    scale: float = option(1.38, "1", "c0", at_least=0.1, at_most=10)
    offset: float = option(-0.01, "1", "S0, stability number without effect")
    unstable_factor: float = option(-0.1, "1", "c1", at_least=-0.9, at_most=0)
    stable_factor: float = option(0.1, "1", "c2", at_least=1e-6, at_most=0.9)
    steepness: float = option(150.0, "1", "-f1", at_least=1)
    wind_height: float = option(10.0, "m", "height h of the wind", at_least=1, at_most=100)
