"""Propagation in space: reference, positivity, conservation, obstacles, same bits. One rank."""

import ctypes
import ctypes.util
from functools import lru_cache

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.own_points import numbers_around
from halocline.waves.spatial_propagation import (
    SpatialPropagation,
    block_transparencies,
    sub_step_times,
    sub_steps,
    travel,
)
from halocline.waves.spectrum import SpectralGrid
from references.spatial_propagation import propagate, transparencies
from waves.driver import SpaceDriver

plain = {"averaging_along": 0.0, "averaging_across": 0.0}
spectral = SpectralGrid(first_frequency=0.05, frequencies=3, directions=8, offset=0.3)


def sphere(seed=0, shape=(22, 36), boundary=False, islands=True):
    """A global strip with islands, shelves, sub-grid obstacles."""
    random = np.random.default_rng(seed)
    mask = random.uniform(size=shape) > 0.15
    mask[[0, -1]] = False
    fixed = mask & (random.uniform(size=shape) > 0.97)
    return Grid(
        x=np.arange(shape[1]) * 10.0,
        y=np.linspace(-70.0, 70.0, shape[0]),
        depth=random.uniform(15.0, 4000.0, shape),
        mask=mask,
        periodic_x=True,
        boundary=fixed if boundary else None,
        obstruction_x=random.uniform(0.0, 0.6, shape) if islands else None,
        obstruction_y=random.uniform(0.0, 0.6, shape) if islands else None,
    )


def basin(shape=(12, 15), depth=None, **more):
    """A Cartesian sea of 10 km cells without land."""
    return Grid(
        x=np.arange(shape[1]) * 1e4,
        y=np.arange(shape[0]) * 1e4,
        depth=np.full(shape, 3000.0) if depth is None else depth,
        mask=np.ones(shape, bool),
        spherical=False,
        **more,
    )


def spiky(grid, components, seed=1):
    """Spectra that are 0 in most cells and vary by orders of magnitude."""
    random = np.random.default_rng(seed)
    planes = random.lognormal(sigma=2.0, size=(components, *grid.shape))
    return planes * (random.uniform(size=planes.shape) > 0.6) * grid.mask


@pytest.mark.parametrize("scheme", ["upwind", "QUICKEST", "UQ"])
@pytest.mark.parametrize("widths", [{}, plain])
@pytest.mark.parametrize(
    ("x_first", "coast"), [(True, "linear"), (False, "zero"), (False, "constant")]
)
def test_kernel_equals_reference(scheme, widths, x_first, coast):
    grid = sphere(boundary=True)
    ice = np.random.default_rng(5).uniform(0.0, 1.0, grid.shape)
    options = SpatialPropagation(scheme=scheme, coast=coast, **widths)
    driver = SpaceDriver(grid, spectral, options, 9000.0, ice=ice)
    before = spiky(grid, spectral.components)
    driver.set(before)
    driver.step(x_first)
    after, arrays = driver.planes, driver.arrays
    scalars = options.scalars(spectral)
    fixed = np.zeros(grid.shape, bool)
    fixed[grid.mask] = arrays["fixed_point"]
    for component, plane in enumerate(before):
        frequency, direction = divmod(component, spectral.directions)
        expected = propagate(
            plane,
            arrays["crossing_rate"][frequency],
            arrays["transparency_x"],
            arrays["transparency_y"],
            arrays["cell_area"],
            arrays["cell_aspect"],
            fixed,
            travel(spectral)[direction],
            9000.0,
            x_first,
            scheme,
            scalars["width_along"],
            scalars["width_across"],
            scalars["behind_coast"],
        )
        np.testing.assert_allclose(
            after[component][grid.mask], expected[grid.mask], rtol=1e-11, atol=1e-13 * plane.max()
        )
    assert np.array_equal(after[:, fixed], before[:, fixed])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scheme", ["upwind", "UQ"])
