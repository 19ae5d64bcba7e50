"""Bulk formulas: similarity solved another way, published drag, fluxes of the model. Ranks: 1."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import fsolve

from halocline.core.errors import UserError
from halocline.ocean import _native
from halocline.ocean.bulk_options import BulkOptions
from halocline.ocean.forcing_options import OceanWindOptions, SurfaceForcingOptions
from halocline.ocean.options import OceanOptions, OceanStartOptions
from ocean.forced_ocean import build, monthly, still

calm = OceanWindOptions(amplitude=0.0)


def passing(sea, wind, air, humidity, height=10.0):
    """Heat [W m-2], evaporation and drag [kg m-2 s-1] of the kernel, of points in a row."""
    points = np.broadcast_arrays(*(np.asarray(x, float) for x in (sea, wind, air, humidity)))
    row = [np.ascontiguousarray(x.reshape(1, -1)) for x in points]
    count = row[0].size
    none, results = np.zeros((1, count)), [np.zeros((1, count)) for _ in range(3)]
    _native.ocean_bulk_heat(
        (0, 1, 0, count, 0), row[0].reshape(1, 1, 1, count), *row[1:], none, none, *results,
        height=height, density=1.22, gravity=9.806, karman=0.4,
    )  # fmt: skip
    return [result[0] for result in results]


def neutral_drag(u):
    """Large and Yeager 2009, equation 11."""
    if u >= 33.0:
        return 2.34e-3
    return 1e-3 * (2.70 / u + 0.142 + u / 13.09 - 3.14807e-10 * u**6)


def similarity(sea, wind, air, humidity, height):
    """The same fluxes from profiles: friction velocity and scales as roots of three equations."""
    ts, t, q = sea + 273.15, air + 273.15 + 0.0098 * height, 1e-3 * humidity
    saturated = 0.98 / 1.22 * 640380.0 * np.exp(-5107.4 / ts)

    def scales(u_star, t_star, q_star):
        buoyancy = t_star / (t * (1 + 0.608 * q)) + q_star / (q + 1 / 0.608)
        z = np.clip(0.4 * height * 9.806 * buoyancy / u_star**2, -10, 10)
        if z > 0:
            psi_m = psi_h = -5 * z
        else:
            x = (1 - 16 * z) ** 0.25
            psi_h = 2 * np.log((1 + x**2) / 2)
            psi_m = 2 * np.log((1 + x) / 2) + np.log((1 + x**2) / 2) - 2 * np.arctan(x) + np.pi / 2
        rise = np.log(height / 10)
        neutral = wind - u_star / 0.4 * (rise - psi_m)
        drag = neutral_drag(neutral)
        heat, moist = (18.0 if z > 0 else 32.7), 34.6
        return [
            drag**0.5 * neutral - u_star,
            1e-3 * heat * ((t - ts) - t_star / 0.4 * (rise - psi_h)) - t_star,
            1e-3 * moist * ((q - saturated) - q_star / 0.4 * (rise - psi_h)) - q_star,
        ]

    guess = [0.035 * wind, 0.03 * (t - ts), 0.034 * (q - saturated)]
    u_star, t_star, q_star = fsolve(lambda some: scales(*some), guess, xtol=1e-12)
    heat = 1.22 * 1000.5 * u_star * t_star + 2.5e6 * 1.22 * u_star * q_star
    return heat, -1.22 * u_star * q_star, 1.22 * u_star**2 / wind


@pytest.mark.parametrize("height", [10.0, 2.0])
@pytest.mark.parametrize(
    ("sea", "wind", "air", "humidity"),
    [
        (28.0, 6.0, 26.5, 17.0),
        (15.0, 10.0, 14.0, 8.0),
        (5.0, 12.0, -5.0, 2.0),
        (10.0, 9.0, 13.0, 9.0),
        (20.0, 35.0, 19.0, 12.0),
    ],
)
def test_fluxes_are_those_of_similar_profiles(sea, wind, air, humidity, height):
    got = [float(x[0]) for x in passing(sea, wind, air, humidity, height)]
    np.testing.assert_allclose(got, similarity(sea, wind, air, humidity, height), rtol=2e-3)


def test_drag_in_neutral_air():
    """1.18e-3 at 10 m/s, 2.34e-3 from 33 m/s on; below 0.5 m/s that of 0.5 m/s."""
    winds = np.array([0.1, 0.5, 5.0, 10.0, 20.0, 32.99, 33.0, 50.0])
    sea = 15.0
    humidity = 1e3 * 0.98 / 1.22 * 640380.0 * np.exp(-5107.4 / (sea + 273.15))
    _, evaporation, drag = passing(sea, winds, sea - 0.098, humidity)
    coefficient = drag / 1.22 / np.maximum(winds, 0.5)
    assert coefficient[3] == pytest.approx(1.18e-3, abs=5e-6)
    np.testing.assert_allclose(coefficient[-2:], 2.34e-3, rtol=1e-6)
    assert coefficient[-3] == pytest.approx(2.34e-3, rel=2e-3)
    np.testing.assert_allclose(coefficient[1:6], [neutral_drag(u) for u in winds[1:6]], rtol=1e-6)
    assert coefficient[0] == coefficient[1]
    assert np.abs(evaporation).max() < 1e-9


def test_air_of_files_drives_the_sea(tmp_path):
    """Stress along the mean wind with the mean speed; heat warms the uppermost level."""
    path = monthly(
        tmp_path / "air.nc",
        u10=lambda x, y, m: 3.0 + 0 * x,
        v10=lambda x, y, m: -4.0 + 0 * x,
        wind_speed=lambda x, y, m: 8.0 + 0 * x,
        t_air=lambda x, y, m: 9.0 + 0 * x,
        q_air=lambda x, y, m: 6.0 + 0 * x,
        sw_net=lambda x, y, m: 150.0 + 0 * x,
        lw_up=lambda x, y, m: 60.0 + 0 * x,
    )
    forcing = SurfaceForcingOptions(bulk=BulkOptions(file=path, every_year=True))
    start = OceanStartOptions(deep=10.0, range=0.0)
    options = OceanOptions(mixing=still, wind=calm, start=start, forcing=forcing)
    component, time = build(options)
    component.model.forcing.update(time)
    component.model.forcing.fluxes()
    heat, _, drag = passing(10.0, 8.0, 9.0, 6.0)
    s, mask = component.model.state, component.grid.mask
    wet = s.corner_floor.gather() < 5
    np.testing.assert_allclose(s.stress_x.gather()[wet], 3.0 * drag[0] / 1026.0, rtol=1e-9)
    np.testing.assert_allclose(s.stress_y.gather()[wet], -4.0 * drag[0] / 1026.0, rtol=1e-9)
    np.testing.assert_allclose(s.heat_flux.gather()[mask], 90.0 + heat[0], rtol=1e-9)
    below = (heat[0] - 60.0) / (1026.0 * 3996.0)
    np.testing.assert_allclose(s.surface_flux.gather()[0][mask], below, rtol=1e-9)
    component.close()
    windy = replace(options, wind=OceanWindOptions(file=path))
    with pytest.raises(UserError, match="Leave out ocean.wind.file"):
        build(windy)
