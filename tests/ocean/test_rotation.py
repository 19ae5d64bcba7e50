"""The Coriolis parameter. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.ocean.rotation import CoriolisOptions, coriolis
from halocline.runtime.fields.place import Place

day = 86164.0905
"""Of the stars [s]."""


@pytest.mark.parametrize("kind", ["spherical", "tripole"])
def test_on_the_sphere(kind):
    """Twice the turns per second times the sine of the latitude of corners."""
    regular = {"dx": 10.0, "dy": 10.0, "x0": 5.0, "y0": -85.0}
    more = regular if kind == "spherical" else {}
    grid = build_grid(GridOptions(kind=kind, nx=36, ny=18, depth=100.0, **more))
    found, corner = coriolis(grid, CoriolisOptions()), grid.at(Place.corner)
    wanted = 4.0 * np.pi / day * np.sin(np.radians(corner.y))
    assert_allclose(found, wanted, rtol=2e-6, atol=1e-12)  # POP has 1.07e-6 more
    assert found.max() > 1e-4 and found.min() < -1e-4


def test_on_a_plane():
    options = GridOptions(kind="cartesian", nx=4, ny=6, dx=1e4, dy=1e4, y0=5e3, depth=100.0)
    plane = build_grid(options)
    y = plane.at(Place.corner).y
    assert not coriolis(plane, CoriolisOptions()).any()
    beta = CoriolisOptions(parameter=1e-4, gradient=2e-11)
    assert_allclose(coriolis(plane, beta), 1e-4 + 2e-11 * y, rtol=1e-14)


def test_a_gradient_on_the_sphere_is_refused():
    grid = build_grid(GridOptions(nx=8, ny=4, dx=10.0, dy=10.0, depth=100.0))
    with pytest.raises(UserError, match="on Cartesian grids only"):
        coriolis(grid, CoriolisOptions(gradient=2e-11))
