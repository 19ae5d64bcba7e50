"""Moist air against published tables and MetPy's documented numbers.

MetPy 1.7.1's are those of the examples in its reference (metpy.calc) and of its own functions at
the values that stand here; its constants and its saturation pressure (Ambaum 2020) are not ours.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core import moist_air


def test_saturation_is_that_of_the_tables():
    """Smithsonian Meteorological Tables (List 1949), tables 94 and 96 [hPa]."""
    celsius = np.array([-20.0, -10.0, 0.0, 10.0, 20.0, 30.0, 40.0])
    water = np.array([1.2540, 2.8627, 6.1078, 12.272, 23.373, 42.430, 73.777])
    found = moist_air.saturation_pressure(celsius + 273.15) / 100
    assert_allclose(found, water, rtol=3e-3)
    ice = moist_air.saturation_pressure_over_ice(np.array([-40.0, -20.0, -10.0]) + 273.15) / 100
    assert_allclose(ice, [0.1283, 1.032, 2.597], rtol=3e-3)


def test_clouds_are_of_ice_when_cold_and_of_water_when_warm():
    cold, warm = np.array([220.0, 253.15]), np.array([273.15, 290.0])
    over = moist_air.saturation_pressure_of_clouds
    assert_allclose(over(cold), moist_air.saturation_pressure_over_ice(cold))
    assert_allclose(over(warm), moist_air.saturation_pressure(warm))
    both = (
        moist_air.saturation_pressure(np.array(263.15)),
        moist_air.saturation_pressure_over_ice(np.array(263.15)),
    )
    assert over(np.array(263.15)) == pytest.approx(0.5 * sum(both))


def test_condensation_level_is_metpys():
    """metpy.calc.lcl: 943 hPa, 33 and 28 degrees give 877.033549 hPa, 26.7591908 degrees."""
    vapor = moist_air.saturation_pressure(np.array(301.15))
    q = moist_air.mixing_ratio(vapor, np.array(94300.0))
    level = moist_air.condensation_level(np.array(306.15), q, np.array(94300.0))
    assert level / 100 == pytest.approx(877.03, abs=0.8)
    reached = moist_air.condensation_temperature(np.array(306.15), vapor)
    assert reached - 273.15 == pytest.approx(26.759, abs=0.08)


def test_two_formulas_of_bolton_agree():
    """Temperature of condensation by his equations 15 (dew point) and 21, which err by 0.1 K."""
    t = np.array([243.15, 263.15, 283.15, 303.15])[:, None]
    dew = t - np.array([0.5, 3.0, 10.0, 20.0])
    by_dew = 1.0 / (1.0 / (dew - 56.0) + np.log(t / dew) / 800.0) + 56.0
    found = moist_air.condensation_temperature(t, moist_air.saturation_pressure(dew))
    assert_allclose(found, by_dew, atol=0.15)


def test_equivalent_potential_temperature_is_metpys():
    """metpy.calc.equivalent_potential_temperature: 850 hPa, 20, 18 degrees: 353.89887 K.

    1000 hPa, 293 and 280 K: 311.17706 K; 900 hPa, 313 and 288 K: 361.08852 K.
    """
    numbers = (
        (85e3, 293.15, 291.15, 353.899), (1e5, 293.0, 280.0, 311.177), (9e4, 313.0, 288.0, 361.089),
    )  # fmt: skip
    for p, t, dew, wanted in numbers:
        q = moist_air.mixing_ratio(moist_air.saturation_pressure(np.array(dew)), np.array(p))
        found = moist_air.equivalent_potential_temperature(np.array(t), q, np.array(p))
        assert found == pytest.approx(wanted, abs=0.06)


def test_pseudo_adiabat_is_metpys_and_of_fourth_order():
    """metpy.calc.moist_lapse from 293 K at 1000 hPa."""
    levels = np.array([800.0, 600.0, 500.0, 400.0]) * 100
    t, p = np.full(4, 293.0), np.full(4, 1e5)
    found = moist_air.lifted_saturated(t, p, levels)
    assert_allclose(found, [284.63784, 272.80433, 264.40506, 252.88370], atol=0.05)
    exact = moist_air.lifted_saturated(t, p, levels, longest=1e-3)
    one, other = (
        np.abs(moist_air.lifted_saturated(t, p, levels, longest=s) - exact)[-1]
        for s in (0.31, 0.154)
    )
    assert 3.6 < np.log2(one / other) < 4.4 and one < 2e-3
    # Down again to where it came from.
    assert_allclose(moist_air.lifted_saturated(exact, levels, p), 293.0, atol=1e-5)


def test_equivalent_potential_temperature_stays_along_a_pseudo_adiabat():
    """Within Bolton's 0.3 K or so: his fit is that of a pseudo-adiabat with other heats."""
    levels = np.array([900.0, 700.0, 500.0, 300.0]) * 100
    t = moist_air.lifted_saturated(np.full(4, 293.0), np.full(4, 1e5), levels)
    both = [(293.0, 1e5), *zip(t, levels, strict=True)]
    theta = [
        moist_air.equivalent_potential_temperature(
            np.array(a), moist_air.mixing_ratio(moist_air.saturation_pressure(np.array(a)), b), b
        )
        for a, b in both
    ]
    assert_allclose(theta, theta[0], atol=1.0)


def test_vapour_goes_to_pressure_and_back():
    q, p, t = np.array([1e-6, 0.02]), np.array([3e4, 1e5]), np.array([250.0, 300.0])
    assert_allclose(moist_air.mixing_ratio(moist_air.vapor_pressure(q, p), p), q, rtol=1e-13)
    # Virtual temperature: p = rho Rd Tv with the densities of both gases.
    rho_dry = (p - moist_air.vapor_pressure(q, p)) / (287.0 * t)
    virtual = t * moist_air.virtual_factor(q)
    assert_allclose(rho_dry * (1 + q) * 287.0 * virtual, p, rtol=1e-12)
