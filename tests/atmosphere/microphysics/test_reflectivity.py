"""Reflectivity against integrals over sizes and published relations of rain."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from halocline.atmosphere import _native
from halocline.atmosphere.microphysics.kessler import KesslerOptions
from halocline.atmosphere.microphysics.wsm6 import Wsm6Options

density = 1.1


def reflectivity(water: dict[int, float], celsius: float = 10.0, kinds: int = 6, wet: bool = False):
    """Of one cell below a dry one, and of the column [dBZ]."""
    shape = (2, 1, 17)
    arrays = {
        "exner": np.ones(shape),
        "air_density": np.full(shape, density),
        "dry_theta": np.full(shape, celsius + 273.15 - 300.0),
        "water": np.zeros((kinds, *shape)),
        "reflectivity": np.zeros(shape),
        "column_reflectivity": np.zeros(shape[1:]),
    }
    for kind, ratio in water.items():
        arrays["water"][kind, 0] = ratio
    scheme = KesslerOptions() if kinds == 3 else Wsm6Options(wet_echo=wet)
    _native.atmosphere_reflectivity((0, 1, 0, 17, 0), **arrays, **scheme.reflectivity)
    assert np.ptp(arrays["reflectivity"], axis=2).max() == 0.0
    np.testing.assert_allclose(arrays["reflectivity"][1], -30.0, rtol=1e-12)
    assert np.array_equal(arrays["column_reflectivity"], arrays["reflectivity"][0])
    return arrays["reflectivity"][0, 0, 0]


def of_sizes(content: float, particle: float, intercept: float) -> float:
    """Integral of N0 exp(-lambda D) D^6 [mm6 m-3], lambda from that of mass."""
    slope = (np.pi * particle * intercept / content) ** 0.25
    moment, _ = quad(lambda x: x**6 * np.exp(-x), 0.0, 60.0)
    return intercept / slope**7 * moment * 1e18


@pytest.mark.parametrize("kinds", [3, 6])
def test_rain(kinds):
    """1 g m-3 of Marshall and Palmer's rain: 43 dBZ (2.04e4 M^1.75 mm6 m-3, M in g m-3)."""
    found = reflectivity({2: 1e-3 / density}, kinds=kinds)
    assert abs(found - 10.0 * np.log10(of_sizes(1e-3, 1000.0, 8e6))) < 1e-6
    assert abs(found - 10.0 * np.log10(2.04e4)) < 0.05


@pytest.mark.parametrize("celsius", [-15.0, 3.0])
@pytest.mark.parametrize("wet", [False, True])
def test_snow_and_graupel(celsius, wet):
    """As bright as |K|^2 of ice of their density; melting, if wet, as that of water."""
    content = {4: 5e-4, 5: 2e-3}
    found = 10.0 ** (
        0.1 * reflectivity({k: q / density for k, q in content.items()}, celsius, wet=wet)
    )
    snow = of_sizes(content[4], 100.0, 2e6 * np.exp(0.12 * max(-celsius, 0.0)))
    graupel = of_sizes(content[5], 500.0, 4e6)
    share = 1.0 / 1000.0**2 if wet and celsius > 0.0 else 0.176 / 0.930 / 917.0**2
    np.testing.assert_allclose(found, share * (100.0**2 * snow + 500.0**2 * graupel), rtol=1e-6)


def test_dry_air():
    assert abs(reflectivity({}) + 30.0) < 1e-12
