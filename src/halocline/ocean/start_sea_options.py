"""Options of seas of which a climatology knows nothing."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option
from halocline.ocean.region_options import RegionOptions


@dataclass(frozen=True, kw_only=True)
class StartSeaOptions(Options):
    """A sea with one profile, whatever the file of the start has there."""

    cells: RegionOptions = option(RegionOptions(), meaning="its cells")
    depth: list[float] = option(
        units="m", meaning="depths of the profile, downward; beyond the first and last their values"
    )
    temperature: list[float] = option(
        units="degree C", meaning="potential temperature at these depths"
    )
    salinity: list[float] = option(units="1e-3", meaning="salinity at these depths")

    def __post_init__(self) -> None:
        super().__post_init__()
        counts = [len(some) for some in (self.depth, self.temperature, self.salinity)]
        if len(set(counts)) > 1 or not self.depth:
            raise UserError(
                "A sea of ocean.start.seas has {} depths, {} temperatures and {} salinities. Give"
                " as many of each, one at least.".format(*counts)
            )
        if any(low <= high for high, low in zip(self.depth[:-1], self.depth[1:], strict=True)):
            raise UserError(
                f"The depths of a sea of ocean.start.seas must grow downward; got {self.depth}."
            )
