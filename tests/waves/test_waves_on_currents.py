"""Waves on currents and in changing depth against linear theory. One rank."""

import numpy as np
import pytest

from halocline.core.constants import gravity
from halocline.waves.dispersion import linear_dispersion
from halocline.waves.spectrum import SpectralGrid
from waves.moving_sea import (
    Sea,
    action_in_k,
    along_rays,
    channel,
    plain,
    sigma_of,
)


def swell(toward=0.0, peak=0.1, width=0.15, spread=0.25):
    """F of frequency and direction, a smooth hill."""

    def density(sigma, theta):
        x = np.log(sigma / (2.0 * np.pi * peak)) / width
        return np.exp(-0.5 * x * x - (1.0 - np.cos(theta - toward)) / spread**2)

    return density


def spectral_grid(refinement):
    """12 x 24 bins, or finer ones over the same frequencies."""
    factor = 1.2 ** (1.0 / refinement)
    return SpectralGrid(
        first_frequency=0.06 * np.sqrt(factor / 1.2),
        factor=factor,
        frequencies=12 * refinement,
        directions=24 * refinement,
        offset=0.5,
    )


def steady(refinement, along, kind):
    """The model's spectra after a passage of the sea, and those of rays; away from the ends."""
    cells, length = 16 * refinement, 40e3
    centre = (np.arange(cells) + 0.5) * length / cells

    def depth(s):
        return 60.0 - 30.0 * s / length if kind == "beach" else 4000.0 + 0.0 * s

    grid = channel(cells, length / cells, along, depth, ends=(0, 1))
    strength = (
        -0.4 * 60.0 / depth(centre) if kind == "beach" else 2.0 * np.sin(centre / length) ** 2
    )

    def points(line):
        plane = line[None, :] if along == "x" else line[:, None]
        return grid.at_points(np.broadcast_to(plane, grid.shape))

    flow = points(strength)
    # up the beach the water flows along the channel, in the jet across it
    eastward = (along == "x") == (kind == "beach")
    water = {"current_u": flow if eastward else 0.0 * flow}
    water["current_v"] = 0.0 * flow if eastward else flow
    spectral = spectral_grid(refinement)
    sea = Sea(
        grid,
        spectral,
        600.0 / refinement,
        lambda time: water,
        turning={"maximum_courant": 1.0},
    )
    first = strength[0]
    there = depth(centre[0]), first if eastward else 0.0, 0.0 if eastward else first
    toward = 0.3 if along == "x" else 0.5 * np.pi + 0.3
    here = grid.at_points(grid.depth), water["current_u"], water["current_v"]
    exact = along_rays(spectral, swell(toward), along, here, there)
    sea.set(exact)
    sea.hold(np.flatnonzero(grid.at_points(grid.boundary)), exact)
    sea.steps(18 * refinement)
    inner = points((centre > 5e3) & (centre < 36e3))
    return sea.spectra[:, :, inner], exact[:, :, inner]


@pytest.mark.parametrize("along", ["x", "y"])
@pytest.mark.parametrize("kind", ["beach", "jet"])
def test_spectra_are_those_of_rays(kind, along):
    """A swell up a beach against water that flows off it; through the side of a jet.

    Absolute frequency, wavenumber along the shore or the jet (Snell's law with a current), and
    action in k-space are kept along rays; all bins of the spectrum are compared.
    """
    errors = []
    for refinement in (1, 2):
        found, exact = steady(refinement, along, kind)
        errors.append(np.abs(found - exact).mean() / exact.mean())
    assert errors[1] < 0.01
    assert np.log2(errors[0] / errors[1]) > 1.6


