"""Shift in direction: reference, conservation, positivity, rates of turning. One rank."""

import numpy as np
import pytest

from halocline.core.constants import earth_radius, gravity
from halocline.grids.horizontal.grid import Grid
from halocline.waves import _native
from halocline.waves.spatial_propagation import schemes
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.turning import (
    Turning,
    depth_gradient,
    direction_faces,
    turning_arrays,
    turning_steps,
)
from references.turning import turn


def shift(spectrum, turning_x, turning_y, spectral, step, scheme="UQ", steps=1):
    dtype = spectrum.dtype
    after = spectrum.copy()
    _native.turn_directions(
        (0, 0, 0, 0, spectrum.shape[1]),
        after,
        turning_x.astype(dtype),
        turning_y.astype(dtype),
        direction_faces(spectral).astype(dtype),
        step / spectral.direction_width,
        steps,
        schemes[scheme],
    )
    return after


def random_case(seed, points=37, directions=24, dtype=np.float64):
    random = np.random.default_rng(seed)
    spectral = SpectralGrid(frequencies=3, directions=directions, offset=0.2)
    spectrum = random.lognormal(sigma=2.0, size=(spectral.components, points))
    spectrum *= random.uniform(size=spectrum.shape) > 0.5
    rate = 0.5 * spectral.direction_width / 1000.0
    turning = random.uniform(-rate, rate, (2, 3, points))
    return spectral, spectrum.astype(dtype), turning


@pytest.mark.parametrize("scheme", ["upwind", "QUICKEST", "UQ"])
def test_kernel_equals_reference(scheme):
    spectral, spectrum, turning = random_case(1)
    after = shift(spectrum, *turning, spectral, 1000.0, scheme)
    face = direction_faces(spectral)
    for f in range(3):
        ring = slice(24 * f, 24 * (f + 1))
        for point in range(spectrum.shape[1]):
            x, y = turning[:, f, point] * 1000.0 / spectral.direction_width
            expected = turn(spectrum[ring, point], x * face[:, 1] - y * face[:, 0], scheme)
            np.testing.assert_allclose(after[ring, point], expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("dtype", "bound"), [(np.float64, 1e-14), (np.float32, 2e-6)])
def test_energy_is_kept_and_never_negative(dtype, bound):
    spectral, spectrum, turning = random_case(2, dtype=dtype)
    after = shift(spectrum, *turning, spectral, 1400.0, steps=30)
    assert after.min() >= 0.0
    before, now = (a.reshape(3, 24, -1).sum(axis=1, dtype=float) for a in (spectrum, after))
    assert not np.array_equal(after, spectrum)
    assert np.abs(now / before - 1.0).max() < bound


def test_few_directions():
    spectral, spectrum, turning = random_case(3, directions=4)
    after = shift(spectrum, *turning, spectral, 1000.0)
    x, y = turning[:, 0, 0] * 1000.0 / spectral.direction_width
    face = direction_faces(spectral)
    expected = turn(spectrum[:4, 0], x * face[:, 1] - y * face[:, 0], "UQ")
    np.testing.assert_allclose(after[:4, 0], expected, rtol=1e-12)


def test_bits_do_not_depend_on_the_place_of_a_point():
    spectral, spectrum, turning = random_case(4, points=40, dtype=np.float32)
    whole = shift(spectrum, *turning, spectral, 1000.0)
    for first, last in ((0, 1), (3, 20), (17, 40)):
        part = np.ascontiguousarray(spectrum[:, first:last])
        rates = np.ascontiguousarray(turning[:, :, first:last])
        assert np.array_equal(shift(part, *rates, spectral, 1000.0), whole[:, first:last])


