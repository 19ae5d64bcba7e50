"""Seas that the flow joins, and straits that the mask closes. Ranks: 1."""

import numpy as np
import pytest

from halocline.component.case.shipped import find_case, names
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment.members import read_members
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.grids.vertical.levels import layered
from halocline.ocean.case import OceanCase
from halocline.ocean.joined_seas import (
    cells_described,
    closed_straits,
    hollows,
    reached_cells,
    refuse_lone_cells,
    seas,
    seas_described,
    without_lone_cells,
)
from halocline.runtime.ranks.communicator import Alone
from ocean.oceans import displaced_pole, rough_sphere


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
    assert seas_described(grid) == []


def test_a_strait_of_one_row_is_closed_and_told():
    grid = basins(1)
    numbers = seas(grid)
    assert [(numbers == n).sum() for n in np.unique(numbers)[1:]] == [12, 1, 1, 1, 12]
    assert set(closed_straits(grid, numbers)) == {(13, 16), (16, 17), (17, 18), (18, 19)}
    lines = seas_described(grid)
    assert lines[0] == ("seas", "5 that no flow joins, of 12, 12, 1, 1, 1 cells")
    assert lines[1] == ("strait", "closed at 13.50 E, 30.50 N: 12 cells, 1 cell")
    assert "grid.straits opens them" in lines[-1][1]


def test_a_cell_by_itself_is_told_with_its_place():
    depth = np.zeros((6, 8))
    depth[:3, :3], depth[4, 5] = 100.0, 100.0
    options = GridOptions(nx=8, ny=6, depth=depth.tolist(), closed_edges=False, periodic_x=False)
    grid = regular_grid(options)
    assert seas_described(grid) == [("seas", "2 that no flow joins, of 9, 1 cells")]
    (line,) = cells_described(layered(grid, [100.0]))
    assert line[1].startswith("1 not reached by any flow: 5.00 E, 4.00 N (row 4, column 5). Water")
    words = r"1 cell of the sea has no corner .* so that no flow reaches it: 5\.00 E, 4\.00 N"
    with pytest.raises(UserError, match=words):
        refuse_lone_cells(grid)


@pytest.mark.parametrize(("south", "place"), [(0.0, "1.50 N"), (-5.0, "3.50 S")])
def test_cells_that_touch_at_a_corner_are_apart(south, place):
    depth = np.zeros((4, 4))
    depth[:2, :2] = depth[2:, 2:] = 100.0
    grid = regular_grid(
        GridOptions(
            nx=4, ny=4, y0=south, depth=depth.tolist(), closed_edges=False, periodic_x=False
        )
    )
    assert seas_described(grid)[1] == ("strait", f"closed at 1.50 E, {place}: 4 cells, 4 cells")


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


def test_lone_cells_are_refused_with_their_places_and_what_to_do():
    words = (
        r"3 cells of the sea have no corner with water all around, so that no flow reaches them:"
        r" 14\.00 E, 31\.00 N \(row 1, column 4\); 15\.00 E, 31\.00 N \(row 1, column 5\); 16\.00"
        r" E, 31\.00 N \(row 1, column 6\)\. Set ocean\.lone_cells = 'land' to make them land"
    )
    with pytest.raises(UserError, match=words):
        refuse_lone_cells(basins(1))
    refuse_lone_cells(basins(2))


def sea_with_bays(lone_cells):
    """A case of two basins that a strait of one row does not join."""
    depth = basins(1).depth.tolist()
    table = {
        "component": "ocean",
        "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
        "grid": {
            "nx": 11, "ny": 6, "x0": 10.0, "y0": 30.0, "depth": depth, "closed_edges": False,
            "periodic_x": False, "levels": {"thickness": [100.0, 200.0, 200.0]},
        },
        "ocean": {"lone_cells": lone_cells} if lone_cells else {},
    }  # fmt: skip
    return OceanCase.from_table(table)


def built(case):
    return case.build(case.time.clock(), Alone())


def test_a_case_with_lone_cells_is_refused_unless_it_says_what_becomes_of_them():
    with pytest.raises(UserError, match="3 cells of the sea have no corner"):
        built(sea_with_bays(""))
    kept, land = built(sea_with_bays("keep")), built(sea_with_bays("land"))
    assert kept.plane.sea_points == 27 and land.plane.sea_points == 24
    assert land.plane.mask.sum() == land.grid.mask.sum() == 24
    told = "3 not reached by any flow: 14.00 E, 31.00 N (row 1, column 4); 15.00 E, 31.00 N"
    assert [line.startswith(told) for name, line in kept.describe() if name == "cells"] == [True]
    assert not [name for name, line in land.describe() if name == "cells"]


def test_straits_are_told_when_a_run_begins():
    component = built(sea_with_bays("keep"))
    component.start(date("2000-01-01"), False)
    assert component.remarks[:2] == [
        "seas: 5 that no flow joins, of 12, 12, 1, 1, 1 cells",
        "strait: closed at 13.50 E, 30.50 N: 12 cells, 1 cell",
    ]


@pytest.mark.parametrize("made", [rough_sphere, displaced_pole])
def test_without_lone_cells_the_flow_reaches_what_it_did(made):
    grid = made().horizontal
    mended = without_lone_cells(grid)
    assert (grid.mask & ~mended.mask).sum() > 3
    np.testing.assert_array_equal(mended.mask, reached_cells(grid))
    np.testing.assert_array_equal(reached_cells(mended), reached_cells(grid))
    refuse_lone_cells(mended)


def test_hollows_are_those_of_a_plain_search():
    """On a periodic belt, corner by corner."""
    levels = rough_sphere()
    rows, columns = levels.mask.shape
    expected = np.zeros((rows, columns), int)
    wet = np.pad(levels.wet_levels, ((1, 1), (0, 0)))
    for j, i in np.argwhere(reached_cells(levels.horizontal)).tolist():
        deepest = max(
            min(wet[j + dj + a, (i + di - 1 + b) % columns] for a in (0, 1) for b in (0, 1))
            for dj in (0, 1)
            for di in (0, 1)
        )
        expected[j, i] = wet[j + 1, i] - deepest
    assert expected.min() == 0 and (expected > 0).sum() > 10
    np.testing.assert_array_equal(hollows(levels), expected)
    words = f"{expected.sum()} at the floor of {(expected > 0).sum()} columns lie below all corners"
    assert cells_described(levels)[-1][1].startswith(words)


shipped = [name for name in names() if 'component = "ocean"' in find_case(name).read_text()]


@pytest.mark.parametrize("name", shipped)
def test_no_shipped_case_of_the_ocean_is_refused(name):
    cases = [member.case for member in read_members(name).members.values()]
    oceans = [case for case in cases if isinstance(case, OceanCase)]
    assert oceans
    for case in oceans:
        if case.ocean.lone_cells == "refuse":
            refuse_lone_cells(case.build_grid())
