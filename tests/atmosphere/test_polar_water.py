"""Water over the poles: as much everywhere stays, so does its sum, none is negative. Ranks: 1."""

from __future__ import annotations

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, globe, values
from atmosphere.test_over_the_poles import cartesian, turn, turning_flow
from halocline.atmosphere import _native
from halocline.atmosphere.component import AtmosphereComponent
from halocline.runtime.fields.place import Place
from references.polar_rows import without_lack

wet = {"atmosphere.microphysics.scheme": "kessler"}


def test_what_lacks_comes_from_cells_near_by():
    random = np.random.default_rng(4)
    rows = random.uniform(-0.2, 1.0, (40, 24)) * (random.random((40, 24)) > 0.3)
    rows[0] = np.abs(rows[0])
    rows[1, 5] = -0.5 * np.maximum(rows[1], 0.0).sum()
    rows[2] = 0.0
    rows[2, [3, 15]] = -1e-3, 1.0  # half way round
    rows[3] = -np.abs(rows[3])
    rows[4] = 0.0
    rows[4, [3, 9]] = -0.5, 0.5 * (1.0 - 1e-15)  # nothing but round-off
    found = rows.copy()
    _native.fill_lack(found)
    # NumPy looks 1, 2, 4 ... columns far in all rows while any of them lacks: each alone here
    expected = np.concatenate([without_lack(row[np.newaxis]) for row in rows])
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-16)
    assert np.array_equal(found[[0, 3]], rows[[0, 3]])
    np.testing.assert_allclose(found.sum(axis=1), rows.sum(axis=1), rtol=1e-13, atol=1e-15)
    assert np.delete(found, 3, axis=0).min() >= 0.0
    assert found[2, 15] == pytest.approx(0.999)
    lone = np.ones((1, 24))
    lone[0, 7] = -0.1
    filled = lone.copy()
    _native.fill_lack(filled)
    assert np.flatnonzero(filled[0] != lone[0]).tolist() == [6, 7, 8]


def turned(columns: int, steps: int, tilt: float) -> tuple[AtmosphereComponent, np.ndarray]:
    """Water after a turn of the air about an axis so far from the pole [degree], and before it.

    A cone, blobs with nothing between, and as much everywhere; fluxes are given.
    """
    component = begun(globe(columns, **wet, **{"atmosphere.layers.count": 3}))
    s, center = component.state, component.plane.at(Place.center)
    turning_flow(component, tilt, component.coordinate.layer_mass(values(component, "base_mass")))
    away = np.arccos(np.clip(cartesian(center.x, center.y)[0], -1.0, 1.0))
    cone = np.where(away < 0.6, 0.5 * (1.0 + np.cos(np.pi * away / 0.6)), 0.0)
    random = np.random.default_rng(1)
    blobs = np.where(random.random(cone.shape) > 0.8, random.random(cone.shape), 0.0)
    before = np.stack([cone, blobs, np.full(cone.shape, 0.37)])
    s.water.set_global(np.repeat(before[:, None], 3, axis=1))
    stages = component.dynamics.first.water, component.dynamics.later.water
    s.old_mass.copy(s.mass)
    for _ in range(steps):
        s.water.swap(s.old_water)
        for part, stage in ((3, stages[0]), (2, stages[1]), (1, stages[1])):
            assert stage is not None
            stage(1, turn / steps / part, last=part == 1)
            assert part > 1 or values(component, "water").min() > -1e-15
    return component, before


def test_over_the_poles_it_is_carried_as_along_the_equator():
    """In steps in which air passes five cells beside the poles."""
    error, square = dict[float, float](), dict[float, float]()
    for tilt in (0.0, 90.0):
        component, before = turned(48, 180, tilt)
        area, found = component.plane.area, values(component, "water")[:, 1]
        np.testing.assert_allclose(found[2], 0.37, rtol=1e-12)
        totals = (found * area).sum(axis=(1, 2)) / (before * area).sum(axis=(1, 2))
        np.testing.assert_allclose(totals, 1.0, rtol=1e-12)
        wrong = found[0] - before[0]
        error[tilt] = np.abs(wrong).max()
        square[tilt] = np.sqrt((wrong**2 * area).sum() / (before[0] ** 2 * area).sum())
    assert error[0.0] < 0.06 and square[0.0] < 0.08
    assert error[90.0] < 0.1 and square[90.0] < 0.125


@pytest.mark.parametrize(("precision", "few"), [("float64", 1e-13), ("float32", 5e-6)])
def test_in_air_that_moves_over_a_mountain_at_the_pole(precision, few):
    """Half a day from a warm spot: columns change, and fluxes of dry mass with them."""
    settings = {
        "precision": precision, "time.step": "20min", "time.length": "6h",
        "atmosphere.layers.count": 6,
        "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 1000.0,
        "atmosphere.mountain.x": 40.0, "atmosphere.mountain.y": 80.0,
        "atmosphere.mountain.width": 30.0, "atmosphere.mountain.width_y": 20.0,
        "atmosphere.start.bubble.amplitude": 20.0, "atmosphere.start.bubble.x": 90.0,
        "atmosphere.start.bubble.y": 75.0, "atmosphere.start.bubble.z": 2000.0,
        "atmosphere.start.wind_u": 15.0, "atmosphere.start.wind_v": 10.0,
        "atmosphere.start.bubble.radius_x": 40.0, "atmosphere.start.bubble.radius_y": 20.0,
    }  # fmt: skip
    case = globe(24, **(wet | settings))
    component = begun(case)
    component.clouds = None
    random = np.random.default_rng(2)
    water = np.zeros(component.state.water.shape)
    water[1], water[2] = 1e-3 * (random.random(water[1].shape) > 0.7), 4.56e-3
    component.state.water.set_global(water.astype(precision))
    before = component.watch.water_and_fallen()[0]
    ended(case, component)
    found = values(component, "water")
    assert np.abs(values(component, "u")).max() > 5.0
    np.testing.assert_allclose(found[2], 4.56e-3, rtol=few)
    assert found.min() > -1e-12 and np.abs(found[1] - water[1]).max() > 5e-4
    assert component.watch.water_and_fallen()[0] == pytest.approx(before, rel=few)