@pytest.mark.parametrize("widths", [{}, plain])
def test_no_spectrum_becomes_negative(dtype, scheme, widths):
    grid = sphere(2)
    options = SpatialPropagation(scheme=scheme, **widths)
    driver = SpaceDriver(grid, spectral, options, 1.0, dtype=dtype)
    rate = driver.arrays["crossing_rate"]
    fastest = max(rate.max(), (rate * driver.arrays["cell_aspect"]).max())
    driver.spatial_step.set_global(np.full((3, 3), 0.999 / fastest))
    driver.set(spiky(grid, spectral.components, 3))
    for number in range(20):
        driver.step(number % 2 == 0)
        planes = driver.planes
        assert np.isfinite(planes).all()
        assert planes.min() >= 0.0
    assert planes.max() > 0.0


@pytest.mark.parametrize(("dtype", "bound"), [(np.float64, 1e-14), (np.float32, 2e-6)])
@pytest.mark.parametrize("widths", [{}, plain])
def test_energy_is_kept_where_there_is_no_land(dtype, bound, widths):
    """The float32 bound is for 100 steps; averaging keeps energy too."""
    depth = np.random.default_rng(7).uniform(10.0, 60.0, (12, 15))
    grid = basin(depth=depth, periodic_x=True, periodic_y=True)
    driver = SpaceDriver(grid, spectral, SpatialPropagation(**widths), 400.0, dtype=dtype)
    driver.set(spiky(grid, spectral.components))
    total = driver.planes.sum(axis=(1, 2), dtype=float)
    driver.steps(100)
    change = driver.planes.sum(axis=(1, 2), dtype=float) / total - 1.0
    assert np.abs(change).max() < bound


def test_energy_is_kept_on_the_sphere():
    """Averaging between rows of different area keeps energy as well, until the sides are met."""
    grid = sphere(islands=False, shape=(40, 36))
    mask = np.ones(grid.shape, bool)
    grid = Grid(x=grid.x, y=grid.y, depth=grid.depth, mask=mask, periodic_x=True)
    driver = SpaceDriver(grid, spectral, SpatialPropagation(), 4000.0)
    start = spiky(grid, spectral.components)
    start[:, :18] = start[:, -18:] = 0.0
    driver.set(start)
    total = (driver.planes * grid.area).sum()
    driver.steps(4)
    assert (driver.planes[:, [0, -1]] == 0.0).all()
    assert (driver.planes * grid.area).sum() == pytest.approx(total, rel=1e-14)


def test_sides_that_are_not_joined_let_waves_out():
    grid = basin()
    driver = SpaceDriver(grid, spectral, SpatialPropagation(), 500.0)
    driver.set(np.ones((spectral.components, *grid.shape)))
    driver.steps(120)
    assert driver.planes[0].max() < 1e-6


@pytest.mark.parametrize("scheme", ["upwind", "QUICKEST", "UQ"])
def test_a_constant_stays_constant_in_uniform_flow(scheme):
    grid = basin(periodic_x=True, periodic_y=True)
    driver = SpaceDriver(grid, spectral, SpatialPropagation(scheme=scheme), 500.0)
    driver.set(np.full((spectral.components, *grid.shape), 0.7))
    driver.steps(50)
    assert np.abs(driver.planes / 0.7 - 1.0).max() < 1e-13


