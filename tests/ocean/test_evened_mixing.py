"""Diffusivity as the corners have it: waves of two cells vanish, what is even stays. Ranks: 1."""

import numpy as np

from halocline.ocean import _native


def evened(diffusivity, stability, floor):
    """By the kernel, of cells (k, j, i) but those at the rim."""
    levels, rows, columns = diffusivity.shape
    wide = np.pad(floor, ((1, 0), (1, 0)), "edge")
    corner = np.maximum.reduce([wide[1:, 1:], wide[1:, :-1], wide[:-1, 1:], wide[:-1, :-1]])
    found = np.full(diffusivity.shape, np.nan)
    _native.ocean_even_diffusivity(
        box=(1, rows - 1, 1, columns - 1, 0),
        column_diffusivity=diffusivity,
        stability=stability,
        floor_level=floor.astype(float),
        corner_floor=corner.astype(float),
        vertical_diffusivity=found,
    )
    return found[:, 1:-1, 1:-1]


def deep(shape=(3, 5, 18)):
    return np.ones(shape), np.zeros(shape[1:], int)


def test_waves_of_two_cells_vanish():
    stability, floor = deep()
    j, i = np.indices(floor.shape)
    for wave in ((-1) ** i, (-1) ** j, (-1) ** (i + j)):
        found = evened(1.0 + 0.5 * wave + 0.0 * stability, stability, floor)
        assert (found[1:] == 1.0).all() and (found[0] == 0.0).all()  # nothing at the floor


def test_slopes_stay():
    stability, floor = deep()
    j, i = np.indices(floor.shape)
    slope = 8.0 + 0.5 * i - 0.25 * j + 0.0 * stability
    assert (evened(slope, stability, floor)[1:] == slope[1:, 1:-1, 1:-1]).all()


def test_by_quarter_half_quarter():
    random = np.random.default_rng(7)
    stability, floor = deep()
    given = random.uniform(size=stability.shape)
    rows = 0.25 * (given[:, :-2] + given[:, 2:]) + 0.5 * given[:, 1:-1]
    both = 0.25 * (rows[..., :-2] + rows[..., 2:]) + 0.5 * rows[..., 1:-1]
    assert np.abs(evened(given, stability, floor) - both)[1:].max() < 1e-15


def test_columns_that_convect_neither_change_nor_count():
    stability, floor = deep()
    given = np.ones(stability.shape)
    given[:, 2, 8], stability[:, 2, 8] = 100.0, -1e-6
    found = evened(given, stability, floor)
    assert (found[1:, 1, 7] == 100.0).all()
    found[:, 1, 7] = 1.0
    assert (found[1:] == 1.0).all()


def test_beside_a_shallower_column_only_the_other_corners_count():
    stability, floor = deep()
    floor[2, 8] = 1  # its interface 1 is the floor
    given = np.ones(stability.shape)
    given[:, 2, 7] = 5.0
    given[:, 2, 8] = np.nan  # nobody may look at it there
    found = evened(given, stability, floor)
    west = 0.25 * (5.0 + 1.0 + 1.0 + 1.0)  # each of both corners in the west
    assert found[1, 1, 6] == 0.5 * west + 0.5 * 5.0
    assert found[1, 1, 7] == 0.0
    assert found[1, 1, 8] == 1.0
