"""Nonlinear transfer by quadruplets: the discrete interaction approximation."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class Quadruplets(Options):
    """Discrete interaction approximation (Hasselmann et al. 1985).

    A wave, counted twice, exchanges with waves of (1 + shape) and (1 - shape) times its frequency
    at the angles that resonance demands (exact, not rounded to degrees), and with their mirrors.
    In shallow water the transfer is multiplied by
    1 + a / x (1 - b x) exp(c x), x = max(stretch k d, least) (Hasselmann and Hasselmann 1985).
    """

    strength: float | None = option(
        None, "1", "constant C; if not given, 1.0e7 with ST2 and 2.5e7 with ST4", at_least=0
    )
    shape: float = option(0.25, "1", "lambda of the quadruplet", at_least=0.01, at_most=0.45)
    depth_stretch: float = option(
        0.75, "1", "factor of the mean relative depth", at_least=0, source="WAVEWATCH III manual"
    )
    least_relative_depth: float = option(
        0.5, "1", "least relative depth in the depth factor", at_least=0.01
    )
    depth_factor_1: float = option(5.5, "1", "a of the depth factor")
    depth_factor_2: float = option(0.833, "1", "b of the depth factor")
    depth_factor_3: float = option(-1.25, "1", "c of the depth factor", at_most=0)
