"""Implicit mixing of columns: budgets, exact solutions, a dense solve. Ranks: 1."""

import numpy as np
import pytest

from atmosphere.column import run_columns

capacity = 1004.5


def rates(count, levels, dt, depth=50.0, dtype=np.float64, species=3, **given):
    """Tendencies of columns of layers of equal depth and of density 1.2, but for `given`."""
    zero, faces = np.zeros((levels, count)), np.zeros((levels + 1, count))
    layer = given.get("layer_depth", np.full((levels, count), depth))
    arrays = {
        "u": zero, "v": zero, "dry_theta": zero, "water": np.zeros((species, levels, count)),
        "mixed": np.array([1.0, 1.0, 0.0])[:species], "air_density": zero + 1.2,
        "exner": zero + 1.0, "layer_depth": layer,
        "height": np.cumsum(layer, axis=0) - 0.5 * layer,
        "heat_flux": 0.0, "vapor_flux": 0.0, "momentum_exchange": 0.0,
        "stress_x": 0.0, "stress_y": 0.0,
    }  # fmt: skip
    arrays |= dict.fromkeys(("viscosity", "diffusivity", "theta_nonlocal"), faces)
    arrays |= dict.fromkeys(("vapor_nonlocal", "u_nonlocal", "v_nonlocal"), faces)
    extents = {"depth": levels, "depth+1": levels + 1, "species": species}
    return run_columns(
        "atmosphere_column_mixing", count, arrays | given, {"dt": dt}, extents, dtype
    )


def rough(random, count, levels):
    """Columns of uneven layers with all that mixes."""
    center, face = (levels, count), (levels + 1, count)
    layer = random.uniform(20, 400, center)
    return {
        "u": random.uniform(-9, 9, center), "v": random.uniform(-9, 9, center),
        "dry_theta": random.uniform(-5, 20, center),
        "water": random.uniform(0, 0.01, (3, *center)),
        "air_density": random.uniform(0.5, 1.2, center), "exner": random.uniform(0.8, 1, center),
        "layer_depth": layer, "height": np.cumsum(layer, axis=0) - 0.5 * layer,
        "viscosity": 10 ** random.uniform(-2, 2.5, face),
        "diffusivity": 10 ** random.uniform(-2, 2.5, face),
        "theta_nonlocal": random.uniform(-0.1, 0.1, face),
        "vapor_nonlocal": random.uniform(-1e-4, 1e-4, face),
        "u_nonlocal": random.uniform(-0.1, 0.1, face),
        "v_nonlocal": random.uniform(-0.1, 0.1, face),
        "heat_flux": random.uniform(-50, 400, count),
        "vapor_flux": random.uniform(0, 1e-4, count),
        "momentum_exchange": random.uniform(1e-3, 0.1, count),
        "stress_x": random.uniform(-1, 1, count), "stress_y": random.uniform(-1, 1, count),
    }  # fmt: skip


def test_columns_keep_what_the_ground_gives():
    """Heat, vapour, cloud and momentum of a column change by the flux from the ground only."""
    random, count, levels, dt = np.random.default_rng(0), 7, 12, 120.0
    given = rough(random, count, levels)
    got = rates(count, levels, dt, **given)
    mass = given["air_density"] * given["layer_depth"]

    def gained(rate):
        return (mass * rate).sum(axis=0)

    heat = given["heat_flux"] / (capacity * given["exner"][0])
    np.testing.assert_allclose(gained(got["theta_tendency"]), heat, rtol=1e-12, atol=1e-12)
    water = got["water_tendency"]
    np.testing.assert_allclose(gained(water[0]), given["vapor_flux"], rtol=1e-11)
    np.testing.assert_allclose(gained(water[1]), 0.0, atol=1e-14)
    assert np.abs(water[1]).max() > 1e-8
    assert np.array_equal(water[2], 0 * water[2])
    for wind, stress in (("u", "stress_x"), ("v", "stress_y")):
        after = given[wind][0] + dt * got[f"{wind}_tendency"][0]
        drag = -given["momentum_exchange"] * after - given[stress]
        np.testing.assert_allclose(gained(got[f"{wind}_tendency"]), drag, rtol=1e-10, atol=1e-13)


