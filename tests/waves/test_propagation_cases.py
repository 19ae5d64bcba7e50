"""Propagation in space and direction on cases with known answers. One rank.

Reference results of WAVEWATCH III 7.14 (A1, A3) were made by running it; exact ones are linear
theory and geometry.
"""

import numpy as np
import pytest

from halocline.core.constants import earth_radius
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.spatial_propagation import SpatialPropagation
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.turning import Turning
from waves.driver import SpaceDriver

plain = {"averaging_along": 0.0, "averaging_across": 0.0}


def torus(n, depth=None):
    side = 4e5
    centre = (np.arange(n) + 0.5) * side / n
    x, y = np.meshgrid(centre, centre)
    return Grid(
        x=centre,
        y=centre,
        depth=np.full((n, n), 4000.0) if depth is None else depth(x / side, y / side),
        mask=np.ones((n, n), bool),
        spherical=False,
        periodic_x=True,
        periodic_y=True,
    )


def test_third_order_in_one_dimension():
    """Cell means of a sine, half way round, at a constant Courant number."""
    spectral = SpectralGrid(first_frequency=0.08, frequencies=3, directions=4)
    speed = linear_dispersion([4000.0], spectral.frequency)[1][0, 0]
    errors = []
    for n in (32, 64, 128):
        grid = torus(n)
        width = 4e5 / n
        step = 0.4 * width / speed
        options = SpatialPropagation(scheme="QUICKEST", **plain)
        driver = SpaceDriver(grid, spectral, options, step)

        def wave(shift, n=n):
            phase = 2 * np.pi * ((np.arange(n) + 0.5) / n - shift)
            return 1.0 + 0.5 * np.sin(phase) * np.sinc(1.0 / n)

        driver.set(np.broadcast_to(wave(0.0), (spectral.components, n, n)))
        driver.steps(n)
        errors.append(np.abs(driver.planes[0] - wave(0.4)).max())
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert order.min() > 2.9