def test_smooth_spectra_turn_with_third_order():
    """A nearly uniform turning; the mean direction and the error of the whole shape."""
    errors = []
    for directions in (36, 72, 144):
        spectral = SpectralGrid(frequencies=3, directions=directions)
        edges = spectral.direction - 0.5 * spectral.direction_width

        def mean_of_bins(angle, edges=edges, width=spectral.direction_width):
            def integral(a):
                return 1.5 * a + np.sin(a - angle)

            return (integral(edges + width) - integral(edges)) / width

        steps = directions
        spectrum = np.repeat(mean_of_bins(0.3)[:, None], 1, axis=1)
        spectrum = np.concatenate([spectrum] * 3)
        face = direction_faces(spectral)
        face[:] = [0.0, 1.0]
        after = spectrum.copy()
        rate = np.ones((3, 1))
        _native.turn_directions(
            (0, 0, 0, 0, 1), after, rate, 0 * rate, face, 0.4, steps, schemes["QUICKEST"]
        )
        turned = 0.3 + 0.4 * steps * spectral.direction_width
        errors.append(np.abs(after[:directions, 0] - mean_of_bins(turned)).max())
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert order.min() > 2.9


def slope(directions=24, nx=12, rise=0.01, **more):
    depth = np.repeat((5.0 + rise * 1000.0 * np.arange(nx))[None], 6, axis=0)
    grid = Grid(
        x=np.arange(nx) * 1000.0,
        y=np.arange(6) * 1000.0,
        depth=depth,
        mask=np.ones(depth.shape, bool),
        spherical=False,
        **more,
    )
    return grid, SpectralGrid(first_frequency=0.08, frequencies=3, directions=directions)


def test_depth_gradient_is_one_sided_beside_land():
    grid, _ = slope()
    mask = grid.mask.copy()
    mask[2, 5] = False
    grid = Grid(x=grid.x, y=grid.y, depth=grid.depth, mask=mask, spherical=False)
    along_x, along_y = depth_gradient(grid)
    np.testing.assert_allclose(along_x[mask], 0.01, rtol=1e-12)
    assert along_x[2, 5] == 0.0
    assert np.abs(along_y).max() == 0.0


def test_waves_turn_towards_shallow_water():
    """d(theta)/dt = -(1/k) d(sigma)/dn; checked with a finite difference of sigma."""
    grid, spectral = slope()
    arrays = turning_arrays(grid, spectral, Turning(maximum_courant=1.0), 1.0)
    depth, sigma = grid.depth[2, 4], spectral.sigma[1]
    low, high = 1e-6, 10.0
    for _ in range(100):
        k = 0.5 * (low + high)
        low, high = (k, high) if gravity * k * np.tanh(k * depth) < sigma**2 else (low, k)
    change = 1e-4
    dsigma = np.sqrt(gravity * k * np.tanh(k * (depth + change))) - np.sqrt(
        gravity * k * np.tanh(k * (depth - change))
    )
    expected = dsigma / (2 * change) / k * 0.01
    point = 2 * 12 + 4
    assert arrays["turning_x"][1, point] == pytest.approx(expected, rel=1e-6)
    assert np.abs(arrays["turning_y"]).max() == 0.0


@pytest.mark.parametrize(("deepness", "share"), [(9.9, 1.0), (10.1, 0.0)])
def test_waves_turn_to_where_depth_hardly_counts(deepness, share):
    """(1/k) dsigma/dd = sigma / sinh(2 k d): with k d = 10, 2e-8 of what it is on the beach."""
    spectral = SpectralGrid(first_frequency=0.08, frequencies=3, directions=24)
    wavenumber = spectral.sigma[0] ** 2 / (gravity * np.tanh(deepness))
    depth = deepness / wavenumber + 1e-6 * np.arange(5.0)
    grid = Grid(
        x=np.arange(5) * 1000.0,
        y=np.arange(2) * 1000.0,
        depth=np.stack([depth, depth]),
        mask=np.ones((2, 5), bool),
        spherical=False,
    )
    arrays = turning_arrays(grid, spectral, Turning(), 1.0)
    wanted = share * spectral.sigma[0] / np.sinh(2.0 * deepness) * 1e-9
    np.testing.assert_allclose(arrays["turning_x"][0], wanted, rtol=1e-3)


