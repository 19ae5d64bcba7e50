"""Options of phytoplankton: four groups of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm.numbers import PRESET, numbers_of
from halocline.core.options import Options, option, redeclared

limitations = ("least", "geometric", "harmonic")
silicate_controls = ("none", "external", "internal")
chlorophyll_kinds = ("light", "nutrients")


@dataclass(frozen=True, kw_only=True)
class Phytoplankton(Options):
    """A group of phytoplankton; the values are those of diatoms, P1.

    Its carbon, nitrogen, phosphorus, silicon and chlorophyll vary one against the other: a quota is
    a constituent per carbon.
    """

    q10: float = option(
        2.0, "1", "factor of rates for 10 degrees more", at_least=1e-3, source=PRESET
    )
    temperature_cutoff: float = option(
        0.0, "1", "subtracted from the factor of temperature", at_least=0, source=PRESET
    )
    maximum_rate: float = option(
        2.0, "day-1", "greatest gross growth at 10 degC", at_least=1e-6, source=PRESET
    )
    basal_respiration: float = option(
        0.01, "day-1", "respiration at rest, at 10 degC", at_least=0, source=PRESET
    )
    activity_respiration: float = option(
        0.1, "1", "share of gross growth that is respired", at_least=0, at_most=1, source=PRESET
    )
    excretion: float = option(
        0.05, "1", "share of gross growth that is excreted", at_least=0, at_most=1, source=PRESET
    )
    stress_lysis: float = option(
        0.05, "day-1", "greatest lysis, where nutrients lack", at_least=0, source=PRESET
    )
    stress_lysis_half: float = option(
        0.1, "1", "factor of nutrients where lysis is half of it", at_least=1e-6, source=PRESET
    )
    extra_lysis: float = option(0.0, "day-1", "lysis of dense cells", at_least=0, source=PRESET)
    extra_lysis_half: float = option(
        0.0, "mg m-3", "carbon where it is half of it", at_least=0, source=PRESET
    )
    exudes_to: str = option(
        "R1", "", "dissolved carbon that is excreted", choices=("R1", "R2"), source=PRESET
    )
    net_growth: bool = option(
        False,
        "",
        "nutrients are taken up after the net growth, and no carbon is exuded where they lack",
        source=PRESET,
    )
    least_adaptation: float = option(
        0.05, "day-1", "of quotas, where `net_growth` is on", at_least=0, source=PRESET
    )
    limitation: str = option(
        "least", "", "of nitrogen and phosphorus together", choices=limitations, source=PRESET
    )
    nitrogen_affinity: float = option(
        0.025, "m3 mg-1 day-1", "water cleared by a mg of carbon", at_least=0, source=PRESET
    )
    ammonium_preference: float = option(
        1.0,
        "mmol m-3",
        "ammonium where nitrate is taken half as well; 0: no nitrate is used",
        at_least=0,
        source=PRESET,
    )
    least_nitrogen: float = option(
        4.193e-3, "mmol mg-1", "quota where growth ends", at_least=0, source=PRESET
    )
    reference_nitrogen: float = option(
        1.26e-2, "mmol mg-1", "quota from which on growth is free", at_least=1e-9, source=PRESET
    )
    nitrogen_luxury: float = option(
        2.0, "1", "greatest quota over the reference", at_least=1, source=PRESET
    )
    phosphorus_affinity: float = option(
        0.025, "m3 mg-1 day-1", "water cleared by a mg of carbon", at_least=0, source=PRESET
    )
    least_phosphorus: float = option(
        1.80e-4, "mmol mg-1", "quota where growth ends", at_least=0, source=PRESET
    )
    reference_phosphorus: float = option(
        7.86e-4, "mmol mg-1", "quota from which on growth is free", at_least=1e-9, source=PRESET
    )
    phosphorus_luxury: float = option(
        2.0, "1", "greatest quota over the reference", at_least=1, source=PRESET
    )
    silicate_control: str = option(
        "external",
        "",
        "what silicate does to growth: nothing, by that in the water, or by that in the cells,"
        " which then take it up as they do nitrogen",
        choices=silicate_controls,
        source=PRESET,
    )
    silicate_half: float = option(
        1.0, "mmol m-3", "silicate where growth is half", at_least=1e-6, source=PRESET
    )
    reference_silicon: float = option(
        0.01, "mmol mg-1", "quota of silicon, of a group that has it", at_least=0, source=PRESET
    )
    silicon_excess_rate: float = option(
        1.0, "day-1", "rate of losing silicon above the quota", at_least=0, source=PRESET
    )
    silicon_affinity: float = option(
        0.0025, "m3 mg-1 day-1", "water cleared by a mg of carbon; internal control", at_least=0
    )
    least_silicon: float = option(
        0.004, "mmol mg-1", "quota where growth ends; internal control", at_least=0
    )
    silicon_luxury: float = option(
        2.0, "1", "greatest quota over the reference; internal control", at_least=1
    )
    base_sinking: float = option(0.0, "m day-1", "speed downward", at_least=0, source=PRESET)
    stress_sinking: float = option(
        5.0, "m day-1", "more, times what its factor lacks", at_least=0, source=PRESET
    )
    stress_sinking_below: float = option(
        0.1, "1", "factor of nutrients below which it sinks more", at_least=0, source=PRESET
    )
    rain_ratio: float = option(
        0.0, "1", "calcite over organic carbon of dead cells; 0: none", at_least=0, source=PRESET
    )
    rain_half: float = option(
        0.0, "mg m-3", "carbon where the ratio is half", at_least=0, source=PRESET
    )
    least_rain: float = option(0.02, "1", "least ratio", at_least=0, source=PRESET)
    most_rain: float = option(0.8, "1", "greatest ratio", at_least=0, source=PRESET)
    initial_slope: float = option(
        1.38e-5, "m2 umol-1", "carbon per chlorophyll and light", at_least=0, source=PRESET
    )
    most_chlorophyll: float = option(
        0.025, "mg mg-1", "greatest chlorophyll per carbon", at_least=0, source=PRESET
    )
    chlorophyll: str = option(
        "light",
        "",
        "what is made of it follows light alone, or light and nutrients, as in OPATM-BFM",
        choices=chlorophyll_kinds,
        source=PRESET,
    )
    chlorophyll_turnover: float = option(
        0.2,
        "day-1",
        "rate of losing chlorophyll where nutrients lack; `chlorophyll` of light and nutrients",
        at_least=0,
    )

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(
            _native.PhytoplanktonNumbers,
            self,
            limitation=limitations.index(self.limitation),
            exudes_semi_labile=self.exudes_to == "R2",
            silicate_control=silicate_controls.index(self.silicate_control),
            chlorophyll_by_nutrients=self.chlorophyll == "nutrients",
        )


def _other(name: str, default: float | str) -> Any:
    return redeclared(Phytoplankton, name, default)


@dataclass(frozen=True, kw_only=True)
class Nanoflagellates(Phytoplankton):
    """P2: autotrophic nanoflagellates, which make calcite."""

    maximum_rate: float = _other("maximum_rate", 2.5)
    basal_respiration: float = _other("basal_respiration", 0.05)
    excretion: float = _other("excretion", 0.2)
    activity_respiration: float = _other("activity_respiration", 0.2)
    silicate_control: str = _other("silicate_control", "none")
    stress_sinking: float = _other("stress_sinking", 0.0)
    rain_ratio: float = _other("rain_ratio", 0.3)
    initial_slope: float = _other("initial_slope", 0.46e-5)
    most_chlorophyll: float = _other("most_chlorophyll", 0.015)


@dataclass(frozen=True, kw_only=True)
class Picophytoplankton(Phytoplankton):
    """P3: picophytoplankton, which uses no nitrate."""

    temperature_cutoff: float = _other("temperature_cutoff", 0.75)
    maximum_rate: float = _other("maximum_rate", 3.0)
    basal_respiration: float = _other("basal_respiration", 0.1)
    excretion: float = _other("excretion", 0.2)
    activity_respiration: float = _other("activity_respiration", 0.25)
    nitrogen_affinity: float = _other("nitrogen_affinity", 0.25)
    phosphorus_affinity: float = _other("phosphorus_affinity", 0.25)
    ammonium_preference: float = _other("ammonium_preference", 0.0)
    silicate_control: str = _other("silicate_control", "none")
    stress_sinking: float = _other("stress_sinking", 0.0)
    initial_slope: float = _other("initial_slope", 1.52e-5)
    most_chlorophyll: float = _other("most_chlorophyll", 0.02)


@dataclass(frozen=True, kw_only=True)
class LargePhytoplankton(Phytoplankton):
    """P4: large phytoplankton (dinoflagellates)."""

    maximum_rate: float = _other("maximum_rate", 0.75)
    basal_respiration: float = _other("basal_respiration", 0.1)
    stress_lysis: float = _other("stress_lysis", 0.0)
    extra_lysis_half: float = _other("extra_lysis_half", 100.0)
    least_nitrogen: float = _other("least_nitrogen", 6.87e-3)
    least_phosphorus: float = _other("least_phosphorus", 4.29e-4)
    silicate_control: str = _other("silicate_control", "none")
    stress_sinking: float = _other("stress_sinking", 0.0)
    initial_slope: float = _other("initial_slope", 0.68e-5)
    most_chlorophyll: float = _other("most_chlorophyll", 0.02)
