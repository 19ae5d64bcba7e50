"""Transports, sections, stream function, what is held, extremes, mixed layers. Ranks: 1."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from halocline.core.errors import UserError
from halocline.ocean.budget import Budget, extremes
from halocline.ocean.diagnostics import OceanDiagnostics
from halocline.ocean.mixed_layer import mixed_layer_depth
from halocline.ocean.transports import face_transports, section_faces, stream_function
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from ocean import oceans


def flowing(cut=None, levels=None, **options):
    """A rough sphere with random currents, and what passes western and southern faces [m3 s-1]."""
    levels = levels or oceans.rough_sphere()
    model = oceans.build(levels, 1.0, cut=cut, **options)
    random, wet = np.random.default_rng(8), oceans.wet_corners(levels)
    u, v = (random.standard_normal(wet.shape) * wet for _ in range(2))
    oceans.put_velocity(model, u, v)
    dx, dy = (getattr(model.state, f"corner_{name}").gather() for name in ("dx", "dy"))
    dz = oceans.corner_thickness(levels)
    along, across = (u * dz).sum(axis=0) * dy, (v * dz).sum(axis=0) * dx
    return model, 0.5 * (along[1:] + along[:-1]), 0.5 * (across + np.roll(across, -1, axis=1))


@pytest.mark.parametrize("thin", [False, True])
def test_transports_are_those_that_move_water(thin):
    model, x, y = flowing(levels=oceans.thinned(oceans.rough_sphere()) if thin else None)
    faces = face_transports(model.state)
    assert_allclose(faces.x, x, rtol=0.0, atol=1e-5)
    assert_allclose(faces.y, y, rtol=0.0, atol=1e-5)
    model.tracers(1.0, 160)
    rising = (
        model.state.new_layer.gather() - model.state.layer.gather()
    ) * model.state.area.gather()
    into = faces.x - np.roll(faces.x, -1, axis=1) + faces.y[:-1] - faces.y[1:]
    assert_allclose(into, rising, rtol=0.0, atol=1e-9 * np.abs(into).max())


def test_differences_of_the_stream_function_are_the_transports():
    """To the last bit along y; along x too where nothing converges: what converges is the rest."""
    model, _, _ = flowing()
    faces, state = face_transports(model.state), model.state
    target = Field("psi", "m3 s-1", state.space, place=Place.corner, dtype=np.float64)
    OceanDiagnostics(model).stream_function(target)
    found = target.gather()
    assert np.abs(faces.x).max() > 1e6
    assert_array_equal(found[1:] - found[:-1], -faces.x)
    assert_array_equal(found, stream_function(faces.x, found.shape[0]))
    into = faces.x - np.roll(faces.x, -1, axis=1) + faces.y[:-1] - faces.y[1:]
    south = np.concatenate([np.zeros((1, into.shape[1])), np.cumsum(into, axis=0)])
    assert_array_equal(np.roll(found, -1, axis=1) - found, faces.y + south)


def test_stream_function_is_0_where_it_is_wanted():
    found = []
    for where in ([], [100.0, 30.0]):
        model, _, _ = flowing(stream_function_zero=where)
        target = Field("psi", "m3 s-1", model.state.space, place=Place.corner, dtype=np.float64)
        OceanDiagnostics(model).stream_function(target)
        found.append(target.gather())
    corner = model.levels.horizontal.at(Place.corner)
    j, i = np.argmin(np.abs(corner.y[:, 0] - 30.0)), np.argmin(np.abs(corner.x[0] - 100.0))
    assert found[0][j, i] != 0.0
    assert_array_equal(found[1], found[0] - found[0][j, i])
    with pytest.raises(UserError, match="stream_function_zero = .1.0.: give one point"):
        flowing(stream_function_zero=[1.0])


def test_no_cut_changes_a_bit_of_them():
    found = []
    for cut in ({}, {"blocks_per_rank": 6}, {"kind": "curve", "blocks_per_rank": 3}):
        model, _, _ = flowing(cut, sections={"some": [(30.0, -40.0), (100.0, 30.0)]})
        diagnostics = OceanDiagnostics(model)
        diagnostics.begin()
        found.append((diagnostics.transports(), diagnostics.first, diagnostics.summary()))
    assert found[0] == found[1] == found[2]
    assert found[0][0]["some"] != 0.0


def test_sections_cross_faces_to_the_right():
    """Northward, eastward, back, across the seam of the grid; a closed way is what converges."""
    model, x, y = flowing()
    grid = model.levels.horizontal

    def passes(*points):
        return OceanDiagnostics(
            flowing(sections={"one": [grid_point(grid, *point) for point in points]})[0]
        ).transports()["one"]

    near = {"abs": 1e-3}
    assert passes((2, 3), (5, 3)) == pytest.approx(x[2:5, 3].sum(), **near)
    assert passes((5, 3), (2, 3)) == pytest.approx(-x[2:5, 3].sum(), **near)
    assert passes((4, 3), (4, 7)) == pytest.approx(-y[4, 3:7].sum(), **near)
    assert passes((4, 22), (4, 1)) == pytest.approx(-y[4, [22, 23, 0]].sum(), **near)
    round_trip = passes((2, 3), (6, 3), (6, 8), (2, 8), (2, 3))
    into = x - np.roll(x, -1, axis=1) + y[:-1] - y[1:]
    assert round_trip == pytest.approx(into[2:6, 3:8].sum(), **near)
    slanted = passes((2, 3), (6, 8)) + passes((6, 8), (6, 3), (2, 3))
    assert abs(slanted) < abs(into[2:6, 3:8]).sum()
    steps = section_faces("s", [grid_point(grid, 2, 3), grid_point(grid, 6, 8)], grid)
    assert [axis for axis, *_ in steps].count("x") == 4
    assert [axis for axis, *_ in steps].count("y") == 5
    with pytest.raises(UserError, match="ocean.sections.s = .*: give two points"):
        section_faces("s", [(0.0, 0.0)], grid)
    with pytest.raises(UserError, match="nearest to one corner"):
        section_faces("s", [grid_point(grid, 2, 3)] * 2, grid)
    x, y = (float(line[2, 3]) for line in (grid.at(Place.corner).x, grid.at(Place.corner).y))
    for far in ([x + 180.0, -180.0 - y], [x, 89.0]):  # over the pole; beyond the last row
        with pytest.raises(UserError, match=r"ocean.sections.s: the point .* lies beyond the grid"):
            section_faces("s", [grid_point(grid, 2, 3), far], grid)
    dry = replace(grid, mask=np.zeros_like(grid.mask))
    with pytest.raises(UserError, match="no face along the way has water on both sides"):
        section_faces("s", [grid_point(grid, 2, 3), grid_point(grid, 6, 3)], dry)
    # One face between two cells of the sea is enough; cells along the way are none.
    north, east = ((2, 3), (6, 3)), ((4, 3), (4, 7))
    for way, cells, open_ in (
        (north, ((3, 3), (3, 2)), True), (north, ((3, 3), (4, 3)), False),
        (east, ((4, 5), (3, 5)), True), (east, ((4, 5), (4, 4)), False),
    ):  # fmt: skip
        dry.mask[:] = False
        for cell in cells:
            dry.mask[cell] = True
        points = [grid_point(grid, *point) for point in way]
        if open_:
            section_faces("s", points, dry)
        else:
            with pytest.raises(UserError, match="water on both sides"):
                section_faces("s", points, dry)


def grid_point(grid, j, i):
    corner = grid.at(Place.corner)
    return float(corner.x[j, i]) + 0.3, float(corner.y[j, i]) - 0.3


@pytest.mark.parametrize("thin", [False, True])
def test_contents_and_extremes(thin):
    model, _, _ = flowing(levels=oceans.thinned(oceans.rough_sphere()) if thin else None)
    state, levels = model.state, model.levels
    random = np.random.default_rng(3)
    oceans.put_tracers(model, random.uniform(1.0, 2.0, (2, *levels.shape)))
    oceans.put_surface(model, random.uniform(-1.0, 1.0, levels.horizontal.shape))
    held = Budget(state).contents()
    wanted = oceans.contents(model)
    assert_allclose([held.volume, held.heat, held.salt], wanted, rtol=1e-14)
    warm = state.tracer.gather()[0]
    least, greatest = extremes(state.density, [a[0] for a in state.tracer.read()])
    for found, wanted in ((least, warm[levels.wet].min()), (greatest, warm[levels.wet].max())):
        assert found.value == wanted == warm[found.level, found.j, found.i]
    center = levels.horizontal.at(Place.center)
    y = float(center.y[greatest.j, greatest.i])
    place = f"{center.x[greatest.j, greatest.i]:.1f} E, {abs(y):.1f} {'N' if y >= 0 else 'S'}"
    words = greatest.words(levels.horizontal, Place.center, levels.depth, ".3f")
    assert words == f"{greatest.value:.3f} ({place}, {levels.depth[greatest.level]:.0f} m)"
    speeds = [np.hypot(state.u.read()[0], state.v.read()[0])]
    fastest = extremes(state.u, speeds)[1]
    speed = np.hypot(state.u.gather(), state.v.gather())
    assert fastest.value == speed.max() == speed[fastest.level, fastest.j, fastest.i]


def test_mixed_layers():
    """Density rises by 0.01 kg m-3 per m below 25 m: 0.03 more at 28 m; then a floor, then land."""
    depth = np.arange(95.0, 0.0, -10.0)
    rising = 0.01 * np.maximum(depth - 25.0, 0.0)
    density = np.stack([rising, rising, 0.0 * rising, 0.0 * rising], axis=1)[:, None]
    floor_level = np.array([[0.0, 8.0, 4.0, 10.0]])
    floor = np.array([[100.0, 20.0, 60.0, 0.0]])
    found = mixed_layer_depth(density, depth, floor_level, floor)
    assert_allclose(found, [[28.0, 20.0, 60.0, 0.0]], rtol=1e-12)
    steep = np.where(depth < 10.0, 0.0, 1.0)[:, None, None]
    at_ten = 0.5  # between 0 at 5 m and 1 at 15 m; 0.53 is at 10.3 m
    found = mixed_layer_depth(steep, depth, np.zeros((1, 1)), np.full((1, 1), 100.0))
    assert math.isclose(found[0, 0], 5.0 + 10.0 * (at_ten + 0.03), rel_tol=1e-12)
