"""Grids made from options alone."""

from dataclasses import replace

import numpy as np
import pytest
import xarray

from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, build_grid, regular_grid


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


def test_depth_varies_with_x_and_y():
    rows = [[10.0, 20.0, 30.0], [40.0, 0.0, 60.0]]
    table = {"kind": "cartesian", "nx": 3, "ny": 2, "depth": rows, "closed_edges": False}
    grid = regular_grid(GridOptions.from_table(table))
    assert np.array_equal(grid.depth, rows)
    assert np.array_equal(grid.mask, np.array(rows) > 0.0)
    by_column = regular_grid(GridOptions.from_table(table | {"depth": rows[0]}))
    assert np.array_equal(by_column.depth, [rows[0], rows[0]])


def test_steps_that_are_not_given_suit_the_kind():
    assert regular_grid(GridOptions()).step_x == 1.0
    plain = regular_grid(GridOptions(kind="cartesian", dy=5e3))
    assert (plain.step_x, plain.step_y) == (1e4, 5e3)


@pytest.mark.parametrize(
    ("depth", "words"),
    [
        ([1.0, 2.0], "grid.depth has 2 numbers for 3 columns"),
        ([[1.0, 2.0, 3.0]], "grid.depth has 1 rows for 2 rows"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0]], r"grid.depth\[1\] has 2 numbers for 3 columns"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, -3.0]], "too small"),
        ([[1.0, 2.0, 3.0], 4.0], "is a number"),
    ],
)
def test_depths_that_do_not_fit_the_grid_are_refused(depth, words):
    table = {"kind": "cartesian", "nx": 3, "ny": 2, "depth": depth}
    with pytest.raises(UserError, match=words):
        regular_grid(GridOptions.from_table(table))


@pytest.mark.parametrize(
    ("table", "land"),
    [
        ({}, "south north west east"),
        ({"periodic_x": True}, "south north"),
        ({"periodic_y": True}, "west east"),
        ({"boundary": ["north", "west"]}, "south east"),
        ({"closed_edges": False}, ""),
    ],
)
def test_sides_are_land_unless_joined_or_a_boundary(table, land):
    """A boundary keeps its corners."""
    table = {"kind": "cartesian", "nx": 6, "ny": 5} | table
    grid = regular_grid(GridOptions.from_table(table))
    sides = {
        "south": np.s_[0, :], "north": np.s_[-1, :], "west": np.s_[:, 0], "east": np.s_[:, -1],
    }  # fmt: skip
    expected, boundary = np.ones((5, 6), bool), np.zeros((5, 6), bool)
    for side in land.split():
        expected[sides[side]] = False
    for side in table.get("boundary", []):
        expected[sides[side]] = boundary[sides[side]] = True
    assert np.array_equal(grid.mask, expected)
    assert (grid.boundary is None) == ("boundary" not in table)
    assert grid.boundary is None or np.array_equal(grid.boundary, boundary)


def test_cells_whose_centres_lie_in_a_box_are_land():
    """Sides included, and longitudes a turn further too."""
    table = {"nx": 6, "ny": 4, "x0": 350.0, "y0": 0.0, "dx": 5.0, "dy": 5.0}
    table |= {"closed_edges": False, "land": [[-5.0, 5.0, 5.0, 12.0], [371.0, 376.0, 0.0, 1.0]]}
    grid = regular_grid(GridOptions.from_table(table))
    expected = np.ones((4, 6), bool)
    expected[1:3, 1:4] = expected[0, 5] = False
    np.testing.assert_array_equal(grid.mask, expected)
    np.testing.assert_array_equal(grid.depth > 0.0, expected)


def test_boxes_of_a_cartesian_grid_count_no_turns():
    table = {"kind": "cartesian", "nx": 4, "ny": 3, "dx": 100.0, "dy": 100.0}
    table |= {"closed_edges": False, "land": [[0.0, 100.0, 200.0, 250.0]]}
    grid = regular_grid(GridOptions.from_table(table))
    assert np.argwhere(~grid.mask).tolist() == [[2, 0], [2, 1]]
    with pytest.raises(UserError, match="no cell has its centre"):
        regular_grid(GridOptions.from_table(table | {"land": [[-360.0, -300.0, 0.0, 99.0]]}))


@pytest.mark.parametrize(
    ("box", "words"),
    [
        ([0.0, 1.0, 2.0], "Give .west, east, south, north."),
        ([2.0, 1.0, 0.0, 1.0], "the lesser first"),
        ([0.0, 1.0, 5.0, 4.0], "the lesser first"),
        ([0.2, 0.8, 0.0, 2.0], r"\[0.2, 0.8, 0.0, 2.0\], in which no cell has its centre"),
        ([0.0, 2.0, 40.0, 50.0], "from 0 to 2 along x and from 0 to 2 along y"),
    ],
)
def test_boxes_that_are_none_or_hold_nothing_are_refused(box, words):
    table = {"nx": 3, "ny": 3, "land": [[0.0, 0.0, 0.0, 0.0], box]}
    with pytest.raises(UserError, match=words):
        regular_grid(GridOptions.from_table(table))


def test_depths_of_another_file(tmp_path):
    """Bilinear in the file's grid: a plane is found exactly, land where most of it is land."""
    x, y = np.arange(0.0, 20.5, 2.0), np.arange(30.0, 50.5, 2.0)
    depth = 1000.0 + 10.0 * x - 5.0 * y[:, None]
    depth[:, x > 14.0] = 0.0
    names = {
        "lat": ("lat", y, {"units": "degrees_north"}),
        "lon": ("lon", x, {"units": "degrees_east"}),
    }
    facts = {"standard_name": "sea_floor_depth_below_geoid", "units": "m"}
    xarray.Dataset({"depth": (("lat", "lon"), depth, facts)}, names).to_netcdf(tmp_path / "d.nc")
    made = GridOptions(
        nx=12, ny=8, x0=361.5, y0=33.1, dx=1.3, dy=0.7, depth_file=str(tmp_path / "d.nc")
    )
    grid = build_grid(made)
    there = grid.x - 360.0 < 14.9
    plane = 1000.0 + 10.0 * (grid.x - 360.0) - 5.0 * grid.y[:, None]
    whole = grid.x - 360.0 < 13.9
    np.testing.assert_allclose(grid.depth[:, whole], plane[:, whole], rtol=1e-12)
    assert (grid.depth[:, ~there] == 0.0).all() and (grid.depth[:, there] > 0.0).all()
    with pytest.raises(UserError, match="grid.depth_file has places in degrees"):
        build_grid(replace(made, kind="cartesian"))