def test_the_step_is_the_solution_of_the_whole_system():
    """Of a dense matrix with conductances, nonlocal fluxes and drag; float32 alike."""
    random, count, levels, dt = np.random.default_rng(1), 5, 9, 300.0
    given = rough(random, count, levels)
    got = rates(count, levels, dt, **given)
    single = rates(count, levels, dt, dtype=np.float32, **given)
    density, height = given["air_density"], given["height"]
    for c in range(count):
        mass = np.diag(density[:, c] * given["layer_depth"][:, c])
        between = 0.5 * (density[1:, c] + density[:-1, c])
        difference = np.diff(np.eye(levels), axis=0)
        for mixing, wanted, values, other, ground, drag in (
            ("viscosity", "u_tendency", "u", "u_nonlocal", -given["stress_x"][c],
             given["momentum_exchange"][c]),
            ("diffusivity", "theta_tendency", "dry_theta", "theta_nonlocal",
             given["heat_flux"][c] / (capacity * given["exner"][0, c]), 0.0),
        ):  # fmt: skip
            conductance = between * given[mixing][1:-1, c] / np.diff(height[:, c])
            matrix = difference.T @ np.diag(conductance) @ difference
            matrix[0, 0] += drag
            push = difference.T @ (between * given[other][1:-1, c])
            push[0] += ground
            old = given[values][:, c]
            new = np.linalg.solve(mass + dt * matrix, mass @ old + dt * push)
            np.testing.assert_allclose(got[wanted][:, c], (new - old) / dt, rtol=1e-9, atol=1e-13)
            scale = np.abs(got[wanted][:, c]).max()
            np.testing.assert_allclose(single[wanted][:, c], got[wanted][:, c], atol=3e-6 * scale)


def spiral(levels):
    """Greatest error [m s-1] of a steady Ekman layer of viscosity 5 m2/s under 10 m/s.

    The rates of unit winds in columns of their own are the matrix of friction.
    """
    coriolis, viscosity, depth = 1e-4, 5.0, 2400.0 / levels
    scaled = depth * (np.arange(levels) + 0.5) / np.sqrt(2 * viscosity / coriolis)
    exact = 10.0 * (1 - np.exp(-(1 + 1j) * scaled))
    got = rates(
        levels, levels, 1e-3, depth, u=np.eye(levels), viscosity=np.full(levels + 1, viscosity),
        momentum_exchange=1.2 * viscosity / (0.5 * depth), species=1,
    )  # fmt: skip
    turning = 1j * coriolis * np.eye(levels)
    wind = np.linalg.solve(got["u_tendency"] - turning, np.full(levels, -10j * coriolis))
    return np.abs(wind - exact).max()


def test_the_ekman_layer_is_the_exact_spiral():
    """Friction, turning and the pressure of 10 m/s far above, of second order."""
    coarse, fine = spiral(48), spiral(96)
    assert fine < 0.02
    assert 1.7 < np.log2(coarse / fine) < 2.3


def test_a_wave_of_heat_decays_as_it_must():
    """cos(pi z / H) between no fluxes loses exp(-K (pi / H)^2 t)."""
    levels, dt, steps, viscosity, high = 40, 200.0, 9, 20.0, 1000.0
    height = high / levels * (np.arange(levels) + 0.5)
    theta, faces = np.cos(np.pi * height / high), np.full(levels + 1, viscosity)
    wave = theta.copy()
    for _ in range(steps):
        got = rates(1, levels, dt, high / levels, dry_theta=theta, diffusivity=faces, species=1)
        theta = theta + dt * got["theta_tendency"][:, 0]
    exact = np.exp(-viscosity * (np.pi / high) ** 2 * dt * steps)
    assert theta @ wave / (wave @ wave) == pytest.approx(exact, rel=8e-3)
    grown = (1 + dt * viscosity * (2 * levels / high * np.sin(np.pi / 2 / levels)) ** 2) ** -steps
    np.testing.assert_allclose(theta, grown * wave, rtol=1e-9)
