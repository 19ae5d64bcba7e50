"""Wind speed and direction, drag and Charnock's parameter."""

import numpy as np
import pytest

from halocline.waves import _native


def found(u, v, friction_velocity, dtype=np.float64):
    inputs = [np.atleast_1d(np.asarray(x, dtype)) for x in (u, v, friction_velocity)]
    outputs = {
        name: np.zeros(inputs[0].size, dtype)
        for name in ("wind_speed", "wind_direction", "drag_coefficient", "charnock")
    }
    _native.surface_parameters(
        (0, 0, 0, 0, inputs[0].size),
        *inputs,
        **outputs,
        height=10.0,
        von_karman=0.4,
        gravity=9.806,
        missing=-1.0,
    )
    return outputs


@pytest.mark.parametrize(
    ("u", "v", "direction"), [(1, 0, 270), (-1, 0, 90), (0, 1, 180), (0, -1, 0), (1, 1, 225)]
)
def test_wind_comes_from(u, v, direction):
    assert found(u, v, 0.1)["wind_direction"][0] == pytest.approx(direction)


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 3e-6), (np.float64, 1e-13)])
def test_against_numpy(dtype, bound):
    random = np.random.default_rng(1)
    u, v = random.normal(0, 10, (2, 200)).astype(dtype)
    friction = random.uniform(0.2, 0.6, 200).astype(dtype)
    result = found(u, v, friction, dtype)
    u, v, friction = u.astype(float), v.astype(float), friction.astype(float)
    speed = np.hypot(u, v)
    np.testing.assert_allclose(result["wind_speed"], speed, rtol=bound)
    np.testing.assert_allclose(result["drag_coefficient"], (friction / speed) ** 2, rtol=bound)
    roughness = 10.0 * np.exp(-0.4 * speed / friction)
    np.testing.assert_allclose(result["charnock"], 9.806 * roughness / friction**2, rtol=20 * bound)
    angle = np.degrees(np.arctan2(-u, -v)) % 360.0
    difference = (result["wind_direction"] - angle + 180.0) % 360.0 - 180.0
    assert np.abs(difference).max() < 360.0 * bound


def test_calm_is_missing():
    result = found(0.0, 0.0, 0.0)
    assert result["wind_speed"][0] == 0.0
    for name in ("wind_direction", "drag_coefficient", "charnock"):
        assert result[name][0] == -1.0
