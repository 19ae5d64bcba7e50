"""Breaking in shallow water."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class DepthBreaking(Options):
    """Depth-limited breaking (Battjes and Janssen 1978).

    Growth rate -2 alpha f_m Q / (H_rms / H_max)^2, H_max = gamma depth, Q the share of broken
    waves.
    """

    enabled: bool = option(True, "", "whether waves break on the bottom")
    intensity: float = option(1.0, "1", "alpha", at_least=0)
    height_ratio: float = option(
        0.73,
        "1",
        "gamma, highest wave over depth (Battjes and Stive 1985)",
        at_least=0.1,
        at_most=2,
    )
