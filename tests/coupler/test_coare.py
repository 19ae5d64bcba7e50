"""The COARE algorithm against another implementation, and what it must do whatever the numbers.

`coare_states.csv` holds 240 random states with the fluxes that pycoare 0.4.3 (of that name on the
Python package index, algorithm 3.6, ten turns, 45 N, heights 10 and 2 m) finds for them:
66 of them so stable that one turn is all, 84 with waves, 80 without a cool skin.
"""

from pathlib import Path

import numpy as np
import pytest

from halocline.coupler import _native
from halocline.runtime.fields.kernel import kernels_of

kernel = kernels_of(_native)["air_sea_fluxes"]
states = np.genfromtxt(Path(__file__).with_name("coare_states.csv"), delimiter=",", names=True)
gravity = 9.806197769204402
outputs = [argument.name for argument in kernel.arguments if argument.writes]


def surface(count, dtype=np.float64, **given):
    """Inputs of the kernel for one row of points: a mild breeze, but for what is given."""
    usual = {
        "sea": 1.0, "wind_east": 7.0, "wind_north": 0.0, "current_east": 0.0, "current_north": 0.0,
        "air_temperature": 288.15, "air_humidity": 0.008, "air_pressure": 1e5,
        "sea_temperature": 15.0, "short_wave": 0.0, "long_wave": 340.0, "rain": 0.0,
        "wave_height": 0.0, "wave_period": 8.0,
    }  # fmt: skip
    return {
        name: np.broadcast_to(np.asarray(value, dtype), (1, count)).copy()
        for name, value in (usual | given).items()
    }


def fluxes(inputs, *, cool_skin=1, turns=10):
    dtype = inputs["sea"].dtype
    count = inputs["sea"].shape[1]
    found = {name: np.full((1, count), np.nan, dtype) for name in outputs}
    kernel.function(
        box=(0, 1, 0, count, 0), **inputs, **found, wind_height=10.0, air_height=2.0,
        gravity=gravity, cool_skin=cool_skin, turns=turns,
    )  # fmt: skip
    return {name: values[0] for name, values in found.items()}


def known(some, dtype=np.float64):
    return surface(
        some.size,
        dtype,
        wind_east=some["wind"],
        air_temperature=some["air_temperature"] + 273.15,
        air_humidity=some["air_humidity"],
        air_pressure=100.0 * some["air_pressure"],
        sea_temperature=some["sea_temperature"],
        short_wave=some["short_wave"],
        long_wave=some["long_wave"],
        wave_height=some["wave_height"],
        wave_period=some["wave_speed"] * 2.0 * np.pi / gravity,
    )


@pytest.mark.parametrize("cool_skin", [1, 0])
@pytest.mark.parametrize(("dtype", "bound"), [(np.float64, 3e-6), (np.float32, 2e-2)])
def test_as_another_implementation(cool_skin, dtype, bound):
    """In 32 bits differences of temperature lose digits: an error is told of 1 % of the largest."""
    some = states[states["cool_skin"] == cool_skin]
    found = fluxes(known(some, dtype), cool_skin=cool_skin)
    for name, column in {
        "friction_velocity": "friction",
        "stress_east": "stress",
        "sensible_heat": "sensible",
        "latent_heat": "latent",
        "evaporation": "evaporation",
        "net_long_wave": "net_long_wave",
        "roughness_length": "roughness",
    }.items():
        expected = some[column]
        size = np.maximum(np.abs(expected), 0.01 * np.abs(expected).max())
        assert (np.abs(found[name] - expected) / size).max() < bound, name


def test_what_enters_the_sea_is_what_the_air_gives():
    found = fluxes(known(states) | {"rain": np.full((1, states.size), 1e-4)})
    leaves = found["sensible_heat"] + found["latent_heat"] + found["net_long_wave"]
    assert np.array_equal(found["heat_into_sea"], states["short_wave"] - leaves)
    assert np.array_equal(found["water_into_sea"], 1e-4 - found["evaporation"])


def test_stress_is_along_the_wind_that_the_current_feels():
    angle = np.linspace(0.0, 2.0 * np.pi, 37)
    east, north = 9.0 * np.cos(angle), 9.0 * np.sin(angle)
    still = fluxes(surface(37, wind_east=east, wind_north=north))
    assert np.allclose(still["stress_east"] * north, still["stress_north"] * east, atol=1e-12)
    assert np.ptp(np.hypot(still["stress_east"], still["stress_north"])) < 1e-12
    moving = fluxes(
        surface(
            37, wind_east=east + 0.7, wind_north=north - 0.4, current_east=0.7, current_north=-0.4
        )
    )
    assert np.allclose(moving["stress_east"], still["stress_east"], rtol=1e-12, atol=1e-14)


def test_neutral_air_has_a_logarithm():
    """Air of one virtual temperature with the sea: u* = k U / log(z / z0), and Edson's drag."""
    inputs = surface(1, wind_east=10.0, sea_temperature=15.0, long_wave=0.0)
    saturated = 0.622 * 0.98 * 17.04 / (1000.0 - 0.378 * 0.98 * 17.04)
    inputs["air_humidity"][:] = saturated
    inputs["air_temperature"][:] = 288.15 - gravity / 1004.67 * 2.0
    found = fluxes(inputs, cool_skin=0)
    friction, roughness = found["friction_velocity"][0], found["roughness_length"][0]
    gusty = np.hypot(10.0, 0.2)
    assert abs(friction - 0.4 * gusty / np.log(10.0 / roughness)) < 2e-3 * friction
    neutral = friction / 0.4 * (10.0 / gusty) * np.log(10.0 / roughness)
    charnock = 0.0017 * neutral - 0.005
    viscosity = 1.326e-5 * (1 + 6.542e-3 * 15.0 + 8.301e-6 * 225.0 - 4.84e-9 * 3375.0)
    expected = charnock * friction**2 / gravity + 0.11 * viscosity / friction
    assert abs(roughness - expected) < 1e-2 * expected


def test_land_has_none_and_calm_air_is_finite():
    found = fluxes(surface(21, sea=np.arange(21) % 2, wind_east=0.0, air_pressure=0.0))
    assert all(np.array_equal(values[::2], np.zeros(11)) for values in found.values())
    calm = fluxes(surface(9, wind_east=0.0, air_temperature=np.linspace(275.0, 300.0, 9)))
    assert all(np.isfinite(values).all() for values in calm.values())
    assert not calm["stress_east"].any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_in_lanes_and_alone(dtype):
    inputs = known(states[:37], dtype)
    together = fluxes(inputs)
    for point in range(37):
        alone = fluxes({name: array[:, point : point + 1].copy() for name, array in inputs.items()})
        assert all(alone[name][0] == together[name][point] for name in outputs)