def test_averaging_widens_a_point_as_tolman_says():
    """Second moments grow by (x^2 + y^2) / 3 over the corners, and by interpolation: by |x|."""
    grid = basin((21, 21), periodic_x=True, periodic_y=True)
    options = SpatialPropagation(scheme="upwind")
    narrow = SpectralGrid(first_frequency=0.1, frequencies=3, directions=24)
    driver = SpaceDriver(grid, narrow, options, 600.0)
    driver.travel.set_global(np.tile([1.0, 0.0], (24, 1)))
    start = np.zeros((narrow.components, 21, 21))
    start[:, 10, 10] = 1.0
    driver.set(start)
    driver.step()
    rate = driver.arrays["crossing_rate"][0].max() * 600.0
    scalars = options.scalars(narrow)
    along, across = scalars["width_along"] * rate, scalars["width_across"] * rate
    plane = driver.planes[0]
    y = np.arange(21) - 10.0
    # Eastward: corners at (+-along, +-across); the greater of the two is the share that moves.
    assert (plane.sum(axis=1) * y**2).sum() == pytest.approx(4 * across / 6, rel=1e-12)
    spread_x = (plane.sum(axis=0) * y**2).sum() - (plane.sum(axis=0) * y).sum() ** 2
    assert spread_x == pytest.approx(4 * along / 6 + rate * (1 - rate), rel=1e-12)


def test_islands_and_ice_let_their_share_pass():
    """A swell through one obstacle of 0.5, then into ice."""
    shape = (3, 40)
    mask = np.zeros(shape, bool)
    mask[1, 1:] = True
    boundary = np.zeros(shape, bool)
    boundary[1, 1] = True
    obstruction = np.zeros(shape)
    obstruction[1, 12] = 0.5
    ice = np.zeros(shape)
    ice[1, 25], ice[1, 32:] = 0.5, 0.9
    grid = Grid(
        x=np.arange(40) * 1e4,
        y=np.arange(3) * 1e4,
        depth=np.full(shape, 4000.0),
        mask=mask,
        spherical=False,
        boundary=boundary,
        obstruction_x=obstruction,
    )
    east = SpectralGrid(first_frequency=0.05, frequencies=3, directions=4)
    driver = SpaceDriver(grid, east, SpatialPropagation(**plain), 500.0, ice=ice)
    start = np.zeros((east.components, *shape))
    start[0, 1, 1] = 1.0
    driver.set(start)
    driver.steps(200)
    line = driver.planes[0, 1]
    assert line[11] == pytest.approx(1.0, abs=1e-5)
    assert line[20] == pytest.approx(0.5, abs=2e-4)
    assert line[30] == pytest.approx(0.25, abs=2e-4)
    assert line[33] == 0.0


def set_threads(count):
    library = ctypes.CDLL(ctypes.util.find_library("gomp") or "libgomp.so.1")
    library.omp_set_num_threads(count)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_on_any_blocks_and_threads(dtype):
    grid = sphere(4, shape=(40, 72), boundary=True)
    start = spiky(grid, spectral.components).astype(dtype)
    ice = np.random.default_rng(5).uniform(0.0, 1.0, grid.shape)
    answers = {}
    cuts = [("blocks", n, 1) for n in (1, 2, 3, 6)] + [("curve", 4, 1), ("cards", 3, 1)]
    try:
        for kind, blocks, threads in [*cuts, ("blocks", 1, 2), ("blocks", 2, 3)]:
            set_threads(threads)
            driver = SpaceDriver(
                grid,
                spectral,
                SpatialPropagation(),
                9000.0,
                dtype=dtype,
                ice=ice,
                kind=kind,
                blocks=blocks,
                check_halos=True,
            )
            driver.set(start)
            driver.steps(5)
            answers[kind, blocks, threads] = driver.planes
    finally:
        set_threads(1)
    first = answers["blocks", 1, 1]
    assert np.isfinite(first).all() and not np.array_equal(first, start)
    for cut, answer in answers.items():
        assert np.array_equal(answer, first), cut


