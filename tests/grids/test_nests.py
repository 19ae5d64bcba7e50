"""Between a grid and a nest: exact for linear fields, means give back what there is."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import Conic
from halocline.grids.remapping.nests import Nest
from halocline.runtime.fields.place import Place

places = [Place.center, Place.x_face, Place.y_face]


def plane(nj, ni, dx, x0=0.0, y0=0.0, dy=None):
    x, y = x0 + (np.arange(ni) + 0.5) * dx, y0 + (np.arange(nj) + 0.5) * (dy or dx)
    depth = np.ones((nj, ni))
    return Grid(x=x, y=y, depth=depth, mask=depth > 0, spherical=False)


outer, inner = plane(9, 11, 3.0), plane(12, 15, 1.0, x0=9.0, y0=6.0)
nest = Nest.between(outer, inner, ("outer", "inner"))


def coordinates(grid, place):
    found = grid.at(place)
    return found.x, found.y


def test_the_place_follows_from_the_grids():
    assert (nest.ratio, nest.row, nest.column) == (3, 2, 3)


@pytest.mark.parametrize("place", places)
def test_inwards_linear_fields_are_exact(place):
    x, y = coordinates(outer, place)
    values = (2.0 * x - 3.0 * y + 0.25 * x * y).reshape(1, -1)
    own_x, own_y = coordinates(inner, place)
    j, i = (some.ravel() for some in np.indices(own_x.shape))
    weights = nest.inwards(place, j, i)
    found = weights(values[:, weights.numbers])[0].reshape(own_x.shape)
    wanted = 2.0 * own_x - 3.0 * own_y + 0.25 * own_x * own_y
    assert np.abs(found - wanted).max() < 1e-12
    assert np.abs(weights.row_sums() - 1.0).max() < 1e-15
    assert weights.weight.min() >= 0.0


@pytest.mark.parametrize("place", places)
def test_outwards_are_means_of_cells_and_faces(place):
    rng = np.random.default_rng(3)
    values = rng.normal(size=coordinates(inner, place)[0].shape)
    inside = nest.inside(place, 0)
    j, i = np.nonzero(inside)
    weights = nest.outwards(place, j, i)
    found = weights(values.reshape(1, -1)[:, weights.numbers])[0]
    at = iter(found)
    for row, column in zip(j, i, strict=True):
        south, west = 3 * (row - 2), 3 * (column - 3)
        rows = slice(south, south + 1 if place == Place.y_face else south + 3)
        columns = slice(west, west + 1 if place == Place.x_face else west + 3)
        assert next(at) == pytest.approx(values[rows, columns].mean(), abs=1e-15)
    assert j.size == {Place.center: 20, Place.x_face: 24, Place.y_face: 25}[place]


def test_a_rim_stays_as_it_is():
    assert nest.inside(Place.center, 1).sum() == 2 * 3
    assert not nest.inside(Place.center, 2).any()


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        (plane(12, 15, 1.0, x0=25.0, y0=6.0), "from x = 25 to 40 and 'outer' from 0 to 33"),
        (plane(12, 15, 1.0, x0=9.5, y0=6.0), "begins 0.5 beyond one"),
        (plane(12, 14, 1.0, x0=9.0, y0=6.0), "has 14 cells, 3 to a cell"),
        (plane(12, 15, 1.3, x0=9.0, y0=6.0), "2.30769 times as wide"),
        (
            plane(12, 15, 1.0, x0=9.0, y0=6.0, dy=1.5),
            "3 times finer .* along x and 2 times along y",
        ),
    ],
)
def test_refused(grid, words):
    with pytest.raises(UserError, match=words):
        Nest.between(outer, grid, ("outer", "inner"))


def test_nests_on_a_map():
    """Found by the lines on the map; not on another one."""
    around = (-14.0, 54.0), (9e3, 9e3), (20, 30)
    maps = [Conic.lambert([50.0, north], -14.0, 6.37e6) for north in (60.0, 65.0)]
    coarse, other = (Projected.around(one, *around) for one in maps)
    fine = coarse.nest(3, (4, 7), (12, 15))
    whole, part, strange = (Grid.on_map(one, np.ones(one.shape)) for one in (coarse, fine, other))
    found = Nest.between(whole, part, ("outer", "inner"))
    assert (found.ratio, found.row, found.column) == (3, 4, 7)
    with pytest.raises(UserError, match="on one map"):
        Nest.between(strange, part, ("outer", "inner"))
