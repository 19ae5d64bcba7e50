"""Bottom friction."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class BottomFriction(Options):
    """Linear bottom friction of the JONSWAP experiment (Hasselmann et al. 1973).

    Growth rate 2 gamma / g (n - 1/2) / depth, n the ratio of group and phase speed; none where
    wavenumber times depth exceeds 6.
    """

    enabled: bool = option(True, "", "whether the bottom rubs")
    coefficient: float = option(
        -0.067, "m2 s-3", "gamma: -0.038 for swell, -0.067 for wind seas", at_most=0
    )
