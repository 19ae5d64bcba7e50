"""`auto` between flat grids and unlike places: linear among wet points. Against planes by hand."""

import numpy as np
import pytest

from halocline.experiment.exchange_table import ExchangeOptions
from halocline.experiment.grid_pairs import remap_by
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.place import Place


def flat(nx, ny, dx, **more):
    return build_grid(
        GridOptions(
            kind="cartesian", nx=nx, ny=ny, dx=dx, dy=dx, x0=0.5 * dx, y0=0.5 * dx,
            closed_edges=False, **more,
        )
    )  # fmt: skip


def plane(grid, place):
    some = grid.at(place)
    return np.broadcast_to(3.0 * some.x - 2.0 * some.y + 7.0, grid.topology.shape(place))


ways = [
    (places, sizes)
    for places in (
        (Place.center, Place.corner), (Place.corner, Place.center), (Place.x_face, Place.y_face),
        (Place.center, Place.x_face),
    )
    for sizes in ((1.0, 1.0), (3.0, 1.0), (1.0, 3.0))
]  # fmt: skip


@pytest.mark.parametrize(("places", "sizes"), ways)
def test_a_plane_stays_one(places, sizes):
    """Inside, where both neighbours are there."""
    source, target = (flat(int(12 / dx), int(9 / dx), dx) for dx in sizes)
    remap = remap_by(ExchangeOptions(), source, target, ("a", "b"), "there")
    shape = target.topology.shape(places[1])
    j, i = (some.ravel() for some in np.mgrid[0 : shape[0], 0 : shape[1]])
    weights = remap(*places, j, i)
    found = weights(plane(source, places[0]).reshape(1, -1)[:, weights.numbers])[0]
    at = target.at(places[1])
    x, y = (np.broadcast_to(some, shape).ravel() for some in (at.x, at.y))
    edge = 0.5 * max(sizes) + 1e-9
    inner = (x > edge) & (x < 12.0 - edge) & (y > edge) & (y < 9.0 - edge)
    assert inner.sum() >= 2 and (weights.counts > 0).all()
    assert np.abs(found - plane(target, places[1]).ravel())[inner].max() < 1e-12


def test_land_counts_nothing():
    """A corner beside one dry cell is the mean of the other three."""
    depth = np.full((4, 4), 50.0)
    depth[1, 1] = 0.0
    source, target = flat(4, 4, 1.0, depth=depth.tolist()), flat(4, 4, 1.0)
    remap = remap_by(ExchangeOptions(), source, target, ("a", "b"), "there")
    weights = remap(Place.center, Place.corner, np.array([1]), np.array([1]))
    assert weights.numbers.tolist() == [0, 1, 4]
    np.testing.assert_allclose(weights.weight, 1.0 / 3.0)
