"""What physics reads of the air, against the law of gases and the weight of what lies above."""

from __future__ import annotations

import numpy as np
import pytest

from atmosphere.calling import call
from halocline.core import moist_air

levels, nj, ni = 6, 2, 19
box = (0, nj, 0, ni, 0)


def moist(dtype: type) -> dict[str, np.ndarray]:
    """Arrays of the state, by arguments' names, made of temperature, pressure and vapour."""
    random = np.random.default_rng(3)
    shape = levels, nj, ni
    temperature, pressure = random.uniform(250, 300, shape), random.uniform(3e4, 1e5, shape)
    water = random.uniform(0.0, 0.02, (3, *shape))
    theta = temperature / (pressure / 1e5) ** (2 / 7)
    dry_density = pressure / (287.0 * temperature * (1 + water[0] * 461.6 / 287.0))
    base = np.linspace(9e4, 3e4, levels)[:, None, None] + np.zeros(shape)
    geopotential = np.cumsum(random.uniform(2e3, 4e3, (levels + 1, nj, ni)), axis=0)
    found = {
        "theta": theta * (1 + water[0] * 461.6 / 287.0) - 300.0, "water": water,
        "pressure": pressure - base, "base_pressure": base, "full_volume": 1.0 / dry_density,
        "geopotential": 0.25 * geopotential, "base_geopotential": 0.75 * geopotential,
    }  # fmt: skip
    wanted = {
        "dry_theta": theta - 300.0, "air_pressure": pressure, "air_density": dry_density,
        "exner": moist_air.exner(pressure), "layer_depth": np.diff(geopotential, axis=0) / 9.81,
        "height": (0.5 * (geopotential[1:] + geopotential[:-1]) - geopotential[0]) / 9.81,
    }  # fmt: skip
    return {name: values.astype(dtype) for name, values in found.items()} | {"wanted": wanted}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_air_is_what_the_law_of_gases_says(dtype):
    given = moist(dtype)
    wanted = given.pop("wanted")
    found = {name: np.full(values.shape, np.nan, dtype) for name, values in wanted.items()}
    call("atmosphere_air_for_physics", box, given | found)
    few = 1e-5 if dtype is np.float32 else 1e-12
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=few, atol=few * 300.0, err_msg=name)
    again = np.full_like(found["dry_theta"], np.nan)
    call("atmosphere_moist_theta", box, given | found | {"theta": again})
    np.testing.assert_allclose(again, given["theta"], atol=few * 10.0)


def test_dry_air_needs_no_water():
    given = moist(np.float64)
    wanted = given.pop("wanted")
    found = {name: np.full(values.shape, np.nan) for name, values in wanted.items()}
    call("atmosphere_air_for_physics", box, given | found | {"water": None, "height": None})
    np.testing.assert_array_equal(found["dry_theta"], given["theta"])


def test_the_ground_bears_the_lower_half_of_the_lowest_layer_with_its_water():
    given = moist(np.float64)
    air = given.pop("wanted")
    dilution, pressure = np.full((levels, nj, ni), np.nan), np.full((nj, ni), np.nan)
    numbers = np.full_like(given["water"][:1], 1e5)  # of particles, which do not weigh
    water = np.concatenate([given["water"], numbers])
    kinds = len(given["water"])
    call("atmosphere_dilution", box, {"water": water, "dilution": dilution}, kinds=kinds)
    np.testing.assert_allclose(1.0 / dilution, 1.0 + given["water"].sum(axis=0), rtol=1e-15)
    call(
        "atmosphere_surface_pressure", box,
        air | {"dilution": dilution, "surface_pressure": pressure},
    )  # fmt: skip
    all_mass = air["air_density"][0] * (1.0 + given["water"][:, 0].sum(axis=0))
    weight = 0.5 * 9.81 * all_mass * air["layer_depth"][0]
    np.testing.assert_allclose(pressure, air["air_pressure"][0] + weight, rtol=1e-14)
