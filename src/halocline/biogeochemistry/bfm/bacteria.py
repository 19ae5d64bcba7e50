"""Options of bacteria, and of what is dissolved when cells break."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm.numbers import PRESET, numbers_of
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class Bacteria(Options):
    """Pelagic bacteria, B1."""

    q10: float = option(
        2.95, "1", "factor of rates for 10 degrees more", at_least=1e-3, source=PRESET
    )
    oxygen_half: float = option(
        30.0, "mmol m-3", "oxygen where half of the respiration uses it", at_least=0, source=PRESET
    )
    mortality: float = option(0.1, "day-1", "mortality at 10 degC", at_least=0, source=PRESET)
    uptake_rich_R1: float = option(
        0.3, "day-1", "of R1 of the best quotas", at_least=0, source=PRESET
    )
    uptake_poor_R1: float = option(
        0.0, "day-1", "of R1 without nutrients", at_least=0, source=PRESET
    )
    uptake_R2: float = option(0.0, "day-1", "of semi-labile matter", at_least=0, source=PRESET)
    uptake_R3: float = option(0.0, "day-1", "of semi-refractory matter", at_least=0, source=PRESET)
    uptake_R6: float = option(
        0.01, "day-1", "of detritus of the best quotas", at_least=0, source=PRESET
    )
    maximum_rate: float = option(
        8.38, "day-1", "greatest uptake per carbon at 10 degC", at_least=0, source=PRESET
    )
    activity_respiration: float = option(
        0.6, "1", "share of the uptake that is respired", at_least=0, at_most=1, source=PRESET
    )
    anoxic_respiration: float = option(
        0.2, "1", "more, where there is no oxygen", at_least=0, at_most=1, source=PRESET
    )
    rest_respiration: float = option(
        0.01, "day-1", "respiration at rest, at 10 degC", at_least=0, source=PRESET
    )
    optimal_nitrogen: float = option(0.0167, "mmol mg-1", "quota", at_least=1e-9, source=PRESET)
    optimal_phosphorus: float = option(0.00185, "mmol mg-1", "quota", at_least=1e-9, source=PRESET)
    ammonium_half: float = option(
        5.0, "mmol m-3", "ammonium where it is taken half as fast", at_least=1e-9, source=PRESET
    )
    phosphate_half: float = option(
        1.0, "mmol m-3", "phosphate where it is taken half as fast", at_least=1e-9, source=PRESET
    )
    nitrogen_relaxation: float = option(
        1.0, "day-1", "rate of reaching the optimal quota", at_least=0, source=PRESET
    )
    phosphorus_relaxation: float = option(
        1.0, "day-1", "rate of reaching the optimal quota", at_least=0, source=PRESET
    )

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.BacteriaNumbers, self)


@dataclass(frozen=True, kw_only=True)
class Cytoplasm(Options):
    """Shares that are dissolved (R1) of what dies or is excreted; the rest is detritus (R6)."""

    carbon: float = option(0.60, "1", "of carbon", at_least=0, at_most=1, source=PRESET)
    nitrogen: float = option(0.72, "1", "of nitrogen", at_least=0, at_most=1, source=PRESET)
    phosphorus: float = option(0.832, "1", "of phosphorus", at_least=0, at_most=1, source=PRESET)

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.CytoplasmNumbers, self)
