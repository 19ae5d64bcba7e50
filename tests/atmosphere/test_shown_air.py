"""What is shown of the atmosphere besides its state, against formulas and the state. Ranks: 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, small, values
from atmosphere.test_physics_in_step import physics
from halocline.atmosphere.component import AtmosphereComponent
from halocline.core import moist_air
from halocline.core.errors import UserError
from halocline.core.parcels import most_unstable_parcel, surface_parcel

hill = {
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 800.0,
    "atmosphere.start.wind_u": 10.0, "atmosphere.start.wind_v": -4.0,
}  # fmt: skip
levels = [95e3, 90e3, 50e3]
isobaric = {"atmosphere.diagnostics.pressure_levels": levels}
moist = {
    "atmosphere.microphysics.scheme": "kessler", "atmosphere.base.kind": "standard",
    "atmosphere.start.sounding.kind": "weisman-klemp", "atmosphere.start.shear.kind": "tanh",
    "atmosphere.layers.top": 18e3, "atmosphere.layers.count": 60,
    "atmosphere.start.bubble.amplitude": 2.0, "atmosphere.start.bubble.z": 1500.0,
}  # fmt: skip


def shown(component: AtmosphereComponent, *names: str) -> list[np.ndarray]:
    found = component.diagnose(names, component.time)
    return [np.asarray(found[name].gather(), np.float64) for name in names]


def test_winds_are_those_of_the_earth():
    """A wind to the north-east on a map whose x axis points up to 30 degrees off the east."""
    grid = {
        "grid.kind": "lambert", "grid.nx": 12, "grid.ny": 9, "grid.dx": 300e3, "grid.dy": 300e3,
        "grid.periodic_x": False, "grid.periodic_y": False, "atmosphere.sides.kind": "nest",
    }  # fmt: skip
    component = begun(small(**grid))
    plane, east, north = component.plane, 12.0, 5.0
    for name, face in (("u", "x_face"), ("v", "y_face")):
        angle = plane.at(getattr(component.state, name).place).angle
        along = east * np.cos(angle) + north * np.sin(angle)
        if face == "y_face":
            along = north * np.cos(angle) - east * np.sin(angle)
        field = getattr(component.state, name)
        field.set_global(np.broadcast_to(along, field.shape))
    angle = plane.at(component.state.mass.place).angle
    assert np.abs(angle).max() > 0.2
    eastward, northward = shown(component, "eastward_wind", "northward_wind")
    np.testing.assert_allclose(eastward, east, atol=0.02)
    np.testing.assert_allclose(northward, north, atol=0.02)


def test_wind_of_neutral_air_falls_by_its_logarithm():
    """With 10 m and z0 of the sea, 0.1 mm, and of grass, 12 cm."""
    for kind, rough in (("sea", 1e-4), ("land", 0.12)):
        component = begun(small(**hill | {"atmosphere.ground.kind": kind}))
        geopotential = values(component, "base_geopotential") + values(component, "geopotential")
        height = 0.5 * (geopotential[1] - geopotential[0]) / 9.81
        share = np.log((10.0 + rough) / rough) / np.log((height + rough) / rough)
        u, v, warm = shown(component, "wind_u", "wind_v", "air_temperature")
        np.testing.assert_allclose(u, 10.0 * share, rtol=1e-12)
        np.testing.assert_allclose(v, -4.0 * share, rtol=1e-12)
        (ground,) = shown(component, "surface_pressure")
        np.testing.assert_allclose(warm, 300.0 * (ground / 1e5) ** (2 / 7) - 0.0195, atol=1e-3)


def test_thermometers_of_the_surface_layer_show_this_moment_and_change_nothing():
    """The next step finds the same of the same state, and the ground stays as it was."""
    component = begun(small(**physics))
    component.step(component.time)
    found = component.dynamics.physics
    assert found is not None
    kept = {name: field.gather() for name, field in found.columns.ground.planes.items()}
    u, v, warm = shown(component, "wind_u", "wind_v", "air_temperature")
    for name, field in found.columns.ground.planes.items():
        np.testing.assert_array_equal(field.gather(), kept[name])
    turbulence = found.columns.turbulence
    assert turbulence is not None
    before = turbulence.planes["low_temperature"].gather()
    assert np.abs(warm - before).max() > 1e-4, "of the state after the step"
    component.step(component.time)
    for name, mine in (("low_u", u), ("low_v", v), ("low_temperature", warm)):
        np.testing.assert_array_equal(turbulence.planes[name].gather(), mine)


def test_levels_of_pressure():
    """Dry air of one potential temperature over a hill: T and z by Poisson and hydrostatics."""
    component = begun(small(**hill | isobaric | {"atmosphere.layers.count": 40}))
    ground, pressure = shown(component, "ground", "surface_pressure")
    warm, height, u = shown(component, "isobaric_temperature", "isobaric_height", "isobaric_wind_u")
    for at, level in enumerate(levels):
        under = pressure < level
        np.testing.assert_array_equal(np.isnan(warm[at]), under)
        np.testing.assert_array_equal(np.isnan(height[at]), under)
        assert (height[at][~under] >= ground[~under]).all()
        exact = 300.0 * (level / 1e5) ** (2 / 7)
        z = (300.0 - exact) * 3.5 * 287.0 / 9.81
        free = pressure > level + 2000.0  # above the lowest layers
        np.testing.assert_allclose(warm[at][free], exact, atol=0.02)
        np.testing.assert_allclose(height[at][~under], z, atol=1.0)
        np.testing.assert_allclose(u[at][~under], 10.0, rtol=1e-12)
    assert np.isnan(warm[0]).any() and not np.isnan(warm[2]).any()
    below = pressure[~np.isnan(warm[0])] < 95e3 + 1000.0
    assert below.any(), "some level lies between the ground and the middle of the lowest layer"


def test_columns_of_moist_air():
    """CAPE, CIN, vapour, humidity and pressure at sea level of the columns that maps show."""
    component = ended(small(**moist | isobaric | {"time.length": "10s"}))
    p, t, q = shown(component, "air_pressure", "layer_temperature", "vapor_mixing_ratio")
    for start, ascent in (("surface", surface_parcel), ("unstable", most_unstable_parcel)):
        cape, cin = shown(component, f"{start}_cape", f"{start}_cin")
        found = ascent(p, t, q)
        np.testing.assert_allclose(cape, found.cape, rtol=1e-9)
        np.testing.assert_allclose(cin, found.cin, rtol=1e-9)
        assert (cape > 1000).all() and (cin < -1).all() and np.ptp(cape) > 1.0
    weight = values(component, "mass") + values(component, "base_mass")
    c = component.coordinate
    layers = (c.c1[:, None, None] * weight + c.c2[:, None, None]) * c.thickness[:, None, None]
    vapor, near, low, sea = shown(
        component, "vapor_content", "air_humidity", "surface_pressure", "sea_level_pressure"
    )
    np.testing.assert_allclose(vapor, (layers * q).sum(axis=0) / 9.81, rtol=1e-9)
    np.testing.assert_allclose(near, q[0] / (1 + q[0]), rtol=1e-12)
    np.testing.assert_allclose(sea, low, rtol=1e-12, err_msg="the ground is at sea level")
    half, *_ = shown(component, "isobaric_humidity", "isobaric_vapor")
    wet, mixing, warm = shown(
        component, "isobaric_humidity", "isobaric_vapor", "isobaric_temperature"
    )
    pressure = np.array(levels)[:, None, None]
    there = moist_air.vapor_pressure(mixing, pressure) / moist_air.saturation_pressure(warm)
    np.testing.assert_allclose(wet, there, atol=0.01)
    np.testing.assert_array_equal(half, wet)


def test_all_that_fell():
    few = {"atmosphere.microphysics.scheme": "wsm6", "atmosphere.layers.count": 20}
    component = begun(small(**moist | few))
    kinds = ("rain", "snow", "graupel")
    for number, kind in enumerate(kinds, 1):
        assert component.clouds is not None
        component.clouds.totals[f"{kind}_total"].fill(float(number))
    (total,) = shown(component, "precipitation_total")
    assert (total == 6.0).all()


def test_neighbours_do_not_change_an_ascent():
    """Steps along an adiabat are of each element's own, so that cuts of the grid change no bit."""
    pressure = np.array([9e4, 5e4, 2e4])
    start = np.full(3, 290.0)
    together = moist_air.lifted_saturated(start, np.full(3, 95e3), pressure)
    for at in range(3):
        alone = moist_air.lifted_saturated(start[at:][:1], np.full(1, 95e3), pressure[at:][:1])
        assert alone[0] == together[at]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("surface_cape", r"Choose atmosphere\.microphysics\.scheme = 'kessler' or 'wsm6'"),
        ("isobaric_height", r"Give atmosphere\.diagnostics\.pressure_levels"),
        ("psfc", "It is called 'surface_pressure' here"),
        ("wind_w", "Did you mean 'wind_"),
    ],
)
def test_what_this_air_has_not_is_refused(name: str, words: str):
    stream: dict[str, Any] = {"interval": "1h", "variables": [name]}
    with pytest.raises(UserError, match=f"'{name}' in stream 'maps': .*{words}"):
        small(**{"output.fields.maps": stream})


@pytest.mark.parametrize("wrong", [[850.0], [85e3, 85e3], [85e3, 50e3, 70e3]])
def test_levels_out_of_order_or_in_other_units_are_refused(wrong: list[float]):
    with pytest.raises(UserError, match=r"atmosphere\.diagnostics\.pressure_levels"):
        small(**{"atmosphere.diagnostics.pressure_levels": wrong})


def test_faces_on_given_sides_have_values():
    """Those on the rim of a nest are given; maps have them all."""
    grid = {
        "grid.kind": "lambert", "grid.nx": 7, "grid.ny": 6, "grid.periodic_x": False,
        "grid.periodic_y": False, "atmosphere.sides.kind": "nest",
    }  # fmt: skip
    component = begun(small(**grid))
    for name, shape in (("x_wind", (6, 8)), ("y_wind", (7, 7))):
        field = component.shown[name]
        wet = field.space.wet(field.place)
        assert wet.shape[-2:] == shape and wet.all()
