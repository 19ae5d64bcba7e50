"""Grids of layers: regular ones made here, and the displaced-pole grid of the shipped data."""

from dataclasses import replace

import numpy as np
import pytest

from halocline.component.case.shipped import data_folder
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid, regular_grid
from halocline.grids.vertical.case_grid import CaseGridOptions, build_levels
from halocline.grids.vertical.levels import growing_thickness, layered, read_layers


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


def test_displaced_pole_grid():
    sea = read_layers(data_folder() / "g_pop_x1_grid.nc")
    assert sea.shape == (40, 384, 320)
    assert int(sea.mask.sum()) == 86354 and int(sea.wet.sum()) == 2680533
    np.testing.assert_allclose(sea.thickness.sum(), 5500, rtol=1e-6)
    np.testing.assert_allclose(sea.floor, sea.horizontal.depth, rtol=1e-12)
    assert read_layers(data_folder() / "g_pop_x1_grid.nc", 5).shape[0] == 5
    # The levels of the file were made by the closed form.
    made = growing_thickness(40, 10.0, 250.0, 5500.0)
    np.testing.assert_allclose(made[::-1], sea.thickness, rtol=1e-7)


def test_interfaces_and_centres():
    sea = layered(regular_grid(GridOptions(nx=3, ny=3)), np.array([10.0, 20.0, 30.0]))
    assert sea.interfaces.tolist() == [60.0, 30.0, 10.0, 0.0]
    np.testing.assert_allclose(0.5 * (sea.interfaces[1:] + sea.interfaces[:-1]), sea.depth)


def test_partial_bottom_cells_end_at_the_floor():
    """Volume is area times depth, but above the least thickness; uppermost cells are whole."""
    depth = [0.0, 4.0, 12.0, 25.0, 30.0, 99.0]
    grid = regular_grid(GridOptions(nx=6, ny=1, depth=depth, closed_edges=False))
    sea = layered(grid, np.array([10.0, 20.0, 30.0]), least=0.25)
    assert sea.wet_levels.tolist() == [[0, 1, 2, 2, 2, 3]]
    np.testing.assert_allclose(sea.floor, [[0.0, 10.0, 15.0, 25.0, 30.0, 60.0]])
    np.testing.assert_allclose(sea.cell_thickness.sum(axis=0), sea.floor)
    np.testing.assert_allclose(sea.volume.sum(axis=0), sea.floor * grid.area)


def test_levels_of_a_case(tmp_path):
    def thickness(**levels) -> list[float]:
        table = {"nx": 3, "ny": 3, "depth": 70.0, "levels": levels}
        options = CaseGridOptions.from_table(table, "grid")
        return build_levels(options, build_grid(options)).thickness[::-1].tolist()

    assert thickness() == [70.0]
    assert thickness(thickness=[10.0, 20.0], count=1) == [10.0]
    assert len(thickness(growing={"count": 5, "top": 5.0, "deep": 50.0, "total": 100.0})) == 5
    file = str(data_folder() / "g_pop_x1_grid.nc")
    assert sum(thickness(file=file)) == pytest.approx(5500.0)
    with pytest.raises(UserError, match="Keep one"):
        thickness(thickness=[1.0], file=file)
    with pytest.raises(UserError, match="no variable dz"):
        thickness(file=str(data_folder() / "w_depth_1p25x1.nc"))
    with pytest.raises(UserError, match="5 levels that grow from 5 to 50 m"):
        thickness(growing={"count": 5, "top": 5.0, "deep": 50.0, "total": 1000.0})


def test_mistakes():
    grid = regular_grid(GridOptions(nx=3, ny=2))
    with pytest.raises(UserError, match=r"-1 m thick, the one with number 2 of 3 .*, and 1 more"):
        layered(grid, np.array([10.0, -1.0, 0.0]))
    with pytest.raises(UserError, match="no levels"):
        layered(grid, np.array([]))
    with pytest.raises(UserError, match="no variable ulon"):
        read_layers(data_folder() / "w_depth_1p25x1.nc")


def test_sills_cut_the_columns_of_their_box():
    """Of 10 levels of 10 m three begin above 25 m; outside, and where it is shallower, nothing."""
    from halocline.grids.horizontal.regular import regular_grid
    from halocline.grids.vertical.case_grid import CaseGridOptions, LevelOptions, build_levels

    levels = LevelOptions(thickness=[10.0] * 10, sills=[(2.0, 4.0, 1.0, 1.0, 25.0)])
    options = CaseGridOptions(nx=6, ny=3, dx=1.0, dy=1.0, depth=100.0, levels=levels)
    grid = regular_grid(options)
    grid.depth[1, 3] = 5.0
    wet = build_levels(options, grid).wet_levels
    closed = np.where(grid.mask, 10, 0)
    closed[1, 2:5] = np.where(grid.mask[1, 2:5], [3, 1, 3], 0)
    np.testing.assert_array_equal(wet, closed)


def test_straits_deepen_the_sea_of_their_box():
    """Of 10 levels of 10 m eight begin above 75 m; land stays, and where it is deeper nothing."""
    from halocline.grids.horizontal.regular import regular_grid
    from halocline.grids.vertical.case_grid import CaseGridOptions, LevelOptions, build_levels

    box = (2.0, 4.0, 1.0, 1.0)
    levels = LevelOptions(thickness=[10.0] * 10, sills=[(*box, 25.0)], straits=[(*box, 75.0)])
    options = CaseGridOptions(nx=6, ny=3, dx=1.0, dy=1.0, depth=45.0, levels=levels)
    grid = regular_grid(options)
    grid.depth[1, 3], grid.mask[1, 4] = 5.0, False
    wet = build_levels(options, grid).wet_levels
    opened = np.where(grid.mask, 5, 0)
    opened[1, 2:4] = 8
    np.testing.assert_array_equal(wet, opened)
    levels = LevelOptions(thickness=[10.0] * 10, straits=[(*box, 35.0)])
    wet = build_levels(replace(options, levels=levels), grid).wet_levels
    np.testing.assert_array_equal(wet[1, 2:5], [5, 4, 0])
