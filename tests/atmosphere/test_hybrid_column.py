"""Hybrid columns: weights, the core's balance and its order, the weight of vapour."""

import numpy as np
import pytest

from atmosphere.analysis_files import layers
from halocline.atmosphere.constants import dry_gas_constant, gravity
from halocline.atmosphere.start.hybrid_column import dry_volume, moist_theta
from halocline.core.errors import UserError

ground = np.array([1.02e5, 9.1e4, 6.5e4])


def test_dry_air_and_vapour_weigh_what_the_surface_pressure_says():
    column = layers()
    mass, _, vapor = column.dry_mass(ground, lambda p: 0.02 * (p / 1e5) ** 3)
    found = column.interface_pressure(mass, vapor)
    np.testing.assert_allclose(found[0], ground, rtol=0, atol=2e-6)
    np.testing.assert_array_equal(found[-1], 5e3)
    # Far above layers lie on pressures, whatever the ground: 0.1 of the way from top to 1000 hPa.
    mass, _, _ = column.dry_mass(ground, np.zeros_like)
    np.testing.assert_allclose(column.interface_pressure(mass, 0 * vapor)[-3], 5e3 + 9.5e3)


def test_air_of_one_mixing_ratio_has_its_share_of_the_weight():
    column = layers()
    mass, _, _ = column.dry_mass(ground, lambda p: np.full_like(p, 0.015))
    # Dry weight is (p - top) / (1 + q), as c2 adds up to nothing.
    np.testing.assert_allclose(mass, (ground - 5e3) / 1.015, rtol=1e-9)


def test_pressure_is_in_the_middle_of_layers():
    column = layers(10, level_above=0.0)  # B(eta) with a slope: no plain sigma
    mass, pressure, vapor = column.dry_mass(ground, lambda p: 0.02 * (p / 1e5) ** 3)
    faces = column.interface_pressure(mass, vapor)
    np.testing.assert_allclose(pressure, 0.5 * (faces[1:] + faces[:-1]), rtol=2e-3)
    # The plain reading of the balance, layer by layer from the top.
    nk, d = 10, column.thickness
    for k in range(nk - 1, 0, -1):
        dry = column.c1_face[k] * mass + column.c2_face[k]
        dilution = (1 / (1 + vapor[k]) + 1 / (1 + vapor[k - 1])) / 2  # layers of one thickness
        weight = dry / dilution * (d[k] + d[k - 1]) / 2
        np.testing.assert_allclose(pressure[k - 1] - pressure[k], weight, rtol=1e-10)


def height_errors(count: int) -> float:
    """Greatest error of geopotential of an isothermal atmosphere at 145 hPa [m2 s-2]."""
    column = layers(count)
    mass, pressure, vapor = column.dry_mass(ground, np.zeros_like)
    theta = moist_theta(np.full_like(pressure, 260.0), pressure, vapor)
    volume = dry_volume(theta, pressure)
    np.testing.assert_allclose(volume, dry_gas_constant * 260.0 / pressure, rtol=1e-14)
    phi = column.geopotential(gravity * np.array([0.0, 1.0, 2.0]), mass, volume)
    np.testing.assert_allclose(phi[0], gravity * np.array([0.0, 1.0, 2.0]))
    faces = column.interface_pressure(mass, vapor)
    exact = dry_gas_constant * 260.0 * np.log(ground / faces)
    return float(np.abs(phi - phi[0] - exact)[9 * count // 10].max())


def test_heights_are_right_to_second_order():
    errors = np.array([height_errors(n) for n in (40, 80, 160)])
    orders = np.log2(errors[:-1] / errors[1:])
    assert (np.abs(orders - 2.0) < 0.1).all(), orders


def test_moist_theta_has_the_vapour_of_rv_over_rd():
    theta = moist_theta(np.array(300.0), np.array(1e5), np.array(0.01))
    assert theta == pytest.approx(300.0 * (1 + 461.6 / 287.0 * 0.01), rel=1e-14)
    # The gas law of moist air: p = (rho_d Rd + rho_v Rv) T.
    density = 1.0 / dry_volume(theta, np.array(1e5))
    assert density * 300.0 * (287.0 + 461.6 * 0.01) == pytest.approx(1e5, rel=1e-12)


def test_vapour_without_end_is_refused():
    swings = iter(range(100))
    with pytest.raises(UserError, match="after 40 turns"):
        layers().dry_mass(ground, lambda p: np.full_like(p, 0.0 if next(swings) % 2 else 0.5))
