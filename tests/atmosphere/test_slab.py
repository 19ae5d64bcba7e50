"""Soil: the wave of a day, budgets, and what covers the land. Ranks: 1."""

from dataclasses import astuple

import numpy as np
import pytest

from atmosphere.column import run_columns
from halocline.atmosphere.land.land_use import covers
from halocline.atmosphere.land.slab_options import SlabOptions, soil_depth

sigma, latent, inertia, diffusivity = 5.670374e-8, 2.5e6, 1500.0, 5e-7
capacity = inertia / np.sqrt(diffusivity)


def soil(temperature, depth=soil_depth, dt=60.0, count=1, **given):
    """A step of columns that take no long wave and lose none, but for `given`."""
    arrays = {
        "soil_temperature": temperature, "skin_temperature": temperature[0],
        "deep_temperature": 290.0, "land": 1.0, "albedo": 0.0, "emissivity": 0.0,
        "soil_heat_capacity": capacity, "short_wave_down": 0.0, "long_wave_down": 0.0,
        "heat_flux": 0.0, "vapor_flux": 0.0, "soil_depth": np.array(depth),
    }  # fmt: skip
    numbers = {"diffusivity": diffusivity, "dt": dt}
    extents = {"soil": len(depth)}
    return run_columns("atmosphere_slab", count, arrays | given, numbers, extents)


def day(depth, dt, days=3):
    """Amplitude [K] and lag [rad] of layers at the last day's end of a flux of 100 cos(w t)."""
    turning, steps = 2 * np.pi / 86400, int(86400 / dt)
    temperature, last = np.full((len(depth), 1), 290.0), []
    for step in range(days * steps):
        flux = 100.0 * np.cos(turning * (step + 1) * dt)
        got = soil(temperature, depth, dt, heat_flux=-flux)
        temperature = got["soil_temperature"]
        if step >= (days - 1) * steps:
            last.append(temperature[:, 0])
    time = turning * dt * (np.arange(steps) + 1)
    wave = 2 * np.mean((np.array(last) - 290.0) * np.exp(-1j * time)[:, None], axis=0)
    return np.abs(wave), -np.angle(wave)


def test_the_wave_of_a_day_goes_down_as_it_must():
    """100 W/m2: amplitude 100 / (I sqrt w) e^(-z/d), lag pi/4 + z/d."""
    fine = np.full(50, 0.02)
    amplitude, lag = day(fine, 900.0)
    turning = 2 * np.pi / 86400
    scaled = (np.cumsum(fine) - 0.01) / np.sqrt(2 * diffusivity / turning)
    exact = 100 / (inertia * np.sqrt(turning)) * np.exp(-scaled)
    np.testing.assert_allclose(amplitude[:10], exact[:10], rtol=0.04)
    np.testing.assert_allclose(lag[:10], np.pi / 4 + scaled[:10], atol=0.06)


def test_five_layers_have_that_wave_nearly():
    """Of the skin, at the middle of the uppermost layer: amplitude and lag."""
    amplitude, lag = day(soil_depth, 900.0)
    turning = 2 * np.pi / 86400
    scaled = 0.005 / np.sqrt(2 * diffusivity / turning)
    exact = 100 / (inertia * np.sqrt(turning)) * np.exp(-scaled)
    assert amplitude[0] == pytest.approx(exact, rel=0.1)
    assert lag[0] == pytest.approx(np.pi / 4 + scaled, abs=0.08)


def test_energy_closes():
    """What the ground takes is in the soil or in the substrate, and is what the fluxes say."""
    random, count, dt = np.random.default_rng(2), 9, 120.0
    old = random.uniform(275, 305, (5, count))
    given = {
        "deep_temperature": random.uniform(280, 290, count),
        "albedo": random.uniform(0.1, 0.6, count), "emissivity": random.uniform(0.8, 1, count),
        "soil_heat_capacity": random.uniform(1e6, 4e6, count),
        "short_wave_down": random.uniform(0, 900, count),
        "long_wave_down": random.uniform(250, 400, count),
        "heat_flux": random.uniform(-50, 300, count),
        "vapor_flux": random.uniform(-1e-5, 1e-4, count),
    }  # fmt: skip
    got = soil(old, dt=dt, count=count, **given)
    new, taken = got["soil_temperature"], got["ground_flux"]
    net = (1 - given["albedo"]) * given["short_wave_down"] - given["heat_flux"]
    net += given["emissivity"] * (given["long_wave_down"] - sigma * old[0] ** 4)
    np.testing.assert_allclose(taken, net - latent * given["vapor_flux"], rtol=1e-12)
    heat = given["soil_heat_capacity"]
    lost = heat * diffusivity * (new[4] - given["deep_temperature"]) / 0.24
    stored = heat * (np.array(soil_depth)[:, None] * (new - old)).sum(axis=0) / dt
    np.testing.assert_allclose(stored + lost, taken, rtol=1e-9)
    assert np.array_equal(got["skin_temperature"], new[0])
    inner = heat * diffusivity * (new[1] - new[2]) / 0.03
    deeper = heat * diffusivity * (new[2] - new[3]) / 0.06
    np.testing.assert_allclose(inner - deeper, heat * 0.04 * (new[2] - old[2]) / dt, rtol=1e-8)


def test_the_sea_stays():
    got = soil(np.full((5, 2), 280.0), count=2, land=[0.0, 1.0], heat_flux=-500.0)
    assert got["skin_temperature"][0] == 280.0 < got["skin_temperature"][1]
    assert got["ground_flux"][0] == 0.0
    assert (got["soil_temperature"][:, 0] == 280.0).all()


def test_a_warm_substrate_warms():
    got = soil(np.full((5, 1), 280.0), deep_temperature=290.0, dt=3600.0)
    assert (np.diff(got["soil_temperature"][:, 0]) > 0).all()


def test_covers_are_of_this_world():
    """Numbers as published of one of them; all within bounds, forests rougher than fields."""
    assert astuple(SlabOptions(cover="agriculture").land_cover) == pytest.approx(
        (0.17, 0.30, 0.92, 0.15, 1673.6)
    )
    assert SlabOptions(cover="agriculture").heat_capacity == pytest.approx(2.367e6, rel=1e-3)
    assert SlabOptions(cover="tundra", season="winter").land_cover.albedo == 0.70
    for summer, winter in covers.values():
        for cover in (summer, winter):
            assert 0 < cover.albedo < 1
            assert 0 < cover.moisture_availability <= 1
            assert 0.8 < cover.emissivity <= 1
            assert 1e-4 <= cover.roughness <= 1
            assert 800 < cover.thermal_inertia < 2600
        assert winter.moisture_availability >= summer.moisture_availability
    assert covers["mixed-forest"][0].roughness > covers["agriculture"][0].roughness
