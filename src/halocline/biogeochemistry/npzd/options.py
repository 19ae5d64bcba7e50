"""Options of the model of nutrient, phytoplankton, zooplankton and detritus."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.core.native_options import native_of
from halocline.core.options import Options, option

KUHN = "Kuhn, Fennel and Mattern 2015"
REDFIELD = "Redfield 1934"
seconds_per_day = 86400.0


@dataclass(frozen=True, kw_only=True)
class NpzdOptions(Options):
    """Rates at 0 degree C and half-saturations, all of nitrogen.

    >>> round(86400 * NpzdOptions().numbers.growth, 9)
    0.6989
    """

    q10: float = option(
        1.88, "1", "factor of rates for 10 degrees more", at_least=1e-3, source=KUHN
    )
    growth: float = option(0.6989, "day-1", "most growth of phytoplankton", at_least=0, source=KUHN)
    slope: float = option(
        0.1953, "day-1 W-1 m2", "growth over light where there is little", at_least=0, source=KUHN
    )
    light_energy: float = option(
        0.217, "J umol-1", "of light that plants can use", at_least=0.01, source="BFM v5"
    )
    nutrient_half: float = option(
        2.3868, "mmol m-3", "nutrient where growth is half", at_least=1e-9, source=KUHN
    )
    respiration: float = option(
        0.066, "day-1", "of phytoplankton, to nutrient", at_least=0, source=KUHN
    )
    death: float = option(0.0101, "day-1", "of phytoplankton, to detritus", at_least=0, source=KUHN)
    grazing: float = option(
        2.1522, "day-1", "most that zooplankton eats, at any temperature", at_least=0, source=KUHN
    )
    prey_half: float = option(
        0.5573, "mmol m-3", "phytoplankton where it eats half of that", at_least=1e-9, source=KUHN
    )
    assimilation: float = option(
        0.9116, "1", "share that it keeps", at_least=0, at_most=1, source=KUHN
    )
    excretion: float = option(
        0.0102, "day-1", "of zooplankton, to nutrient", at_least=0, source=KUHN
    )
    predation: float = option(
        0.3395, "m3 mmol-1 day-1", "of zooplankton by itself, to detritus", at_least=0, source=KUHN
    )
    remineralisation: float = option(
        0.1213, "day-1", "of detritus, at any temperature", at_least=0, source=KUHN
    )
    phytoplankton_sinking: float = option(0.2551, "m day-1", "speed", at_least=0, source=KUHN)
    detritus_sinking: float = option(2.7489, "m day-1", "speed", at_least=0, source=KUHN)
    chlorophyll_per_nitrogen: float = option(
        1.59, "mg mmol-1", "of phytoplankton: 50 mg of carbon per mg", at_least=0, source=REDFIELD
    )
    carbon_per_nitrogen: float = option(
        79.5, "mg mmol-1", "of phytoplankton: 106 atoms to 16", at_least=0, source=REDFIELD
    )
    attenuation: float = option(
        0.03, "m2 mg-1", "of light by chlorophyll", at_least=0, source="BFM v5"
    )

    @property
    def numbers(self) -> Any:
        """The options as kernels take them."""
        per_day = ["growth", "respiration", "death", "grazing", "excretion", "predation",
                   "remineralisation"]  # fmt: skip
        return native_of(
            _native.NpzdNumbers,
            warming=math.log(self.q10) / 10.0,
            slope=self.slope * self.light_energy / seconds_per_day,
            nutrient_half=self.nutrient_half,
            prey_half=self.prey_half,
            assimilation=self.assimilation,
            carbon_per_nitrogen=self.carbon_per_nitrogen,
            **{name: getattr(self, name) / seconds_per_day for name in per_day},
        )
