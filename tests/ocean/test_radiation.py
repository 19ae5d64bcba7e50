"""Short and long wave by formulas, against other ways to find them. Ranks: 1."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad

from halocline.core.sun import declination
from halocline.ocean import _native
from halocline.ocean.bulk_options import BulkOptions
from halocline.ocean.forcing_options import SurfaceForcingOptions
from halocline.ocean.options import OceanOptions, OceanStartOptions
from halocline.ocean.radiation import clear_sky, noon_altitude
from halocline.runtime.fields.place import Place
from ocean.forced_ocean import build, monthly, still


def test_the_sun_is_where_it_is_in_the_seasons():
    assert np.degrees(declination(171.5)) == pytest.approx(23.44, abs=0.05)
    assert np.degrees(declination(355.0)) == pytest.approx(-23.44, abs=0.05)
    assert np.degrees(declination(79.5)) == pytest.approx(0.0, abs=0.5)
    at_noon = noon_altitude(np.array([80.0, 38.0, -38.0, -80.0]), 355.0)
    assert at_noon == pytest.approx([0.0, 28.56, 75.44, 33.44], abs=0.05)


@pytest.mark.parametrize("day", [20, 171])
@pytest.mark.parametrize("latitude", [-60.0, 0.0, 38.0])
def test_a_clear_sky_adds_up_the_day(latitude, day):
    """By adaptive quadrature from sunrise to sunset, with the sun of Cooper (1969)."""
    y = np.radians(latitude)
    sun = np.radians(23.45) * np.sin(2.0 * np.pi * (284 + day + 1) / 365.0)

    def light(hour):
        height = np.sin(y) * np.sin(sun) + np.cos(y) * np.cos(sun) * np.cos(hour)
        direct = 0.7 ** (1.0 / max(height, 1e-9))
        return max(height, 0.0) * (direct + (0.91 - direct) / 2.0)

    rise = np.arccos(np.clip(-np.tan(y) * np.tan(sun), -1.0, 1.0))
    distance = 1.0 + 0.0334 * np.cos(2.0 * np.pi * (day - 3) / 365.0)
    expected = 1350.0 * distance * quad(light, -rise, rise)[0] / (2.0 * np.pi)
    assert clear_sky(np.array([latitude]), day)[0] == pytest.approx(expected, rel=0.015, abs=2.0)


def test_long_wave_of_a_cloudy_and_a_clear_sky():
    """Bignami et al. 1995: 20 degrees below air of 18 with 10 g/kg of vapour, by hand."""
    row, water = np.zeros((1, 2)), np.full((1, 2, 1, 2), 20.0)
    water[:, 0] = 5.0  # deeper
    given = [water, row + 18.0, row + 10.0, np.array([[0.0, 0.5]])]
    _native.ocean_long_wave((0, 1, 0, 2, 0), *given, row)
    vapour = 1013.25 * 0.01 / (0.622 + 0.378 * 0.01)
    sea, air = 5.670374e-8 * 293.15**4, 5.670374e-8 * 291.15**4
    clear = 0.98 * sea - air * (0.653 + 0.00535 * vapour)
    assert row[0] == pytest.approx([clear, clear - 0.1762 * 0.25 * (0.98 * sea - clear)])
    assert 90.0 < row[0, 1] < row[0, 0] < 120.0


@pytest.mark.parametrize("cloud", ["cloud", 0.4, 0.0])
def test_the_ocean_gets_light_and_long_wave_by_formulas(tmp_path, cloud):
    path = monthly(
        tmp_path / "air.nc",
        u10=lambda x, y, m: 0 * x, v10=lambda x, y, m: 0 * x,
        wind_speed=lambda x, y, m: 5.0 + 0 * x, t_air=lambda x, y, m: 10.0 + 0 * x,
        q_air=lambda x, y, m: 6.0 + 0 * x, cloud=lambda x, y, m: 0.4 + 0 * x,
    )  # fmt: skip
    bulk = BulkOptions(file=path, every_year=True, radiation="formulas", cloud=cloud, albedo=0.1)
    start = OceanStartOptions(deep=10.0, range=0.0)
    forcing = SurfaceForcingOptions(bulk=bulk)
    component, time = build(OceanOptions(mixing=still, start=start, forcing=forcing))
    forced = component.model.forcing
    forced.update(time.replace(month=6, day=20))
    forced.fluxes()
    s, wet = component.model.state, component.grid.mask
    y = np.broadcast_to(component.grid.horizontal.at(Place.center).y, wet.shape)
    covered = 0.4 if cloud == "cloud" else cloud

    def light(altitude, day):
        passing = np.minimum(1.0 - 0.62 * covered + 0.0019 * altitude, 1.0)
        return 0.9 * clear_sky(y, day) * passing

    june = light(90.0 - y + 23.44, 171)
    np.testing.assert_allclose(s.short_wave.gather()[wet], june[wet], rtol=1e-3)
    heat = s.heat_flux.gather()[wet] - s.short_wave.gather()[wet]
    without = replace(bulk, radiation="files", short_wave="cloud", long_wave="cloud")
    other, _ = build(
        replace(OceanOptions(mixing=still, start=start), forcing=replace(forcing, bulk=without))
    )
    other.model.forcing.update(time.replace(month=6, day=20))
    other.model.forcing.fluxes()
    turbulent = other.model.state.heat_flux.gather()[wet]
    air = 5.670374e-8 * 283.15**4
    vapour = 1013.25 * 0.006 / (0.622 + 0.378 * 0.006)
    up = 0.98 * air - air * (0.653 + 0.00535 * vapour) * (1.0 + 0.1762 * covered**2)
    np.testing.assert_allclose(turbulent - heat, up, rtol=1e-6)
    forced.update(time.replace(month=12, day=22))
    december = light(np.maximum(90.0 - y - 23.44, 0.0), 355)
    np.testing.assert_allclose(s.short_wave.gather()[wet], december[wet], rtol=1e-3, atol=1e-3)
    assert s.short_wave.gather()[wet].min() < 2.0 < 50.0 < s.short_wave.gather()[wet].max()
    component.close()
    other.close()
