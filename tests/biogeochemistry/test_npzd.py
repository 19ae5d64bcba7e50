"""Four tracers of nitrogen: published equations by another solver, positive, kept. Ranks: 1."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.npzd.options import NpzdOptions

day = 86400.0


def rates(cell, temperature, light):
    """Kuhn, Fennel and Mattern 2015 [mmol m-3 day-1], of light in W m-2."""
    n, p, z, d = cell
    warm = 1.88 ** (temperature / 10)
    most, slope = 0.6989 * warm, 0.1953 * light
    growth = most * n / (2.3868 + n) * slope / np.sqrt(most**2 + slope**2) * p
    grazing = 2.1522 * p**2 / (0.5573**2 + p**2) * z
    respiration, death = 0.066 * warm * p, 0.0101 * warm * p
    excretion, predation = 0.0102 * warm * z, 0.3395 * warm * z**2
    back = 0.1213 * d
    return np.array([
        respiration + excretion + back - growth,
        growth - grazing - respiration - death,
        0.9116 * grazing - excretion - predation,
        (1 - 0.9116) * grazing + death + predation - back,
    ])  # fmt: skip


def react(cells, temperature, light, dt, steps=1, dtype=np.float64, volume=None):
    """Cells (4, n) after some steps, and the last production; light in umol m-2 s-1."""
    count = cells.shape[1]
    row = [np.full((1, 1, count), x, dtype) for x in (1.0, temperature, light)]
    if volume is not None:
        row[0][...] = volume
    tracer = np.array(cells.reshape(4, 1, 1, count), dtype, order="C")
    production = np.full((1, 1, count), np.nan, dtype)
    for _ in range(steps):
        _native.npzd_react((0, 1, 0, count, 0), tracer, *row, production,
                           numbers=NpzdOptions().numbers, dt=dt)  # fmt: skip
    return tracer.reshape(4, count), production.ravel()


def random_cells(count=200):
    return np.random.default_rng(1).lognormal(-1, 1.5, (4, count))


def test_the_rates_are_the_published_ones():
    cells = random_cells()
    for temperature, light in [(5.0, 0.0), (18.0, 100.0), (28.0, 2000.0)]:
        after, production = react(cells, temperature, light, 0.01)
        expected = rates(cells, temperature, 0.217 * light)
        np.testing.assert_allclose((after - cells) / 0.01 * day, expected, rtol=2e-5, atol=1e-6)
        warm = 1.88 ** (temperature / 10)
        new = expected[1] + 2.1522 * cells[1] ** 2 / (0.5573**2 + cells[1] ** 2) * cells[2]
        net = new + 0.0101 * warm * cells[1]
        np.testing.assert_allclose(production * day, 79.5 * net, rtol=2e-5, atol=2e-5)


def test_smaller_steps_come_to_the_solution_of_another_solver():
    """The error halves with the step."""
    cells, days = random_cells(5), 5
    exact = np.stack([
        solve_ivp(lambda _, x: rates(x, 15.0, 21.7), (0, days), cell, rtol=1e-10, atol=1e-12,
                  method="LSODA").y[:, -1]
        for cell in cells.T
    ], axis=1)  # fmt: skip
    errors = [
        np.abs(react(cells, 15.0, 100.0, dt, round(days * day / dt))[0] - exact).max()
        for dt in (3600.0, 1800.0)
    ]
    assert errors[1] < 0.02 * np.abs(exact).max()
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dt", [1800.0, 30 * day])
def test_nothing_becomes_negative_and_nitrogen_stays(dt, dtype):
    cells = np.random.default_rng(2).lognormal(-2, 4, (4, 2000)).astype(dtype)
    cells[:, :40] *= np.random.default_rng(3).random((4, 40)) > 0.5
    after, _ = react(cells, 25.0, 1500.0, dt, dtype=dtype)
    close = 1e-14 if dtype == "float64" else 1e-6
    assert (after >= -close * np.abs(cells).sum(0)).all()
    np.testing.assert_allclose(after.sum(0), cells.sum(0), rtol=10 * close)


def test_in_the_dark_all_becomes_nutrient():
    cells = random_cells(20)
    after, production = react(cells, 15.0, 0.0, day, 3000)
    assert (production <= 0).all()
    assert (after[1:3] < 1e-2 * cells.sum(0)).all() and (after[0] > 0.9 * cells.sum(0)).all()


def test_land_stays_and_neighbours_change_no_bit():
    cells = random_cells(21)
    volume = np.ones(21)
    volume[7] = 0
    after, production = react(cells, 15.0, 100.0, 1800.0, volume=volume)
    assert (after[:, 7] == cells[:, 7]).all() and production[7] == 0
    alone = [react(cells[:, n : n + 1], 15.0, 100.0, 1800.0)[0] for n in range(21) if n != 7]
    np.testing.assert_array_equal(np.delete(after, 7, 1), np.concatenate(alone, axis=1))
