"""Every field by name: CF standard name, units, short name and meaning, listed once.

The short name is the name in the code, in case files and in output files.
"""

from __future__ import annotations

from dataclasses import dataclass

from halocline.core.errors import UserError, nearest

_from_north = "where it comes from, clockwise from north"


@dataclass(frozen=True)
class Quantity:
    """One physical quantity; `standard_name` is empty where the CF table has none."""

    short_name: str
    standard_name: str
    units: str
    long_name: str
    comment: str = ""

    @property
    def is_direction(self) -> bool:
        """Whether it is a direction, of which means go by unit vectors."""
        return _from_north in self.comment

    def attributes(self) -> dict[str, str]:
        """CF attributes of a variable that holds this quantity."""
        facts = {
            "standard_name": self.standard_name,
            "long_name": self.long_name,
            "units": self.units,
            "comment": self.comment,
        }
        return {name: text for name, text in facts.items() if text}


_period = "sea_surface_wave_mean_period_from_variance_spectral_density_"
_swells = ("primary", "secondary", "tertiary")


def _partition(name: str, standard: str, words: str) -> list[Quantity]:
    """Height, peak period, mean direction and spread of one part of the sea state."""
    cf = f"sea_surface_{standard}" if standard else ""
    return [
        Quantity(
            f"{name}_height",
            cf and f"{cf}_significant_height",
            "m",
            f"significant height of the {words}",
        ),
        Quantity(
            f"{name}_peak_period",
            cf and f"{cf}_period_at_variance_spectral_density_maximum",
            "s",
            f"peak period of the {words}",
        ),
        Quantity(
            f"{name}_direction",
            cf and f"{cf}_from_direction",
            "degree",
            f"mean direction of the {words}",
            _from_north,
        ),
        Quantity(
            f"{name}_spread",
            cf and f"{cf}_directional_spread",
            "degree",
            f"directional spread of the {words}",
        ),
    ]