def test_turning_is_slowed_to_the_courant_limit():
    grid, spectral = slope(directions=120, rise=0.1)
    arrays = turning_arrays(grid, spectral, Turning(), 3600.0)
    bins = arrays["turning_x"] * 3600.0 / spectral.direction_width
    assert bins.max() == pytest.approx(0.75)
    off = turning_arrays(grid, spectral, Turning(refraction=False), 3600.0)
    assert np.abs(off["turning_x"]).max() == 0.0


def test_great_circles_turn_to_the_equator():
    grid = Grid(
        x=np.arange(6) * 1.0,
        y=np.array([-60.0, 0.0, 60.0]),
        depth=np.full((3, 6), 4000.0),
        mask=np.ones((3, 6), bool),
        radius=0.5 * earth_radius,
    )
    spectral = SpectralGrid(first_frequency=0.08, frequencies=3, directions=24)
    turning_y = turning_arrays(grid, spectral, Turning(), 600.0)["turning_y"][0].reshape(3, 6)
    speed = gravity / (4 * np.pi * 0.08)
    expected = speed * np.tan(np.radians([-60.0, 0.0, 60.0])) / (0.5 * earth_radius)
    np.testing.assert_allclose(turning_y[:, 0], expected, rtol=1e-9, atol=1e-20)
    none = turning_arrays(grid, spectral, Turning(great_circle=False), 600.0)
    assert np.abs(none["turning_y"]).max() == 0.0


def rough_sphere():
    """High latitudes with steep slopes of every direction."""
    random = np.random.default_rng(3)
    shape = (9, 30)
    grid = Grid(
        x=np.arange(shape[1]) * 1.0,
        y=np.linspace(-80.0, 80.0, shape[0]),
        depth=10.0 ** random.uniform(1.0, 3.0, shape),
        mask=np.ones(shape, bool),
    )
    return grid, SpectralGrid(first_frequency=0.04, frequencies=3, directions=36)


def test_the_limit_slows_refraction_and_leaves_great_circles_whole():
    grid, spectral = rough_sphere()
    step = 3600.0 / turning_steps(grid, spectral, Turning(), 3600.0)

    def rates(**options):
        arrays = turning_arrays(grid, spectral, Turning(**options), step)
        return np.stack([arrays["turning_x"], arrays["turning_y"]])

    circle = rates(refraction=False)
    free = turning_arrays(grid, spectral, Turning(great_circle=False), 1e-6)
    free = np.stack([free["turning_x"], free["turning_y"]])
    limited = rates()
    refraction = limited - circle
    share = (refraction * free).sum(axis=0) / (free**2).sum(axis=0)
    np.testing.assert_allclose(refraction, share * free, rtol=1e-9, atol=1e-18)
    bins = np.hypot(*limited) * step / spectral.direction_width
    slowed = share < 1.0 - 1e-9
    assert 0.2 < slowed.mean() < 0.9 and share.min() > 0.0
    assert bins.max() == pytest.approx(0.75)
    np.testing.assert_allclose(bins[slowed], 0.75, rtol=1e-9)
    assert np.hypot(*circle).max() * step / spectral.direction_width < 0.376


def test_steps_of_turning_follow_great_circles():
    grid, spectral = rough_sphere()
    fastest = np.abs(turning_arrays(grid, spectral, Turning(refraction=False), 1.0)["turning_y"])
    bins = fastest.max() * 3600.0 / spectral.direction_width
    assert turning_steps(grid, spectral, Turning(), 3600.0) == np.ceil(bins / 0.375) > 1
    assert turning_steps(grid, spectral, Turning(), 3600.0, longest=100.0) == 36
    assert turning_steps(grid, spectral, Turning(great_circle=False), 3600.0) == 1
