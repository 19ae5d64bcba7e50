"""Gases between air and sea: published values and `gsw`. Ranks: 1."""

import gsw
import numpy as np
import pytest

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.gas_exchange import GasExchangeOptions


def of_water(name, t, s, third=0.0, fourth=0.0, options=None):
    """One function of temperature, salinity and what else it takes."""
    given = [np.ravel(x) for x in np.broadcast_arrays(*map(np.atleast_1d, (t, s, third, fourth)))]
    result = np.empty(given[0].size)
    gas = (options or GasExchangeOptions()).numbers
    _native.of_water(name, gas, np.array(given, float), result)
    return result if result.size > 1 else float(result[0])


def test_published_values():
    """Wanninkhof 2014 at 20 degree C; the guide to best practices 2007 at 25; Garcia and Gordon."""
    assert of_water("carbon_dioxide_schmidt", 20, 35) == pytest.approx(668, abs=0.5)
    assert of_water("oxygen_schmidt", 20, 35) == pytest.approx(568, abs=0.5)
    assert np.log(of_water("carbon_dioxide_solubility", 25, 35)) == pytest.approx(-3.5617, abs=5e-5)
    virial = (-123.2 + 2 * 22.5) / (82.05736 * 298.15)
    assert np.log(of_water("fugacity_coefficient", 25, 35)) == pytest.approx(virial, abs=5e-6)
    assert of_water("oxygen_saturation", 10, 35) == pytest.approx(282.015, abs=5e-4)


def test_vapour_of_fresh_water_and_of_the_sea():
    """31.69 hPa over fresh water at 25 degree C; salt of 35 takes off 1.9 %."""
    fresh = of_water("vapour_pressure", 25, 0)
    assert 1013.25 * fresh == pytest.approx(31.69, abs=0.05)
    assert of_water("vapour_pressure", 25, 35) / fresh == pytest.approx(1 - 0.0189, abs=5e-4)


def test_oxygen_saturation_is_that_of_gsw():
    """That of gsw is per kg; the two fits of Garcia and Gordon differ by less than 3e-4."""
    t, s = (x.ravel() for x in np.meshgrid(np.linspace(-1, 35, 19), np.linspace(0, 40, 9)))
    density = of_water("density", t, s)
    ours, theirs = of_water("oxygen_saturation", t, s), 1e-3 * density * gsw.O2sol_SP_pt(s, t)
    np.testing.assert_allclose(ours, theirs, rtol=3e-4)


def test_fluxes_follow_the_wind_squared_and_the_difference():
    t, s = 15.0, 38.0
    saturated = of_water("oxygen_saturation", t, s)
    low = GasExchangeOptions(pressure=0.5 * 1013.25)
    for name, even in [("oxygen_flux", saturated)]:
        assert of_water(name, t, s, 10, even) == pytest.approx(0, abs=1e-12)
        assert of_water(name, t, s, 10, 0.5 * even, low) == pytest.approx(0, abs=1e-12)
        weak, strong = (of_water(name, t, s, wind, 0.9 * even) for wind in (5, 10))
        assert weak > 0 and strong == pytest.approx(4 * weak)
    dioxide = of_water("carbon_dioxide_solubility", t, s) * of_water("air_fugacity", t, s, 4e-4)
    assert of_water("carbon_dioxide_flux", t, s, 10, dioxide) == pytest.approx(0, abs=1e-16)
    schmidt = of_water("carbon_dioxide_schmidt", t, s)
    out = of_water("carbon_dioxide_flux", t, s, 10, 2 * dioxide)
    expected = -0.251e-2 / 3600 * 100 * (schmidt / 660) ** -0.5 * dioxide
    assert out == pytest.approx(expected, rel=1e-12)
