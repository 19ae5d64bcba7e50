"""Options of the fluxes between air and sea."""

from __future__ import annotations

from dataclasses import dataclass, fields

from halocline.core.names import quantities
from halocline.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class UsualSurface(Options):
    """The air, the sea and its waves where no other member gives them, the same everywhere."""

    wind_u: float = option(0.0, "m s-1", "eastward wind", at_least=-100, at_most=100)
    wind_v: float = option(0.0, "m s-1", "northward wind", at_least=-100, at_most=100)
    air_temperature: float = option(288.0, "K", "of the air", at_least=180, at_most=340)
    air_humidity: float = option(0.008, "1", "specific humidity", at_least=0, at_most=0.06)
    surface_pressure: float = option(101325.0, "Pa", "pressure", at_least=5e4, at_most=1.2e5)
    surface_temperature: float = option(15.0, "degree C", "of the sea", at_least=-3, at_most=45)
    current_u: float = option(0.0, "m s-1", "eastward current", at_least=-10, at_most=10)
    current_v: float = option(0.0, "m s-1", "northward current", at_least=-10, at_most=10)
    short_wave: float = option(0.0, "W m-2", "that enters the sea", at_least=0, at_most=1400)
    long_wave_down: float = option(340.0, "W m-2", "downward", at_least=0, at_most=700)
    precipitation_rate: float = option(0.0, "kg m-2 s-1", "rain", at_least=0, at_most=0.1)
    significant_height: float = option(
        0.0, "m", "of waves; 0: the roughness is that of the wind", at_least=0, at_most=40
    )
    peak_period: float = option(8.0, "s", "of the waves", at_least=0.1, at_most=60)
    stress_into_waves_east: float = option(
        0.0, "Pa", "eastward momentum that waves take from the air", at_least=-20, at_most=20
    )
    stress_into_waves_north: float = option(
        0.0, "Pa", "northward momentum that waves take from the air", at_least=-20, at_most=20
    )
    stress_from_waves_east: float = option(
        0.0, "Pa", "eastward momentum that waves give the ocean", at_least=-20, at_most=20
    )
    stress_from_waves_north: float = option(
        0.0, "Pa", "northward momentum that waves give the ocean", at_least=-20, at_most=20
    )


taken = tuple(one.name for one in fields(UsualSurface))
"""What other members may give, by short name."""

of_waves = (
    *("stress_into_waves_east", "stress_into_waves_north"),
    *("stress_from_waves_east", "stress_from_waves_north"),
)
"""The momentum that waves take from the air, and that they give the ocean."""

stresses = ("wind_stress_east", "wind_stress_north")
"""The momentum that the air loses."""

into_ocean = ("stress_into_ocean_east", "stress_into_ocean_north")
"""The momentum that is left for the ocean."""

given = (
    *("wind_stress_east", "wind_stress_north", "heat_flux_into_sea", "water_flux", "short_wave"),
    *("sensible_heat", "latent_heat", "net_long_wave", "evaporation"),
    *("friction_velocity", "roughness_length", "sea_fraction"),
    *into_ocean,
)
"""What it gives others."""

assert all(name in quantities for name in (*taken, *given))
assert set(of_waves) <= set(taken)


@dataclass(frozen=True, kw_only=True)
class FluxOptions(Options):
    """Fluxes at the surface of the sea by COARE 3.6 (Fairall et al. 2003; Edson et al. 2013)."""

    wind_height: float = option(10.0, "m", "height of the wind", at_least=1, at_most=100)
    air_height: float = option(
        2.0, "m", "height of temperature and humidity of the air", at_least=1, at_most=100
    )
    relative_humidity: float | None = option(
        None,
        "1",
        "of the air where no other member gives its humidity, over water; if not given, that is"
        " `usual.air_humidity`",
        at_least=0.0,
        at_most=1.0,
    )
    cool_skin: bool = option(
        True, "", "the skin of the sea may be cooler than the water whose temperature is given"
    )
    turns: int = option(10, "1", "turns of the iteration", at_least=1, at_most=50)
    usual: UsualSurface = option(
        UsualSurface(), meaning="air and sea where no other member gives them"
    )