_waves = [
    Quantity(
        "significant_height",
        "sea_surface_wave_significant_height",
        "m",
        "significant height of wind and swell waves",
        "4 sqrt(m0)",
    ),
    Quantity(
        "mean_period_energy",
        f"{_period}inverse_frequency_moment",
        "s",
        "mean period Tm-1,0",
        "m-1 / m0",
    ),
    Quantity(
        "mean_period",
        f"{_period}first_frequency_moment",
        "s",
        "mean period Tm0,1",
        "m0 / m1",
    ),
    Quantity(
        "mean_period_zero_crossing",
        f"{_period}second_frequency_moment",
        "s",
        "mean period Tm0,2",
        "sqrt(m0 / m2)",
    ),
    Quantity(
        "peak_period",
        "sea_surface_wave_period_at_variance_spectral_density_maximum",
        "s",
        "peak period",
    ),
    Quantity(
        "peak_frequency",
        "",
        "Hz",
        "peak frequency",
    ),
    Quantity(
        "absolute_peak_frequency",
        "",
        "Hz",
        "peak frequency seen from the ground",
        "that relative to the water and the wavenumber times the current along it",
    ),
    Quantity(
        "absolute_peak_period",
        "",
        "s",
        "peak period seen from the ground",
        "missing where crests stand still or are carried backwards",
    ),
    Quantity(
        "mean_direction",
        "sea_surface_wave_from_direction",
        "degree",
        "mean direction",
        _from_north,
    ),
    Quantity(
        "peak_direction",
        "sea_surface_wave_from_direction_at_variance_spectral_density_maximum",
        "degree",
        "direction at the peak frequency",
        _from_north,
    ),
    Quantity(
        "directional_spread",
        "sea_surface_wave_directional_spread",
        "degree",
        "directional spread",
        "sqrt(2 (1 - r)), r the length of the energy-weighted mean unit vector",
    ),
    Quantity(
        "stokes_drift_u",
        "sea_surface_wave_stokes_drift_eastward_velocity",
        "m s-1",
        "eastward Stokes drift at the surface",
    ),
    Quantity(
        "stokes_drift_v",
        "sea_surface_wave_stokes_drift_northward_velocity",
        "m s-1",
        "northward Stokes drift at the surface",
    ),
    Quantity(
        "stokes_transport_u",
        "",
        "m2 s-1",
        "eastward volume that Stokes drift carries",
        "over the whole depth, past a line of unit length",
    ),
    Quantity(
        "stokes_transport_v",
        "",
        "m2 s-1",
        "northward volume that Stokes drift carries",
        "over the whole depth, past a line of unit length",
    ),
    Quantity(
        "stress_into_waves_east",
        "surface_downward_eastward_stress_due_to_sea_surface_waves",
        "Pa",
        "eastward momentum that waves take from the air",
    ),
    Quantity(
        "stress_into_waves_north",
        "surface_downward_northward_stress_due_to_sea_surface_waves",
        "Pa",
        "northward momentum that waves take from the air",
    ),
    Quantity(
        "stress_from_waves_east",
        "sea_surface_downward_eastward_stress_due_to_dissipation_of_sea_surface_waves",
        "Pa",
        "eastward momentum that waves give the ocean",
    ),
    Quantity(
        "stress_from_waves_north",
        "sea_surface_downward_northward_stress_due_to_dissipation_of_sea_surface_waves",
        "Pa",
        "northward momentum that waves give the ocean",
    ),
    Quantity(
        "stress_into_ocean_east",
        "",
        "Pa",
        "eastward momentum that enters the ocean",
        "that of the air, less what waves take, with what they give",
    ),
    Quantity(
        "stress_into_ocean_north",
        "",
        "Pa",
        "northward momentum that enters the ocean",
        "that of the air, less what waves take, with what they give",
    ),
    Quantity("directional_moment_a1", "", "1", "energy-weighted mean of cos(theta)"),
    Quantity("directional_moment_b1", "", "1", "energy-weighted mean of sin(theta)"),
    Quantity("directional_moment_a2", "", "1", "energy-weighted mean of cos(2 theta)"),
    Quantity("directional_moment_b2", "", "1", "energy-weighted mean of sin(2 theta)"),
    Quantity(
        "mean_square_slope",
        "sea_surface_wave_mean_square_slope",
        "1",
        "mean square slope of the resolved spectrum",
    ),
    Quantity(
        "wave_spectrum",
        "sea_surface_wave_directional_variance_spectral_density",
        "m2 s rad-1",
        "variance density of the surface by frequency and direction",
    ),
    *_partition("wind_sea", "wind_wave", "wind sea"),
    *[
        quantity
        for number, rank in enumerate(_swells, 1)
        for quantity in _partition(f"swell{number}", f"{rank}_swell_wave", f"{rank} swell")
    ],
    Quantity("wind_sea_fraction", "", "1", "share of the energy under the force of the wind"),
    Quantity("partitions", "", "1", "number of partitions of the spectrum"),
]

