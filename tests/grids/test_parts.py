"""Parts of a file's grid: what is left out, and what is read in how many pieces."""

import numpy as np
import pytest

from halocline.grids.files.axes import latitude_axis, longitude_axis
from halocline.grids.files.parts import lines_within, part_of, read_slabs, slabs
from halocline.grids.sphere import vectors


@pytest.mark.parametrize(
    ("places", "total", "expected"),
    [
        ([3, 4, 6], 20, [slice(3, 7)]),
        ([3, 8], 20, [slice(3, 9)]),
        ([9, 3], 20, [slice(3, 4), slice(9, 10)]),
        ([0, 1], 2, [slice(0, 2)]),
        ([0, 2], 3, [slice(0, 1), slice(2, 3)]),
        ([2, 3, 10, 12, 30, 31], 40, [slice(2, 13), slice(30, 32)]),
        ([], 5, []),
    ],
)
def test_a_gap_of_a_quarter_is_worth_two_slabs(places, total, expected):
    """4 of 20 left out are read in passing, 5 of 20 not; what touches is one slab."""
    places = np.array(places, np.int64)
    assert slabs(places, total) == expected
    if places.size:
        values = np.arange(3.0 * total).reshape(3, total)
        found, count = read_slabs(lambda some: values[:, some], places, total, 1)
        assert np.array_equal(found, values[:, places])
        assert count == 3 * sum(some.stop - some.start for some in expected)


def test_the_widest_gap_of_columns_is_left_out_round_the_globe():
    def columns_of(wanted):
        rows, columns = np.zeros(9, bool), np.zeros(20, bool)
        rows[[2, 5]] = True
        columns[wanted] = True
        part = part_of(rows, columns)
        assert part.rows == slice(2, 6) and part.shape == (9, 20)
        return part.columns.tolist()

    assert columns_of([0, 2, 9, 10]) == [*range(11)]
    assert columns_of([1, 3, 15, 18]) == [0, 1, 2, 3, *range(15, 20)]
    assert columns_of([6, 12]) == [*range(6, 13)]
    assert columns_of([0, 5, 10, 15]) == [*range(20)]  # gaps of 4
    assert columns_of([0, 6, 10, 15]) == [0, *range(6, 20)]
    nothing = part_of(np.zeros(9, bool), np.ones(20, bool))
    assert nothing.size == 0


def test_lines_that_meet_circles():
    """Those of any place in one of the circles, and the ones beside these, but not much more."""
    x, y = longitude_axis(np.arange(0.0, 360.0, 6.0)), latitude_axis(np.arange(-87.0, 88.0, 6.0))
    plane = vectors(*np.meshgrid(x.values, y.values))
    random = np.random.default_rng(1)
    for top in (25, 30):
        places = random.integers(3, top, 5), random.integers(0, 60, 5)
        distance = random.uniform(0.0, 0.5, 5)
        rows, columns = lines_within(distance, places, x, y)
        inside = np.zeros(plane.shape[1:], bool)
        for j, i, radius in zip(*places, distance, strict=True):
            inside |= np.tensordot(plane[:, j, i], plane, 1) >= np.cos(radius)
        some_rows, some_columns = inside.any(axis=1), inside.any(axis=0)
        assert (
            rows.sum()
            == min(np.flatnonzero(some_rows)[-1] + 1, 29)
            - max(np.flatnonzero(some_rows)[0] - 1, 0)
            + 1
        )
        beside = some_columns | np.roll(some_columns, 1) | np.roll(some_columns, -1)
        assert not (beside & ~columns).any() and not (some_rows & ~rows).any()
        assert columns.sum() <= beside.sum() + 2 * 2 * 5
