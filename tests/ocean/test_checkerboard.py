"""Checkerboards of the surface: no force sees them, and water that moves levels them. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.constants import gravity
from ocean import oceans

cells = 8
board = (-1.0) ** np.add.outer(np.arange(cells), np.arange(cells))


def square(*, walls):
    """A square of square cells, with walls or joined with itself on all sides."""
    joined = {"periodic_x": not walls, "periodic_y": not walls}
    return oceans.plane(cells, cells, 5e4, [100.0, 200.0], **joined)


def heights(model, steps):
    """Heights of the surface after every step [m]."""
    return [state.surface.gather() / gravity for state in oceans.go(model, steps)]


def test_no_force_acts_on_a_checkerboard():
    """In a square basin it stays for ever, nothing moves, and the fluxes are none."""
    model = oceans.build(square(walls=True), 3600.0)
    oceans.put_surface(model, 0.3 * board)
    *_, last = heights(model, 20)
    assert_allclose(last, 0.3 * board, rtol=1e-9)
    assert np.abs(model.state.u.gather()).max() < 1e-12


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_a_checkerboard_falls_as_its_polynomial_says(share):
    """With the fluxes of the old level its factor x of a step has x^2 - x + share / 2 = 0."""
    model = oceans.build(square(walls=False), 3600.0, checkerboard=share)
    oceans.put_surface(model, 0.3 * board)
    next(oceans.go(model, 1))
    before = model.state.old_surface.gather()[0, 0], model.state.surface.gather()[0, 0]
    assert before[1] == pytest.approx((1.0 - share) * before[0], rel=1e-12)
    slow, fast = np.roots([1.0, -1.0, 0.5 * share])
    a, b = np.linalg.solve([[1.0, 1.0], [slow, fast]], before)
    for step, state in enumerate(oceans.go(model, 12, first=1), 2):
        wanted = (a * slow**step + b * fast**step) * board
        assert_allclose(state.surface.gather(), wanted, atol=1e-9 * before[0])


def test_waves_along_one_axis_are_left_alone():
    """They have no twist, not even in the last bit."""
    found = []
    for share in (0.0, 0.4):
        model = oceans.build(square(walls=False), 3600.0, checkerboard=share)
        oceans.put_surface(model, 0.3 * np.cos(np.arange(cells)) * np.ones((cells, 1)))
        found.append(heights(model, 5)[-1])
    assert np.array_equal(*found)


@pytest.mark.parametrize("kind", ["square", "rough"])
def test_volume_and_contents_are_kept(kind):
    """Water takes along what it holds: an even tracer stays even, and no new extremes appear."""
    levels = square(walls=True) if kind == "square" else oceans.rough_sphere()
    model = oceans.build(levels, 1800.0, checkerboard=0.3, averaging=4)
    shape = levels.horizontal.shape
    random = np.random.default_rng(6)
    oceans.put_surface(model, random.uniform(-1.0, 1.0, shape) * levels.mask)
    warm = random.uniform(5.0, 15.0, (levels.thickness.size, *shape))
    oceans.put_tracers(model, np.stack([warm, np.full(warm.shape, 35.0)]))
    before, twist = oceans.contents(model), twist_of(model)
    *_, state = oceans.go(model, 40)
    assert_allclose(oceans.contents(model), before, rtol=1e-13)
    assert_allclose(state.tracer.gather()[1][levels.wet], 35.0, rtol=1e-12)
    assert twist_of(model) < 0.5 * twist


def twist_of(model):
    """Root mean square of the twist at corners in the sea [m2 s-2]."""
    p = model.state.surface.gather()
    wet = oceans.wet_corners(model.levels)[-1][1 : p.shape[0], 1 : p.shape[1]]
    twist = p[:-1, :-1] + p[1:, 1:] - p[1:, :-1] - p[:-1, 1:]
    return np.sqrt(np.mean(twist[wet] ** 2))


def test_water_that_leaves_high_cells_cools_the_low_ones():
    """One corner of four cells: both low ones get half of what both high ones held."""
    levels = oceans.plane(2, 2, 5e4, [100.0])
    model = oceans.build(levels, 3600.0, checkerboard=0.16)
    oceans.put_surface(model, 0.5 * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    warm = np.array([[[4.0, 10.0], [10.0, 8.0]]])
    oceans.put_tracers(model, np.stack([warm, np.full((1, 2, 2), 35.0)]))
    model.first_step()
    moved = 0.16 / 16.0 * 4.0 * 0.5  # [m]
    thick = model.state.layer.gather()
    assert_allclose(thick, 100.0 + (0.5 - moved) * np.array([[1.0, -1.0], [-1.0, 1.0]]), rtol=1e-12)
    low = ((100.0 - 0.5) * 10.0 + moved * 6.0) / (100.0 - 0.5 + moved)
    assert_allclose(model.state.tracer.gather()[0, 0], [[4.0, low], [low, 8.0]], rtol=1e-12)