_air = [
    Quantity(
        "wind_stress_east",
        "surface_downward_eastward_stress",
        "Pa",
        "eastward stress of the wind on the surface",
    ),
    Quantity(
        "wind_stress_north",
        "surface_downward_northward_stress",
        "Pa",
        "northward stress of the wind on the surface",
    ),
    Quantity(
        "evaporation", "water_evapotranspiration_flux", "kg m-2 s-1", "vapour from the surface"
    ),
    Quantity(
        "sensible_heat", "surface_upward_sensible_heat_flux", "W m-2", "sensible heat to the air"
    ),
    Quantity(
        "latent_heat", "surface_upward_latent_heat_flux", "W m-2", "heat that leaves with vapour"
    ),
    Quantity(
        "net_long_wave",
        "surface_net_upward_longwave_flux",
        "W m-2",
        "long wave that leaves the surface less what comes down",
    ),
    Quantity(
        "long_wave_down",
        "surface_downwelling_longwave_flux_in_air",
        "W m-2",
        "long wave from above",
    ),
    Quantity("precipitation_rate", "precipitation_flux", "kg m-2 s-1", "rain, snow and graupel"),
    Quantity("sea_fraction", "sea_area_fraction", "1", "share of a cell that is sea"),
    Quantity(
        "roughness_length",
        "surface_roughness_length_for_momentum_in_air",
        "m",
        "roughness length of the wind",
    ),
    Quantity("wind_u", "eastward_wind", "m s-1", "eastward wind at 10 m"),
    Quantity("wind_v", "northward_wind", "m s-1", "northward wind at 10 m"),
    Quantity("wind_speed", "wind_speed", "m s-1", "wind speed at 10 m"),
    Quantity(
        "wind_direction",
        "wind_from_direction",
        "degree",
        "wind direction at 10 m",
        _from_north,
    ),
    Quantity("friction_velocity", "", "m s-1", "friction velocity of the air"),
    Quantity(
        "charnock",
        "charnock_coefficient_for_surface_roughness_length_for_momentum_in_air",
        "1",
        "Charnock coefficient",
    ),
    Quantity(
        "drag_coefficient",
        "surface_drag_coefficient_for_momentum_in_air",
        "1",
        "drag coefficient of the wind at 10 m",
    ),
    Quantity(
        "air_sea_temperature_difference",
        "",
        "K",
        "temperature of the air less that of the sea surface",
    ),
    Quantity("air_temperature", "air_temperature", "K", "air temperature near the surface"),
    Quantity(
        "sea_surface_temperature",
        "sea_surface_temperature",
        "K",
        "temperature of the sea surface",
    ),
    Quantity(
        "potential_temperature", "air_potential_temperature", "K", "potential temperature of air"
    ),
    Quantity(
        "potential_temperature_anomaly",
        "",
        "K",
        "potential temperature of air less that of the base state",
    ),
    Quantity("air_pressure", "air_pressure", "Pa", "pressure of air"),
    Quantity("surface_pressure", "surface_air_pressure", "Pa", "pressure at the ground"),
    Quantity(
        "sea_level_pressure",
        "air_pressure_at_mean_sea_level",
        "Pa",
        "pressure at sea level",
        "below the ground by 6.5 K/km from the air 100 hPa above it",
    ),
    Quantity("ground", "surface_altitude", "m", "height of the ground"),
    Quantity("x_wind", "x_wind", "m s-1", "wind along the grid's x"),
    Quantity("y_wind", "y_wind", "m s-1", "wind along the grid's y"),
    Quantity("upward_wind", "upward_air_velocity", "m s-1", "upward wind"),
    Quantity("geopotential_height", "geopotential_height", "m", "geopotential height"),
    Quantity("updraft", "", "m s-1", "greatest upward wind of a column of air"),
    Quantity(
        "vapor_mixing_ratio", "humidity_mixing_ratio", "1", "mass of vapour per mass of dry air"
    ),
    Quantity(
        "cloud_mixing_ratio",
        "cloud_liquid_water_mixing_ratio",
        "1",
        "mass of cloud droplets per mass of dry air",
    ),
    Quantity(
        "ice_mixing_ratio",
        "cloud_ice_mixing_ratio",
        "1",
        "mass of cloud crystals per mass of dry air",
    ),
    Quantity("rain_mixing_ratio", "", "1", "mass of rain per mass of dry air"),
    Quantity("snow_mixing_ratio", "", "1", "mass of snow per mass of dry air"),
    Quantity("graupel_mixing_ratio", "", "1", "mass of graupel per mass of dry air"),
    Quantity("rain_number", "", "kg-1", "raindrops per mass of dry air"),
    Quantity("ice_number", "", "kg-1", "cloud crystals per mass of dry air"),
    Quantity("rain_total", "rainfall_amount", "kg m-2", "rain since the start of the run"),
    Quantity("snow_total", "snowfall_amount", "kg m-2", "snow since the start of the run"),
    Quantity(
        "graupel_total", "graupel_fall_amount", "kg m-2", "graupel since the start of the run"
    ),
    Quantity(
        "convective_rain_total",
        "convective_rainfall_amount",
        "kg m-2",
        "rain of convection since the start of the run",
    ),
    Quantity(
        "convective_snow_total",
        "convective_snowfall_amount",
        "kg m-2",
        "snow of convection since the start of the run",
    ),
    Quantity("reflectivity", "equivalent_reflectivity_factor", "dBZ", "radar reflectivity"),
    Quantity("column_reflectivity", "", "dBZ", "greatest radar reflectivity of a column"),
    Quantity(
        "precipitation_total",
        "precipitation_amount",
        "kg m-2",
        "rain, snow and graupel since the start of the run",
    ),
    Quantity("eastward_wind", "eastward_wind", "m s-1", "eastward wind on layers"),
    Quantity("northward_wind", "northward_wind", "m s-1", "northward wind on layers"),
    Quantity("layer_temperature", "air_temperature", "K", "air temperature of layers"),
    Quantity("air_humidity", "specific_humidity", "1", "specific humidity of air near the surface"),
    Quantity(
        "vapor_content",
        "atmosphere_mass_content_of_water_vapor",
        "kg m-2",
        "water vapour of a column",
    ),
    *[
        Quantity(
            f"{start}_{short}",
            f"atmosphere_convective_{name}{standard}",
            "J kg-1",
            f"convective {name.replace('_', ' ')} of {words}",
            "pseudo-adiabatic, virtual temperatures" + (", at most 0" if short == "cin" else ""),
        )
        for start, standard, words in (
            ("surface", "_wrt_surface", "air of the lowest layer"),
            ("unstable", "", "the most unstable air of the lowest 300 hPa"),
        )
        for short, name in (("cape", "available_potential_energy"), ("cin", "inhibition"))
    ],
    *[
        Quantity(f"isobaric_{name}", standard, units, f"{words} on levels of pressure")
        for name, standard, units, words in (
            ("height", "geopotential_height", "m", "geopotential height"),
            ("temperature", "air_temperature", "K", "air temperature"),
            ("wind_u", "eastward_wind", "m s-1", "eastward wind"),
            ("wind_v", "northward_wind", "m s-1", "northward wind"),
            ("upward_wind", "upward_air_velocity", "m s-1", "upward wind"),
            ("vapor", "humidity_mixing_ratio", "1", "mass of vapour per mass of dry air"),
            ("humidity", "relative_humidity", "1", "relative humidity, over water,"),
        )
    ],
    Quantity(
        "dry_column_pressure",
        "",
        "Pa",
        "weight of the dry air of a column",
        "dry pressure at the ground less pressure at the top of the model",
    ),
]