def test_a_uniform_current_carries_waves_and_leaves_their_spectrum():
    """A group moves with c_g + U; third order with QUICKEST."""
    errors = []
    spectral = SpectralGrid(first_frequency=0.08, frequencies=3, directions=4)
    speed = linear_dispersion([4000.0], spectral.frequency)[1][0, 0] - 3.0
    for cells in (32, 64):
        width = 4e5 / cells
        water = {"current_u": np.full(1, -3.0), "current_v": np.zeros(1)}
        sea = Sea(
            periodic(cells, width), spectral, 0.4 * width / speed, lambda time, water=water: water,
            propagation=plain | {"scheme": "QUICKEST"},
        )  # fmt: skip

        def wave(shift, cells=cells):
            phase = 2.0 * np.pi * ((np.arange(cells) + 0.5) / cells - shift)
            return 1.0 + 0.5 * np.sin(phase) * np.sinc(1.0 / cells)

        sea.set(np.broadcast_to(np.tile(wave(0.0), 3), (3, 4, 3 * cells)))
        sea.steps(cells // 2)
        assert sea.model.water.shift_steps == sea.model.water.turning_steps == 1
        found = sea.spectra[0, 0].reshape(3, cells)
        errors.append(np.abs(found - wave(0.2)).max())
    assert np.log2(errors[0] / errors[1]) > 2.8
    assert errors[1] < 1e-4


def periodic(cells, width, rows=3, **more):
    """A sea without sides."""
    from halocline.grids.horizontal.grid import Grid

    shape = rows, cells
    table = {
        "x": (np.arange(cells) + 0.5) * width,
        "y": (np.arange(rows) + 0.5) * width,
        "depth": np.full(shape, 4000.0),
        "mask": np.ones(shape, bool),
        "spherical": False,
        "periodic_x": True,
        "periodic_y": True,
    }
    return Grid(**table | more)


def opposed(strength, cells=45, length=60e3):
    """Steady waves of 0.1 Hz on a current that grows against them: spectra, currents, grid."""
    grid = channel(cells, length / cells, ends=(0, 1))
    place = np.clip((grid.x - 5e3) / (length - 15e3), 0.0, 1.0)
    line = -strength * 0.5 * (1.0 - np.cos(np.pi * place))
    flow = np.tile(line, 3)
    spectral = SpectralGrid(
        first_frequency=0.08, factor=1.05, frequencies=32, directions=48, offset=0.5
    )
    water = {"current_u": flow, "current_v": 0.0 * flow}
    sea = Sea(grid, spectral, 250.0, lambda time: water, dtype=np.float32)
    density = swell(0.0, 0.1, 0.05, 0.1)(spectral.sigma[:, None], spectral.direction[None, :])
    start = np.zeros((*spectral.shape, flow.size))
    start[:] = density[:, :, None] * (line[None] == 0.0).repeat(3, 0).ravel()
    sea.set(start)
    sea.hold(np.flatnonzero(grid.at_points(grid.boundary)), start)
    return sea, line


def test_waves_grow_against_a_current_and_their_absolute_frequency_stays():
    """Longuet-Higgins and Stewart (1961), equation 3.17: a / a0 = c0 / sqrt(c (c + 2 U)), with
    c / c0 = (1 + sqrt(1 + 4 U / c0)) / 2 in deep water, on a current fed from below."""
    sea, line = opposed(2.5)
    sea.steps(70)
    spectra = sea.spectra.reshape(32, 48, 3, -1)[:, :, 1].astype(float)
    f, width = sea.spectral.frequency[:, None, None], sea.spectral.band_width[:, None, None]
    energy = (spectra * width).sum(axis=(0, 1))
    k = sea.spectral.sigma[:, None, None] ** 2 / gravity
    along = k * np.cos(sea.spectral.direction[None, :, None])
    absolute = f + along * line / (2.0 * np.pi)
    rays = (spectra / f * width * absolute).sum(axis=(0, 1)) / (spectra / f * width).sum(
        axis=(0, 1)
    )
    relative = (spectra * width * f).sum(axis=(0, 1)) / energy
    c0 = gravity / (2.0 * np.pi * relative[2])
    c = 0.5 * c0 * (1.0 + np.sqrt(1.0 + 4.0 * line / c0))
    growth = c0 / np.sqrt(c * (c + 2.0 * line))
    inner = slice(2, -4)
    assert growth[inner].max() > 1.6
    np.testing.assert_allclose(np.sqrt(energy / energy[2])[inner], growth[inner], rtol=0.03)
    np.testing.assert_allclose(relative[inner] / relative[2], (c0 / c)[inner], rtol=0.02)
    np.testing.assert_allclose(rays[inner], rays[2], rtol=0.02)


def test_nothing_passes_where_the_current_is_a_quarter_of_the_phase_speed():
    sea, line = opposed(6.0)
    sea.steps(70)
    energy = sea.spectra.sum(axis=(0, 1)).reshape(3, -1)[1]
    c0 = gravity / (2.0 * np.pi * 0.08)  # the longest waves there are
    blocked = line < -0.25 * c0
    assert blocked.sum() > 5
    assert energy.max() > energy[2]
    assert energy[blocked][3:].max() < 1e-5 * energy[2]


@pytest.mark.parametrize("ends", [True, False])
def test_a_tide_keeps_wavenumbers_and_action(ends):
    """Depth rises and falls everywhere at once: k and N(k) stay, sigma follows from k and d."""
    period, errors = 12.4 * 3600.0, []
    for refinement in (2, 4):
        spectral = spectral_grid(refinement)
        depth = 12.0
        grid = periodic(3, 1e4, depth=np.full((3, 3), depth))
        table = {"scheme": "QUICKEST", "open_ends": ends}

        def water(time):
            zero = np.zeros(1)
            rise = np.array([5.0 * np.sin(2.0 * np.pi * time / period)])
            return {"current_u": zero, "current_v": zero, "sea_level": rise}

        step = 0.25 * period / (8 * refinement)
        sea = Sea(grid, spectral, step, water, changes=True, frequency_shift=table)
        sigma, theta = spectral.sigma[:, None], spectral.direction[None, :]
        start = np.repeat(swell()(sigma, theta)[:, :, None], 9, axis=2)
        sea.set(start)
        before = sea.action
        sea.steps(8 * refinement)
        k = linear_dispersion([depth + 5.0], spectral.frequency)[0]
        first = sigma_of(k, depth)
        in_k = action_in_k(swell()(first, theta), first, k, depth)
        unit = action_in_k(1.0, sigma, k, depth + 5.0)
        errors.append(np.abs(sea.spectra[:, :, 0] - in_k / unit).max())
        if not ends:
            assert sea.action == pytest.approx(before, rel=1e-13)
        steepest = np.abs(sea.spectra[:, :, 0] - start[:, :, 0]).max()
        assert steepest > 0.1
    order = np.log2(np.array(errors[:-1]) / errors[1:])
    assert order[-1] > 1.8
    assert errors[-1] < 0.01


def test_water_that_moves_as_a_whole_is_the_same_sea_seen_from_a_frame_that_moves():
    """Waves over a hilly bottom that moves with the water: a shift by cells and nothing else.

    The hills move too, by the level; fields are those of the frame that moves, shifted.
    """
    cells, width, speed, step = 24, 10e3, 5.0, 1000.0
    spectral = SpectralGrid(first_frequency=0.07, frequencies=6, factor=1.2, directions=12)
    x = (np.arange(cells) + 0.5) * width
    start = np.zeros((6, 12, 3 * cells))
    bump = np.tile(np.exp(-0.5 * ((x - 1.2e5) / 3e4) ** 2), 3)
    start[:] = swell(0.4)(spectral.sigma[:, None], spectral.direction[None, :])[:, :, None] * bump

    def hills(time):
        phase = 2.0 * np.pi * (x - speed * time * moves) / (cells * width)
        return np.tile(3.0 * np.cos(phase), 3)

    answers = []
    for moves in (0.0, 1.0):
        flow = np.full(3 * cells, moves * speed)
        sea = Sea(
            periodic(cells, width, depth=np.full((3, cells), 15.0)),
            spectral,
            step,
            lambda time, flow=flow: {
                "current_u": flow, "current_v": 0.0 * flow, "sea_level": hills(time)
            },
            changes=True,
        )  # fmt: skip
        sea.set(start)
        sea.steps(12)
        answers.append(sea.spectra.reshape(6, 12, 3, cells))
    cells_moved = round(12 * step * speed / width)
    still, moving = answers[0], np.roll(answers[1], -cells_moved, axis=3)
    assert np.abs(still - start.reshape(still.shape)).max() > 0.2
    assert np.abs(still - np.roll(moving, 1, axis=3)).max() > 0.05
    assert np.abs(still - moving).max() < 0.02


@pytest.mark.parametrize("ends", [True, False])
def test_action_is_kept_to_round_off(ends):
    """Random currents and levels on a sea without sides; what passes the ends is counted."""
    random = np.random.default_rng(4)
    grid = periodic(12, 1e4, rows=9, depth=random.uniform(8.0, 30.0, (9, 12)))
    spectral = SpectralGrid(first_frequency=0.06, frequencies=8, factor=1.2, directions=12)
    water = {
        "current_u": random.uniform(-3.0, 3.0, 108),
        "current_v": random.uniform(-3.0, 3.0, 108),
        "sea_level": random.uniform(-2.0, 2.0, 108),
    }
    after = {name: values + random.normal(0.0, 0.2, 108) for name, values in water.items()}
    sea = Sea(
        grid,
        spectral,
        900.0,
        lambda time: after if time else water,
        changes=True,
        propagation={},
        frequency_shift={"open_ends": ends},
    )
    sea.set(random.lognormal(0.0, 2.0, (8, 12, 108)))
    before = sea.action
    passed = 0.0
    shift = sea.model.water.shift

    def counted(run):
        nonlocal passed
        shift(run)
        below, above = sea.model.water.through_ends.gather().sum(axis=1)
        passed += below - above

    sea.model.water.shift = counted
    sea.steps(1)
    assert sea.model.water.shift_steps > 1
    assert sea.spectra.min() >= 0.0
    assert sea.action - passed == pytest.approx(before, rel=1e-13)
    assert (passed != 0.0) == ends
