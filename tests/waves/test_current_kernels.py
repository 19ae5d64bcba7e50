"""Kernels of waves on currents against plain NumPy, and against those without. One rank."""

import numpy as np
import pytest

from halocline.grids.horizontal.grid import Grid
from halocline.waves import _native
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.frequency_shift import double_angles, tail_ratio
from halocline.waves.spatial_propagation import propagation_arrays, schemes, travel
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.turning import Turning, direction_faces, turning_arrays
from references.currents import gradients, shift, sweep
from references.spatial_propagation import transparencies
from references.turning import turn
from waves.moving_sea import Sea, plain

spectral = SpectralGrid(first_frequency=0.06, factor=1.2, frequencies=5, directions=8, offset=0.3)


def basin(seed=0, shape=(9, 13), **more):
    """A sea with land in it, of cells that differ from row to row, on a sphere."""
    random = np.random.default_rng(seed)
    mask = random.uniform(size=shape) > 0.15
    table = {
        "x": 0.2 * np.arange(shape[1]),
        "y": 40.0 + 0.15 * np.arange(shape[0]),
        "depth": np.where(mask, random.uniform(8.0, 60.0, shape), 0.0),
        "mask": mask,
    }
    return Grid(**table | more)


def random_water(grid, speed=3.0, seed=1):
    random = np.random.default_rng(seed)
    size = grid.sea_points
    return {
        "current_u": random.uniform(-speed, speed, size),
        "current_v": random.uniform(-speed, speed, size),
        "sea_level": random.uniform(-6.0, 6.0, size),
    }


def sea_of(grid, water, **more):
    return Sea(grid, spectral, 600.0, lambda time: water, **more)


def spiky(grid, seed=2):
    random = np.random.default_rng(seed)
    return random.lognormal(0.0, 2.0, (5, 8, grid.sea_points)) * (
        random.uniform(size=(5, 8, grid.sea_points)) > 0.3
    )


@pytest.mark.parametrize("scheme", ["upwind", "QUICKEST", "UQ"])
@pytest.mark.parametrize("x_first", [True, False])
@pytest.mark.parametrize("coast", ["linear", "zero", "constant"])
def test_propagation_equals_reference(scheme, x_first, coast):
    grid = basin()
    water = random_water(grid, speed=12.0)  # of both signs beside group speeds of 5 to 12 m/s
    options = plain | {"scheme": scheme, "coast": coast}
    sea = sea_of(grid, water, propagation=options)
    start = spiky(grid)
    sea.set(start)
    model = sea.model
    calls = model._propagation(sea.run)
    times = [
        call.values[list(call.kernel.arguments).index(a)]
        for call in calls[:1]
        for a in call.kernel.arguments
        if a.name == "spatial_step"
    ][0].blocks[0]
    calls[0](x_first=x_first)
    found = model.decomposition.to_map(model.spectrum.gather(), 0.0).reshape(5, 8, *grid.shape)

    def plane(values):
        full = np.zeros((*np.shape(values)[:-1], *grid.shape))
        full[..., grid.mask] = values
        return full

    depth = np.maximum(grid.depth[grid.mask] + water["sea_level"], 0.1)
    speed = plane(linear_dispersion(depth, spectral.frequency)[1])
    arrays = propagation_arrays(grid, spectral) | transparencies(
        grid, model.options.propagation, None
    )
    area = arrays["cell_area"]
    open_x = np.pad(arrays["transparency_x"], ((0, 0), (0, 1)))
    open_y = np.pad(arrays["transparency_y"], ((0, 1), (0, 0)))
    u, v = plane(water["current_u"]), plane(water["current_v"])
    dx, dy = (np.broadcast_to(one, grid.shape) for one in (grid.dx, grid.dy))
    signs = 0
    for f in range(5):
        for d, (x, y) in enumerate(travel(spectral)):
            c_x = (speed[f] * x + u) * times[1, f] / dx * grid.mask
            c_y = (speed[f] * y + v) * times[2, f] / dy * grid.mask
            signs += (c_x > 0).any() and (c_x < 0).any()
            content = plane(start[f, d]) * area
            ways = [
                lambda q, c=c_x: sweep(q, c, open_x, scheme, model_coast(coast)),
                lambda q, c=c_y: sweep(q.T, c.T, open_y.T, scheme, model_coast(coast)).T,
            ]
            for way in ways if x_first else ways[::-1]:
                content = way(content)
            expected = content / area * grid.mask
            np.testing.assert_allclose(found[f, d], expected, rtol=1e-9, atol=1e-9)
    assert signs > 20


def model_coast(name):
    return {"linear": -1.0, "zero": 0.0, "constant": 1.0}[name]


