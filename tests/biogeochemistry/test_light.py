"""Light: the sun's course by quadrature, attenuation in NumPy. Ranks: 1."""

import numpy as np
import pytest

from halocline.biogeochemistry import _native
from halocline.biogeochemistry.light import LightOptions
from halocline.core.sun import declination


def surface(latitude, longitude, sun, begin, end, course=True, dtype=np.float64):
    """Light of 1 umol per J and 100 W m-2."""
    row = [np.full((1, 5), x, dtype) for x in (100.0, longitude, latitude)]
    light = np.zeros((1, 5), dtype)
    _native.surface_light((0, 1, 0, 5, 0), *row, light, 1.0, course, sun, begin, end)
    return float(light[0, 0])


@pytest.mark.parametrize("latitude", [-89, -40, 0, 35, 66, 80])
@pytest.mark.parametrize("day", [0, 79, 171, 300])
def test_the_steps_of_a_day_give_its_mean(latitude, day):
    sun = declination(day)
    edges = np.linspace(0.3, 1.3, 49)
    steps = [surface(latitude, 17, sun, a, b) for a, b in zip(edges, edges[1:], strict=False)]
    heights = np.sin(np.radians(latitude)) * np.sin(sun) + np.cos(np.radians(latitude)) * np.cos(
        sun
    ) * np.cos(2 * np.pi * (np.arange(48000) / 48000 + 0.5 / 48000 + 0.3 + 17 / 360 - 0.5))
    up = np.maximum(heights, 0).reshape(48, 1000).mean(1)
    assert min(steps) >= 0
    if up.sum() == 0:
        assert max(steps) == 0
    else:
        assert np.mean(steps) == pytest.approx(100, rel=1e-12)
        np.testing.assert_allclose(steps, 100 * up / up.mean(), atol=1e-3)


def test_noon_is_where_longitude_says_and_given_light_stays():
    sun = declination(79)
    noon = [surface(38, east, sun, 0.5 - east / 360, 0.51 - east / 360) for east in (-90, 0, 120)]
    assert np.ptp(noon) < 1e-9 and noon[0] == pytest.approx(100 * np.pi, rel=0.01)
    assert surface(38, 0, sun, 0.0, 0.1) == 0
    assert surface(38, 0, sun, 0.0, 0.1, course=False) == 100
    single = surface(38, 10, sun, 0.4, 0.42, dtype=np.float32)
    assert single == pytest.approx(surface(38, 10, sun, 0.4, 0.42), rel=1e-6)


def test_light_of_short_wave():
    """Half of 217 W m-2 is 500 umol m-2 s-1."""
    assert 217 * LightOptions().per_watt == pytest.approx(500)


def fields(random, dtype=np.float64):
    """4 tracers on 6 levels of 2 x 11 cells, of which one column is shallower."""
    shape = (6, 2, 11)
    thickness = random.uniform(0.001, 30, shape)
    thickness[4] = random.uniform(0.05, 0.2, shape[1:])
    thickness[:3, 0, 4] = 0
    area = random.uniform(50, 100, (2, 11))
    made = {
        "tracer": random.uniform(-0.1, 3, (4, *shape)), "volume": thickness * area, "area": area,
        "surface_light": random.uniform(0, 1000, (2, 11)),
        "attenuation": random.uniform(0.02, 0.1, (2, 11)),
        "tracer_attenuation": np.array([0.0, 0.03, 0.0, 1e-4]),
    }  # fmt: skip
    return {name: array.astype(dtype) for name, array in made.items()}


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize(("dtype", "close"), [("float64", 4e-7), ("float32", 2e-5)])
def test_light_falls_by_water_and_tracers(mean, dtype, close):
    given = fields(np.random.default_rng(1), dtype)
    light = np.zeros((6, 2, 11), dtype)
    _native.light_in_water((0, 2, 0, 11, 0), **given, light=light, mean=mean)
    exact = {name: array.astype(float) for name, array in given.items()}
    thickness = exact["volume"] / exact["area"]
    loss = thickness * (
        exact["attenuation"]
        + np.einsum("t,tkji->kji", exact["tracer_attenuation"], np.maximum(exact["tracer"], 0))
    )
    above = np.cumsum(loss[::-1], axis=0)[::-1] - loss
    wet = loss > 0.0
    averaged = -np.expm1(-loss) / np.where(wet, loss, 1.0)
    within = np.where(wet, averaged, 1.0) if mean else np.exp(-0.5 * loss)
    expected = exact["surface_light"] * np.exp(-above) * within
    np.testing.assert_allclose(light, expected, rtol=close)


def test_less_light_below_more_chlorophyll_only():
    given = fields(np.random.default_rng(2))
    given["tracer"] = np.maximum(given["tracer"], 0.0)
    before, after = np.zeros((2, 6, 2, 11))
    _native.light_in_water((0, 2, 0, 11, 0), **given, light=before, mean=False)
    given["tracer"][1, 3] += 1
    _native.light_in_water((0, 2, 0, 11, 0), **given, light=after, mean=False)
    np.testing.assert_array_equal(before[4:], after[4:])
    thickness = given["volume"][3] / given["area"]
    np.testing.assert_allclose(after[3] / before[3], np.exp(-0.5 * 0.03 * thickness), rtol=1e-10)
    np.testing.assert_allclose(after[2] / before[2], np.exp(-0.03 * thickness), rtol=1e-10)
