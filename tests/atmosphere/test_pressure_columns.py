"""Columns on pressure levels against atmospheres with closed forms."""

import numpy as np
import pytest

from halocline.atmosphere.start.pressure_columns import PressureColumns, line_in_log
from halocline.core.errors import UserError

gas, gravity, lapse = 287.0, 9.80665, 0.0065
standard = np.array([1000, 925, 850, 700, 600, 500, 400, 300, 250, 200, 150, 100.0]) * 100


def virtual_of(temperature, vapor):
    return temperature * (1 + vapor * 461.6 / 287.0) / (1 + vapor)


def isothermal(levels=standard, temperature=255.0, vapor=0.0):
    """One column of one temperature; its height is a line in log p."""
    tv = virtual_of(temperature, vapor)
    height = gas * tv / gravity * np.log(1e5 / levels)
    one = np.ones((levels.size, 1))
    return PressureColumns(levels, temperature * one, vapor * one, height[:, None], lapse)


def with_lapse(levels=standard, vapor=0.0, ground=288.0):
    """One column with 6.5 K/km of temperature; virtual temperature has a lapse too."""
    factor = virtual_of(1.0, vapor)
    power = gas * lapse * factor / gravity
    temperature = ground * (levels / 1e5) ** power
    height = (ground - temperature) / lapse
    one = np.ones((levels.size, 1))
    return PressureColumns(levels, temperature[:, None], vapor * one, height[:, None], lapse)


def at(*values):
    return np.array(values, float)[:, None]


def test_isothermal_air_is_exact():
    for vapor in (0.0, 0.01):
        column = isothermal(vapor=vapor)
        for height in (0.0, 321.0, 4567.0, 12_000.0):
            exact = 1e5 * np.exp(-gravity * height / (gas * virtual_of(255.0, vapor)))
            assert column.pressure_at(np.array([height]))[0] == pytest.approx(exact, rel=2e-14)
        pressure = at(99e3, 87e3, 33e3, 11e3)
        found = column.temperature_at(pressure, column.vapor_at(pressure))
        np.testing.assert_allclose(found, 255.0, rtol=1e-13)


def errors_with_lapse(count):
    """Errors of pressure at heights [1] and of temperature [K] with `count` levels."""
    levels = np.geomspace(1e5, 2e4, count)
    column, heights = with_lapse(levels), np.linspace(100.0, 10_000.0, 50)
    exact = 1e5 * (1 - lapse * heights / 288.0) ** (gravity / (gas * lapse))
    found = np.array([column.pressure_at(np.array([z]))[0] for z in heights])
    temperature = column.temperature_at(exact[:, None], np.zeros((50, 1)))[:, 0]
    off = np.abs(temperature - (288.0 - lapse * heights)).max()
    return np.abs(found / exact - 1).max(), off


def test_air_with_a_lapse_converges():
    """Pressure at a height by the cubic with fourth order, temperature by the parabola with third.

    With 12 levels they are right to 1e-8 and 0.002 K already.
    """
    (p1, t1), (p2, t2) = errors_with_lapse(12), errors_with_lapse(23)
    assert p1 < 1e-6 and t1 < 0.01
    assert 3.7 < np.log2(p1 / p2) < 4.3
    assert 2.7 < np.log2(t1 / t2) < 4.3


def test_air_below_the_lowest_level_has_the_lapse_exactly():
    for vapor in (0.0, 0.012):
        column, whole = with_lapse(standard[2:], vapor), with_lapse(vapor=vapor)
        pressure = whole.levels[:2, None]
        found = column.temperature_at(pressure, column.vapor_at(pressure))
        np.testing.assert_allclose(found, whole.temperature[:2], rtol=1e-13)
        for k in (0, 1):
            assert column.pressure_at(whole.height[k])[0] == pytest.approx(standard[k], rel=1e-13)


def test_below_the_ground_air_is_made_as_if_there_were_some():
    whole = with_lapse(vapor=0.01)
    spoiled = PressureColumns(
        standard, whole.temperature.copy(), whole.vapor.copy(), whole.height.copy(), lapse
    )
    spoiled.temperature[:3] += 20.0
    spoiled.height[:3] -= 100.0
    pressure = np.array([8e4])
    plain = spoiled.filled(pressure)
    np.testing.assert_allclose(plain.temperature, whole.temperature, rtol=1e-13)
    np.testing.assert_allclose(plain.height, whole.height, atol=1e-8)
    # With a ground 10 m too high, what is below lies 10 m higher too.
    ground = whole.pressure_at(np.array([0.0])), (288.0 / lapse)
    height = ground[1] * (1 - (0.8) ** (gas * lapse * virtual_of(1.0, 0.01) / gravity))
    raised = spoiled.filled(pressure, np.array([height + 10.0]))
    np.testing.assert_allclose(raised.height[:3], whole.height[:3] + 10.0, atol=1e-8)
    np.testing.assert_array_equal(raised.height[3:], whole.height[3:])
    # Missing values are filled in the same way.
    spoiled.temperature[:3] = np.nan
    np.testing.assert_array_equal(spoiled.filled(None).height, plain.height)


def test_temperature_between_levels_keeps_the_thickness():
    """The mean over log p of a layer's virtual temperature is that of its heights."""
    column = isothermal()
    column.height[4:] += 12.0  # 2.7 K more between 700 and 600 hPa
    log = np.linspace(np.log(7e4), np.log(6e4), 2001)[:, None]
    found = column.temperature_at(np.exp(log), np.zeros_like(log))[:, 0]
    mean = np.trapezoid(found, log[:, 0]) / (log[-1, 0] - log[0, 0])
    thickness = column.height[4, 0] - column.height[3, 0]
    assert gas / gravity * mean * np.log(7 / 6) == pytest.approx(thickness, rel=1e-6)
    line = PressureColumns(
        standard, column.temperature, column.vapor, column.height, lapse, keep_thickness=False
    )
    np.testing.assert_allclose(line.temperature_at(np.exp(log), 0 * log), 255.0, rtol=1e-13)


def test_values_are_lines_in_log_p():
    values = np.log(standard)[:, None]
    pressure = at(97e3, 65e3, 10e3)
    np.testing.assert_allclose(line_in_log(standard, values, pressure), np.log(pressure))


def test_what_cannot_be_is_said():
    column = isothermal()
    with pytest.raises(UserError, match="uppermost layer of the model lies at 90 hPa"):
        column.vapor_at(at(9e3))
    with pytest.raises(UserError, match="above the uppermost level"):
        column.pressure_at(np.array([30e3]))
    with pytest.raises(UserError, match="1 of 1 columns of the analysis have no value above"):
        column.filled(np.array([9e3]))
    lowest, column.temperature[0] = column.temperature[0].copy(), np.nan
    with pytest.raises(UserError, match="at 1000 hPa, in 1 columns whose ground is lower: .* 1020"):
        column.filled(np.array([1.02e5]))
    column.filled(np.array([1.005e5]))
    column.temperature[0] = lowest
    column.height[4:] += 500.0
    with pytest.raises(UserError, match="between 700 and 600 hPa the heights want"):
        column.temperature_at(at(65e3), at(0.0))
    column.temperature[3] = np.nan
    with pytest.raises(UserError, match="missing values at 700 hPa, but values below"):
        column.filled(None)