def test_mirrored_worlds_give_mirrored_bits():
    """East and west, north and south are treated alike."""
    even = SpectralGrid(first_frequency=0.05, frequencies=3, directions=8)
    random = np.random.default_rng(11)
    mask = random.uniform(size=(14, 18)) > 0.1
    depth = random.uniform(15.0, 400.0, mask.shape)
    component = np.arange(even.components)
    frequency, direction = np.divmod(component, 8)
    start = spiky(basin(mask.shape), even.components) * mask
    answers = []
    for flip, mirrored in (((), direction), ((1,), (4 - direction) % 8), ((0,), -direction % 8)):
        order = frequency * 8 + mirrored
        grid = Grid(
            x=np.arange(18) * 1e4,
            y=np.arange(14) * 1e4,
            depth=np.flip(depth, flip),
            mask=np.flip(mask, flip),
            spherical=False,
            periodic_x=True,
            periodic_y=True,
        )
        driver = SpaceDriver(grid, even, SpatialPropagation(), 400.0)
        driver.set(np.flip(start, [axis + 1 for axis in flip])[order])
        driver.steps(4)
        answers.append(np.flip(driver.planes[order], [axis + 1 for axis in flip]))
    np.testing.assert_allclose(answers[1], answers[0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(answers[2], answers[0], rtol=1e-12, atol=1e-13)


def test_number_of_sub_steps():
    grid = SpectralGrid(frequencies=3, directions=4, first_frequency=0.05, factor=2.0)
    rate = np.array([5e-4, 2.5e-4, 1.25e-4])[:, None, None] * np.ones((1, 2, 2))
    aspect = np.array([[0.5, 1.0], [0.5, 2.0]])
    assert sub_steps(grid, rate, aspect, 3600.0, spatial_step=900.0).tolist() == [[4, 2, 1]] * 2
    assert sub_steps(grid, rate, aspect, 3600.0).tolist() == [[2, 1, 1], [4, 2, 1]]
    assert sub_steps(grid, rate, aspect, 3600.0, along="x").tolist() == [[2, 1, 1], [1, 1, 1]]
    with pytest.raises(UserError, match=r"0.0500 Hz would cross 1.20 cells.*most 1000 s"):
        sub_steps(grid, rate, aspect, 3600.0, spatial_step=1200.0)


def test_each_axis_takes_its_sub_steps_and_ends_with_the_last():
    counts = np.array([[7, 3, 1], [2, 3, 1]])
    times = np.array(sub_step_times(counts, 3600.0))
    assert times.shape == (7, 3, 3)
    assert (times[:, 0] == 3600.0 / np.array([7, 3, 1])).all()
    taken = [times[: counts[:, f].max(), 1:, f] for f in range(3)]
    for f, sweeps in enumerate(taken):
        np.testing.assert_allclose(sweeps.sum(axis=0), 3600.0)
        assert (np.count_nonzero(sweeps, axis=0) == counts[:, f]).all()
        assert (sweeps[-1] > 0.0).all()
    assert np.flatnonzero(taken[0][:, 1]).tolist() == [3, 6]


@pytest.mark.parametrize("scheme", ["upwind", "UQ"])
@pytest.mark.parametrize("axis", ["x", "y"])
def test_narrow_cells_across_the_way_of_a_swell_cost_it_no_height(scheme, axis):
    """One hour's steps, one of 0.5 cells along the way; cells across ask for 1, or for 5 sub-steps.

    A sub-step of the other axis that is no step along the way leaves what is there alone.
    """
    heights = []
    for across in (80e3, 13e3):
        wide, narrow = {"n": 40, "d": 80e3}, {"n": 5, "d": across}
        x, y = (wide, narrow) if axis == "x" else (narrow, wide)
        table = {
            "component": "waves",
            "grid": {"kind": "cartesian", "nx": x["n"], "dx": x["d"], "ny": y["n"], "dy": y["d"]},
            "spectrum": {"first_frequency": 0.07, "frequencies": 3, "directions": 4},
            "time": {"start": "2000-01-01", "length": "2d", "step": "1h"},
            "waves": {"physics": "none", "propagation": {"scheme": scheme} | plain},
            "start": {"kind": "gaussian"},
        }
        table["grid"]["periodic_y" if axis == "x" else "periodic_x"] = True
        table["start"]["gaussian"] = {
            "peak_frequency": 0.07,
            "frequency_width": 1e-4,
            "direction": 270.0 if axis == "x" else 180.0,
            axis: 4e5,
            f"radius_{axis}": 16e4,
            f"radius_{'y' if axis == 'x' else 'x'}": 1e9,
        }
        model = run(table).component.model
        assert model.sub_steps[0] == (1 if across == 80e3 else 4)
        planes = model.decomposition.to_map(model.spectrum.gather(), 0.0)
        heights.append(planes.max(axis=0).max(axis=0 if axis == "x" else 1))
    assert heights[0].max() > 0.0
    np.testing.assert_allclose(heights[1], heights[0], rtol=2e-5)


@lru_cache
def growing(coast, width, length=3e5, step=200.0):
    """Energy in a steady sea off a coast at x = 0 that a constant source feeds; means of 50 km."""
    cells = round(length / width)
    mask = np.ones((3, cells + 1), bool)
    mask[:, 0] = False
    grid = Grid(
        x=(np.arange(cells + 1) - 0.5) * width,
        y=np.arange(3) * 5e4,
        depth=np.full(mask.shape, 4000.0),
        mask=mask,
        spherical=False,
        periodic_y=True,
    )
    driver = SpaceDriver(grid, spectral, SpatialPropagation(coast=coast, **plain), step)
    planes = np.zeros((spectral.components, *grid.shape))
    for number in range(round(40000.0 / step)):
        driver.set(planes + 0.5 * step * mask)
        driver.step(number % 2 == 0)
        planes = driver.planes + 0.5 * step * mask
    return planes[0, 1, 1:].reshape(-1, round(5e4 / width)).mean(axis=1)


@pytest.mark.parametrize(
    ("coast", "first"), [("linear", -0.02), ("zero", 0.17), ("constant", 0.94)]
)
def test_the_sea_beside_a_coast_grows_as_on_a_fine_grid(coast, first):
    """Cells of 50 km against cells of 5 km: energy in the first cell, and up to the outer side."""
    error = growing(coast, 5e4) / growing("linear", 5e3) - 1.0
    assert error[0] == pytest.approx(first, abs=0.01)
    assert np.abs(error[1:-2]).max() < 0.07


def test_wide_averaging_is_kept_within_the_neighbours():
    few = SpectralGrid(directions=4)
    scalars = SpatialPropagation(averaging_across=5.0).scalars(few)
    assert scalars["width_along"] + scalars["width_across"] == pytest.approx(1.0)


def test_ice_limits_are_in_order():
    with pytest.raises(UserError, match="smaller than closed_ice"):
        SpatialPropagation(open_ice=0.8, closed_ice=0.5)


@pytest.mark.parametrize(
    "cut", [{"blocks_per_rank": 6}, {"kind": "curve"}, {"kind": "cards"}], ids=str
)
@pytest.mark.parametrize("frozen", [False, True])
def test_each_block_makes_its_transparencies_with_the_bits_of_the_whole(cut, frozen):
    for grid in (sphere(), sphere(3, islands=False), basin()):
        decomposition = Decomposition(
            grid.mask, grid.topology, halo=3, options=DecompositionOptions(**cut), components=24
        )
        options, ice, plane = SpatialPropagation(), None, None
        if frozen:
            numbers = numbers_around(decomposition, 1)
            concentration = np.random.default_rng(2).random(grid.sea_points)
            plane = np.zeros(grid.shape)
            plane[grid.mask] = concentration
            ice = numbers, concentration[numbers]
        whole = transparencies(grid, options, plane)
        for block in decomposition.planes.blocks:
            for name, found in block_transparencies(grid, options, block, ice).items():
                cells = whole[name][block.cell_j, block.cell_i]
                assert np.array_equal(found, np.where(block.inside, cells, 0.0))
                assert found.max() > 0.0
