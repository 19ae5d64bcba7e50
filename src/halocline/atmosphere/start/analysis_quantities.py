"""What analyses hold, under which names, in what units, and between what bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class AnalysisQuantity:
    """How a quantity comes in files: CF names, usual names, our units, plausible values.

    Values are between `least` and `greatest`, and in any state some of them are above `reached`.
    """

    standard_names: tuple[str, ...]
    names: tuple[str, ...]
    units: str
    least: float
    greatest: float
    reached: float = -math.inf


on_levels: dict[str, AnalysisQuantity] = {
    "temperature": AnalysisQuantity(
        ("air_temperature",), ("t", "ta", "tmp", "air", "temperature"), "K", 130.0, 350.0
    ),
    "u": AnalysisQuantity(
        ("eastward_wind", "x_wind"), ("u", "ua", "ugrd", "uwnd"), "m s-1", -200.0, 200.0
    ),
    "v": AnalysisQuantity(
        ("northward_wind", "y_wind"), ("v", "va", "vgrd", "vwnd"), "m s-1", -200.0, 200.0
    ),
    "mixing_ratio": AnalysisQuantity(
        ("humidity_mixing_ratio",), ("w", "mixr", "rv"), "1", -1e-4, 0.1, 2e-5
    ),
    "specific_humidity": AnalysisQuantity(
        ("specific_humidity",), ("q", "hus", "spfh", "shum"), "1", -1e-4, 0.1, 2e-5
    ),
    "relative_humidity": AnalysisQuantity(
        ("relative_humidity",), ("r", "rh", "hur", "rhum"), "1", -0.05, 1.6, 0.03
    ),
    "height": AnalysisQuantity(
        ("geopotential_height",), ("gh", "zg", "hgt"), "m", -3000.0, 100_000.0
    ),
    "geopotential": AnalysisQuantity(("geopotential",), ("z", "phi"), "m2 s-2", -3e4, 1e6),
}
"""What analyses hold on pressure levels; one kind of humidity and one of height suffice."""

condensed: dict[str, AnalysisQuantity] = {
    kind: AnalysisQuantity(standard_names, names, "1", -1e-4, 0.05)
    for kind, standard_names, names in (
        (
            "cloud",
            ("cloud_liquid_water_mixing_ratio", "mass_fraction_of_cloud_liquid_water_in_air"),
            ("clwmr", "clmr", "clwc", "qc"),
        ),
        (
            "ice",
            ("cloud_ice_mixing_ratio", "mass_fraction_of_cloud_ice_in_air"),
            ("icmr", "ciwc", "qi"),
        ),
        ("rain", ("mass_fraction_of_rain_in_air",), ("rwmr", "crwc", "qr")),
        ("snow", ("mass_fraction_of_snow_in_air",), ("snmr", "cswc", "qs")),
        ("graupel", ("mass_fraction_of_graupel_in_air",), ("grle", "qg")),
    )
}
"""Water that is no vapour, taken where an analysis has it, per mass of air."""

at_surface: dict[str, AnalysisQuantity] = {
    "surface_pressure": AnalysisQuantity(
        ("surface_air_pressure",), ("sp", "ps", "pres"), "Pa", 3e4, 1.2e5
    ),
    "ground_height": AnalysisQuantity(
        ("surface_altitude",), ("orog", "orography", "hgt_surface"), "m", -500.0, 9000.0
    ),
    "ground_geopotential": AnalysisQuantity(
        ("surface_geopotential", "geopotential"), ("z", "zsfc"), "m2 s-2", -5e3, 9e4
    ),
    "skin_temperature": AnalysisQuantity(
        ("surface_temperature", "surface_skin_temperature"),
        ("skt", "tsfc", "ts", "tsk"),
        "K",
        150.0,
        360.0,
    ),
    "land": AnalysisQuantity(
        ("land_binary_mask", "land_area_fraction"), ("lsm", "land", "sftlf"), "1", -0.01, 1.01
    ),
    "ice": AnalysisQuantity(
        ("sea_ice_area_fraction",), ("ice", "siconc", "ci", "icec"), "1", -0.01, 1.01
    ),
    "temperature_2m": AnalysisQuantity(
        ("air_temperature",), ("t2m", "2t", "tas"), "K", 150.0, 350.0
    ),
    "sea_level_pressure": AnalysisQuantity(
        ("air_pressure_at_mean_sea_level", "air_pressure_at_sea_level"),
        ("prmsl", "msl", "psl", "mslet"),
        "Pa",
        8e4,
        1.15e5,
    ),
}
"""Maps of the surface that are taken where an analysis has them."""