@pytest.mark.parametrize("scheme", ["upwind", "QUICKEST", "UQ"])
def test_turning_equals_reference(scheme):
    grid = basin()
    water = random_water(grid)
    sea = sea_of(grid, water, turning={"scheme": scheme})
    sea.set(spiky(grid))
    start = sea.spectra
    model, w = sea.model, sea.model.water
    w.turn(sea.run)
    length = 300.0 / w.turning_steps
    at = {
        name: getattr(w, name).gather() for name in ("stretching", "shearing", "rotation", "depth")
    }
    slopes = w.slope_x.gather(), w.slope_y.gather()
    k, speed = model.wavenumber.gather(), model.group_velocity.gather()
    circle = speed * np.tan(np.radians(grid.point_y)) / grid.radius
    strength = np.where(k * at["depth"] < 10.0, speed * k - 0.5 * spectral.sigma[:, None], 0.0)
    strength /= k * at["depth"]
    angle = spectral.direction + 0.5 * spectral.direction_width
    slowed = 0
    for f in range(5):
        for point in range(grid.sea_points):
            bend = strength[f, point] * np.array([s[point] for s in slopes])
            by_current = abs(at["rotation"][point]) + np.hypot(
                at["stretching"][point], at["shearing"][point]
            )
            most = 0.75 * spectral.direction_width / length - by_current
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = 0.5 * (low + high)
                x, y = middle * bend
                fits = np.hypot(x, y + circle[f, point]) <= most
                low, high = (middle, high) if fits else (low, middle)
            slowed += high < 0.999
            x, y = high * bend
            y += circle[f, point]
            rate = x * np.sin(angle) - y * np.cos(angle) + at["rotation"][point]
            rate += at["stretching"][point] * np.sin(2.0 * angle)
            rate -= at["shearing"][point] * np.cos(2.0 * angle)
            ring = start[f, :, point]
            for _ in range(w.turning_steps):
                ring = turn(ring, rate * length / spectral.direction_width, scheme)
            np.testing.assert_allclose(sea.spectra[f, :, point], ring, rtol=1e-8, atol=1e-9)
    assert 0 < slowed < 5 * grid.sea_points


