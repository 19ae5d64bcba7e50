"""Grids taken apart, sent as JSON and bytes, and put together again. Ranks: 1."""

import json
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.grid_parts import put_together, taken_apart
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import Conic, LatitudeLongitude, Mercator
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.place import Place

radius = 6.37e6
maps = {
    "conic": Conic.lambert([30.0, 60.0], 10.0, radius),
    "mercator": Mercator(latitude=10.0, longitude=0.0, radius=radius),
    "latitude and longitude": LatitudeLongitude(pole=(0.0, 90.0), radius=radius),
}


def grids():
    """One of each kind, by name."""
    found = {
        "tripole": build_grid(GridOptions(kind="tripole", nx=48, ny=40)),
        "displaced": build_grid(GridOptions(kind="displaced-pole", nx=48, ny=40)),
        "globe": build_grid(GridOptions(nx=8, ny=6, dx=45.0, dy=30.0, y0=-75.0)),
        "plane": build_grid(GridOptions(kind="cartesian", nx=3, ny=2, dx=1 / 3, dy=4e3)),
    }
    for name, projection in maps.items():
        projected = Projected.around(projection, (10.0, 45.0), (2e3, 1e3), (4, 5))
        found[name] = Grid.on_map(projected, np.full((4, 5), 100.0), title="a map")
    return found


def refuse_unlike(one, other):
    """The same kinds and the same bits all the way down."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    elif is_dataclass(one):
        for some in fields(one):
            refuse_unlike(getattr(one, some.name), getattr(other, some.name))
    else:
        assert one == other


@pytest.mark.parametrize("name", grids())
def test_a_grid_that_was_sent_is_the_same(name):
    """Its geometry, its sides and its sea."""
    grid = grids()[name]
    words, arrays = taken_apart(grid)
    sent = [np.frombuffer(some.tobytes(), some.dtype).reshape(some.shape) for some in arrays]
    found = put_together(json.loads(json.dumps(words)), sent)
    refuse_unlike(grid, found)
    for place in (Place.center, Place.x_face, Place.y_face, Place.corner):
        refuse_unlike(grid.at(place), found.at(place))


def test_other_things_are_not_put_together():
    with pytest.raises(KeyError, match="Popen"):
        put_together({"kind": "Popen", "of": {}}, [])
    with pytest.raises(AssertionError, match="parts of a Mercator"):
        put_together(
            taken_apart(grids()["mercator"])[0]["of"]["curvilinear"]["of"]["projection"], []
        )
