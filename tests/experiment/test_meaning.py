"""Output files mean what their metadata say: values are found by CF standard name and units alone.

A wind from 250 degrees (west-south-west) blows over the open sea, so that all signs are known.
"""

import math

import numpy as np
import pytest
import xarray
from cf_units import Unit

import halocline

speed, comes_from = 15.0, 250.0
east, north = (-math.sin(math.radians(comes_from)), -math.cos(math.radians(comes_from)))
waves = "sea_surface_wave"
period = f"{waves}_mean_period_from_variance_spectral_density"

case = {
    "grid": {"kind": "cartesian", "nx": 12, "ny": 8, "dx": 2e4, "dy": 2e4, "depth": 3000.0},
    "spectrum": {"frequencies": 20, "directions": 24},
    "time": {"start": "2000-01-01", "length": "3h", "step": "15min"},
    "forcing": {"wind": {"speed": speed, "direction": comes_from}},
    "start": {"kind": "jonswap"},
    "output": {
        "fields": {
            "maps": {
                "interval": "3h",
                "precision": "float64",
                "variables": [
                    "significant_height", "mean_period", "mean_period_energy",
                    "mean_period_zero_crossing", "peak_period", "mean_direction",
                    "peak_direction", "directional_spread", "stokes_drift_u", "stokes_drift_v",
                    "wind_u", "wind_v", "wind_speed", "wind_direction", "wind_sea_height",
                    "wind_sea_direction", "wind_sea_peak_period", "depth",
                ],
            }
        },
        "points": {"buoy": {"points": {"middle": [1e5, 8e4]}, "precision": "float64"}},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("meaning")
    halocline.run(case, output=folder)
    return folder


@pytest.fixture(scope="module")
def value(folder):
    """The value of a standard name in the middle of the map, in units of one's own choice."""
    with xarray.open_dataset(folder / "maps.nc", decode_timedelta=False) as data:
        last = data.isel(time=-1).load()

    def value(standard_name, units):
        (found,) = last.filter_by_attrs(standard_name=standard_name).data_vars.values()
        middle = float(found.values[4, 6])
        return Unit(found.attrs["units"]).convert(middle, units)

    return value


def test_wind_blows_to_the_east_and_a_little_to_the_north(value):
    assert value("eastward_wind", "m s-1") == pytest.approx(speed * east)
    assert value("northward_wind", "m s-1") == pytest.approx(speed * north)
    assert value("wind_speed", "m s-1") == pytest.approx(speed)
    assert value("wind_from_direction", "degree") == pytest.approx(comes_from)


@pytest.mark.parametrize(
    "name", ["", "_at_variance_spectral_density_maximum", "wind"], ids=["mean", "peak", "wind sea"]
)
def test_waves_come_from_where_the_wind_does(value, name):
    of = "sea_surface_wind_wave" if name == "wind" else waves
    where = f"{of}_from_direction{'' if name == 'wind' else name}"
    assert value(where, "degree") == pytest.approx(comes_from, abs=3.0)


def test_stokes_drift_goes_with_the_wind(value):
    u = value(f"{waves}_stokes_drift_eastward_velocity", "m s-1")
    v = value(f"{waves}_stokes_drift_northward_velocity", "m s-1")
    drift = math.hypot(u, v)
    # About 1 % of the wind (Kenyon 1969; Webb & Fox-Kemper 2011).
    assert 0.004 * speed < drift < 0.02 * speed
    assert u / drift == pytest.approx(east, abs=0.05)
    assert v / drift == pytest.approx(north, abs=0.05)


def test_periods_are_seconds_and_in_their_order(value):
    """Moments of one spectrum: Tm0,2 < Tm0,1 < Tm-1,0 < Tp, whatever its shape (Cauchy-Schwarz)."""
    second, first, inverse = (
        value(f"{period}_{moment}_frequency_moment", "s")
        for moment in ("second", "first", "inverse")
    )
    peak = value(f"{waves}_period_at_variance_spectral_density_maximum", "s")
    assert 4.0 < second < first < inverse < peak < 14.0
    wind_sea = value("sea_surface_wind_wave_period_at_variance_spectral_density_maximum", "s")
    assert wind_sea == pytest.approx(peak, rel=0.05)


def test_height_and_depth_are_metres(value, folder):
    height = value(f"{waves}_significant_height", "m")
    assert 2.0 < height < 8.0
    assert value("sea_surface_wind_wave_significant_height", "m") <= height * (1 + 1e-6)
    assert value("sea_floor_depth_below_geoid", "m") == 3000.0
    # Four times the root of the integral of the spectrum at the same place.
    with xarray.open_dataset(folder / "buoy.nc", decode_timedelta=False) as data:
        name = f"{waves}_directional_variance_spectral_density"
        (spectrum,) = data.filter_by_attrs(standard_name=name).data_vars.values()
        last = spectrum.isel(time=-1, station=0)
        width = 2 * math.pi / last.sizes["direction"]
        density = (last.sum("direction") * width).values
        assert Unit(spectrum.attrs["units"]) == Unit("m2 s rad-1")
        f = data["frequency"]
        assert f.attrs["standard_name"] in ("wave_frequency", f"{waves}_frequency")
        f = Unit(f.attrs["units"]).convert(f.values, "s-1")
        energy = np.trapezoid(density, f) + density[-1] * f[-1] / 4
        assert 4 * math.sqrt(energy) == pytest.approx(height, rel=0.02)
        to = data["direction"]
        assert to.attrs["standard_name"] == f"{waves}_to_direction"
        goes = float(to[int(last.sum("frequency").values.argmax())])
        assert Unit(to.attrs["units"]).convert(goes, "degree") == pytest.approx(70.0, abs=15.0)
