"""Small files as runs write them: waves on a global and a regional grid, points, tracers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xarray as xr

HEIGHT = {
    "standard_name": "sea_surface_wave_significant_height",
    "long_name": "significant height of wind and swell waves",
    "units": "m",
}
FROM = {"standard_name": "sea_surface_wave_from_direction", "units": "degree"}
PERIOD = {
    "standard_name": "sea_surface_wave_period_at_variance_spectral_density_maximum",
    "units": "s",
}


def wave_data(longitude: np.ndarray, latitude: np.ndarray, times: int = 5) -> xr.Dataset:
    """Waves that are 2 m + 1 m for each record + cos(longitude), from 270 degrees, wind westerly.

    Where latitude is above 60 everything is masked.
    """
    shape = (times, len(latitude), len(longitude))
    record = np.arange(times)[:, None, None]
    height = 2.0 + record + np.cos(np.deg2rad(longitude)) + np.zeros(shape)
    height[:, latitude > 60.0] = np.nan
    sea = np.isfinite(height)
    dimensions = ("time", "latitude", "longitude")
    hours = np.arange(times) * np.timedelta64(6, "h")
    return xr.Dataset(
        {
            "significant_height": (dimensions, height, HEIGHT),
            "peak_period": (dimensions, 4.0 * height, PERIOD),
            "mean_direction": (dimensions, np.where(sea, 270.0, np.nan), FROM),
            "wind_u": (
                dimensions,
                np.where(sea, 10.0, np.nan),
                {"standard_name": "eastward_wind", "units": "m s-1"},
            ),
            "wind_v": (
                dimensions,
                np.where(sea, 0.0, np.nan),
                {"standard_name": "northward_wind", "units": "m s-1"},
            ),
        },
        {
            "time": np.datetime64("2011-01-15T12:00:00", "ns") + hours,
            "latitude": (
                "latitude", latitude, {"standard_name": "latitude", "units": "degrees_north"},
            ),
            "longitude": (
                "longitude", longitude, {"standard_name": "longitude", "units": "degrees_east"},
            ),
        },
        {"Conventions": "CF-1.8", "title": "test"},
    )  # fmt: skip


@pytest.fixture
def global_waves() -> xr.Dataset:
    """5 degree global grid, longitudes 0 to 355."""
    return wave_data(np.arange(0.0, 360.0, 5.0), np.arange(-75.0, 76.0, 5.0))


@pytest.fixture
def global_file(tmp_path: Path, global_waves: xr.Dataset) -> Path:
    file = tmp_path / "fields.nc"
    global_waves.to_netcdf(file)
    return file


@pytest.fixture
def curvilinear() -> xr.DataArray:
    """Temperature 10 + latitude on a bent grid round the Earth, 2 depths, a masked row."""
    i, j = np.meshgrid(np.arange(36), np.arange(12))
    latitude = -55.0 + 10.0 * j + 3.0 * np.sin(np.deg2rad(10.0 * i))
    longitude = np.remainder(320.0 + 10.0 * i + 0.5 * j, 360.0)
    values = np.stack([10.0 + latitude, latitude])
    values[:, 3] = np.nan
    return xr.DataArray(
        values,
        dims=("depth", "j", "i"),
        coords={
            "latitude": (("j", "i"), latitude, {"standard_name": "latitude"}),
            "longitude": (("j", "i"), longitude, {"standard_name": "longitude"}),
            "depth": ("depth", [5.0, 1000.0], {"standard_name": "depth", "units": "m"}),
        },
        name="temperature",
        attrs={"standard_name": "sea_water_potential_temperature", "units": "degree_C"},
    )


def spectra_data(height: float = 3.0, period: float = 10.0, going_to: float = 60.0) -> xr.Dataset:
    """Point spectra of two stations at three times: a narrow spectrum, 1 m higher at each time."""
    frequency = 0.04 * 1.1 ** np.arange(24)
    direction = np.arange(0.0, 360.0, 15.0)
    shape = np.exp(-0.5 * ((frequency - 1.0 / period) / 0.012) ** 2)
    shape /= np.trapezoid(shape, frequency)
    away = np.deg2rad(direction - going_to)
    spread = np.where(np.cos(away) > 0.0, np.cos(away), 0.0) ** 8
    spread /= spread.sum() * np.deg2rad(15.0)
    energy = (height + np.arange(3.0)) ** 2 / 16.0
    values = energy[:, None, None, None] * shape[:, None] * spread * np.ones((3, 2, 1, 1))
    return xr.Dataset(
        {
            "efth": (("time", "station", "frequency", "direction"), values,
                     {"units": "m2 s rad-1"}),
            "wnd": (("time", "station"), np.full((3, 2), 9.0), {"units": "m s-1"}),
            "wnddir": (("time", "station"), np.full((3, 2), 230.0), {"units": "degree"}),
            "latitude": (("station",), [47.5, 20.0], {"units": "degrees_north"}),
            "longitude": (("station",), [-20.0, 200.0], {"units": "degrees_east"}),
        },
        {
            "time": np.datetime64("2011-01-15T12", "ns") + np.arange(3) * np.timedelta64(1, "h"),
            "frequency": ("frequency", frequency, {"units": "s-1"}),
            "direction": ("direction", direction,
                          {"standard_name": "sea_surface_wave_to_direction", "units": "degree"}),
            "station_name": ("station", ["Biscay", "Hawaii"]),
        },
    )  # fmt: skip


@pytest.fixture
def spectra() -> xr.Dataset:
    return spectra_data()


@pytest.fixture
def channel() -> xr.Dataset:
    """A Cartesian channel of 20 x 3 cells, its ends land: height = record + x / 100 km."""
    x, y = 10e3 * np.arange(20), 10e3 * np.arange(3)
    height = np.arange(4.0)[:, None, None] + 1e-5 * x + np.zeros((4, 3, 20))
    height[:, :, [0, -1]] = np.nan
    axes = {
        name: (name, values, {"standard_name": f"projection_{name}_coordinate", "units": "m"})
        for name, values in (("x", x), ("y", y))
    }
    time = np.datetime64("2000-01-01", "ns") + np.arange(4) * np.timedelta64(1, "h")
    fields = {"significant_height": (("time", "y", "x"), height, HEIGHT)}
    return xr.Dataset(fields, {"time": time, **axes}, {"title": "Growth with fetch"})
