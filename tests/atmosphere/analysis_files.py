"""Small analyses on pressure levels, and layers to bring them to."""

from pathlib import Path

import netCDF4
import numpy as np

from halocline.atmosphere.start.hybrid_column import HybridColumn

names = {
    "gfs": ("t", "u", "v", "r", "gh"),
    "era5": ("ta", "eastward", "northward", "q", "z"),
}
standard = {
    "t": ("air_temperature", "K"),
    "u": ("eastward_wind", "m s-1"),
    "v": ("northward_wind", "m/s"),
    "r": ("relative_humidity", "%"),
    "gh": ("geopotential_height", "gpm"),
    "ta": ("air_temperature", "K"),
    "eastward": ("eastward_wind", "m s**-1"),
    "northward": ("northward_wind", "m s**-1"),
    "q": ("specific_humidity", "kg kg**-1"),
    "w": ("humidity_mixing_ratio", "g kg-1"),
    "z": ("geopotential", "m**2 s**-2"),
    "sp": ("surface_air_pressure", "hPa"),
    "orog": ("surface_altitude", "m"),
    "clwmr": ("cloud_liquid_water_mixing_ratio", "kg kg-1"),
    "rwmr": ("mass_fraction_of_rain_in_air", "g kg-1"),
    "ciwc": ("mass_fraction_of_cloud_ice_in_air", "kg kg**-1"),
    "zsfc": ("surface_geopotential", "m**2 s**-2"),
    "skt": ("surface_temperature", "degC"),
    "lsm": ("land_binary_mask", "(0 - 1)"),
    "ci": ("sea_ice_area_fraction", "1"),
}


def layers(count: int = 20, top_pressure: float = 5e3, level_above: float = 0.2) -> HybridColumn:
    """Layers of one thickness in eta; above `level_above` they lie on pressures.

    The share of the ground is the cubic of Klemp (2011) as Skamarock et al. (2019) give it: 1 with
    slope 1 at the ground, 0 with slope 0 at `level_above`.
    """
    eta, c = np.linspace(1.0, 0.0, count + 1), level_above
    x = np.clip((eta - c) / (1.0 - c), 0.0, 1.0)
    share = x**2 * (3.0 - 2.0 * x) + (1.0 - c) * x**2 * (x - 1.0)
    return HybridColumn.of(eta, share, top_pressure)


def write_analysis(
    path: Path,
    x: np.ndarray,
    y: np.ndarray,
    levels: np.ndarray,
    values: dict[str, np.ndarray],
    level_units: str = "Pa",
    hours: tuple[float, ...] = (0.0,),
    units: dict[str, str] | None = None,
) -> Path:
    """A file of variables (levels, y, x) or (y, x), the same at all times."""
    with netCDF4.Dataset(path, "w") as file:
        axes = {
            "time": (np.array(hours), "hours since 2020-01-01", "time"),
            "plev": (levels, level_units, "air_pressure"),
            "latitude": (y, "degrees_north", "latitude"),
            "longitude": (x, "degrees_east", "longitude"),
        }
        for name, (line, unit, long) in axes.items():
            file.createDimension(name, line.size)
            variable = file.createVariable(name, "f8", (name,))
            variable.units, variable.standard_name = unit, long
            variable[:] = line
        for name, field in values.items():
            dims = ("time", "plev", "latitude", "longitude")[-field.ndim :]
            dims = ("time", *dims)
            variable = file.createVariable(name, "f8", dims, fill_value=1e30)
            variable.standard_name, variable.units = standard[name]
            if units and name in units:
                variable.units = units[name]
            variable[:] = np.ma.masked_invalid(np.broadcast_to(field, (len(hours), *field.shape)))
    return path


def column_values(levels: np.ndarray, shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """A calm, moist, rather plain atmosphere on levels [Pa], the same in every column."""
    height = 8000.0 * np.log(1e5 / levels)
    temperature = np.full(levels.size, 8000.0 * 9.80665 / 287.0)
    planes = {
        "t": temperature,
        "u": 10.0 + 1e-3 * height,
        "v": 0.0 * height,
        "r": 100.0 * np.clip(levels / 2e5, 0.0, 1.0),
        "gh": height,
    }
    return {
        name: np.broadcast_to(line[:, None, None], (levels.size, *shape)).copy()
        for name, line in planes.items()
    }
