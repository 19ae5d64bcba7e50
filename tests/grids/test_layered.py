"""Grids of layers: regular ones made here, and the displaced-pole grid of the shipped data."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.experiment.shipped import data_folder
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.layered import layered, read_displaced_pole


def test_regular_grid_with_levels():
    grid = regular_grid(
        GridOptions(nx=3, ny=2, y0=30.0, depth=[0.0, 15.0, 70.0], closed_edges=False)
    )
    sea = layered(grid, np.array([10.0, 20.0, 30.0]))
    assert sea.wet_levels.tolist() == [[0, 2, 3], [0, 2, 3]]
    assert sea.wet[:, 0].astype(int).tolist() == [[0, 0, 1], [0, 1, 1], [0, 1, 1]]
    np.testing.assert_allclose(sea.thickness, [30, 20, 10])
    np.testing.assert_allclose(sea.spacing, [15, 25, 15])
    np.testing.assert_allclose(sea.depth, [45, 20, 5])
    np.testing.assert_allclose(sea.volume[2], grid.area * 10 * (grid.mask))
    assert sea.open_x_faces()[:, 0].astype(int).tolist() == [[0, 0, 0, 0], [0, 0, 1, 0]] + [
        [0, 0, 1, 0]
    ]
    assert sea.y_face_width[1, 0] < sea.y_face_width[0, 0]


def test_displaced_pole_grid():
    sea = read_displaced_pole(data_folder() / "g_pop_x1_grid.nc")
    assert sea.shape == (40, 384, 320)
    assert int(sea.mask.sum()) == 86354 and int(sea.wet.sum()) == 2680533
    assert sea.periodic_x
    assert abs(sea.area[sea.mask].sum() / 3.61e14 - 1) < 0.01
    np.testing.assert_allclose(sea.thickness.sum(), 5500, rtol=1e-6)
    assert read_displaced_pole(data_folder() / "g_pop_x1_grid.nc", 5).shape[0] == 5
    np.testing.assert_array_equal(sea.corner_x[:, 0], sea.corner_x[:, -1])


def test_mistakes():
    grid = regular_grid(GridOptions(nx=3, ny=2))
    with pytest.raises(UserError, match="positive"):
        layered(grid, np.array([10.0, -1.0]))
    with pytest.raises(UserError, match="no variable ulon"):
        read_displaced_pole(data_folder() / "w_depth_1p25x1.nc")
