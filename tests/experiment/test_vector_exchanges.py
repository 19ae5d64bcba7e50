"""Vectors between members: a solid-body wind over the pole and over a tripolar fold.

The wind of a sphere that turns about a slanted axis, by hand from longitudes and latitudes: its
eastward and northward components jump at the pole, the wind does not.
"""

from itertools import product

import numpy as np
import pytest
import xarray

from halocline.component.exchange import Exchange, Pair
from halocline.component.port import Port
from halocline.experiment.exchange_table import ExchangeOptions, _other
from halocline.experiment.grid_pairs import OnSphere, remap_by
from halocline.experiment.run import run
from halocline.grids.horizontal.regular import GridOptions, build_grid
from halocline.grids.remapping.vectors import Vector
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Alone

axis = np.array([0.3, -0.5, 0.8])


def globe(nx):
    """Longitudes and latitudes, with rows half a cell from the poles."""
    step = 360.0 / nx
    return build_grid(
        GridOptions(
            nx=nx, ny=nx // 2, x0=0.5 * step, y0=-90.0 + 0.5 * step, dx=step, dy=step,
            closed_edges=False,
        )
    )  # fmt: skip


def tripole(nx):
    return build_grid(GridOptions(kind="tripole", nx=nx, ny=nx // 2 + 4, closed_edges=False))


def wind(grid, place, frame):
    """Both components of the turning sphere's wind at a place."""
    some = grid.at(place)
    x, y = np.deg2rad(some.x), np.deg2rad(some.y)
    east = -np.cos(x) * np.sin(y) * axis[0] - np.sin(x) * np.sin(y) * axis[1] + np.cos(y) * axis[2]
    north = np.sin(x) * axis[0] - np.cos(x) * axis[1]
    if frame == "geographic":
        return east, north
    both = (east + 1j * north) * np.exp(-1j * some.angle)
    return both.real, both.imag


def fields(grid, place, names="uv"):
    cut = Decomposition(grid.mask, grid.topology, halo=1, communicator=Alone())
    return {name: Field(name, "m s-1", cut, place=place, dtype=np.float64) for name in names}


def exchanged(source, target, places, frames, *, path="parallel", as_vector=True, **options):
    """Errors of both components at the target, and its latitudes."""
    given, taken = (fields(g, p) for g, p in zip((source, target), places, strict=True))
    for field, values in zip(given.values(), wind(source, places[0], frames[0]), strict=True):
        field.set_global(np.broadcast_to(values, field.shape))
    for field in taken.values():
        field.fill(np.nan)
    remap = remap_by(ExchangeOptions(**options), source, target, ("one", "other"), "wind")
    assert isinstance(remap, OnSphere)
    exchange = Exchange(
        "wind", [Pair("u", "u"), Pair("v", "v")], given,
        {name: Port(field) for name, field in taken.items()}, remap, Alone(),
        vectors=[Vector((0, 1), *frames)] if as_vector else [], turn=remap.vectors,
        known_paths=[path],
    )  # fmt: skip
    values = exchange.start(path, given)()
    assert values is not None
    exchange.put(values)
    true = wind(target, places[1], frames[1])
    errors = [np.abs(taken[name].gather() - one) for name, one in zip("uv", true, strict=True)]
    once = target.topology.once(places[1])  # doubles of the fold are not those of a vector here
    found = np.where(once, np.stack(errors), np.nan)
    return found, np.broadcast_to(target.at(places[1]).y, once.shape)


orders = {"bilinear": 1.7, "patch": 2.4, "conservative": 0.8, "nearest": 0.8}
most = {"bilinear": 1e-4, "patch": 5e-6, "conservative": 3e-3, "nearest": 1e-2}
pairs = {
    "over the pole": (globe, (Place.center, Place.center), ("geographic", "geographic")),
    "over the fold": (tripole, (Place.center, Place.center), ("grid", "geographic")),
    "from corners beside the fold": (tripole, (Place.corner, Place.center), ("grid", "geographic")),
}


of_cells = "from corners beside the fold", "conservative"  # conservative means are of cells


@pytest.mark.parametrize(
    ("way", "method"), [some for some in product(pairs, orders) if some != of_cells]
)
def test_wind_of_a_turning_sphere_in_the_north(method, way):
    """North of 66 degrees, where the fold of the tripole is: errors fall by the order."""
    made, places, frames = pairs[way]
    misfits = []
    for size in (72, 144):
        target = globe(size * 5 // 6 // 2 * 2)
        errors, latitude = exchanged(made(size), target, places, frames, remapping=method)
        there = np.isfinite(errors).all(axis=0) & (latitude > 66.0)
        assert there.sum() == (latitude > 66.0).sum()
        misfits.append(np.sqrt((errors[:, there] ** 2).mean()))
    assert np.log2(misfits[0] / misfits[1]) > orders[method], misfits
    assert misfits[1] < most[method]


def test_to_a_tripole_and_by_the_other_path():
    """Along the axes of the target on its fold; the serial path has the same bits."""
    places, frames = (Place.center, Place.corner), ("geographic", "grid")
    found = [
        exchanged(globe(60), tripole(72), places, frames, path=path, remapping="bilinear")
        for path in ("parallel", "serial")
    ]
    errors, latitude = found[0]
    assert np.nanmax(errors[:, latitude > 60.0]) < 6e-3
    assert np.array_equal(errors, found[1][0], equal_nan=True)


def test_components_by_themselves_are_wrong_at_the_pole():
    """What would be without: of the size of the wind itself, with any resolution."""
    places, frames = (Place.center, Place.center), ("geographic", "geographic")
    alone, latitude = exchanged(
        globe(36), globe(120), places, frames, as_vector=False, remapping="bilinear"
    )
    whole, _ = exchanged(globe(36), globe(120), places, frames, remapping="bilinear")
    north = latitude > 85.0
    assert alone[:, north].max() > 0.05 > 10.0 * whole[:, north].max()


def test_members_of_a_run_over_the_pole(tmp_path):
    """From a file on a globe to a finer one by the table of exchanges, which finds the pair."""
    source, target = globe(36), globe(120)
    east, north = wind(source, Place.center, "geographic")
    lines = source.at(Place.center)
    both = {
        name: (("time", "lat", "lon"), np.stack([values] * 2), {"standard_name": f"{to}ward_wind",
                                                               "units": "m s-1"})
        for name, to, values in (("u", "east", east), ("v", "north", north))
    }  # fmt: skip
    axes = {
        "time": np.datetime64("2000-01-01") + np.array([0, 24]) * np.timedelta64(1, "h"),
        "lat": ("lat", lines.y[:, 0], {"units": "degrees_north"}),
        "lon": ("lon", lines.x[0], {"units": "degrees_east"}),
    }
    xarray.Dataset(both, axes).to_netcdf(tmp_path / "wind.nc")
    step = 3.0
    here = {
        "nx": 120, "ny": 60, "x0": 1.5, "y0": -88.5, "dx": step, "dy": step, "closed_edges": False,
    }  # fmt: skip
    data = {"component": "data", "precision": "float64", "time": {"step": "1h"}}
    found = {}
    for way in ("space", "components"):
        done = run({
            "data_folder": str(tmp_path), "time": {"start": "2000-01-01T00:00:00", "length": "1h"},
            "members": {
                "air": data | {"data": {"gives": {"w": {"file": "wind.nc",
                                                        "fields": ["wind_u", "wind_v"]}}}},
                "sink": data | {"data": {"takes": ["wind_u", "wind_v"]}, "grid": here},
            },
            "exchanges": {"wind": {"source": "air", "target": "sink", "vectors": way,
                                   "remapping": "bilinear", "fields": ["wind_u", "wind_v"]}},
        })  # fmt: skip
        taken = done.components["sink"].fields
        true = wind(target, Place.center, "geographic")
        pair = zip(("wind_u", "wind_v"), true, strict=True)
        errors = np.stack([np.abs(taken[name].gather() - one) for name, one in pair])
        found[way] = errors[:, target.at(Place.center).y > 85.0].max()
    assert found["components"] > 0.05 > 10.0 * found["space"], found


def test_names_of_components():
    assert _other("eastward volume that Stokes drift carries")[0].startswith("northward")
    assert _other("eastward_wind") == ("northward_wind", "geographic")
    assert _other("sea_water_x_velocity") == ("sea_water_y_velocity", "grid")
    assert _other("x_wind") == ("y_wind", "grid")
    assert _other("northward_wind")[0] == "" and _other("air_temperature")[0] == ""
