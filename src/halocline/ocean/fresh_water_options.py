"""Options of fresh water: rain, evaporation and rivers, and what balances them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from halocline.component.forcing.field_series import SeriesOptions
from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.ocean.region_options import RegionOptions


@dataclass(frozen=True, kw_only=True)
class RiverOptions(Options):
    """A river: where it ends, what it brings, and over which cells that is spread."""

    mouth: tuple[float, float] = option(
        units="degree or m", meaning="[x, y]; the sea cell nearest to it is that of the mouth"
    )
    flow: float | list[float] = option(
        units="m3 s-1", meaning="one number, or twelve, those of the months", at_least=0.0
    )
    spread: float = option(
        5e4,
        "m",
        "sea cells whose centres lie so near that of the mouth, and are joined with it by such"
        " cells, have the same share per area",
        at_least=0.0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.flow, list) and len(self.flow) != 12:
            raise UserError(
                f"flow has {len(self.flow)} numbers. Give one, or twelve, those of the months."
            )

    def flow_in(self, month: int) -> float:
        """What it brings in a month, 1 to 12 [m3 s-1].

        >>> RiverOptions(mouth=(0.0, 0.0), flow=100.0).flow_in(12)
        100.0
        """
        return self.flow[month - 1] if isinstance(self.flow, list) else self.flow


@dataclass(frozen=True, kw_only=True)
class MarginalSeaOptions(Options):
    """A sea that keeps its water: what it gains or loses at its surface goes elsewhere."""

    sea: RegionOptions = option(RegionOptions(), meaning="its cells")
    outlet: RegionOptions = option(
        RegionOptions(), meaning="cells of the open ocean that have what it gains or loses"
    )


@dataclass(frozen=True, kw_only=True)
class WaterFluxOptions(SeriesOptions):
    """Fresh water through the surface: amplitude cos(6 latitude) or files, evaporation, rivers.

    Its mean over the sea is taken away at every moment, unless it is not to be `balanced`, so that
    the sea neither fills nor empties. Marginal seas are balanced each alone, before.
    """

    amplitude: float = option(0.0, "m s-1", "of the flux without files")
    variable: str = option("", "", "variable of the files: volume per area, downward [m s-1]")
    evaporation: bool = option(
        False, "", "what evaporates by bulk formulas leaves the sea as water, too"
    )
    rivers: Mapping[str, RiverOptions] = option({}, "", "rivers by name")
    marginal_seas: Mapping[str, MarginalSeaOptions] = option({}, "", "marginal seas by name")
    balanced: bool = option(True, "", "what all water brings is taken away again")
    balanced_in: RegionOptions = option(
        RegionOptions(), meaning="where that is; if not given, in the sea without marginal seas"
    )
    balanced_by: str = option(
        "rain",
        "",
        "what balances: rain has no salt; sea is as salty as the surface, like water of an ocean"
        " beyond the grid",
        choices=("rain", "sea"),
    )
    enters_as: str = option(
        "volume",
        "",
        "volume: water thickens the uppermost cells and thins what they hold; or salt: it changes"
        " salinity by a flux of salt that stands for it, at `reference_salinity`",
        choices=("volume", "salt"),
    )
    reference_salinity: float = option(
        34.7, "1e-3", 'salt that water stands for, of `enters_as = "salt"`', at_least=0.0
    )
