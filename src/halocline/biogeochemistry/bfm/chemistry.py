"""Options of the chemistry without life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm.numbers import PRESET, numbers_of
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class Chemistry(Options):
    """Nitrification, denitrification, sulphide, silica and calcite."""

    nitrification: float = option(0.01, "day-1", "at 10 degC", at_least=0, source=PRESET)
    nitrogen_q10: float = option(
        2.367, "1", "factor of both for 10 degrees more", at_least=1e-3, source=PRESET
    )
    oxygen_half: float = option(
        10.0, "mmol m-3", "oxygen where oxidation is half", at_least=1e-9, source=PRESET
    )
    oxygen_per_nitrified: float = option(
        2.0, "mol mol-1", "oxygen per nitrogen nitrified", at_least=0, source=PRESET
    )
    reoxidation: float = option(0.05, "day-1", "of N6r", at_least=0, source=PRESET)
    sulphide_per_oxygen: float = option(
        0.5, "mol mol-1", "N6r that stands for oxygen", at_least=1e-9, source=PRESET
    )
    denitrification: float = option(0.35, "day-1", "at 10 degC", at_least=0, source=PRESET)
    sulphide_half: float = option(
        1.0, "mmol m-3", "N6r where it is half", at_least=1e-9, source=PRESET
    )
    anoxic_reference: float = option(
        1.0, "mmol m-3 day-1", "anoxic mineralisation where it is 1", at_least=1e-9, source=PRESET
    )
    oxygen_per_denitrified: float = option(
        1.25, "mol mol-1", "oxygen per nitrogen denitrified", at_least=0, source=PRESET
    )
    silica_dissolution: float = option(0.02, "day-1", "at 10 degC", at_least=0, source=PRESET)
    silica_q10: float = option(
        1.49, "1", "factor of it for 10 degrees more", at_least=1e-3, source=PRESET
    )
    calcite_dissolution: float = option(
        10.9, "day-1", "of water without any carbonate", at_least=0, source=PRESET
    )
    calcite_order: float = option(
        1.0, "1", "power of the undersaturation", at_least=0.1, source=PRESET
    )
    alkalinity_of_nitrogen: bool = option(
        False,
        "",
        "alkalinity rises with ammonium and falls with nitrate",
        source="off in the preset; Wolf-Gladrow et al. 2007",
    )

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.ChemistryNumbers, self)
