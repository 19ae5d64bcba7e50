"""Sides of a grid as a case says them: closed, periodic, mirrors, poles. Ranks: 1."""

import numpy as np
import pytest

from halocline.biogeochemistry.case import TransportCase
from halocline.core.errors import UserError
from halocline.grids.horizontal.regular import GridOptions, regular_grid
from halocline.ocean.case import OceanCase
from halocline.runtime.fields.place import Place
from halocline.waves.case import WaveCase

plain = {"kind": "cartesian", "nx": 6, "ny": 5}
globe = {"nx": 8, "ny": 6, "dx": 45.0, "dy": 30.0, "y0": -75.0}


@pytest.mark.parametrize(
    ("table", "words", "land"),
    [
        ({}, [], "south north west east"),
        ({"west": "mirror"}, ["mirror in the west"], "south north east"),
        (
            {"west": "mirror", "south": "mirror", "north": "mirror"},
            ["mirror in the west and south and north"],
            "east",
        ),
        ({"west": "periodic", "east": "periodic"}, ["periodic in x"], "south north"),
        (
            {"south": "periodic", "north": "periodic", "east": "mirror"},
            ["periodic in y", "mirror in the east"],
            "west",
        ),
    ],
)
def test_sides_are_what_a_case_says(table, words, land):
    grid = regular_grid(GridOptions.from_table(plain | {"sides": table}))
    assert grid.topology.words() == words
    edges = {
        "south": np.s_[0, :], "north": np.s_[-1, :], "west": np.s_[:, 0], "east": np.s_[:, -1],
    }  # fmt: skip
    expected = np.ones((5, 6), bool)
    for side in land.split():
        expected[edges[side]] = False
    assert np.array_equal(grid.mask, expected)
    assert grid.at(Place.corner).x.shape == (
        5 + ("periodic in y" not in words),
        6 + ("periodic in x" not in words),
    )


def test_a_globe_goes_on_over_both_poles():
    sides = {"south": "pole", "north": "pole"}
    grid = regular_grid(GridOptions.from_table(globe | {"sides": sides}))
    assert grid.topology.words() == ["periodic in x", "pole in the south and north"]
    assert grid.mask.all()
    assert grid.at(Place.y_face).dx[[0, -1]].max() < 1e-9 * grid.dx.max()
    closed = regular_grid(GridOptions.from_table(globe | {"sides": {"west": "closed"}}))
    assert closed.topology.words() == []


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (plain | {"sides": {"west": "periodic"}}, "grid.sides.east = '': a side is periodic tog"),
        (plain | {"periodic_x": True, "sides": {"east": "mirror"}}, "grid.periodic_x = true"),
        (plain | {"sides": {"north": "pole"}}, "lie on no latitude"),
        (globe | {"ny": 5, "sides": {"north": "pole"}}, "'pole', but .* lie at 60 degrees north"),
        (globe | {"periodic_x": False, "sides": {"south": "pole"}}, "rows do not close"),
        (globe | {"sides": {"south": "periodic", "north": "periodic"}}, "cannot be joined"),
        (plain | {"sides": {"west": "pole"}}, "west"),
    ],
)
def test_sides_that_cannot_be_are_refused(table, words):
    with pytest.raises(UserError, match=words):
        regular_grid(GridOptions.from_table(table)).topology.words()


@pytest.mark.parametrize("case", [OceanCase, TransportCase, WaveCase])
@pytest.mark.parametrize(("side", "kind"), [("west", "mirror"), ("north", "pole")])
def test_components_refuse_sides_that_they_do_not_know(case, side, kind):
    given = case().with_settings({f"grid.sides.{side}": kind})
    with pytest.raises(
        UserError, match=f"grid.sides.{side} = '{kind}': the component .* no {kind}"
    ):
        given.build_grid()
