"""A small sea with an island and a slope, and files of an ocean in it, on corners or faces."""

from pathlib import Path

import numpy as np
import xarray

from halocline.core.constants import earth_radius

nj, ni = 10, 12
thickness = np.array([10.0, 20.0, 40.0])  # from the surface down
x, y = 5.0 + np.arange(ni), 30.0 + np.arange(nj)
x_face, y_face = 4.5 + np.arange(ni + 1), 29.5 + np.arange(nj + 1)
depth = np.full((nj, ni), 70.0)
depth[0], depth[-1], depth[:, 0], depth[:, -1] = 0.0, 0.0, 0.0, 0.0
depth[3:5, 4:6] = 0.0
depth[1:4, 7:10] = 25.0
days = np.arange(4)


def wet() -> np.ndarray:
    """Wet cells from the deepest level up, (3, nj, ni)."""
    top = np.concatenate([[0.0], np.cumsum(thickness)[:-1]])
    return (depth > top[::-1, None, None]) & (depth > 0)


def wet_faces() -> tuple[np.ndarray, np.ndarray]:
    """Western faces (3, nj, ni + 1) and southern ones (3, nj + 1, ni) between wet cells."""
    wide = np.pad(wet(), ((0, 0), (1, 1), (1, 1)))
    return (
        wide[:, 1:-1, 1:] & wide[:, 1:-1, :-1],
        wide[:, 1:, 1:-1] & wide[:, :-1, 1:-1],
    )


def wet_corners() -> np.ndarray:
    """Corners with four wet cells, (3, nj + 1, ni + 1)."""
    wide = np.pad(wet(), ((0, 0), (1, 1), (1, 1)))
    return wide[:, 1:, 1:] & wide[:, 1:, :-1] & wide[:, :-1, 1:] & wide[:, :-1, :-1]


def write_grid(path: Path) -> None:
    data = xarray.Dataset(
        {"depth": (("lat", "lon"), depth)}, {"lat": ("lat", y), "lon": ("lon", x)}
    )
    data.lat.attrs["units"], data.lon.attrs["units"] = "degrees_north", "degrees_east"
    data.to_netcdf(path)


def times(middle: float = 0.5) -> dict:
    """Records in the middle of four days, as means with bounds whose times are their ends."""
    bounds = np.stack([days, days + 1.0], axis=1)
    time = {"units": "days since 2000-01-01", "bounds": "time_bounds"}
    return {"time": ("time", days + 1.0, time), "time_bounds": (("time", "bnds"), bounds)}


