"""Sides of a grid: what stands beyond them, against a walk over the glued surface."""

import numpy as np
import pytest

from halocline.core.errors import UserError
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Reflections, Topology
from references.joined_sides import planar, surroundings

sides = [
    Topology(5, 8),
    Topology(5, 7, periodic_i=True),
    Topology(4, 6, periodic_j=True),
    Topology(3, 5, True, True),
    Topology(5, 8, periodic_i=True, fold="faces"),
    Topology(5, 8, periodic_i=True, fold="centres"),
    Topology(2, 6, periodic_i=True, fold="faces"),
    Topology(6, 7, reflections=Reflections(west="mirror", north="mirror")),
    Topology(5, 6, reflections=Reflections("mirror", "mirror", "mirror", "mirror")),
    Topology(4, 5, periodic_j=True, reflections=Reflections(east="mirror")),
    Topology(5, 6, periodic_i=True, reflections=Reflections(south="pole", north="pole")),
    Topology(6, 8, periodic_i=True, reflections=Reflections(south="mirror", north="pole")),
    Topology(6, 8, periodic_i=True, fold="faces", reflections=Reflections(south="mirror")),
]


@pytest.mark.parametrize("topology", sides, ids=str)
@pytest.mark.parametrize("place", planar)
def test_what_stands_anywhere_is_what_a_walker_finds_there(topology, place):
    beyond = 4
    for direction in ("x", "y"):
        walked = surroundings(topology, place, beyond, direction)
        j, i = np.indices(walked.shape[1:]) - beyond
        found = topology.resolve(place, j, i)
        assert np.array_equal(found.inside, walked[0] == 1)
        ours = found.j, found.i, found.sign(direction)
        for one, theirs in zip(ours, walked[1:], strict=True):
            assert np.array_equal(one[found.inside], theirs[found.inside])


def test_beyond_mirrors_stands_the_grid_itself_the_other_way_round():
    """Against arrays put together by hand: what crosses a mirror changes sign, what passes not."""
    topology = Topology(3, 5, reflections=Reflections("mirror", "", "mirror", "mirror"))
    random = np.random.default_rng(1)
    u, v, h = (
        random.normal(size=topology.shape(p)) for p in (Place.x_face, Place.y_face, Place.center)
    )
    wide = topology.widened(h, (2, 1, 2, 2))
    east = np.zeros((7, 1))
    expected = np.vstack([h[1::-1], h, h[:0:-1]])
    assert np.array_equal(wide, np.hstack([expected[:, 1::-1], expected, east]))
    wide = topology.widened(u, (2, 0, 2, 2), Place.x_face, direction="x")
    expected = np.vstack([u[1::-1], u, u[:0:-1]])
    assert np.array_equal(wide, np.hstack([-expected[:, 2:0:-1], expected]))
    wide = topology.widened(v, (2, 0, 2, 2), Place.y_face, direction="y")
    expected = np.vstack([-v[2:0:-1], v, -v[2:0:-1]])
    assert np.array_equal(wide, np.hstack([expected[:, 1::-1], expected]))


