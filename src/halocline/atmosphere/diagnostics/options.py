"""Options of what is shown of the atmosphere besides its state."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.errors import UserError
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class AirDiagnosticsOptions(Options):
    """What maps and stations may show besides the state."""

    pressure_levels: list[float] = option(
        [],
        "Pa",
        "levels of the fields whose names begin with 'isobaric_', downward or upward; without any"
        " there are none",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        levels = self.pressure_levels
        for level in levels:
            if not 1000.0 < level <= 110e3:
                raise UserError(
                    f"atmosphere.diagnostics.pressure_levels holds {level:g}, but levels are"
                    " pressures between 1000 and 110000 Pa. Give Pa, as 85000.0 for 850 hPa."
                )
        if sorted(set(levels)) not in (list(levels), list(levels)[::-1]):
            raise UserError(
                f"atmosphere.diagnostics.pressure_levels = {list(levels)} are not in order, or one"
                " is there twice. Give them downward, as [85000.0, 50000.0], or upward."
            )