_sea = [
    Quantity("depth", "sea_floor_depth_below_geoid", "m", "water depth, positive down, 0 on land"),
    Quantity("mask", "sea_binary_mask", "1", "sea point"),
    Quantity("ice", "sea_ice_area_fraction", "1", "sea-ice concentration"),
    Quantity("obstruction_x", "", "1", "share of eastward propagation stopped by islands"),
    Quantity("obstruction_y", "", "1", "share of northward propagation stopped by islands"),
    Quantity(
        "attenuation",
        "volume_attenuation_coefficient_of_downwelling_radiative_flux_in_sea_water",
        "m-1",
        "attenuation of light by the water",
    ),
    Quantity("current_u", "eastward_sea_water_velocity", "m s-1", "eastward current"),
    Quantity("current_v", "northward_sea_water_velocity", "m s-1", "northward current"),
    Quantity("temperature", "sea_water_potential_temperature", "degree_C", "temperature"),
    Quantity("salinity", "sea_water_salinity", "1e-3", "salinity"),
    Quantity("tracer", "", "1", "concentration of a passive tracer"),
    Quantity("surface_temperature", "", "degree_C", "temperature of the uppermost level"),
    Quantity("surface_salinity", "sea_surface_salinity", "1e-3", "salinity of the uppermost level"),
    Quantity("sea_level", "sea_surface_height_above_geoid", "m", "height of the surface"),
    Quantity(
        "barotropic_stream_function",
        "ocean_barotropic_streamfunction",
        "m3 s-1",
        "barotropic stream function",
        "0 in the south; grows to the south of eastward transports, by what passes",
    ),
    Quantity(
        "mixed_layer_depth",
        "ocean_mixed_layer_thickness_defined_by_sigma_theta",
        "m",
        "depth of the mixed layer",
        "where water is 0.03 kg m-3 heavier than at 10 m",
    ),
    Quantity("velocity_u", "sea_water_x_velocity", "m s-1", "velocity along the grid's x"),
    Quantity("velocity_v", "sea_water_y_velocity", "m s-1", "velocity along the grid's y"),
    Quantity("x_volume_flux", "", "m3 s-1", "volume that passes western faces of cells"),
    Quantity("y_volume_flux", "", "m3 s-1", "volume that passes southern faces of cells"),
    Quantity("velocity_w", "upward_sea_water_velocity", "m s-1", "upward velocity"),
    Quantity(
        "relative_vorticity",
        "ocean_relative_vorticity",
        "s-1",
        "relative vorticity",
        "circulation around a cell over its area, positive anticlockwise",
    ),
    Quantity(
        "cell_thickness",
        "cell_thickness",
        "m",
        "thickness of cells",
        "the uppermost with sea level, the lowest as far as the floor",
    ),
    Quantity(
        "water_flux",
        "water_flux_into_sea_water",
        "kg m-2 s-1",
        "water that enters the sea",
        "1000 kg for each m3 by which it grows; rain, rivers, evaporation, balances",
    ),
    Quantity(
        "vertical_diffusivity",
        "ocean_vertical_tracer_diffusivity",
        "m2 s-1",
        "vertical diffusivity",
    ),
    Quantity(
        "short_wave",
        "net_downward_shortwave_flux_at_sea_water_surface",
        "W m-2",
        "short wave that enters the sea",
    ),
    Quantity(
        "heat_flux_into_sea",
        "surface_downward_heat_flux_in_sea_water",
        "W m-2",
        "all heat that enters the sea, short wave included",
    ),
    Quantity(
        "wind_stress_x",
        "surface_downward_x_stress",
        "Pa",
        "stress of the wind along the grid's x",
    ),
    Quantity(
        "wind_stress_y",
        "surface_downward_y_stress",
        "Pa",
        "stress of the wind along the grid's y",
    ),
]

_axes = [
    Quantity("time", "time", "s", "time"),
    Quantity("longitude", "longitude", "degrees_east", "longitude"),
    Quantity("latitude", "latitude", "degrees_north", "latitude"),
    Quantity("x", "projection_x_coordinate", "m", "distance to the east"),
    Quantity("y", "projection_y_coordinate", "m", "distance to the north"),
    Quantity("frequency", "sea_surface_wave_frequency", "Hz", "frequency"),
    Quantity(
        "direction",
        "sea_surface_wave_to_direction",
        "degree",
        "direction of propagation",
        "where waves go to, clockwise from north",
    ),
]

quantities: dict[str, Quantity] = {q.short_name: q for q in [*_waves, *_air, *_sea, *_axes]}
"""All quantities by short name."""


def quantity(short_name: str) -> Quantity:
    """The quantity of that short name.

    >>> quantity("significant_height").units
    'm'
    """
    if short_name not in quantities:
        raise UserError(f"Unknown field '{short_name}'.{nearest(short_name, quantities)}")
    return quantities[short_name]
