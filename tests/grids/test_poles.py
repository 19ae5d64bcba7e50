"""Displaced-pole and tripole grids made here: orthogonal, smooth, and where they are asked for."""

from dataclasses import replace

import numpy as np
import pytest

from halocline.component.case.shipped import data_folder
from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.grids.horizontal.curvilinear_files import write_curvilinear
from halocline.grids.horizontal.poles import PoleOptions, corners_between_poles
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.sphere import angles_between, unit, vectors
from halocline.runtime.fields.place import Place

kinds = ("displaced-pole", "tripole")
degree = np.pi / 180.0


def corners(kind, columns=96, rows=96, **more):
    return corners_between_poles(kind, columns, rows, PoleOptions(**more))


def points(kind, columns=96, rows=96, **more):
    """Corners as unit vectors, each column once, and the row of the joint."""
    made = corners(kind, columns, rows, **more)
    south = made.corner_y[:, columns // 4]
    joint = {"displaced-pole": 0.0, "tripole": 65.0}[kind] if "joint" not in more else more["joint"]
    row = int(np.argmin(np.abs(south - joint)))
    return vectors(made.corner_x, made.corner_y)[..., :-1], row


def differences(p):
    """Central differences along both axes at inner rows."""
    return (np.roll(p, -1, axis=2) - np.roll(p, 1, axis=2))[:, 1:-1], p[:, 2:] - p[:, :-2]


def away_from_poles(columns):
    """Columns more than an eighth of half a turn from the poles of a tripole."""
    i = np.arange(columns) % (columns // 2)
    return np.minimum(i, columns // 2 - i) > columns // 16


@pytest.mark.parametrize("kind", kinds)
def test_lines_are_orthogonal(kind):
    """Central differences tell 90 degrees to second order; across a tripole's joint to first.

    The circle around the displaced pole is one that such steps resolve.
    """
    errors = []
    for size in (96, 192):
        p, joint = points(kind, size, size, radius=20.0)
        east, north = differences(p)
        cosine = np.abs((unit(east) * unit(north)).sum(axis=0))
        if kind == "tripole":
            cosine = cosine[:, away_from_poles(size)]
        at_joint = cosine[joint - 1].max()
        cosine[joint - 1] = 0.0
        errors.append([cosine.max(), at_joint])
    errors = np.array(errors)
    assert (errors[1] < [5e-3, 2e-2]).all(), errors
    assert errors[0, 0] / errors[1, 0] > 3.0 and errors[0, 1] > 1.9 * errors[1, 1], errors


@pytest.mark.parametrize("kind", kinds)
@pytest.mark.parametrize("spacing", ["mercator", "equal"])
def test_neighbouring_cells_are_alike(kind, spacing):
    """Logarithms of ratios of neighbouring lengths halve with the spacing."""
    worst = []
    for size in (96, 192):
        p, joint = points(kind, size, size, spacing=spacing, equator_ratio=0.4, radius=20.0)
        keep = away_from_poles(size) if kind == "tripole" else np.ones(size, bool)
        dx = angles_between(p, np.roll(p, -1, axis=2))
        dy = angles_between(p[:, 1:], p[:, :-1])
        keep &= np.roll(keep, -1)
        ratios = [
            (dx / np.roll(dx, -1, axis=1))[:, keep],
            (dx[1:] / dx[:-1])[:, keep],
            dy[:, keep] / np.roll(dy, -1, axis=1)[:, keep],
            dy[1:, keep] / dy[:-1, keep],
        ]
        if kind == "tripole":
            ratios[3][joint - 1] = 1.0
        worst.append([np.abs(np.log(ratio)).max() for ratio in ratios])
    assert (np.array(worst[1]) < 0.2).all(), worst
    assert (np.array(worst[0]) > 1.7 * np.array(worst[1])).all(), worst


def test_a_displaced_pole_is_twice_differentiable_at_its_joint():
    """Third differences over the joint fall with the third power of the spacing.

    With a jump of the second derivative they would fall with the second power.
    """
    for joint in (0.0, 25.0):
        found = []
        for rows in (120, 240, 480):
            p, row = points("displaced-pole", 64, rows, joint=joint)
            third = np.diff(p[:, row - 3 : row + 4], n=3, axis=1)
            found.append(np.sqrt((third**2).sum(axis=0)).max())
        assert found[0] / found[1] > 6.0 and found[1] / found[2] > 7.0, found


def test_the_joint_of_a_tripole():
    """Columns go on straight; steps of rows there are sin(longitude) of those of the parallels.

    Midway between the poles they are as twice differentiable as the parallels.
    """
    jumps, third = [], []
    for size in (96, 192, 384):
        p, row = points("tripole", 96, size)
        dy = angles_between(p[:, 1:], p[:, :-1])
        sine = np.abs(np.sin(2.0 * np.pi * np.arange(96) / 96))
        jumps.append(np.abs(dy[row] / dy[row - 1] - sine).max())
        one, other = (unit(np.diff(p, axis=1)[:, at, 1:48]) for at in (row - 1, row))
        bend = angles_between(one, other)
        assert bend.max() < 2.5 * dy[row - 1].max()
        difference = np.diff(p[:, row - 3 : row + 4, 24], n=3, axis=1)
        third.append(np.sqrt((difference**2).sum(axis=0)).max())
    assert jumps[2] < 0.05 and jumps[0] > 1.8 * jumps[1] > 3.2 * jumps[2]
    assert third[0] / third[1] > 5.5 and third[1] / third[2] > 6.5, third


def test_poles_are_where_they_are_asked_for():
    p, _ = points("displaced-pole", longitude=-40.0, latitude=75.0, radius=2.5)
    pole = vectors(np.array(-40.0), np.array(75.0))
    np.testing.assert_allclose(angles_between(p[:, -1], pole[:, None]), 2.5 * degree, rtol=1e-12)
    p, joint = points("tripole", longitude=70.0, joint=60.0)
    for column, longitude in ((0, 70.0), (48, 250.0)):
        pole = vectors(np.array(longitude), np.array(60.0))
        assert angles_between(p[:, joint:, column], pole[:, None]).max() < 1e-14


@pytest.mark.parametrize("kind", kinds)
def test_the_first_column_begins_at_the_pole_and_parallels_lie_south_of_the_joint(kind):
    made = corners(kind, 96, 96)
    first = {"displaced-pole": 320.0, "tripole": 80.0}[kind]
    assert made.corner_x[0, 0] == made.corner_x[0, -1] == first
    np.testing.assert_allclose((made.corner_x[0, :-1] - first) % 360.0, 3.75 * np.arange(96))
    _, joint = points(kind)
    assert np.ptp(made.corner_y[: joint + 1], axis=1).max() < 1e-12
    assert made.corner_y[0, 0] == -78.0 and made.corner_y[joint, 5] == {80.0: 65.0}.get(first, 0.0)


def test_the_corners_of_the_fold_meet():
    """Each stands where its mirror does, all of them on the circle through pole and poles."""
    p, _ = points("tripole", 96, 96)
    i = np.arange(96)
    assert angles_between(p[:, -1], p[:, -1, -i % 96]).max() < 1e-14
    grid = build_grid(GridOptions(kind="tripole", nx=96, ny=96))
    assert grid.topology.fold == "faces" and grid.topology.periodic_i
    along = grid.at(Place.y_face).dx[-1, :48].sum()
    assert along == pytest.approx(earth_radius * 50.0 * degree, rel=1e-12)
    np.testing.assert_allclose(p[2, -1, 24], 1.0, rtol=1e-15)


@pytest.mark.parametrize("kind", kinds)
def test_areas_add_up_to_that_of_the_sphere_between_the_sides(kind):
    grid = build_grid(GridOptions(kind=kind, nx=320, ny=64))
    hole = 1.0 - np.cos(3.0 * degree) if kind == "displaced-pole" else 0.0
    exact = 2.0 * np.pi * earth_radius**2 * (1.0 - np.sin(-78.0 * degree) - hole)
    assert grid.area.sum() == pytest.approx(exact, rel=1e-6)
    assert (grid.area > 0.0).all()


def test_lengths_across_the_fold_are_those_of_the_cap():
    """With second order those of z = tanh((xi + i eta) / 2) at eta = 0, where the fold is."""
    scale, errors = np.tan(12.5 * degree), []
    for columns, rows in ((64, 60), (128, 120)):
        grid = build_grid(GridOptions(kind="tripole", nx=columns, ny=rows))
        last = 90.0 - grid.on_both_sides(Place.corner).y[-2, columns // 4]
        step = 2.0 * np.arctan(np.tan(0.5 * last * degree) / scale)
        apart = []
        for place, late in ((Place.y_face, 0.5), (Place.corner, 0.0)):
            sine = np.abs(np.sin(2.0 * np.pi * (np.arange(columns) + late) / columns))
            square = (1.0 - sine) / (1.0 + sine)
            exact = 2.0 * scale * sine / (1.0 + sine) / (1.0 + scale**2 * square) * step
            here = grid.at(place)
            keep = sine > 0.3
            ratio = here.dy[-1, keep] / (earth_radius * exact[keep])
            apart.append(np.abs(ratio - 1.0).max())
        errors.append(apart)
    assert (np.array(errors[1]) < 5e-3).all(), errors
    assert (np.array(errors[0]) > 3.5 * np.array(errors[1])).all(), errors


def test_rows_are_as_far_apart_as_asked():
    south = corners("tripole", 360, 300).corner_y[:, 0]
    step = np.diff(south)[south[1:] < 65.0]
    middle = 0.5 * (south[1:] + south[:-1])[south[1:] < 65.0]
    np.testing.assert_allclose(
        step / np.cos(middle * degree), step[0] / np.cos(middle[0] * degree), rtol=2e-4
    )
    equal = np.diff(corners("displaced-pole", 64, 180, spacing="equal").corner_y[:80, 0])
    np.testing.assert_allclose(equal, equal[0], rtol=1e-9)
    fine = corners("displaced-pole", 64, 600, spacing="equal", equator_ratio=0.3, joint=40.0)
    latitude = fine.corner_y[:, 0]
    step, at = np.diff(latitude), np.argmin(np.abs(latitude))
    assert step[at] / step[0] == pytest.approx(0.3, rel=1e-2)
    at = np.argmin(np.abs(latitude + 8.0))
    assert step[at] / step[0] == pytest.approx(1.0 - 0.7 / np.e, rel=1e-2)


def test_cells_at_the_poles_of_the_fold_are_land_and_all_metrics_finite():
    grid = build_grid(GridOptions(kind="tripole", nx=96, ny=96))
    around = grid.at(Place.x_face).dy < 1.0
    assert around.any() and not (grid.mask & (around | np.roll(around, -1, axis=1))).any()
    assert grid.mask[-1].sum() == 96 - 4 and not grid.mask[0].any()
    made = corners("tripole")
    points, poles = (
        vectors(made.corner_x, made.corner_y),
        vectors(np.r_[80.0, 260.0], np.full(2, 65)),
    )
    there = (np.tensordot(points, poles, axes=(0, 0)) > 1.0 - 1e-12).any(axis=-1)
    touching = there[:-1, :-1] | there[:-1, 1:] | there[1:, :-1] | there[1:, 1:]
    assert touching[np.flatnonzero(there.any(axis=1))[0] - 1].sum() == 4  # south of the poles
    assert not (grid.mask & touching).any()
    for place in (Place.center, Place.x_face, Place.y_face, Place.corner):
        here = grid.at(place)
        assert all(np.isfinite(plane).all() for plane in vars(here).values())


@pytest.mark.parametrize("kind", kinds)
def test_a_grid_written_is_read_again(kind, tmp_path):
    made = build_grid(GridOptions(kind=kind, nx=48, ny=40, depth=3000.0, land=[[0, 30, -10, 10]]))
    write_curvilinear(made, tmp_path / "grid.nc")
    read = build_grid(GridOptions(file=str(tmp_path / "grid.nc")))
    assert read.topology == made.topology
    np.testing.assert_array_equal(read.mask, made.mask)
    np.testing.assert_array_equal(read.depth[read.mask], 3000.0)
    for name in ("corner_x", "corner_y"):
        np.testing.assert_array_equal(
            getattr(read.curvilinear, name), getattr(made.curvilinear, name)
        )
    for place in (Place.center, Place.x_face, Place.y_face, Place.corner):
        one, other = read.at(place), made.at(place)
        for name in ("dx", "dy", "area"):
            np.testing.assert_allclose(
                getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-6
            )
    with pytest.raises(UserError, match="this one is regular"):
        write_curvilinear(build_grid(GridOptions()), tmp_path / "b.nc")


def test_boxes_of_land_lie_on_longitudes_and_latitudes():
    grid = build_grid(
        GridOptions(kind="displaced-pole", nx=48, ny=40, land=[[-30.0, 20.0, -20.0, 60.0]])
    )
    center = grid.at(Place.center)
    inside = (center.y > -20) & (center.y < 60) & ((center.x > 330) | (center.x < 20))
    assert inside.sum() > 20 and not grid.depth[inside].any() and grid.depth[~inside].all()


def test_straits_are_sea_through_land_and_no_shallower_than_they_were():
    given = {"kind": "displaced-pole", "nx": 48, "ny": 40, "land": [(-30.0, 20.0, -20.0, 60.0)]}
    box = (-25.0, 30.0, -10.0, 10.0)
    closed = build_grid(GridOptions(**given, depth=3000.0))
    opened = build_grid(GridOptions(**given, depth=3000.0, straits=[(*box, 500.0)]))
    center = closed.at(Place.center)
    inside = (center.y > -10) & (center.y < 10) & ((center.x > 335) | (center.x < 30))
    assert (closed.depth[inside] == 0.0).any() and (closed.depth[inside] == 3000.0).any()
    expected = np.where(inside & ~closed.mask, 500.0, closed.depth)
    np.testing.assert_array_equal(opened.depth, expected)
    np.testing.assert_array_equal(opened.mask, closed.mask | inside)
    row = GridOptions(nx=9, ny=1, depth=[10.0, 0.0, 0.0, 10.0, 0, 0, 0, 0, 0], closed_edges=False)
    deepened = build_grid(replace(row, straits=[(0.5, 3.5, -1.0, 1.0, 20.0)]))
    assert deepened.depth.tolist() == [[10.0, 20.0, 20.0, 20.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    with pytest.raises(UserError, match="grid.straits has the box .* in which no cell"):
        build_grid(replace(row, straits=[(0.1, 0.2, 0.0, 0.0, 5.0)]))


def test_depths_come_from_a_file_on_another_grid():
    """POP's, whose sea has the area of all seas; what it does not cover is land."""
    file = str(data_folder() / "g_pop_x1_grid.nc")
    theirs = build_grid(GridOptions(file=file))
    grid = build_grid(GridOptions(kind="displaced-pole", nx=120, ny=100, file=file))
    for depth in (np.ones_like, np.positive):
        ours, all_of = ((g.area * depth(g.depth))[g.mask].sum() for g in (grid, theirs))
        assert ours / all_of == pytest.approx(1.0, abs=0.02)
    wide = build_grid(
        GridOptions(kind="tripole", nx=96, ny=80, file=str(data_folder() / "w_depth_1p25x1.nc"))
    )
    center = wide.at(Place.center)
    assert not wide.mask[center.y > 78.5].any() and wide.mask[center.y < 78.5].mean() > 0.5


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"nx": 31}, "of 31 x 40 cells .* even number of columns"),
        ({"ny": 4}, "at least 8 of both"),
        ({"poles": {"joint": 88.0}}, "joint at 88 N .* does not lie between the sides"),
        ({"poles": {"latitude": 60.0, "joint": 50.0}}, "cut each other.*to the south"),
        ({"ny": 8, "poles": {"joint": 85.0}}, "8 rows .* are 7 south and 1 north"),
        ({"land": [[0.0, 1.0, -89.0, -88.0]]}, "in which no cell has its centre"),
    ],
)
def test_what_cannot_be_made_is_refused(more, words):
    table = {"kind": "displaced-pole", "nx": 48, "ny": 40} | more
    with pytest.raises(UserError, match=words):
        build_grid(GridOptions.from_table(table))
