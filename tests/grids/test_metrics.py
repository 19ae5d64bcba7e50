"""Metrics of horizontal grids against exact ones: the sphere, rotated and stereographic grids."""

import netCDF4
import numpy as np
import pytest

from halocline.component.case.shipped import data_folder
from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.grids.files.sources import open_source
from halocline.grids.horizontal.curvilinear_files import read_displaced_pole
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.regular import GridOptions, build_grid, regular_grid
from halocline.grids.sphere import longitude_latitude, vectors
from halocline.runtime.fields.place import Place

places = (Place.center, Place.x_face, Place.y_face, Place.corner)
sphere = 4.0 * np.pi * earth_radius**2


def globe(rows: int) -> Grid:
    """A latitude-longitude grid of the whole sphere, with its poles."""
    step = 180.0 / rows
    return regular_grid(
        GridOptions(
            nx=2 * rows, ny=rows, x0=0.5 * step, y0=-90 + 0.5 * step, dx=step, dy=step,
            closed_edges=False,
        )
    )  # fmt: skip


def corners_of(grid: Grid, periodic: bool = True) -> Curvilinear:
    corner = grid.on_both_sides(Place.corner)
    return Curvilinear(corner_x=corner.x, corner_y=corner.y, periodic_x=periodic)


def test_areas_add_up_to_the_sphere():
    """Exactly between great circles, with second order where dx dy is taken."""
    errors = [globe(rows).area.sum() / sphere - 1.0 for rows in (30, 60)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=1e-2) and abs(errors[1]) < 2e-4
    assert corners_of(globe(12)).at(Place.center).area.sum() == pytest.approx(sphere, rel=1e-12)


def shapes(grid: Grid) -> list[tuple[int, int]]:
    return [grid.at(place).dx.shape for place in places]


def test_shapes_follow_the_place():
    closed = regular_grid(GridOptions(nx=4, ny=3))
    assert shapes(closed) == [(3, 4), (3, 5), (4, 4), (4, 5)]
    joined = regular_grid(GridOptions(kind="cartesian", nx=4, ny=3, periodic_x=True))
    assert shapes(joined) == [(3, 4), (3, 4), (4, 4), (4, 4)]
    pop = read_displaced_pole(data_folder() / "g_pop_x1_grid.nc")
    assert shapes(pop) == [(384, 320), (384, 320), (385, 320), (385, 320)]


def test_regular_metrics_are_exact():
    grid = regular_grid(GridOptions(nx=4, ny=3, x0=10.0, y0=59.0, dx=2.0, dy=1.0))
    corner, face = grid.at(Place.corner), grid.at(Place.y_face)
    assert corner.x[0].tolist() == [9.0, 11.0, 13.0, 15.0, 17.0]
    assert corner.y[:, 0].tolist() == [58.5, 59.5, 60.5, 61.5]
    degree = np.pi / 180.0
    exact = earth_radius * 2.0 * degree * np.cos(60.5 * degree)
    np.testing.assert_allclose(face.dx[2], exact, rtol=1e-14)
    np.testing.assert_allclose(face.dy, earth_radius * degree, rtol=1e-14)
    assert not face.angle.any()
    np.testing.assert_array_equal(grid.at(Place.center).area, grid.area)


