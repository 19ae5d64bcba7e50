"""Options of boxes whose water is drawn to a target on all levels."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.component.forcing.field_series import SeriesOptions
from halocline.core.options import option


@dataclass(frozen=True, kw_only=True)
class RelaxationOptions(SeriesOptions):
    """A box whose temperature and salinity are drawn to those of the start, or of files."""

    box: tuple[float, float, float, float] = option(
        units="degree or m", meaning="[west, east, south, north]: columns whose centres lie in it"
    )
    time_scale: float = option(
        30.0, "day", "in which a difference falls to 1/e", at_least=1e-6, at_most=1e9
    )
    ramp: tuple[float, float, float, float] = option(
        (0.0, 0.0, 0.0, 0.0),
        "degree or m",
        "widths at the western, eastern, southern and northern side of the box, over which the rate"
        " falls linearly to 0 there; 0: it ends at once",
        at_least=0.0,
    )
    temperature: str = option(
        "temperature", "", "variable of the files: potential temperature [degree C]"
    )
    salinity: str = option("salinity", "", "variable of the files: salinity [1e-3]")
