"""Linear input by wind: the first ripples of a calm sea (linear_input.hpp).

S = C (rho_a / rho_w)^2 g^-2 (u* max(0, cos))^4 / k exp(-(sigma / sigma_f)^-4) as an action density
of wavenumber and direction (Cavaleri and Malanotte-Rizzoli 1981), filtered by Tolman (1992):
sigma_f = max(a g / (28 u*), b sigma_c), with the frequency of Pierson and Moskowitz and the
highest prognostic frequency sigma_c; nothing below sigma_f / 2. One spectrum by itself, not
integrated, has no prognostic range: `sources` takes sigma_c = 0 there, as WAVEWATCH III does.
"""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class LinearInput(Options):
    """Linear input of Cavaleri and Malanotte-Rizzoli (1981) with the filter of Tolman (1992).

    >>> LinearInput().coefficient
    80.0
    """

    coefficient: float = option(
        80.0, "1", "strength", at_least=0, source="Cavaleri and Malanotte-Rizzoli 1981"
    )
    peak_factor: float = option(
        1.0,
        "1",
        "cut of the filter as a multiple of the Pierson-Moskowitz frequency",
        at_least=0,
        source="Tolman 1992",
    )
    cutoff_factor: float = option(
        0.5,
        "1",
        "cut of the filter as a multiple of the highest prognostic frequency",
        at_least=0,
        at_most=1,
        source="Tolman 1992",
    )
