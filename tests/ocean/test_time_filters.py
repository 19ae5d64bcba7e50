"""What keeps the levels of leapfrog together: damping, phase, what is kept. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.constants import gravity
from halocline.ocean.model import Weights
from halocline.ocean.rotation import CoriolisOptions
from halocline.ocean.time_filter import TimeFilterOptions
from halocline.ocean.tracer_options import OceanTracerOptions
from ocean import oceans
from ocean.test_core import stormy

f, dt = 1e-4, 3600.0
m = 2.0 * f * dt


def inertial(time_filter, steps, **options):
    """Velocity z = u + iv on an f-plane, of the mean and of a shear, of all steps; shape (n, k)."""
    levels = oceans.plane(6, 5, 1e5, [100.0, 300.0], periodic_x=True, periodic_y=True)
    turning = CoriolisOptions(parameter=f)
    model = oceans.build(levels, dt, rotation=turning, time_filter=time_filter, **options)
    flow = np.array([-0.1, 0.5])[:, None, None]
    oceans.put_velocity(model, flow, 0.2 * flow + 0.1)
    states = [(s.u.gather() + 1j * s.v.gather()) for s in oceans.go(model, steps)]
    start = (flow + 1j * (0.2 * flow + 0.1))[:, 0, 0]
    return np.array([start, *(z[:, 2, 3] for z in states)]), model


def of_robert(strength, share):
    """What a step makes of (filtered old, present): (filtered present, next)."""
    step = np.array([1 - 1j * m / 3, -1j * m / 3]) / (1 + 1j * m / 3)
    d = 0.5 * strength * (np.array([1.0, -2.0]) + step)
    return np.stack([np.array([0.0, 1.0]) + share * d, step + (share - 1.0) * d])


def physical(matrix):
    roots = np.linalg.eigvals(matrix)
    nearest = np.argmin(np.abs(roots - np.exp(-1j * f * dt)))
    return roots[nearest], roots[1 - nearest]


@pytest.mark.parametrize("share", [1.0, 0.53])
def test_robert_filter_damps_as_its_polynomial_says(share):
    z, model = inertial(TimeFilterOptions(scheme="robert", strength=0.2, share=share), 20)
    # the first step goes forward, and is not filtered
    assert_allclose(z[1] * (1 + 1j * m / 3), z[0] * (1 - 1j * m / 6), rtol=1e-12)
    matrix, pair = of_robert(0.2, share), np.stack([z[0], z[1]])
    for number in range(2, 21):
        pair = matrix @ pair
        assert_allclose(z[number], pair[1], rtol=1e-11)
    old = model.state.old_u.gather() + 1j * model.state.old_v.gather()
    assert_allclose(old[:, 2, 3], pair[0], rtol=1e-11)
    wave, other = physical(matrix)
    assert abs(other) < 0.9
    assert np.angle(wave) == pytest.approx(-f * dt, rel=0.1)


def test_williams_share_damps_less():
    """The wave keeps its amplitude to a higher order; the other chain is damped likewise."""
    asselin, williams = (physical(of_robert(0.2, share)) for share in (1.0, 0.53))
    loss = [1.0 - abs(wave) for wave, _ in (asselin, williams)]
    assert loss[0] == pytest.approx(0.2 / (2.0 - 0.2) * (f * dt) ** 2 / 2.0, rel=0.15)
    assert 0.0 < loss[1] < 0.1 * loss[0]


def test_matsuno_steps_damp_as_their_factor_says():
    """Every fourth step: (1 - i m/6 z*) / (1 + i m/3), z* = (1 - i m/6) / (1 + i m/3)."""
    z, _ = inertial(TimeFilterOptions(scheme="matsuno"), 14, averaging=4)
    forward = (1 - 1j * m / 6) / (1 + 1j * m / 3)
    twice = (1 - 1j * m / 6 * forward) / (1 + 1j * m / 3)
    assert abs(twice) < 1.0
    for number in range(1, 14):
        if number % 4 == 1:
            wanted = twice * z[number]
        else:
            wanted = (1 - 1j * m / 3) * z[number - 1] - 1j * m / 3 * z[number]
            wanted /= 1 + 1j * m / 3
        assert_allclose(z[number + 1], wanted, rtol=1e-11)


@pytest.mark.parametrize(("scheme", "advection"), [("robert", "centred"), ("matsuno", "limited3")])
def test_volume_heat_salt_and_a_constant_are_kept(scheme, advection):
    """Of every level, over 100 steps with a moving surface."""
    levels = oceans.rough_sphere()
    model = oceans.build(
        levels, 3600.0, averaging=5, time_filter=TimeFilterOptions(scheme=scheme),
        tracers=OceanTracerOptions(advection=advection), **stormy,
    )  # fmt: skip
    random = np.random.default_rng(2)
    warm = 15.0 - levels.depth[:, None, None] / 200.0
    warm = warm + random.uniform(-0.5, 0.5, levels.horizontal.shape)
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    before = oceans.contents(model)
    *_, state = oceans.go(model, 100)
    for prefix in ("", "old_"):
        assert_allclose(oceans.contents(model, prefix), before, rtol=1e-13)
    temperature, salinity = state.tracer.gather()
    assert np.ptp(temperature[levels.wet]) > 1.0
    assert_allclose(salinity[levels.wet], 35.0, rtol=1e-13)
    half = 0.5 * (state.layer.gather() + state.old_layer.gather()) - levels.thickness[-1]
    height = state.old_surface.gather() / gravity
    assert np.abs(height[levels.mask]).max() > 0.01
    assert np.abs(half - height)[levels.mask].max() < 0.05 * np.abs(height[levels.mask]).max()


def test_the_robert_filter_acts_on_what_cells_hold():
    levels = oceans.rough_sphere()
    robert = TimeFilterOptions(scheme="robert", strength=0.4, share=0.6)
    model = oceans.build(levels, 3600.0, time_filter=robert, **stormy)
    list(oceans.go(model, 4))
    model.advance(Weights.leapfrog(3600.0))
    held = [oceans.cell_thickness(model, p) * getattr(model.state, f"{p}tracer").gather()[0]
            for p in ("old_", "", "new_")]  # fmt: skip
    change = 0.2 * (held[0] - 2.0 * held[1] + held[2])
    model.filter()
    wanted = held[0], held[1] + 0.6 * change, held[2] - 0.4 * change
    assert np.abs(change).max() > 1e-4
    for prefix, values in zip(("old_", "", "new_"), wanted, strict=True):
        found = oceans.cell_thickness(model, prefix)
        found = found * getattr(model.state, f"{prefix}tracer").gather()[0]
        assert_allclose(found, values, rtol=1e-12, atol=1e-12)
