"""Moist soundings against what is published of them, and balance."""

from __future__ import annotations

import numpy as np
import pytest

from halocline.atmosphere.sounding import SoundingOptions, wet_equivalent_theta
from halocline.core import moist_air
from halocline.core.errors import UserError


def test_weisman_and_klemp():
    """Equations 1 to 3; hydrostatic."""
    p = SoundingOptions(kind="weisman-klemp").profile(1e4)
    temperature = p.theta * moist_air.exner(p.pressure)
    at = int(np.searchsorted(p.height, 6000.0))
    assert p.theta[at] == pytest.approx(300.0 + 43.0 * 0.5**1.25)
    saturated = moist_air.mixing_ratio(moist_air.saturation_pressure(temperature), p.pressure)
    assert p.vapor[at] / saturated[at] == pytest.approx(1.0 - 0.75 * 0.5**1.25)
    assert p.vapor[0] == 0.014 and p.vapor[-1] == pytest.approx(0.25 * saturated[-1])
    weight = np.diff(p.pressure) / np.diff(p.height) / -9.81
    density = p.dry_density * (1.0 + p.vapor)
    np.testing.assert_allclose(weight[:-1], (0.5 * (density[1:] + density[:-1]))[:-1], rtol=1e-4)
    above = int(np.searchsorted(p.height, 14e3))
    assert p.theta[above] == pytest.approx(343.0 * np.exp(9.81 * 2e3 / (1004.5 * 213.0)))


def test_saturated_neutral_air_has_one_wet_equivalent_temperature():
    """To 1 K: schemes here have one heat capacity, that of dry air."""
    p = SoundingOptions(kind="saturated-neutral").profile(2.5e4)
    temperature = p.theta * moist_air.exner(p.pressure)
    np.testing.assert_allclose(p.vapor + p.cloud, 0.02, rtol=1e-14)
    saturated = moist_air.mixing_ratio(moist_air.saturation_pressure(temperature), p.pressure)
    np.testing.assert_allclose(p.vapor, saturated, rtol=1e-12)
    theta = wet_equivalent_theta(temperature, p.vapor, p.vapor + p.cloud, p.pressure)
    assert theta[0] == pytest.approx(320.0, abs=1e-6)
    made = moist_air.vaporization / (1004.5 * moist_air.exner(p.pressure[:-1])) * -np.diff(p.vapor)
    np.testing.assert_allclose(np.diff(p.theta), made, rtol=2e-3)


def test_air_that_cannot_hold_its_vapour_is_refused():
    with pytest.raises(UserError, match="holds 0.0.* as vapour"):
        SoundingOptions(kind="saturated-neutral", total_water=0.001).profile(5e4)
