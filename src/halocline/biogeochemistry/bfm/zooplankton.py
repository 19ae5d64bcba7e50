"""Options of zooplankton: two groups that are small, two that are larger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm.numbers import PRESET, numbers_of
from halocline.core.errors import UserError
from halocline.core.options import Options, option, redeclared


@dataclass(frozen=True, kw_only=True)
class Diet(Options):
    """How well each prey can be caught, from 0 to 1."""

    B1: float = option(0.0, "1", "bacteria", at_least=0, at_most=1, source=PRESET)
    P1: float = option(0.0, "1", "diatoms", at_least=0, at_most=1, source=PRESET)
    P2: float = option(0.0, "1", "nanoflagellates", at_least=0, at_most=1, source=PRESET)
    P3: float = option(0.0, "1", "picophytoplankton", at_least=0, at_most=1, source=PRESET)
    P4: float = option(0.0, "1", "large phytoplankton", at_least=0, at_most=1, source=PRESET)
    Z3: float = option(
        0.0, "1", "carnivorous mesozooplankton", at_least=0, at_most=1, source=PRESET
    )
    Z4: float = option(0.0, "1", "omnivorous mesozooplankton", at_least=0, at_most=1, source=PRESET)
    Z5: float = option(0.0, "1", "microzooplankton", at_least=0, at_most=1, source=PRESET)
    Z6: float = option(
        0.0, "1", "heterotrophic nanoflagellates", at_least=0, at_most=1, source=PRESET
    )

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.DietNumbers, self)


def _share(default: float, prey: str) -> Any:
    return redeclared(Diet, prey, default)


@dataclass(frozen=True, kw_only=True)
class DietZ3(Diet):
    """What carnivorous mesozooplankton eats."""

    Z3: float = _share(1.0, "Z3")
    Z4: float = _share(1.0, "Z4")


@dataclass(frozen=True, kw_only=True)
class DietZ4(DietZ3):
    """What omnivorous mesozooplankton eats."""

    P1: float = _share(1.0, "P1")
    P4: float = _share(0.7, "P4")
    Z3: float = _share(0.0, "Z3")
    Z5: float = _share(1.0, "Z5")


@dataclass(frozen=True, kw_only=True)
class DietZ5(Diet):
    """What microzooplankton eats."""

    B1: float = _share(0.1, "B1")
    P1: float = _share(0.2, "P1")
    P2: float = _share(1.0, "P2")
    P3: float = _share(0.1, "P3")
    Z5: float = _share(1.0, "Z5")
    Z6: float = _share(0.8, "Z6")


@dataclass(frozen=True, kw_only=True)
class DietZ6(DietZ5):
    """What heterotrophic nanoflagellates eat."""

    B1: float = _share(0.9, "B1")
    P1: float = _share(0.0, "P1")
    P2: float = _share(0.1, "P2")
    P3: float = _share(1.0, "P3")
    Z5: float = _share(0.0, "Z5")
    Z6: float = _share(0.2, "Z6")


@dataclass(frozen=True, kw_only=True)
class Microzooplankton(Options):
    """Z5: microzooplankton."""

    q10: float = option(
        2.0, "1", "factor of rates for 10 degrees more", at_least=1e-3, source=PRESET
    )
    rest_respiration: float = option(
        0.02, "day-1", "respiration at rest, at 10 degC", at_least=0, source=PRESET
    )
    maximum_rate: float = option(
        2.0, "day-1", "greatest ingestion at 10 degC", at_least=0, source=PRESET
    )
    oxygen_mortality: float = option(
        0.25, "day-1", "mortality without oxygen", at_least=0, source=PRESET
    )
    mortality: float = option(0.05, "day-1", "mortality besides", at_least=0, source=PRESET)
    assimilation: float = option(
        0.6, "1", "share of the food that is built in", at_least=0, at_most=1, source=PRESET
    )
    excretion: float = option(
        0.4, "1", "share of the food that is excreted", at_least=0, at_most=1, source=PRESET
    )
    oxygen_half: float = option(
        0.5, "mmol m-3", "oxygen where half of it has died", at_least=1e-9, source=PRESET
    )
    food_half: float = option(
        20.0, "mg m-3", "food where ingestion is half", at_least=1e-9, source=PRESET
    )
    prey_half: float = option(
        20.0, "mg m-3", "prey that is worth half the while", at_least=1e-9, source=PRESET
    )
    egested_calcite: float = option(
        0.5, "1", "share of the calcite of the food", at_least=0, at_most=1, source=PRESET
    )
    nitrogen_quota: float = option(
        1.67e-2, "mmol mg-1", "of what is built", at_least=1e-9, source=PRESET
    )
    phosphorus_quota: float = option(
        1.85e-3, "mmol mg-1", "of what is built", at_least=1e-9, source=PRESET
    )
    diet: DietZ5 = option(DietZ5(), meaning="what it eats")

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_more_than_all(assimilation=self.assimilation, excretion=self.excretion)

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.MicrozooplanktonNumbers, self, diet=self.diet.native())


@dataclass(frozen=True, kw_only=True)
class HeterotrophicNanoflagellates(Microzooplankton):
    """Z6: heterotrophic nanoflagellates."""

    maximum_rate: float = redeclared(Microzooplankton, "maximum_rate", 4.0)
    assimilation: float = redeclared(Microzooplankton, "assimilation", 0.5)
    excretion: float = redeclared(Microzooplankton, "excretion", 0.3)
    diet: DietZ6 = option(DietZ6(), meaning="what it eats")


@dataclass(frozen=True, kw_only=True)
class CarnivorousMesozooplankton(Options):
    """Z3: carnivorous mesozooplankton."""

    q10: float = option(
        2.0, "1", "factor of rates for 10 degrees more", at_least=1e-3, source=PRESET
    )
    rest_respiration: float = option(
        0.01, "day-1", "respiration at rest, at 10 degC", at_least=0, source=PRESET
    )
    maximum_rate: float = option(
        2.0, "day-1", "greatest ingestion at 10 degC", at_least=1e-9, source=PRESET
    )
    search_volume: float = option(
        0.025, "m3 mg-1 day-1", "water searched by a mg of carbon", at_least=0, source=PRESET
    )
    assimilation: float = option(
        0.6, "1", "share of the food that may be built in", at_least=0, at_most=1, source=PRESET
    )
    egestion: float = option(
        0.3, "1", "share of the food that becomes detritus", at_least=0, at_most=1, source=PRESET
    )
    oxygen_mortality: float = option(
        0.01, "day-1", "mortality without oxygen, at 10 degC", at_least=0, source=PRESET
    )
    density_mortality: float = option(
        0.02, "m3 mg-1 day-1", "mortality over its carbon", at_least=0, source=PRESET
    )
    egested_calcite: float = option(
        0.75, "1", "share of the calcite of the food", at_least=0, at_most=1, source=PRESET
    )
    oxygen_half: float = option(
        30.0, "mmol m-3", "oxygen where half of it lives as usual", at_least=0, source=PRESET
    )
    nitrogen_quota: float = option(
        0.015, "mmol mg-1", "of what is built", at_least=1e-9, source=PRESET
    )
    phosphorus_quota: float = option(
        1.67e-3, "mmol mg-1", "of what is built", at_least=1e-9, source=PRESET
    )
    diet: DietZ3 = option(DietZ3(), meaning="what it eats")

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_more_than_all(assimilation=self.assimilation, egestion=self.egestion)

    def native(self) -> Any:
        """The numbers as kernels take them."""
        return numbers_of(_native.MesozooplanktonNumbers, self, diet=self.diet.native())


@dataclass(frozen=True, kw_only=True)
class OmnivorousMesozooplankton(CarnivorousMesozooplankton):
    """Z4: omnivorous mesozooplankton."""

    rest_respiration: float = redeclared(CarnivorousMesozooplankton, "rest_respiration", 0.02)
    egestion: float = redeclared(CarnivorousMesozooplankton, "egestion", 0.35)
    diet: DietZ4 = option(DietZ4(), meaning="what it eats")


def refuse_more_than_all(**shares: float) -> None:
    """Refuse shares of one whole that are more than it."""
    if sum(shares.values()) > 1.0:
        words = ", ".join(f"{name} = {share}" for name, share in shares.items())
        raise UserError(f"{words}: together they are at most 1; the rest is respired.")
