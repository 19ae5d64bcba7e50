"""Air that turns as a solid goes on turning, on every map and over the poles. Ranks: 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, globe, held, small, values
from atmosphere.solid_rotation import isothermal, solid_rotation
from halocline.atmosphere.case import AtmosphereCase

maps: dict[str, dict[str, Any]] = {
    "lambert": {
        "center_longitude": -14.0, "center_latitude": 54.0, "true_latitudes": [50.0, 60.0],
        "longitude": 10.0,
    },
    "polar-stereographic": {"center_longitude": 30.0, "center_latitude": 84.0, "longitude": -20.0},
    "mercator": {"center_longitude": 60.0, "center_latitude": -25.0, "true_latitudes": [-10.0]},
    "rotated": {"pole_longitude": -162.0, "pole_latitude": 39.25, "center_latitude": 60.0},
    "spherical": {},
}  # fmt: skip


def area(kind: str) -> AtmosphereCase:
    """36 x 30 columns of 60 km on a map, sides given."""
    grid: dict[str, Any] = {
        "kind": kind, "nx": 36, "ny": 30, "dx": 60e3, "dy": 60e3, "x0": 0.0, "periodic_x": False,
        "periodic_y": False,
    }  # fmt: skip
    if kind == "spherical":
        grid |= {"dx": 0.8, "dy": 0.5, "y0": 40.0}
    settings = {f"grid.{key}": value for key, value in grid.items()}
    settings |= {f"grid.projection.{key}": value for key, value in maps[kind].items()}
    settings |= {
        "atmosphere.sides.kind": "nest", "time.step": "240s", "time.length": "4h",
    }  # fmt: skip
    return small(**(isothermal | settings))


@pytest.mark.parametrize(("kind", "speed"), [*((kind, 20.0) for kind in maps), ("rotated", -15.0)])
def test_on_maps_air_goes_on_turning(kind: str, speed: float):
    """Coriolis force of all latitudes, a turned map and curvature hold the balance for 4 hours."""
    case = area(kind)
    component = begun(case)
    solid_rotation(component, speed)
    start = {name: values(component, name) for name in ("u", "v")}
    if kind in ("lambert", "polar-stereographic", "rotated"):
        assert np.ptp(start["v"]) > 0.2 * abs(speed)  # the map is turned
    ended(case, held(component))
    for name, before in start.items():
        assert np.abs(values(component, name) - before).max() < 0.1
    assert np.abs(values(component, "w")).max() < 0.005


def after_a_day(columns: int, tilt: float) -> list[float]:
    """By how much u and v of turning air differ then, the mean over the area [m s-1]."""
    settings: dict[str, Any] = {
        "atmosphere.layers.count": 8, "time.length": "1d", "time.step": 57600.0 / columns
    }  # fmt: skip
    case = globe(columns, **(isothermal | settings))
    component = begun(case)
    solid_rotation(component, 20.0, tilt)
    start = {name: values(component, name) for name in ("u", "v")}
    ended(case, component)
    area, found = component.plane.area, []
    for name, before in start.items():
        error = (values(component, name) - before)[:, : area.shape[0]]
        found.append(float(np.sqrt((error**2 * area).sum() / (area.sum() * len(error)))))
    return found


def test_around_the_poles_air_goes_on_turning():
    assert max(after_a_day(32, 0.0)) < 0.12


@pytest.mark.parametrize("tilt", [45.0, pytest.param(90.0, marks=pytest.mark.slow)])
def test_over_the_poles_it_does_the_better_the_finer_the_cells_are(tilt: float):
    """By second order; where forces at faces are plain means of those of cells, by half of it."""
    coarse, fine = after_a_day(32, tilt), after_a_day(64, tilt)
    assert max(coarse) < 0.9 and max(fine) < 0.25
    assert np.all(np.log2(np.divide(coarse, fine)) > 1.3)


hill = {
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 1000.0,
    "atmosphere.mountain.x": 40.0, "atmosphere.mountain.y": 75.0,
    "atmosphere.mountain.width": 40.0, "atmosphere.mountain.width_y": 15.0,
    "atmosphere.layers.count": 6, "time.step": "20min", "time.length": "8h",
}  # fmt: skip


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_air_at_rest_over_a_mountain_at_the_pole_stays_at_rest(precision: str):
    case = globe(32, **hill, precision=precision)
    component = ended(case)
    assert component.diagnose(["ground"], case.time.clock().time)["ground"].gather().max() > 900.0
    for name in ("u", "v", "w"):
        assert (values(component, name) == 0.0).all()


def test_air_of_one_potential_temperature_keeps_it_over_the_poles():
    """Of 310 K, 10 K more than what fields of it are less, in wind over that mountain."""
    air = {"atmosphere.air.theta": 310.0, "atmosphere.start.wind_u": 20.0}
    case = globe(32, **hill, **air)
    component = ended(case)
    v = values(component, "v")[:, -5:-1]
    assert np.abs(v - v.mean(axis=2, keepdims=True)).max() > 1.0
    np.testing.assert_allclose(values(component, "theta"), 10.0, rtol=0, atol=1e-12)
