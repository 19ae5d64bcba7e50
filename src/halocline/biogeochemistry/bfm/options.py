"""Options of the model BFM: its groups, its chemistry, and how its step stays positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm.bacteria import Bacteria, Cytoplasm
from halocline.biogeochemistry.bfm.chemistry import Chemistry
from halocline.biogeochemistry.bfm.numbers import PRESET, numbers_of
from halocline.biogeochemistry.bfm.phytoplankton import (
    LargePhytoplankton,
    Nanoflagellates,
    Phytoplankton,
    Picophytoplankton,
)
from halocline.biogeochemistry.bfm.sinking import SinkingOptions
from halocline.biogeochemistry.bfm.zooplankton import (
    CarnivorousMesozooplankton,
    HeterotrophicNanoflagellates,
    Microzooplankton,
    OmnivorousMesozooplankton,
)
from halocline.biogeochemistry.carbonate import CarbonateOptions
from halocline.biogeochemistry.gas_exchange import GasExchangeOptions
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class LimiterOptions(Options):
    """How a step is cut in a cell where some tracer would lose too much of itself.

    All processes of the cell make shorter steps then, so that elements are conserved; the summary
    says how often.
    """

    largest_share: float = option(
        0.5, "1", "that a tracer may lose of itself at once", at_least=0.01, at_most=0.95
    )
    most_parts: int = option(
        50, "1", "of a step; what is left of it then is left out, and said", at_least=1
    )

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.LimiterNumbers, self)


@dataclass(frozen=True, kw_only=True)
class AttenuationOptions(Options):
    """What takes light from the water."""

    chlorophyll: float = option(0.03, "m2 mg-1", "of all groups", at_least=0, source=PRESET)
    detritus: float = option(1e-4, "m2 mg-1", "carbon of R6", at_least=0, source=PRESET)


@dataclass(frozen=True, kw_only=True)
class BfmOptions(Options):
    """The Biogeochemical Flux Model with 51 tracers, as OPATM and OGSTM carry it.

    Vichi et al. (2020), The Biogeochemical Flux Model (BFM): Equation Description and User Manual;
    Lazzari et al. (2012), doi:10.5194/bg-9-217-2012.
    """

    P1: Phytoplankton = option(Phytoplankton(), meaning="diatoms")
    P2: Nanoflagellates = option(Nanoflagellates(), meaning="nanoflagellates")
    P3: Picophytoplankton = option(Picophytoplankton(), meaning="picophytoplankton")
    P4: LargePhytoplankton = option(LargePhytoplankton(), meaning="large phytoplankton")
    B1: Bacteria = option(Bacteria(), meaning="bacteria")
    Z3: CarnivorousMesozooplankton = option(
        CarnivorousMesozooplankton(), meaning="carnivorous mesozooplankton"
    )
    Z4: OmnivorousMesozooplankton = option(
        OmnivorousMesozooplankton(), meaning="omnivorous mesozooplankton"
    )
    Z5: Microzooplankton = option(Microzooplankton(), meaning="microzooplankton")
    Z6: HeterotrophicNanoflagellates = option(
        HeterotrophicNanoflagellates(), meaning="heterotrophic nanoflagellates"
    )
    cytoplasm: Cytoplasm = option(Cytoplasm(), meaning="what is dissolved when cells break")
    chemistry: Chemistry = option(Chemistry(), meaning="chemistry without life")
    sinking: SinkingOptions = option(SinkingOptions(), meaning="what sinks, and the floor")
    attenuation: AttenuationOptions = option(
        AttenuationOptions(), meaning="what takes light from the water"
    )
    carbonate: CarbonateOptions = option(CarbonateOptions(), meaning="pH and saturation states")
    gases: GasExchangeOptions = option(GasExchangeOptions(), meaning="gases from the air")
    limiter: LimiterOptions = option(LimiterOptions(), meaning="what keeps all positive")

    def native(self) -> Any:
        """The numbers as kernels take them."""
        groups = ("P1", "P2", "P3", "P4", "B1", "Z3", "Z4", "Z5", "Z6")
        parts = (*groups, "cytoplasm", "chemistry", "limiter")
        numbers = {name: getattr(self, name).native() for name in parts}
        return numbers_of(_native.BfmNumbers, self, **numbers)

    def native_of_sinking(self) -> Any:
        """The numbers that sinking takes."""
        parts = ("P1", "P2", "P3", "P4", "cytoplasm", "chemistry", "sinking")
        numbers = {name: getattr(self, name).native() for name in parts}
        return numbers_of(_native.SinkingGroups, self, **numbers)
