"""Wind input and dissipation of Tolman and Chalikov (1996), known as ST2."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class TolmanChalikov(Options):
    """Source package of Tolman and Chalikov (1996) with the constants of WAVEWATCH III 2.22.

    Growth by the parameter of Chalikov and Belevich (1993), read linearly from a table of steps
    0.1 in apparent frequency and 0.0005 in drag as WAVEWATCH III does; less damping of swell;
    dissipation of long waves by turbulence and of short waves by a power of the saturation;
    friction velocity from the peak frequency of the input (Chalikov 1995).
    """

    wind_height: float = option(10.0, "m", "height of the wind", at_least=1, at_most=100)
    swell_factor: float = option(
        0.1,
        "1",
        "share of the damping that swell feels",
        at_least=0,
        at_most=1,
        source="Tolman 2002",
    )
    dissipation_a0: float = option(4.8, "1", "strength at high frequencies", at_least=0)
    dissipation_a1: float = option(1.7e-4, "1", "exponent at high frequencies", at_least=0)
    dissipation_a2: float = option(2.0, "1", "its dependence on frequency")
    dissipation_b0: float = option(3.0e-4, "1", "strength at low frequencies")
    dissipation_b1: float = option(0.47, "1", "its dependence on the peak of the input", at_least=0)
    least_phi: float = option(0.003, "1", "least strength at low frequencies", at_least=0)
    least_input_peak: float = option(
        0.009, "1", "least peak frequency of the input in units of g / u*", at_least=1e-4
    )
    reference_level: float = option(0.002, "1", "normalisation of the saturation", at_least=1e-6)
    tail_start: float = option(
        2.5, "1", "where the tail begins, in peak frequencies of the input", at_least=1
    )
    tail_end: float = option(3.0, "1", "where the tail holds and integration ends", at_least=1.01)
