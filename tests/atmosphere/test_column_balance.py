"""Winds by which columns keep their mass, on maps, between mirrors and round the globe."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmosphere.analysis_files import layers
from halocline.atmosphere.start import column_balance
from halocline.atmosphere.start.column_balance import steady_columns
from halocline.core.errors import UserError
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.runtime.fields.place import Place

column = layers(6)
random = np.random.default_rng(11)
regional = {
    "kind": "lambert", "nx": 23, "ny": 17, "dx": 40e3, "dy": 40e3,
    "projection": {
        "center_longitude": 3.0, "center_latitude": 52.0, "true_latitudes": [50.0, 60.0]
    },
}  # fmt: skip
around = {
    "kind": "spherical", "nx": 24, "ny": 12, "dx": 15.0, "dy": 15.0, "x0": 7.5, "y0": -82.5,
    "periodic_x": True, "sides": {"south": "pole", "north": "pole"},
}  # fmt: skip
channel = {
    "nx": 20, "ny": 9, "dx": 30e3, "dy": 30e3, "kind": "cartesian", "periodic_x": True,
    "periodic_y": False, "sides": {"south": "mirror", "north": "mirror"},
}  # fmt: skip


def grid_of(table: dict) -> Grid:
    return build_grid(GridOptions.from_table({**table, "closed_edges": False}, "grid"))


def gain(grid: Grid, mass: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What columns gain [Pa s-1]: the mean mass of layers on both sides of faces times wind."""
    x, y, area = grid.at(Place.x_face), grid.at(Place.y_face), grid.at(Place.center).area
    layer = column.layer_mass(mass) * column.thickness[:, None, None]
    wide = grid.topology.widened(layer, (1, 1, 1, 1), nearest=True)
    (nj, ni), (rows, columns) = u.shape[1:], v.shape[1:]
    east = (0.5 * (wide[:, 1:-1, 1:] + wide[:, 1:-1, :-1])[..., :ni] * u * x.dy).sum(axis=0)
    north = (0.5 * (wide[:, 1:, 1:-1] + wide[:, :-1, 1:-1])[:, :rows] * v * y.dx).sum(axis=0)
    if ni == columns:  # joined: the last face is the first
        east = np.concatenate([east, east[:, :1]], axis=1)
    if rows == nj:
        north = np.concatenate([north, north[:1]])
    return -(np.diff(east, axis=1) + np.diff(north, axis=0)) / area


def some_air(grid: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass of columns over rough ground, and winds of all kinds that pass no mirror."""
    mass = random.uniform(6e4, 9.5e4, grid.shape)
    u = random.normal(size=(6, *grid.topology.shape(Place.x_face)))
    v = random.normal(size=(6, *grid.topology.shape(Place.y_face)))
    for side, j in (("south", 0), ("north", -1)):
        if not grid.topology.is_closed(side) and not grid.topology.is_joined(side):
            v[:, j] = 0.0
    return mass, u, v


@pytest.mark.parametrize("table", [regional, around, channel], ids=["map", "globe", "channel"])
def test_columns_keep_their_mass(table):
    """All that is left is what the turns leave; what is added is the same in all layers."""
    grid = grid_of(table)
    mass, u, v = some_air(grid)
    steady = steady_columns(grid, column, mass, u, v)
    before, after = gain(grid, mass, u, v), gain(grid, mass, *steady)
    area = grid.at(Place.center).area
    assert np.abs(after * area).max() < 2e-4 * np.abs(before * area).max()
    for new, old in zip(steady, (u, v), strict=True):
        assert np.abs(new - old).max() > 0.1
        assert_allclose(new - old, np.broadcast_to((new - old)[:1], old.shape), atol=1e-13)
    assert_allclose(steady[1][:, [0, -1]], v[:, [0, -1]], atol=0 if table is channel else 10.0)


def test_what_is_added_has_no_curl():
    """On a plane: around any corner it sums up to nothing."""
    grid = grid_of(channel)
    mass, u, v = some_air(grid)
    x, y = (new[0] - old[0] for new, old in zip(
        steady_columns(grid, column, mass, u, v), (u, v), strict=True))  # fmt: skip
    curl = (y[1:-1, 1:] - y[1:-1, :-1]) - (x[1:, 1:] - x[:-1, 1:])
    assert np.abs(curl).max() < 1e-12 * np.abs(x).max() + 1e-13


def test_a_wind_in_balance_stays():
    """Along x in a channel of even ground; and none of it is changed twice."""
    grid = grid_of(channel)
    mass = np.full(grid.shape, 9e4)
    u, v = np.full((6, 9, 20), 12.0), np.zeros((6, 10, 20))
    for new, old in zip(steady_columns(grid, column, mass, u, v), (u, v), strict=True):
        assert np.array_equal(new, old)


def test_what_is_not_found_is_refused(monkeypatch):
    grid = grid_of(regional)
    monkeypatch.setattr(column_balance, "most_turns", 3)
    with pytest.raises(UserError, match=r"after 3 turns .*atmosphere.analysis.columns = 'free'"):
        steady_columns(grid, column, *some_air(grid))
