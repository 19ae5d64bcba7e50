"""Regular grids on maps: true lengths, areas, angles; three nested domains. Ranks: 1."""

from dataclasses import replace

import numpy as np
import pytest

from halocline.core.constants import earth_radius
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import Conic, LatitudeLongitude, Mercator
from halocline.grids.horizontal.regular import GridOptions, build_grid, regular_grid
from halocline.grids.vertical.file_field import along_grid
from halocline.runtime.fields.place import Place

radius = 6.37e6
britain = Projected.around(
    Conic.lambert([50.0, 60.0], -14.0, radius), (-14.0, 54.0), (9e3, 9e3), (195, 355)
)
corners = {
    1: (44.112183, -33.964233, 58.896484, 14.569702),
    2: (50.624878, -11.871094, 57.951782, 4.941772),
    3: (53.701294, -5.347900, 55.998047, 1.545288),
}
"""Latitude and longitude of the first and last centre of three domains over the British Isles with
steps of 9, 3 and 1 km [degree], made by another program and rounded to 2^-13 degrees."""


def test_three_nested_domains_lie_where_another_program_puts_them():
    """Porter et al. (2010): 355 x 195, 318 x 321 and 390 x 327 cells, each in the one before.

    As exact as the numbers are rounded: 6.1e-5 degrees, which are 7 m.
    """
    second = britain.nest(3, (56, 194), (321, 318))
    third = second.nest(3, (125, 139), (327, 390))
    for number, grid in ((1, britain), (2, second), (3, third)):
        center = grid.at(Place.center)
        south, west, north, east = corners[number]
        assert np.allclose(center.y[[0, -1], [0, -1]], (south, north), rtol=0, atol=6.2e-5)
        assert np.allclose(center.x[[0, -1], [0, -1]], (west, east), rtol=0, atol=6.2e-5)
        assert grid.steps == pytest.approx((9e3 / 3 ** (number - 1),) * 2, rel=1e-12)
    assert np.allclose(second.face_x[:4:3], britain.face_x[194:196], rtol=0, atol=1e-8)
    middle = second.at(Place.center).y[1::3, 1::3]
    assert np.allclose(
        middle, britain.at(Place.center).y[56 : 56 + 107, 194 : 194 + 106], atol=1e-9
    )


@pytest.mark.parametrize(
    "projection",
    [
        Conic.lambert([-30.0, -60.0], 150.0, radius),
        Conic.stereographic(60.0, 140.0, radius),
        Mercator(latitude=20.0, longitude=150.0, radius=radius),
        LatitudeLongitude.around(140.0, -40.0, radius),
    ],
    ids=lambda one: type(one).__name__,
)
def test_lengths_areas_and_angles_are_those_of_a_curvilinear_grid_of_the_same_corners(projection):
    """Arcs of great circles between its points, for cells of 20 km."""
    latitude = 75.0 if getattr(projection, "cone", 0) == 1.0 else -41.0
    grid = Projected.around(projection, (155.0, latitude), (2e4, 2.2e4), (12, 14))
    corner = grid.at(Place.corner)
    other = Curvilinear(corner_x=corner.x, corner_y=corner.y)
    scale = radius / earth_radius
    for place in (Place.center, Place.x_face, Place.y_face, Place.corner):
        ours, theirs = grid.at(place), other.at(place)
        inner = np.s_[1:-1, 1:-1]
        assert np.allclose(ours.dx[inner], scale * theirs.dx[inner], rtol=2e-5)
        assert np.allclose(ours.dy[inner], scale * theirs.dy[inner], rtol=2e-5)
        assert np.allclose(ours.area[inner], scale**2 * theirs.area[inner], rtol=4e-5)
        assert np.allclose(ours.angle[inner], theirs.angle[inner], rtol=0, atol=2e-5)
        assert np.allclose(ours.y, theirs.y, rtol=0, atol=2e-4)
        factor_x, factor_y = grid.factors(place)
        assert np.allclose(ours.dx * factor_x, 2.2e4) and np.allclose(ours.dy * factor_y, 2e4)


def test_a_vector_of_the_map_is_turned_to_east_and_back():
    """A flow to the north pole runs along the meridians of the map."""
    center = britain.at(Place.center)
    x, y = along_grid(np.zeros(center.x.shape), np.ones(center.x.shape), center.angle)
    pole = -np.hypot(*np.meshgrid(*britain.lines(Place.center)))
    grid_x, grid_y = np.meshgrid(*britain.lines(Place.center))
    assert np.allclose(x, grid_x / pole) and np.allclose(y, grid_y / pole)
    east, north = along_grid(x, y, -center.angle)
    assert np.allclose(east, 0.0) and np.allclose(north, 1.0)


def test_a_nest_that_does_not_fill_cells_of_its_parent_is_refused():
    for first, shape, words in (
        ((100, 194), (321, 318), "321 rows with a ratio of 3 .* row 101 .* ends after 207"),
        ((56, -1), (321, 318), "begins in column 0 of"),
        ((56, 194), (321, 319), "319 columns .* multiple of 3"),
    ):
        with pytest.raises(UserError, match=words):
            britain.nest(3, first, shape)


