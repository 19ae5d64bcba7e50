"""KPP's kernel against the formulas written out for one column at a time. Ranks: 1.

Depths agree to 1e-7, as buoyancy is a difference of densities.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.constants import gravity
from ocean.mixing_column import alpha, kernels, kpp_numbers, water
from references.kpp import PlainColumn

thickness = np.array([5.0, 5.0, 6.0, 8.0, 10.0, 14.0, 20.0, 30.0, 45.0, 60.0])
interface = np.append(0.0, np.cumsum(thickness))
depth = 0.5 * (interface[1:] + interface[:-1])
spacing = np.append(np.diff(depth), 0.0)  # below each level
rows, columns = 9, 37  # packs of columns, and some that are left


def seas(seed, speed):
    """Columns of all depths with mixed layers, some with light water deep down, under all skies."""
    random, levels, plane = np.random.default_rng(seed), thickness.size, (rows, columns)
    wet = random.integers(1, levels + 1, plane)
    wet[random.random(plane) < 0.3] = levels
    mixed = random.uniform(0.0, 80.0, plane)
    below = np.maximum(depth[:, None, None] - mixed, 0.0)
    warm = 20.0 - random.uniform(0.0, 0.05, plane) * below
    warm += random.uniform(-0.02, 0.02, (levels, *plane)) * (random.random(plane) < 0.5)
    corners = (2, levels, rows + 1, columns + 1)
    flow = speed * random.uniform(-1.0, 1.0, corners) * np.exp(-depth / 40.0)[:, None, None]
    return {
        "wet": wet,
        "share": random.uniform(0.2, 1.0, plane),
        "warm": warm,
        "flow": flow,
        "coriolis": random.uniform(-1.4e-4, 1.4e-4, (rows + 1, columns + 1)),
        "friction": random.uniform(0.001, 0.03, plane),
        "buoyancy": random.choice([-1.0, 1.0], plane) * 10.0 ** random.uniform(-10, -6.5, plane),
        "light": random.choice([0.0, 6e-8], plane),
    }


def stability_of(sea):
    """At the interface below each level, from the surface down; 0 at the floor and under it."""
    step = sea["warm"][:-1] - sea["warm"][1:]
    found = gravity * alpha * step / spacing[:-1, None, None]
    lowest = np.arange(thickness.size)[:, None, None] >= sea["wet"] - 1
    return np.where(lowest, 0.0, np.append(found, found[-1:], axis=0))


def by_kernel(sea, numbers):
    shape = (thickness.size, rows, columns)
    wide = {"old_u": sea["flow"][0], "old_v": sea["flow"][1]}
    wide = {name: np.ascontiguousarray(values[::-1]) for name, values in wide.items()}
    outputs = {
        name: np.full(shape, np.nan)
        for name in ("center_viscosity", "vertical_diffusivity", "nonlocal_share")
    }
    outputs["boundary_layer_depth"] = np.full(shape[1:], np.nan)
    upward = np.stack([sea["warm"][::-1], np.full(shape, 35.0)])
    stability = np.zeros(shape)
    stability[1:] = stability_of(sea)[:-1][::-1]  # of the interface below level k, upward
    kernels["ocean_kpp"].function(
        box=(0, rows, 0, columns, 0),
        stability=stability,
        tracer=upward,
        **wide,
        floor_level=(thickness.size - sea["wet"]).astype(float),
        bottom_share=sea["share"],
        coriolis=sea["coriolis"],
        friction_velocity=sea["friction"],
        buoyancy_flux=sea["buoyancy"],
        light_flux=sea["light"],
        depths=depth[::-1].copy(),
        thickness=thickness[::-1].copy(),
        spacing=np.append(0.5 * thickness[-1], spacing[:-1][::-1]),
        **outputs,
        gravity=gravity,
        numbers=water.numbers,
        **kpp_numbers | numbers,
    )
    return outputs


def plain_column(sea, j, i, numbers):
    n = int(sea["wet"][j, i])
    flow = sea["flow"][:, :n, j : j + 2, i : i + 2].reshape(2, n, 4)
    square = (np.diff(flow, axis=1) ** 2).sum(axis=0).mean(axis=1)
    apart = spacing[: n - 1].copy()
    apart[-1:] -= 0.5 * thickness[n - 1] * (1.0 - sea["share"][j, i])
    warm = sea["warm"][:n, j, i]
    return PlainColumn(
        depth=depth[:n],
        thickness=thickness[:n],
        apart=apart,
        spacing=spacing[:n],
        stability=stability_of(sea)[:n, j, i],
        shear=square,
        from_surface=((flow - flow[:, :1]) ** 2).sum(axis=0).max(axis=1),
        deficit=gravity * alpha * (warm[0] - warm),
        friction=sea["friction"][j, i],
        buoyancy=sea["buoyancy"][j, i],
        light=sea["light"][j, i],
        coriolis=sea["coriolis"][j : j + 2, i : i + 2].mean(),
        numbers=kpp_numbers | numbers,
    )


@pytest.mark.parametrize(
    ("speed", "numbers"),
    [(0.3, {}), (1.0, {"smoothing": 2, "limited": True}), (0.02, {"smoothing": 0})],
)
def test_columns_are_those_of_the_formulas(speed, numbers):
    sea = seas(4, speed)
    found = by_kernel(sea, numbers)
    names = ("center_viscosity", "vertical_diffusivity", "nonlocal_share")
    for j, i in np.ndindex(rows, columns):
        n = int(sea["wet"][j, i])
        profiles = [found[name][::-1, j, i] for name in names]
        if n == 1:
            assert not np.any(profiles)
            continue
        *wanted, h = plain_column(sea, j, i, numbers).mixing()
        assert_allclose(found["boundary_layer_depth"][j, i], h, rtol=1e-7)
        for values, expected in zip(profiles, wanted, strict=True):
            assert_allclose(values[:n], expected, rtol=1e-6, atol=1e-12)
            assert not values[n:].any()
    assert np.unique(found["boundary_layer_depth"]).size > 50