def turn(points: np.ndarray, angle: float) -> np.ndarray:
    """Vectors turned around the axis through (0 E, 0 N)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([points[0], c * points[1] - s * points[2], s * points[1] + c * points[2]])


@pytest.mark.parametrize("place", places)
def test_a_rotated_grid_has_the_metrics_of_the_regular_one(place):
    """With second order in the step; its angle is that of the turned east."""
    errors = []
    for step in (2.0, 1.0):
        number = round(40.0 / step)
        grid = regular_grid(GridOptions(nx=number, ny=number, x0=10.0, y0=20.0, dx=step, dy=step))
        corner = grid.on_both_sides(Place.corner)
        x, y = longitude_latitude(turn(vectors(corner.x, corner.y), 0.7))
        found = Curvilinear(corner_x=x, corner_y=y).at(place)
        exact = grid.on_both_sides(place)
        inner = np.s_[round(8 / step) : round(-8 / step), round(8 / step) : round(-8 / step)]
        errors.append(
            [
                np.abs(getattr(found, name) / getattr(exact, name) - 1.0)[inner].max()
                for name in ("dx", "dy", "area")
            ]
        )
        points = vectors(exact.x, exact.y)
        further = turn(vectors(exact.x + 1e-3, exact.y), 0.7)
        further -= turn(vectors(exact.x - 1e-3, exact.y), 0.7)
        lon, lat = (np.deg2rad(a) for a in longitude_latitude(turn(points, 0.7)))
        east = -np.sin(lon) * further[0] + np.cos(lon) * further[1]
        north = np.cos(lat) * further[2] - np.sin(lat) * (
            np.cos(lon) * further[0] + np.sin(lon) * further[1]
        )
        away = np.abs(found.angle - np.arctan2(north, east))[inner].max()
        errors[-1].append(away)
        # On the sides lengths across them are of first order.
        assert np.abs(found.dx / exact.dx - 1.0).max() < 0.03, place
        assert np.abs(found.dy / exact.dy - 1.0).max() < 0.03, place
        assert np.abs(found.angle).max() > 0.1
    order = np.log2(np.array(errors[0]) / np.maximum(errors[1], 1e-15))
    small = np.array(errors[1]) < 1e-9
    assert ((order > 1.85) | small).all(), (place, errors)


@pytest.mark.parametrize("place", places)
def test_a_stereographic_grid_converges_with_second_order(place):
    """About the North Pole: lengths are 2 / (1 + r^2) of those on the plane."""
    errors = []
    for number in (16, 32):
        step = 1.0 / number

        def on_sphere(x: np.ndarray, y: np.ndarray) -> np.ndarray:
            square = x**2 + y**2
            return np.stack([2 * x, 2 * y, 1 - square]) / (1 + square)

        edge = np.arange(number + 1) * step - 0.3
        middle = edge[:-1] + 0.5 * step
        x, y = longitude_latitude(on_sphere(*np.meshgrid(edge, edge)))
        found = Curvilinear(corner_x=x, corner_y=y).at(place)
        columns = edge if place in (Place.x_face, Place.corner) else middle
        rows = edge if place in (Place.y_face, Place.corner) else middle
        px, py = np.meshgrid(columns, rows)
        length = earth_radius * step * 2.0 / (1.0 + px**2 + py**2)
        inner = np.s_[1:-1, 1:-1]
        errors.append(
            [
                np.abs(found.dx / length - 1.0)[inner].max(),
                np.abs(found.dy / length - 1.0)[inner].max(),
                np.abs(found.area / length**2 - 1.0)[inner].max(),
            ]
        )
    order = np.log2(np.array(errors[0]) / errors[1])
    assert (order > 1.8).all(), (place, errors)


def test_displaced_pole_grid():
    """Lengths and angles that come with the file; ocean area as published within a percent."""
    path = data_folder() / "g_pop_x1_grid.nc"
    grid = read_displaced_pole(path)
    file = open_source(path)
    north, east, angle = (file[name].read() for name in ("htn", "hte", "angle"))
    file.close()
    assert grid.sea_points == 86354 and grid.periodic_x and grid.title.startswith("Global ocean")
    assert abs(grid.area[grid.mask].sum() / 3.61e14 - 1) < 0.01
    np.testing.assert_array_equal(grid.at(Place.y_face).dx[1:], north)
    np.testing.assert_array_equal(grid.on_both_sides(Place.x_face).dy[:, 1:], east)
    apart = grid.on_both_sides(Place.corner).angle[1:, 1:] - angle
    apart = np.abs((apart + np.pi) % (2 * np.pi) - np.pi)
    assert np.median(apart) < 1e-4 and np.quantile(apart[:300], 0.999) < 2e-2
    # Without the lengths of the file, those of its corners.
    bare = Curvilinear(
        corner_x=grid.curvilinear.corner_x, corner_y=grid.curvilinear.corner_y, periodic_x=True
    )
    for place, name in ((Place.y_face, "dx"), (Place.x_face, "dy"), (Place.center, "area")):
        ratio = getattr(bare.at(place), name) / getattr(grid.on_both_sides(place), name)
        assert np.abs(ratio[grid.shape[0] // 4 : 380] - 1.0).max() < 0.02


def test_depths_of_a_curvilinear_file_are_those_that_are_named(tmp_path):
    """Before kmt; with a mask of its own, elevations, and the least depth of a sea."""
    path = tmp_path / "grid.nc"
    x, y = np.meshgrid(np.arange(6.0), np.arange(5.0))
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("nj", 4), ("ni", 5), ("cj", 5), ("ci", 6), ("nk", 2)):
            file.createDimension(name, size)
        for name, dims, values in (
            ("ulon", ("cj", "ci"), x), ("ulat", ("cj", "ci"), y), ("dz", ("nk",), [10.0, 20.0]),
            ("kmt", ("nj", "ni"), np.full((4, 5), 2)), ("deep", ("nj", "ni"), x[1:, 1:] - 1.0),
            ("height", ("nj", "ni"), 30.0 - 10.0 * x[1:, 1:]),
            ("sea", ("nj", "ni"), y[1:, 1:] < 3.0),
        ):  # fmt: skip
            file.createVariable(name, "f8", dims)[:] = values
        file["height"].positive = "up"
    found = {
        name: build_grid(GridOptions(file=str(path), minimum_depth=2.5, **options)).depth
        for name, options in {
            "kmt": {},
            "deep": {"depth_variable": "deep"},
            "height": {"depth_variable": "height"},
            "sea": {"mask": "sea"},
        }.items()
    }
    np.testing.assert_array_equal(found["kmt"], 30.0)
    np.testing.assert_array_equal(found["deep"], [[0.0, 2.5, 2.5, 3.0, 4.0]] * 4)
    np.testing.assert_array_equal(found["height"], [[0.0, 0.0, 0.0, 10.0, 20.0]] * 4)
    np.testing.assert_array_equal(found["sea"], np.where(y[1:, 1:] < 3.0, 30.0, 0.0))
    with pytest.raises(UserError, match=r"no variable 'depht'. It has: .*height"):
        build_grid(GridOptions(file=str(path), depth_variable="depht"))


@pytest.mark.parametrize("periodic", [True, False])
def test_given_lengths_of_faces_are_averaged_to_the_other_places(periodic):
    """Means of the two nearest; at sides that are not joined those of the one there is."""
    random, (nj, ni) = np.random.default_rng(2), (4, 6)
    x, y = np.meshgrid(np.linspace(0.0, 360.0 if periodic else 60.0, ni + 1), np.arange(nj + 1.0))
    west, south = random.uniform(1.0, 2.0, (nj, ni + 1)), random.uniform(1.0, 2.0, (nj + 1, ni))
    if periodic:
        west[:, -1] = west[:, 0]
    grid = Curvilinear(
        corner_x=x, corner_y=y, periodic_x=periodic, x_face_length=west, y_face_length=south
    )

    def mean_x(plane):
        ends = (plane[:, -1:], plane[:, :1]) if periodic else (plane[:, :1], plane[:, -1:])
        wide = np.concatenate([ends[0], plane, ends[1]], axis=1)
        return (wide[:, 1:] + wide[:, :-1]) / 2.0

    def mean_y(plane):
        wide = np.concatenate([plane[:1], plane, plane[-1:]])
        return (wide[1:] + wide[:-1]) / 2.0

    dx, dy = (south[1:] + south[:-1]) / 2.0, (west[:, 1:] + west[:, :-1]) / 2.0
    expected = {
        Place.center: (dx, dy),
        Place.x_face: (mean_x(dx), west),
        Place.y_face: (south, mean_y(dy)),
        Place.corner: (mean_x(south), mean_y(west)),
    }
    for place in places:
        here = grid.at(place)
        np.testing.assert_allclose(here.dx, expected[place][0], rtol=1e-14)
        np.testing.assert_allclose(here.dy, expected[place][1], rtol=1e-14)
        np.testing.assert_allclose(here.area, here.dx * here.dy, rtol=1e-14)


@pytest.mark.parametrize(
    "table",
    [
        {"nx": 12, "ny": 6, "dx": 30.0, "dy": 30.0, "y0": -75.0},
        {"kind": "tripole", "nx": 24, "ny": 20},
        {"kind": "lambert", "nx": 5, "ny": 4},
    ],
)
def test_a_smaller_planet_has_shorter_lengths(table):
    """A hundredth of the Earth; on a map with steps of a hundredth."""
    usual = build_grid(GridOptions.from_table(table))
    steps = {"dx": 1e2, "dy": 1e2} if table.get("kind") == "lambert" else {}
    small = build_grid(GridOptions.from_table(table | steps | {"radius": usual.radius / 100}))
    assert small.radius == usual.radius / 100
    for place in (Place.center, Place.x_face, Place.y_face, Place.corner):
        ours, theirs = small.at(place), usual.at(place)
        assert np.allclose(ours.x, theirs.x) and np.allclose(ours.y, theirs.y)
        assert np.allclose(100 * ours.dx, theirs.dx) and np.allclose(100 * ours.dy, theirs.dy)
        assert np.allclose(1e4 * ours.area, theirs.area)


def test_a_cartesian_grid_lies_on_no_sphere():
    with pytest.raises(UserError, match="grid.radius.*Cartesian"):
        build_grid(GridOptions(kind="cartesian", radius=1e6))