def test_a_case_describes_a_nest_by_its_parents():
    """The innermost of the three domains."""
    third = britain.nest(3, (56, 194), (321, 318)).nest(3, (125, 139), (327, 390))
    projection = {
        "center_longitude": -14.0, "center_latitude": 54.0, "true_latitudes": [50.0, 60.0],
        "parents": [[355, 195, 3, 195, 57], [318, 321, 3, 140, 126]],
    }  # fmt: skip
    table = {"kind": "lambert", "nx": 390, "ny": 327, "dx": 1e3, "dy": 1e3}
    grid = build_grid(GridOptions.from_table(table | {"projection": projection}))
    assert isinstance(grid.curvilinear, Projected)
    assert np.array_equal(grid.curvilinear.face_x, third.face_x)
    assert np.array_equal(grid.curvilinear.face_y, third.face_y)
    projection["parents"] = [[355, 195, 0, 195, 57]]
    with pytest.raises(UserError, match="less than 1"):
        build_grid(GridOptions.from_table(table | {"projection": projection}))


def test_a_grid_has_the_geometry_of_its_map():
    small = replace(britain, face_x=britain.face_x[:6], face_y=britain.face_y[:5])
    grid = Grid.on_map(small, np.full((4, 5), 100.0))
    assert grid.at(Place.x_face).dx.shape == (4, 6)
    assert np.array_equal(grid.longitude, small.at(Place.center).x)
    assert np.allclose(grid.x, 0.5 * (small.face_x[1:] + small.face_x[:-1]))
    assert grid.step_y == pytest.approx(9e3)
    assert grid.map_factors(Place.y_face)[0].shape == (5, 5)
    assert np.allclose(grid.map_factors(Place.y_face)[0], 9e3 / grid.at(Place.y_face).dx)


def test_other_regular_grids_lie_on_plain_maps():
    cartesian = regular_grid(GridOptions(kind="cartesian", nx=3, ny=2, dx=5e3, dy=4e3))
    assert cartesian.map_steps == (4e3, 5e3)
    assert np.array_equal(cartesian.map_factors(Place.corner), np.ones((2, 3, 4)))
    globe = GridOptions(nx=8, ny=6, dx=45.0, dy=30.0, y0=-75.0)
    along_x, along_y = regular_grid(globe).map_factors(Place.y_face)
    assert np.allclose(along_x[1:-1, 0], 1 / np.cos(np.deg2rad([-60, -30, 0, 30, 60])))
    assert np.isinf(along_x[[0, -1]]).all() and (along_y == 1.0).all()


def test_a_case_describes_its_map():
    table = {
        "kind": "lambert", "nx": 355, "ny": 195, "dx": 9e3, "dy": 9e3, "closed_edges": False,
        "land": [[-8.0, 2.0, 50.0, 58.0]],
        "projection": {
            "center_longitude": -14.0, "center_latitude": 54.0, "true_latitudes": [50.0, 60.0],
        },
    }  # fmt: skip
    grid = build_grid(GridOptions.from_table(table))
    center = britain.at(Place.center)
    assert np.array_equal(grid.latitude, center.y) and np.array_equal(grid.dx, center.dx)
    inside = (center.x >= -8) & (center.x <= 2) & (center.y >= 50) & (center.y <= 58)
    assert np.array_equal(grid.mask, ~inside)
    for kind, projection, corner in (
        ("mercator", {"center_latitude": 0.0}, (0.0, 0.0)),
        ("polar-stereographic", {"center_latitude": -90.0, "longitude": 30.0}, (30.0, -90.0)),
        ("rotated", {"center_longitude": 7.0}, (7.0, 45.0)),
        ("rotated", {"center_longitude": 7.0, "pole_longitude": -173.0, "pole_latitude": 90.0},
         (7.0, 45.0)),
    ):  # fmt: skip
        table = {"kind": kind, "nx": 4, "ny": 4, "projection": projection}
        corners = build_grid(GridOptions.from_table(table)).at(Place.corner)
        assert corners.y[2, 2] == pytest.approx(corner[1])
        assert kind.startswith("polar") or corners.x[2, 2] == pytest.approx(corner[0])


@pytest.mark.parametrize(
    ("kind", "projection", "words"),
    [
        ("mercator", {"true_latitudes": [10.0, 20.0]}, "has 1 of them at most"),
        ("lambert", {"true_latitudes": [10.0, 20.0, 30.0]}, "has 2 of them at most"),
        ("lambert", {"true_latitudes": [10.0, -20.0]}, "one side of the equator"),
        ("rotated", {"pole_latitude": 30.0}, "Give both, or none"),
        ("rotated", {"longitude": 30.0}, "longitude = 30.0 says nothing of"),
        ("rotated", {"true_latitudes": [30.0]}, "true_latitudes = .* says nothing of"),
        ("mercator", {"pole_latitude": 30.0}, "pole_latitude = 30.0 says nothing of"),
    ],
)
def test_maps_that_a_case_cannot_have_are_refused(kind, projection, words):
    with pytest.raises(UserError, match=words):
        build_grid(GridOptions.from_table({"kind": kind, "projection": projection}))


@pytest.mark.parametrize("kind", ["lambert", "displaced-pole"])
def test_places_of_the_first_column_and_row_are_refused_where_they_say_nothing(kind):
    with pytest.raises(UserError, match=r"grid.y0 = 5: a grid of kind '.*' is placed by grid.p"):
        build_grid(GridOptions(kind=kind, nx=24, ny=16, y0=5.0))
    build_grid(GridOptions(kind=kind, nx=24, ny=16))
