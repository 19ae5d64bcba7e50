"""Seas that the flow joins, and straits that the mask closes. Ranks: 1."""

import numpy as np
import pytest

from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.ocean.joined_seas import closed_straits, described, seas
from ocean.oceans import rough_sphere


def basins(gap):
    """Two basins of 4 x 3 cells, joined by a strait of so many rows."""
    depth = np.zeros((6, 11))
    depth[1:5, 1:4] = depth[1:5, 7:10] = 500.0
    depth[1 : 1 + gap, 4:7] = 100.0
    options = GridOptions(
        nx=11, ny=6, x0=10.0, y0=30.0, depth=depth.tolist(), closed_edges=False, periodic_x=False
    )
    return regular_grid(options)


def test_a_strait_of_two_rows_joins():
    grid = basins(2)
    assert np.unique(seas(grid)).tolist() == [0, 13]
    assert described(grid) == []


def test_a_strait_of_one_row_is_closed_and_told():
    grid = basins(1)
    numbers = seas(grid)
    assert [(numbers == n).sum() for n in np.unique(numbers)[1:]] == [12, 1, 1, 1, 12]
    assert set(closed_straits(grid, numbers)) == {(13, 16), (16, 17), (17, 18), (18, 19)}
    lines = described(grid)
    assert lines[0] == ("seas", "5 that no flow joins, of 12, 12, 1, 1, 1 cells")
    assert lines[1] == ("strait", "closed at 13.50 E, 30.50 N: 12 cells, 1 cell")
    assert "grid.straits opens them" in lines[-2][1]
    alone = "3 cells are not reached by any flow: 14.00 E, 31.00 N; 15.00 E, 31.00 N; 16.00 E"
    assert lines[-1][0] == "cells" and lines[-1][1].startswith(alone)


def test_a_cell_by_itself_is_told_with_its_place():
    depth = np.zeros((6, 8))
    depth[:3, :3], depth[4, 5] = 100.0, 100.0
    options = GridOptions(nx=8, ny=6, depth=depth.tolist(), closed_edges=False, periodic_x=False)
    lines = described(regular_grid(options))
    assert lines[0] == ("seas", "2 that no flow joins, of 9, 1 cells")
    assert lines[1][1].startswith("1 cell is not reached by any flow: 5.00 E, 4.00 N. Water")
    assert len(lines) == 2


@pytest.mark.parametrize(("south", "place"), [(0.0, "1.50 N"), (-5.0, "3.50 S")])
def test_cells_that_touch_at_a_corner_are_apart(south, place):
    depth = np.zeros((4, 4))
    depth[:2, :2] = depth[2:, 2:] = 100.0
    grid = regular_grid(
        GridOptions(
            nx=4, ny=4, y0=south, depth=depth.tolist(), closed_edges=False, periodic_x=False
        )
    )
    assert described(grid)[1] == ("strait", f"closed at 1.50 E, {place}: 4 cells, 4 cells")


def test_seas_are_those_of_a_plain_search():
    """On a periodic belt with islands, by a search from cell to cell over wet corners."""
    grid = rough_sphere().horizontal
    rows, columns = grid.shape
    wet = np.pad(grid.mask, ((1, 1), (0, 0)))[:, np.arange(-1, columns) % columns]
    wet = wet[:-1, :-1] & wet[:-1, 1:] & wet[1:, :-1] & wet[1:, 1:]  # corner (j, i) of cell (j, i)
    expected = np.zeros(grid.shape, int)
    for first in np.argwhere(grid.mask).tolist():
        waiting = [tuple(first)] if not expected[tuple(first)] else []
        while waiting:
            j, i = waiting.pop()
            expected[j, i] = first[0] * columns + first[1] + 1
            for dj in (0, 1):
                for di in (0, 1):
                    if wet[j + dj, (i + di) % columns]:
                        around = [
                            (j + dj - a, (i + di - b) % columns) for a in (0, 1) for b in (0, 1)
                        ]
                        waiting += [cell for cell in around if not expected[cell]]
    np.testing.assert_array_equal(seas(grid), expected)
    assert np.unique(expected).size > 3 and rows == 14
