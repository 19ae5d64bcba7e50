"""Averaging and sweeps beside coasts: real ones, and islands with straits of one cell. One rank.

A row is stored in packs, and packs far from the sea are passed over: what the kernel leaves in
its rows there must not reach the sea, however the grid is cut.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from halocline.component.case.reading import read_case
from halocline.grids.horizontal.grid import Grid
from halocline.waves.spatial_propagation import SpatialPropagation, travel
from halocline.waves.spectrum import SpectralGrid
from references.spatial_propagation import propagate
from waves.driver import SpaceDriver

spectral = SpectralGrid(first_frequency=0.05, frequencies=3, directions=8, offset=0.3)
step = 600.0


def archipelago(shape=(50, 90), seed=0):
    """Land blocks of up to 8 x 30 cells, cut by straits of one cell; its sides join in x."""
    random = np.random.default_rng(seed)
    mask = np.ones(shape, bool)
    for _ in range(60):
        height, width = random.integers(1, [9, 31])
        j, i = random.integers(0, [shape[0] - height, shape[1] - width])
        mask[j : j + height, i : i + width] = False
    mask[random.integers(0, shape[0], 3)] = True
    mask[:, random.integers(0, shape[1], 5)] = True
    mask[[0, -1]] = False
    return Grid(
        x=np.arange(shape[1]) * 4.0,
        y=np.linspace(-70.0, 70.0, shape[0]),
        depth=random.uniform(15.0, 4000.0, shape),
        mask=mask,
        periodic_x=True,
    )


@lru_cache
def coasts(name):
    return archipelago() if name == "archipelago" else read_case(name).build_grid()


def sea(grid, dtype):
    """Spectra that vary by an order of magnitude from cell to cell."""
    random = np.random.default_rng(1)
    return (random.lognormal(size=(spectral.components, *grid.shape)) * grid.mask).astype(dtype)


def driven(grid, steps, dtype=np.float32, options=None, **cut):
    driver = SpaceDriver(grid, spectral, options or SpatialPropagation(), step, dtype=dtype, **cut)
    driver.set(sea(grid, dtype))
    driver.steps(steps)
    return driver


names = pytest.mark.parametrize("name", ["global-waves", "north-atlantic", "archipelago"])


@names
@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
def test_coasts_give_the_same_bits_however_they_are_cut(name, kind):
    """Blocks of many widths, few of them a whole number of packs."""
    grid = coasts(name)
    whole = driven(grid, 4).planes
    for blocks in {"blocks": (2, 3, 5, 7), "curve": (3, 7), "cards": (5,)}[kind]:
        planes = driven(grid, 4, kind=kind, blocks=blocks).planes
        assert np.array_equal(planes, whole), f"{(planes != whole).sum()} values with {blocks}"


@names
def test_coasts_give_what_the_reference_gives(name):
    """Both orders of the sweeps, against whole planes of NumPy in double precision."""
    grid = coasts(name)
    driver = driven(grid, 0, np.float64)
    expected = driver.planes
    scalars = driver.options.scalars(spectral)
    fixed = np.zeros(grid.shape, bool)
    fixed[grid.mask] = driver.arrays["fixed_point"]
    for x_first in (True, False):
        driver.step(x_first)
        for component, plane in enumerate(expected):
            frequency, direction = divmod(component, spectral.directions)
            after = propagate(
                plane,
                driver.arrays["crossing_rate"][frequency],
                *(driver.arrays[f"transparency_{axis}"] for axis in "xy"),
                driver.arrays["cell_area"],
                driver.arrays["cell_aspect"],
                fixed,
                travel(spectral)[direction],
                step,
                x_first,
                "UQ",
                scalars["width_along"],
                scalars["width_across"],
            )
            expected[component] = np.where(grid.mask, after, 0.0)
    np.testing.assert_allclose(driver.planes, expected, rtol=1e-11, atol=1e-13)


@names
@pytest.mark.parametrize(("dtype", "bound"), [(np.float64, 2e-14), (np.float32, 2e-6)])
def test_averaging_beside_coasts_neither_gains_nor_loses(name, dtype, bound):
    """Waves that stand still while they are averaged: what one cell gives, others get."""
    driver = driven(replace(coasts(name), boundary=None), 0, dtype)
    area = driver.grid.area
    still = 1e-30
    driver.travel.set_global((travel(spectral) * still).astype(dtype))
    before = driver.planes.astype(float)
    scalars = driver.options.scalars(spectral)
    widths = {name: scalars[name] / still for name in ("width_along", "width_across")}
    for number in range(3):
        driver.step(number % 2 == 0, **widths)
    after = driver.planes.astype(float)
    moved = np.abs(after - before).sum(axis=(1, 2)) / before.sum(axis=(1, 2))
    assert moved.min() > 0.01
    change = (after * area).sum(axis=(1, 2)) / (before * area).sum(axis=(1, 2)) - 1.0
    assert np.abs(change).max() < bound
