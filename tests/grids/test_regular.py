"""Grids made from options alone."""

import numpy as np
import pytest

from halocline.grids.regular import GridOptions, regular_grid


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (4, 5)])
def test_cells_have_the_size_asked_for_also_in_a_single_row(shape):
    ny, nx = shape
    options = GridOptions(
        kind="cartesian", nx=nx, ny=ny, dx=2e4, dy=3e4, periodic_x=True, periodic_y=True
    )
    grid = regular_grid(options)
    assert grid.sea_points == nx * ny
    assert np.allclose(grid.dx, 2e4)
    assert np.allclose(grid.dy, 3e4)