def corner_velocity(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random velocities at corners [m s-1], (time, level, nj + 1, ni + 1)."""
    random = np.random.default_rng(seed)
    shape = (days.size, 3, nj + 1, ni + 1)
    u, v = (0.02 * random.standard_normal(shape) * wet_corners() for _ in range(2))
    return u, v


def widths() -> tuple[np.ndarray, float]:
    """Lengths of cells at corners along x (nj + 1, 1) and along y [m]."""
    meter = earth_radius * np.pi / 180.0
    return (meter * np.cos(np.deg2rad(y_face)))[:, None], meter


def fluxes_of_corners(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Volume fluxes through western and southern faces [m3 s-1]."""
    dx, dy = widths()
    dz = thickness[::-1, None, None]
    x_flux = 0.5 * dz * dy * (u[..., :-1, :] + u[..., 1:, :])
    y_flux = 0.5 * dz * (v[..., :-1] + v[..., 1:]) * dx
    return x_flux, y_flux


def sea_level(seed: int = 5) -> np.ndarray:
    """Sea level [m], (time, nj, ni)."""
    random = np.random.default_rng(seed)
    return 0.3 * random.standard_normal((days.size, nj, ni)) * (depth > 0)


def temperature() -> np.ndarray:
    """Temperature [degree C], (time, level, nj, ni)."""
    random = np.random.default_rng(9)
    return random.uniform(5.0, 25.0, (days.size, 3, nj, ni))


def diffusivity() -> np.ndarray:
    """Diffusivity at interfaces from the lowest up [m2 s-1], (time, level + 1, nj, ni)."""
    interfaces = np.concatenate([[0.0], np.cumsum(thickness)])
    column = (1e-3 / (1 + interfaces[::-1]))[:, None, None]
    uneven = 1.0 + 0.1 * (np.arange(ni) % 3) + 0.2 * (np.arange(nj) % 2)[:, None]
    return np.broadcast_to(column * uneven, (days.size, 4, nj, ni)).copy()


def write_corners(path: Path) -> None:
    """An ocean's own file: velocities at corners, missing on land, sea level, diffusivity."""
    u, v = corner_velocity()
    corner = ("time", "depth", "latitude_face", "longitude_face")
    dry = ~wet_corners()[None]
    centres = np.cumsum(thickness) - thickness / 2
    interfaces = np.concatenate([[0.0], np.cumsum(thickness)])
    level = np.where(depth > 0, sea_level(), np.nan)
    data = xarray.Dataset(
        {
            "velocity_u": (corner, np.where(dry, np.nan, u), {"units": "m s-1"}),
            "velocity_v": (corner, np.where(dry, np.nan, v), {"units": "m s-1"}),
            "sea_level": (("time", "latitude", "longitude"), level, {"units": "m"}),
            "vertical_diffusivity": (
                ("time", "depth_interface", "latitude", "longitude"),
                diffusivity(),
                {"units": "m2 s-1"},
            ),
            "temperature": (
                ("time", "depth", "latitude", "longitude"),
                np.where(wet()[None], temperature(), np.nan),
                {"units": "degC"},
            ),
        },
        {
            **times(),
            "depth": ("depth", centres[::-1], {"units": "m", "positive": "down"}),
            "depth_interface": (
                "depth_interface", interfaces[::-1], {"units": "m", "positive": "down"},
            ),
            "latitude": ("latitude", y, {"units": "degrees_north"}),
            "longitude": ("longitude", x, {"units": "degrees_east"}),
            "latitude_face": ("latitude_face", y_face, {"units": "degrees_north"}),
            "longitude_face": ("longitude_face", x_face, {"units": "degrees_east"}),
        },
    )  # fmt: skip
    data.to_netcdf(path)


def write_nemo(folder: Path, *, units: str = "m/s", factor: float = 1.0) -> None:
    """The same flow as NEMO writes it: a file for each place, all with the centres' coordinates.

    u is on the eastern and v on the northern faces of cells, levels from the surface down.
    """
    x_flux, y_flux = fluxes_of_corners(*corner_velocity())
    dx_face, dy = widths()
    dz = thickness[::-1, None, None]
    u, v = x_flux[..., 1:] / (dy * dz), y_flux[..., 1:, :] / (dx_face[1:] * dz)
    lon, lat = np.meshgrid(x, y)
    centres = np.cumsum(thickness) - thickness / 2
    names = {
        "U": ("vozocrtx", factor * u[:, ::-1], units),
        "V": ("vomecrty", factor * v[:, ::-1], units),
        "T": ("sossheig", sea_level(), "m"),
    }
    for letter, (name, values, unit) in names.items():
        dims = ("time_counter", *(("deptht",) if values.ndim == 4 else ()), "y", "x")
        data = xarray.Dataset(
            {name: (dims, values.astype(np.float64), {"units": unit})},
            {
                "nav_lon": (("y", "x"), lon.astype(np.float32)),
                "nav_lat": (("y", "x"), lat.astype(np.float32)),
                "deptht": ("deptht", centres, {"units": "m"}),
                "time_counter": (
                    "time_counter",
                    days + 0.5,
                    {"units": "days since 2000-01-01", "standard_name": "time"},
                ),
            },
        )
        data.to_netcdf(folder / f"day_grid_{letter}.nc")
