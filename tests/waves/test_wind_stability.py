"""Stability correction: formula, signs, no effect when off."""

from __future__ import annotations

import math

import numpy as np
import pytest

from halocline.waves import inspection
from halocline.waves.source_integration import SourceSettings
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.wind_stability import WindStability

grid = SpectralGrid(frequencies=20, directions=12)


def friction_velocity(difference, enabled, speed=10.0):
    settings = SourceSettings(grid, stability=WindStability(enabled=enabled))
    box = inspection.BoxModel(grid, wind=(speed, 270.0), settings=settings)
    box.state["air_sea_difference"][:] = difference
    box.advance(900.0)
    return box.friction_velocity


def effective(speed, difference):
    """The published formula with its default constants."""
    s = 10 * 9.806 / 273 * difference / max(speed, 5.0) ** 2 + 0.01
    factor = 1 - 0.1 * math.tanh(max(0, -150 * s)) + 0.1 * math.tanh(max(0, 150 * s))
    return speed * math.sqrt(1.38 / factor)


@pytest.mark.parametrize("difference", [-8.0, -1.0, 0.0, 1.0, 8.0])
def test_stress_is_that_of_the_effective_wind(difference):
    corrected = friction_velocity(difference, enabled=True)
    plain = friction_velocity(0.0, enabled=False, speed=effective(10.0, difference))
    np.testing.assert_allclose(corrected, plain, rtol=1e-12)


def test_unstable_air_is_more_effective():
    assert friction_velocity(-5.0, True) > friction_velocity(0.0, True)
    assert friction_velocity(0.0, True) >= friction_velocity(5.0, True)
    assert friction_velocity(-5.0, False) == friction_velocity(5.0, False)