def test_second_order_in_two_dimensions_with_alternating_sweeps():
    """Over a wavy bottom the sweeps do not commute; three resolutions against each other."""

    def bottom(x, y):
        return 30.0 + 10.0 * np.sin(2 * np.pi * x) * np.cos(2 * np.pi * y)

    spectral = SpectralGrid(first_frequency=0.06, frequencies=3, directions=8, offset=0.3)
    answers = []
    for n in (32, 64, 128, 256):
        grid = torus(n, bottom)
        driver = SpaceDriver(
            grid, spectral, SpatialPropagation(scheme="QUICKEST", **plain), 16000.0 / n
        )
        x, y = np.meshgrid(grid.x, grid.y)
        start = 2.0 + np.sin(2 * np.pi * x / 4e5) + np.cos(2 * np.pi * (x + y) / 4e5)
        driver.set(np.broadcast_to(start, (spectral.components, n, n)))
        driver.steps(n // 2)
        answers.append(driver.planes[:8].reshape(8, 32, n // 32, 32, n // 32).mean(axis=(2, 4)))
    differences = [np.abs(a - b).max() for a, b in zip(answers[1:], answers[:-1], strict=True)]
    order = np.log2(np.array(differences[:-1]) / differences[1:])
    assert order[-1] > 1.8


day_24_uq = (
    "0 0 0.1504 0.4899 0.8283 1.1492 1.4363 1.6729 1.8437 1.9346 1.9479 1.9213 1.8106 1.6219"
    " 1.3673 1.0634 0.7260 0.3722 0 0 0"
)
day_24_upwind = (
    "0.8619 0.8914 0.9188 0.9436 0.9657 0.9848 1.0007 1.0132 1.0222 1.0277 1.0294 1.0275 1.0219"
    " 1.0126 0.9998 0.9837 0.9643 0.9418 0.9165 0.8887 0.8586"
)


@pytest.mark.parametrize(
    ("scheme", "heights", "line"),
    [
        ("UQ", [2.1869, 2.0779, 2.0042, 1.9479], day_24_uq),
        ("upwind", [1.4253, 1.2153, 1.1035, 1.0294], day_24_upwind),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_full_circle_on_the_equator(scheme, heights, line, dtype):
    """Case A1: once round the Earth in 24 days, to 2e-4 m of WAVEWATCH III."""
    grid = regular_grid(GridOptions(nx=360, ny=3, x0=-180.0, y0=-1.0))
    spectral = SpectralGrid(first_frequency=0.03679, frequencies=3, directions=4)
    driver = SpaceDriver(
        grid,
        spectral,
        SpatialPropagation(scheme=scheme, along="x", **plain),
        3600.0,
        dtype=dtype,
    )
    start = np.zeros((spectral.components, *grid.shape))
    start[4, 1] = 2.5**2 * np.exp(-0.5 * (grid.x / 2.0) ** 2)
    driver.set(start)
    for quarter, height in enumerate(heights):
        driver.steps(6 * 24)
        squared = driver.planes[4, 1]
        assert squared.min() >= 0.0
        assert np.sqrt(squared.max()) == pytest.approx(height, abs=2e-4)
        centre = (90.0 * (quarter + 1) + 180.0) % 360.0 - 180.0
        off = (grid.x[squared.argmax()] - centre + 180.0) % 360.0 - 180.0
        assert abs(off) <= 1.0
        assert squared.sum(dtype=float) == pytest.approx(31.33285, rel=1e-4)
    expected = [float(value) for value in line.split()]
    np.testing.assert_allclose(np.sqrt(squared[170:191]), expected, atol=3e-4)


shoaling_depths = [80, 60, 50, 40, 30, 26, 20, 16, 12, 10, 8, 6, 4]
shoaling = {
    "UQ": (
        "1.00000 0.97988 0.96208 0.94079 0.92346 0.92089 0.92720 0.94291 0.97560 1.00284 1.04270"
        " 1.10189 1.21829"
    ),
    "upwind": (
        "1.00000 0.97937 0.96145 0.94019 0.92318 0.92089 0.92784 0.94453 0.97945 1.00906 1.05322"
        " 1.12406 1.25814"
    ),
    "exact": (
        "1.00000 0.98091 0.96351 0.94232 0.92423 0.92093 0.92521 0.93862 0.96752 0.99181 1.02721"
        " 1.08127 1.17232"
    ),
}


@pytest.mark.parametrize("scheme", ["UQ", "upwind"])
def test_shoaling(scheme):
    """Case A3: a steady swell over a beach.

    WAVEWATCH III interpolates energy at mean speeds of faces and is 0.2, 1.1, 3.9 % off at 20, 10
    and 4 m; fluxes interpolated at their own speed are exact.
    """
    depth = [80.0, 80.0, 80.0, *np.arange(78.0, 1.0, -2.0), 2.0]
    grid = regular_grid(
        GridOptions(
            kind="cartesian",
            nx=len(depth),
            ny=3,
            x0=-15e3,
            dx=15e3,
            dy=15e3,
            depth=depth,
            boundary=["west"],
        )
    )
    grid.mask[[0, 2]] = False
    spectral = SpectralGrid(first_frequency=0.08, factor=1.25, frequencies=3, directions=4)
    driver = SpaceDriver(
        grid, spectral, SpatialPropagation(scheme=scheme, along="x", **plain), 1200.0
    )
    start = np.zeros((spectral.components, *grid.shape))
    start[4, 1, 0] = 1.0
    driver.set(start)
    driver.steps(48 * 3)
    height = np.sqrt(driver.planes[4, 1])
    at = [depth.index(float(d)) for d in shoaling_depths]
    ours = height[at] / height[0]
    theirs, exact = (np.array(shoaling[k].split(), float) for k in (scheme, "exact"))
    np.testing.assert_allclose(ours, theirs, rtol=0.041 if scheme == "UQ" else 0.075)
    np.testing.assert_allclose(ours, exact, rtol=2e-5)


def great_circle(latitude, longitude, others):
    """Distance [m] and bearing, anticlockwise from east [rad], of points from a start."""
    phi, other = np.radians(latitude), np.radians(others[0])
    change = np.radians(others[1] - longitude)
    east = np.cos(other) * np.sin(change)
    north = np.cos(phi) * np.sin(other) - np.sin(phi) * np.cos(other) * np.cos(change)
    up = np.sin(phi) * np.sin(other) + np.cos(phi) * np.cos(other) * np.cos(change)
    return earth_radius * np.arctan2(np.hypot(east, north), up), np.arctan2(north, east)


def swell_across_the_sphere(directions, hours, **widths):
    """A Gaussian swell of 1 degree from 20N, bearing 30 degrees north of east."""
    grid = Grid(
        x=np.arange(-6.0, 66.0),
        y=np.arange(8.0, 62.0),
        depth=np.full((54, 72), 5000.0),
        mask=np.pad(np.ones((52, 70), bool), 1),
    )
    spectral = SpectralGrid(first_frequency=0.05, frequencies=3, directions=directions)
    driver = SpaceDriver(grid, spectral, SpatialPropagation(**widths), 3600.0)
    x, y = np.meshgrid(grid.x, grid.y)
    distance, _ = great_circle(20.0, 0.0, (y, x))
    spot = np.exp(-0.5 * (distance / 2e5) ** 2) * grid.mask
    start = np.zeros((spectral.components, *grid.shape))
    angle = spectral.direction - np.pi / 6
    shape = np.maximum(np.cos(angle), 0.0) ** 200
    start[:directions] = shape[:, None, None] * spot
    driver.set(start)
    for hour in range(hours):
        driver.step(hour % 2 == 0)
        driver.turn(3600.0, Turning())
    return grid, driver


def test_swell_follows_a_great_circle_for_5000_km():
    """Mean distance and bearing of its energy, within a cell of 111 km."""
    speed = linear_dispersion([5000.0], [0.05])[1][0, 0]
    hours = round(5e6 / speed / 3600.0)
    grid, driver = swell_across_the_sphere(72, hours)
    x, y = np.meshgrid(grid.x, grid.y)
    energy = driver.planes[:72].sum(axis=0) * grid.area
    distance, bearing = great_circle(20.0, 0.0, (y, x))
    mean_distance = (energy * distance).sum() / energy.sum()
    mean_bearing = (energy * bearing).sum() / energy.sum()
    travelled = speed * hours * 3600.0
    aside = (mean_bearing - np.pi / 6) * earth_radius * np.sin(travelled / earth_radius)
    assert abs(mean_distance - travelled) < 111e3
    assert abs(aside) < 111e3


def test_swell_follows_a_great_circle_over_a_bottom_that_refracts_beyond_the_limit():
    """Eastward at 50N over slopes that rise and fall along the way, for 2500 km.

    Slopes along the direction of travel do not turn waves, but they would turn others beyond the
    limit; a limit on all turning there keeps the swell near its parallel, 254 km away.
    """
    depth = 100.0 - 60.0 * np.array([1.0, 0.0, -1.0, 0.0])[np.arange(72) % 4]
    grid = Grid(
        x=np.arange(-6.0, 66.0),
        y=np.arange(31.0, 62.0),
        depth=np.tile(depth, (31, 1)),
        mask=np.pad(np.ones((29, 70), bool), 1),
    )
    spectral = SpectralGrid(first_frequency=0.05, frequencies=3, directions=120)
    driver = SpaceDriver(grid, spectral, SpatialPropagation(), 3600.0)
    x, y = np.meshgrid(grid.x, grid.y)
    distance, bearing = great_circle(50.0, 0.0, (y, x))
    start = np.zeros((spectral.components, *grid.shape))
    start[0] = np.exp(-0.5 * (distance / 2e5) ** 2) * grid.mask
    driver.set(start)
    for step in range(42):
        driver.turn(3600.0, Turning())
        driver.step(step % 2 == 0)
    energy = driver.planes[:120].sum(axis=0) * grid.area
    travelled = (energy * distance).sum() / energy.sum()
    aside = (energy * bearing).sum() / energy.sum() * earth_radius
    assert travelled > 2.5e6
    assert abs(aside) * np.sin(travelled / earth_radius) < 20e3


def coast(directions, dx=250.0):
    """A plane beach from 100 m to 8 m, waves of 0.1 Hz coming in at 40 degrees."""
    depth = np.concatenate([[100.0] * 4, np.linspace(100.0, 8.0, 80), [8.0]])
    nx, ny = depth.size, 4
    mask = np.ones((ny, nx), bool)
    mask[:, -1] = False
    boundary = np.zeros((ny, nx), bool)
    boundary[:, 0] = True
    grid = Grid(
        x=np.arange(nx) * dx,
        y=np.arange(ny) * dx,
        depth=np.repeat(depth[None], ny, axis=0),
        mask=mask,
        spherical=False,
        periodic_y=True,
        boundary=boundary,
    )
    spectral = SpectralGrid(first_frequency=0.1, frequencies=3, directions=directions)
    driver = SpaceDriver(grid, spectral, SpatialPropagation(**plain), 18.0)
    angle = spectral.direction
    incoming = np.maximum(np.cos(angle - np.radians(40.0)), 0.0) ** 40
    start = np.zeros((spectral.components, ny, nx))
    start[:directions, :, 0] = incoming[:, None]
    driver.set(start)
    for number in range(500):
        driver.turn(9.0, Turning())
        driver.step(number % 2 == 0)
        driver.turn(9.0, Turning())
    return grid, angle, driver.planes[:directions, 0, :-1]


def refracted(depth):
    """Mean direction [degree] and relative height by Snell's law for each direction."""
    wavenumber, speed = (a[0] for a in linear_dispersion([100.0, depth], [0.1]))
    angle = np.radians(np.linspace(-89.99, 89.99, 20001))
    outside = np.arcsin(np.clip(np.sin(angle) * wavenumber[1] / wavenumber[0], -1.0, 1.0))
    possible = np.abs(np.sin(angle) * wavenumber[1] / wavenumber[0]) < 1.0
    density = np.maximum(np.cos(outside - np.radians(40.0)), 0.0) ** 40 * possible
    # action over wavenumber space is kept along a ray: F c_g / k
    density *= wavenumber[1] / speed[1] * speed[0] / wavenumber[0]
    mean = np.degrees(np.arctan2((density * np.sin(angle)).sum(), (density * np.cos(angle)).sum()))
    return mean, np.sqrt(density.sum() * (angle[1] - angle[0]))


@pytest.mark.parametrize(
    ("directions", "bound", "height_bound"), [(120, 0.001, 0.003), (24, 0.07, 0.015)]
)
def test_refraction_follows_snell(directions, bound, height_bound):
    """Mean direction and height on a plane beach to 10 m, turning half before and half after space.

    With 120 directions within 0.1 and 0.3 %; with 24 directions the mean direction is up to 6.5 %
    (1.7 degrees) and the height up to 1.2 % off.
    """
    grid, angle, planes = coast(directions)
    height_outside = np.sqrt(planes[:, 0].sum() * 2 * np.pi / directions)
    exact_outside = refracted(100.0)[1]
    for depth in (40.0, 25.0, 15.0, 10.0):
        at = int(np.abs(grid.depth[0, :-1] - depth).argmin())
        exact, exact_height = refracted(grid.depth[0, at])
        energy = planes[:, at]
        mean = np.degrees(
            np.arctan2((energy * np.sin(angle)).sum(), (energy * np.cos(angle)).sum())
        )
        height = np.sqrt(energy.sum() * 2 * np.pi / directions)
        assert mean == pytest.approx(exact, rel=bound)
        assert height / height_outside == pytest.approx(
            exact_height / exact_outside, rel=height_bound
        )
