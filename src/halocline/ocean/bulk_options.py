"""Options of bulk formulas."""

from __future__ import annotations

from dataclasses import dataclass

from halocline.component.forcing.field_series import SeriesOptions
from halocline.core.options import option


@dataclass(frozen=True, kw_only=True)
class BulkOptions(SeriesOptions):
    """Wind and heat from the air above the sea by bulk formulas (Large and Yeager 2009).

    Stress takes the mean speed times the mean wind, so that months can have both.
    """

    east: str = option("u10", "", "variable of the files: eastward wind [m s-1]")
    north: str = option("v10", "", "northward wind [m s-1]")
    speed: str = option("wind_speed", "", "mean speed of the wind [m s-1]")
    temperature: str = option("t_air", "", "temperature of the air [degree C]")
    humidity: str = option("q_air", "", "specific humidity of the air [g kg-1]")
    radiation: str = option(
        "files",
        "",
        "net short and long wave: those of the files, or by formulas from cloud (Rosati and"
        " Miyakoda 1988, Reed 1977; Bignami et al. 1995)",
        choices=("files", "formulas"),
    )
    short_wave: str = option("sw_net", "", "net short wave, downward [W m-2]")
    long_wave: str = option("lw_up", "", "net long wave, upward [W m-2]")
    cloud: str | float = option(
        "cloud", "1", "share of the sky, of formulas: variable of the files, or a number"
    )
    albedo: float = option(
        0.065, "1", "short wave that the sea reflects, of formulas", at_least=0.0, at_most=1.0
    )
    height: float = option(10.0, "m", "of wind, temperature and humidity", at_least=1.0)
    air_density: float = option(1.22, "kg m-3", "density of air", at_least=0.1)