@pytest.mark.parametrize("scheme", ["upwind", "QUICKEST", "UQ"])
@pytest.mark.parametrize("ends", [True, False])
def test_shift_equals_reference(scheme, ends):
    random = np.random.default_rng(7)
    points, steps, step = 19, 2, 300.0
    density = random.lognormal(0.0, 2.0, (5, 8, points))
    density *= random.uniform(size=density.shape) > 0.3
    names = ("depth_change", "convergence", "stretching", "shearing")
    at = {name: random.uniform(-3e-4, 3e-4, points) for name in names}
    at["depth_change"] *= 10.0
    at["depth"] = random.uniform(5.0, 50.0, points)
    k, speed = linear_dispersion(at["depth"], spectral.frequency)
    after, through = density.reshape(40, points).copy(), np.zeros((2, points))
    scale, tail = step / np.log(spectral.factor), tail_ratio(spectral)
    _native.shift_frequencies(
        box=(0, 0, 0, 0, points),
        spectrum=after,
        wavenumber=k,
        group_velocity=speed,
        sigma=spectral.sigma,
        double_angle=double_angles(spectral),
        through_ends=through,
        step=scale,
        steps=steps,
        scheme=schemes[scheme],
        open=ends,
        tail=tail,
        **at,
    )
    assert tail == pytest.approx(1.2**-5)
    ratio = speed * k / spectral.sigma[:, None]
    faces = np.concatenate([ratio[:1], 0.5 * (ratio[1:] + ratio[:-1]), ratio[-1:]])
    for point in range(points):
        passed = np.zeros(2)
        for d, angle in enumerate(spectral.direction):
            along = at["convergence"][point] - at["stretching"][point] * np.cos(2.0 * angle)
            along -= at["shearing"][point] * np.sin(2.0 * angle)
            deepening = at["depth_change"][point] / at["depth"][point]
            courant = scale * (along * faces[:, point] + deepening * (faces[:, point] - 0.5))
            row = density[:, d, point]
            for _ in range(steps):
                row, below, above = shift(row, courant, scheme, ends, tail)
                passed += below, above
            found = after.reshape(5, 8, points)[:, d, point]
            np.testing.assert_allclose(found, row, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(through[:, point], passed, rtol=1e-9, atol=1e-11)
    assert (through[1] != 0.0).any() == ends


@pytest.mark.parametrize("weight", [0.5, 1.0])
def test_gradients_are_those_of_the_vector_on_the_sphere(weight):
    """Against differences of u, v and depth, and what the axes turn by."""
    grid = basin()
    before, after = random_water(grid), random_water(grid, seed=5)
    sea = sea_of(grid, before)
    w = sea.model.water
    w.give({**before, "sea_level": after["sea_level"]}, sea.numbers)
    level = w.before["sea_level"]
    assert np.array_equal(level.gather()[grid.mask], before["sea_level"])
    w._look(sea.run, w.given["current_u"], w.given["current_v"], weight, 1.0 / 600.0)

    def plane(values):
        full = np.zeros(grid.shape)
        full[grid.mask] = values
        return full

    u, v = plane(before["current_u"]), plane(before["current_v"])
    depths = [np.maximum(grid.depth + plane(some["sea_level"]), 0.1) for some in (before, after)]
    depth = (1.0 - weight) * depths[0] + weight * depths[1]
    dx, dy = np.broadcast_to(grid.dx, grid.shape), np.broadcast_to(grid.dy, grid.shape)
    assert np.ptp(dx[:, 0]) > 0.0
    slopes = {}
    for name, values in (("u", u), ("v", v), ("d", depth)):
        slopes[f"{name}_x"] = gradients(values, grid.mask, 1.0, 1.0)[0] / dx
        slopes[f"{name}_y"] = gradients(values, grid.mask, 1.0, 1.0)[1] / dy
    turning = np.tan(np.radians(grid.y))[:, None] / grid.radius
    u_x, v_x = slopes["u_x"] - v * turning, slopes["v_x"] + u * turning
    u_y, v_y = slopes["u_y"], slopes["v_y"]
    change = (depths[1] - depths[0]) / 600.0 + u * slopes["d_x"] + v * slopes["d_y"]
    for name, expected in {
        "depth": depth,
        "depth_change": change,
        "slope_x": slopes["d_x"],
        "slope_y": slopes["d_y"],
        "convergence": -0.5 * (u_x + v_y),
        "stretching": 0.5 * (u_x - v_y),
        "shearing": 0.5 * (v_x + u_y),
        "rotation": 0.5 * (v_x - u_y) - u * turning,
    }.items():
        found = getattr(w, name).gather()
        np.testing.assert_allclose(found, expected[grid.mask], rtol=1e-10, atol=1e-13, err_msg=name)
    assert (w.depth.gather() == 0.1).any() or depth[grid.mask].min() > 0.1


def test_a_sea_that_turns_as_a_whole_strains_no_waves():
    """u = omega R cos(latitude): waves keep their frequency, and their great circles."""
    y = np.linspace(-70.0, 70.0, 57)
    shape = y.size, 8
    grid = Grid(x=5.0 * np.arange(8), y=y, depth=np.full(shape, 4000.0), mask=np.ones(shape, bool))
    flow = 1e-6 * grid.radius * np.cos(np.radians(grid.point_y))
    sea = sea_of(grid, {"current_u": flow, "current_v": 0.0 * flow})
    inner = (np.abs(grid.point_y) < 69.0) & (grid.point_x > 4.0) & (grid.point_x < 31.0)
    largest = 1e-6 * np.tan(np.radians(70.0))
    for name in ("convergence", "stretching", "shearing", "rotation"):
        found = getattr(sea.model.water, name).gather()
        assert np.abs(found[inner]).max() < 2e-4 * largest, name


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_water_at_rest_gives_what_there_is_without(dtype):
    """Currents of 0 and a level of 0, with averaging, coasts and refraction."""
    from halocline.runtime.running.runner import Runner
    from halocline.waves.model import WaveModel
    from halocline.waves.waves_options import WavesOptions

    grid = basin(3)
    still = {name: np.zeros(1) for name in ("current_u", "current_v", "sea_level")}
    sea = sea_of(grid, still, dtype=dtype, propagation={})
    start = spiky(grid)
    sea.set(start)
    sea.steps(4)
    cut = sea.model.decomposition
    options = WavesOptions.from_table({"physics": "none"})
    bare = WaveModel(grid, spectral, options, cut, 600.0, dtype=dtype)
    flat = start.reshape(40, -1)
    bare.set_spectra(lambda some: flat[:, some])
    run = Runner(cut)
    for number in range(4):
        bare.step(run, number)
    expected = bare.spectrum.gather()
    assert np.array_equal(sea.model.sub_step_counts, bare.sub_step_counts)
    bound = 1e-12 if dtype == np.float64 else 2e-5
    np.testing.assert_allclose(sea.spectra.reshape(40, -1), expected, rtol=bound, atol=bound)


def test_refraction_is_that_of_the_tables():
    grid = basin()
    still = {name: np.zeros(1) for name in ("current_u", "current_v", "sea_level")}
    sea = sea_of(grid, still)
    sea.set(spiky(grid))
    start, w = sea.spectra, sea.model.water
    w.turn(sea.run)
    arrays = turning_arrays(grid, spectral, Turning(), 300.0 / w.turning_steps)
    faces = direction_faces(spectral)
    for f in range(5):
        for point in range(0, grid.sea_points, 7):
            x, y = (arrays[name][f, point] for name in ("turning_x", "turning_y"))
            rate = (x * faces[:, 1] - y * faces[:, 0]) * 300.0 / spectral.direction_width
            ring = turn(start[f, :, point], rate, "UQ")
            np.testing.assert_allclose(sea.spectra[f, :, point], ring, rtol=1e-8, atol=1e-9)
