"""Options of what sinks, and of the floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm.numbers import PRESET, numbers_of
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class SinkingOptions(Options):
    """Sinking of detritus and calcite, and what the floor does with what arrives.

    Plankton sinks with the speeds of its group.
    """

    detritus: float = option(
        5.0, "m day-1", "speed of R6; that of OGSTM is 3", at_least=0, source=PRESET
    )
    calcite: float = option(30.0, "m day-1", "speed of O5c", at_least=0, source=PRESET)
    floor: str = option(
        "buried",
        "",
        "what sinks to the floor stays in the lowest cell (blocked), leaves the sea (buried), or"
        " leaves it and comes back as it decays (returned)",
        choices=("blocked", "buried", "returned"),
        source="OGSTM, flag of the bottom; BFM, benthic return",
    )
    buried_detritus: float = option(
        1.5,
        "m day-1",
        "greatest speed through the floor, of detritus and plankton",
        at_least=0,
        source=PRESET,
    )
    buried_calcite: float = option(
        30.0, "m day-1", "greatest speed through the floor, of calcite", at_least=0, source=PRESET
    )
    dissolved_return: float = option(
        0.1, "day-1", "decay of what is dissolved there, Q1", at_least=0, source=PRESET
    )
    particulate_return: float = option(
        0.05, "day-1", "decay of what is not, Q6", at_least=0, source=PRESET
    )
    nitrate_share: float = option(
        0.1,
        "1",
        "share of nitrate in the nitrogen that returns",
        at_least=0,
        at_most=1,
        source=PRESET,
    )
    q10: float = option(
        3.0, "1", "factor of the decay for 10 degrees more", at_least=1e-3, source=PRESET
    )
    base_temperature: float = option(20.0, "degree C", "where that factor is 1", source=PRESET)
    oxygen_half: float = option(
        50.0, "mmol m-3", "oxygen where the decay is half", at_least=1e-9, source=PRESET
    )

    def native(self) -> Any:
        """The numbers as kernels take them."""
        switches = {"closed": self.floor == "blocked", "returned": self.floor == "returned"}
        return numbers_of(_native.SinkingNumbers, self, **switches)