def test_beyond_a_pole_stands_the_other_side_of_the_globe():
    """Positions on the sphere: rows go on over the pole, and vectors point where they did."""
    nj, ni = 4, 8
    topology = Topology(
        nj, ni, periodic_i=True, reflections=Reflections(south="pole", north="pole")
    )
    for place, half in ((Place.center, 0.5), (Place.y_face, 0.0)):
        j = np.array([-2, -1, nj + 1, nj + 2] if half == 0.0 else [-2, -1, nj, nj + 1])
        found = topology.resolve(place, j, np.full(4, 1))
        latitude = -90.0 + 180.0 / nj * (j + half)
        over = np.where(latitude > 90.0, 180.0 - latitude, -180.0 - latitude)
        assert np.allclose(-90.0 + 180.0 / nj * (found.j + half), over)
        assert (found.i == 1 + ni // 2).all()
        for direction in ("x", "y"):
            assert (found.sign(direction) == -1).all()


def test_what_cannot_be_reflected_is_refused():
    for given, more in (
        (Reflections(west="mirror"), {"periodic_i": True}),
        (Reflections(north="mirror"), {"periodic_j": True}),
        (Reflections(north="pole"), {"periodic_i": True, "fold": "faces"}),
    ):
        with pytest.raises(UserError, match="cannot be both joined"):
            Topology(4, 8, reflections=given, **more)
    for given, more in (
        (Reflections(west="pole"), {}),
        (Reflections(north="pole"), {}),
        (Reflections(south="pole"), {"periodic_i": True}),
    ):
        with pytest.raises(UserError, match="cannot have a pole"):
            Topology(4, 7, reflections=given, **more)
    deep = Topology(3, 8, reflections=Reflections(south="mirror"))
    with pytest.raises(UserError, match="3 rows, but its mirror shows 4"):
        Decomposition(np.ones((3, 8), bool), deep, halo=4)
    Decomposition(np.ones((3, 8), bool), deep, halo=3)


@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("fold", ["faces", "centres"])
def test_every_point_is_owned_once(place, fold):
    topology = Topology(4, 10, periodic_i=True, fold=fold)
    rows, columns = topology.shape(place)
    j, i = np.mgrid[:rows, :columns]
    points = topology.resolve(place, j, i)
    doubles = points.turned
    assert np.array_equal(points.j[~doubles], j[~doubles])
    assert np.array_equal(points.i[~doubles], i[~doubles])
    seam = topology.seam(place)
    assert set(j[doubles].tolist()) == (set() if seam is None else {seam})
    # Two points of the seam of which both stand on it are each other's image, poles their own.
    poles = {"faces": {Place.corner: 2}, "centres": {Place.center: 2}}[fold].get(place, 0)
    assert doubles.sum() == (0 if seam is None else (columns - poles) // 2)


def test_the_columns_of_the_nemo_manual():
    """Appendix 'North Pole Folding', columns and rows from 1: T and V points about either pivot."""
    ni, nj = 12, 6
    i = np.arange(1, ni + 1)
    about_f = Topology(nj, ni, periodic_i=True, fold="faces")
    north = about_f.resolve(Place.center, np.full(ni, nj), i - 1)
    assert np.array_equal(north.i + 1, ni - i + 1) and (north.j + 1 == nj).all()
    about_t = Topology(nj, ni, periodic_i=True, fold="centres")
    north = about_t.resolve(Place.center, np.full(ni - 1, nj), i[1:] - 1)
    assert np.array_equal(north.i + 1, ni - i[1:] + 2) and (north.j + 1 == nj - 1).all()


@pytest.mark.parametrize("more", [{}, {"periodic_i": True, "periodic_j": True}])
def test_a_fold_that_cannot_be_is_refused(more):
    with pytest.raises(UserError, match="cannot be folded"):
        Topology(4, 8, fold="faces", **more)
    with pytest.raises(UserError, match="4 x 7"):
        Topology(4, 7, periodic_i=True, fold="faces")


@pytest.mark.parametrize("topology", sides, ids=str)
def test_rectangles_hold_all_cells_that_stand_there(topology):
    random = np.random.default_rng(3)
    for _ in range(200):
        j0, i0 = random.integers(-4, topology.nj), random.integers(-4, topology.ni)
        j1, i1 = j0 + random.integers(1, 9), i0 + random.integers(1, 9)
        j, i = np.mgrid[j0:j1, i0:i1]
        cells = topology.resolve(Place.center, j, i)
        held = np.zeros((topology.nj, topology.ni), bool)
        for a, b, c, d in topology.cells_at((j0, j1, i0, i1)):
            held[a:b, c:d] = True
        assert held[cells.j[cells.inside], cells.i[cells.inside]].all()


def test_a_kernel_on_the_seam_reads_one_row_further():
    folded = Topology(4, 8, periodic_i=True, fold="faces")
    reach = (1, 0, 1, 0)
    assert folded.depths(Place.center, reach, Place.y_face) == (1, 0, 1, 1)
    assert folded.depths(Place.corner, reach, Place.y_face) == reach
    assert folded.depths(Place.center, reach, Place.x_face) == reach
    assert Topology(4, 8).depths(Place.center, reach, Place.corner) == reach
    mirrored = Topology(4, 8, reflections=Reflections("mirror", "mirror", "mirror", "mirror"))
    assert mirrored.depths(Place.center, reach, Place.corner) == (1, 1, 1, 1)
    assert mirrored.depths(Place.center, reach, Place.x_face) == (1, 1, 1, 0)
    assert mirrored.depths(Place.x_face, reach, Place.y_face) == (1, 0, 1, 1)


@pytest.mark.parametrize("place", planar)
@pytest.mark.parametrize("topology", sides, ids=str)
def test_a_plane_is_widened_by_what_stands_there(topology, place):
    """Against a walk over the glued surface: values, signs of vectors, nothing beyond sides."""
    beyond, random = 3, np.random.default_rng(5)
    plane = random.normal(size=(2, *topology.shape(place)))
    inside, j, i, sign = surroundings(topology, place, beyond, "x")
    rows, columns = topology.shape(place)
    west, east, south, north = 2, 1, 3, 2
    here = np.s_[beyond - south : beyond + rows + north, beyond - west : beyond + columns + east]
    expected = np.where(inside, plane[..., j, i], 0.0)[..., *here]
    found = topology.widened(plane, (west, east, south, north), place)
    assert np.array_equal(found, expected)
    found = topology.widened(plane, (west, east, south, north), place, direction="x")
    assert np.array_equal(found, np.where(expected == 0.0, 0.0, expected * sign[here]))


def test_a_plane_may_have_both_ends_of_a_joined_side_or_lack_a_closed_one():
    joined, closed = Topology(1, 3, periodic_i=True), Topology(1, 3)
    both = np.array([[7, 8, 9, 7]])
    assert joined.widened(both, (1, 1, 0, 0), Place.x_face).tolist() == [[9, 7, 8, 9, 7, 8]]
    western = np.array([[0, 8, 9]])
    assert closed.widened(western, (0, 1, 0, 0), Place.x_face).tolist() == [[0, 8, 9, 0]]
    assert closed.widened(western, (1, 0, 1, 0), nearest=True).tolist() == [[0, 0, 8, 9]] * 2
