"""Maps of fields at faces, corners and interfaces: dimensions, coordinates, values, folds.

Ranks: 1. Read back with xarray; coordinates are compared with the middles of cells.
"""

import numpy as np
import pyproj
import pytest
import xarray

from halocline.component.streams.field_stream import FieldStream, FieldStreamOptions
from halocline.core.clock import Clock, date, duration
from halocline.core.errors import UserError
from halocline.core.names import Quantity
from halocline.grids.horizontal.grid import Grid
from halocline.grids.horizontal.metrics import Curvilinear
from halocline.grids.horizontal.projected import Projected
from halocline.grids.horizontal.projections import Conic, Mercator
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field, pair
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions
from references.joined_sides import surroundings

nj, ni, levels = 6, 12, 3
maps = (
    Conic.lambert([-30.0, -50.0], 15.0, 6.37e6),
    Conic.stereographic(-71.0, 15.0, 6.37e6),
    Mercator(latitude=-30.0, longitude=10.0, radius=6.37e6),
)
start = date("2000-01-01")
places = {"h": Place.center, "u": Place.x_face, "v": Place.y_face, "turn": Place.corner}
dimensions = {
    "h": ("latitude", "longitude"),
    "u": ("latitude", "longitude_face"),
    "v": ("latitude_face", "longitude"),
    "turn": ("latitude_face", "longitude_face"),
}


def regular(periodic):
    mask = np.random.default_rng(4).random((nj, ni)) < 0.7
    x = np.arange(ni) * (30.0 if periodic else 3.0) + 1.0
    return Grid(
        x=x, y=np.arange(-10.0, 10.0, 20 / nj), depth=100.0 * mask, mask=mask, periodic_x=periodic
    )


def curvilinear(fold):
    y, x = np.mgrid[0 : nj + 1, 0 : ni + 1]
    corners = Curvilinear(corner_x=30.0 * x + 2.0 * y, corner_y=10.0 * y + 0.1 * x)
    depth = 100.0 * (np.random.default_rng(5).random((nj, ni)) < 0.8)
    if not fold:
        return Grid.of(corners, depth)
    corners = Curvilinear(corner_x=30.0 * x + 0.0 * y, corner_y=10.0 * y + 0.0, periodic_x=True)
    return Grid.of(corners, depth, fold=fold)


def prepared(grid, folder, **options):
    """A stream of fields at all places, with levels or interfaces at some, and these fields."""
    count = grid.mask * np.random.default_rng(6).integers(1, levels + 1, grid.mask.shape)
    cut = Decomposition(
        grid.mask, grid.topology, halo=1, options=DecompositionOptions(blocks_per_rank=4)
    )
    depth = Axis("depth", coordinates=(30.0, 15.0, 5.0), units="m")
    space = Space(cut, levels=depth, wet_levels=count)
    fields = {
        name: Field(
            name, "1", space, axes={"u": (depth,), "v": (depth,)}.get(name, ()), place=place,
            dtype=np.float64,
        )
        for name, place in places.items()
    }  # fmt: skip
    fields["w"] = Field(
        "w", "1", space, axes=(space.interfaces,), place=Place.center, dtype=np.float64
    )
    pair(fields["u"], fields["v"])
    names = options.pop("variables", list(fields))
    stream = FieldStream(
        "maps",
        FieldStreamOptions(variables=names, precision="float64", interval="1h", **options),
        grid,
        Clock(start=start, step=duration("1h"), end=start + duration("6h")),
        folder,
        space=space,
        place=Place.center,
        dtype=np.float64,
        fields=fields,
        more={name: Quantity(name, "", "1", f"field {name}") for name in fields},
    )
    stream.writers = Writers(Alone(), WritingOptions(way="gathered"))
    stream.open(stream.writers)
    return stream, fields


def written(stream, fields, hours, seed=0):
    """Write some hours of random values; those of the last one, and the mean, as they should be."""
    random, all_values = np.random.default_rng(seed), {name: [] for name in fields}
    for hour in hours:
        for name, field in fields.items():
            values = random.normal(size=field.shape)
            field.set_global(values)
            rows, columns = field.shape[-2:]
            topology = field.decomposition.world.topology
            _, j, i, sign = surroundings(topology, field.place, 0)[:, :rows, :columns]
            values = values[..., j, i] * (sign if field.vector else 1)
            wet = field.space.wet(field.place)
            if name == "w":
                none = np.zeros_like(wet[:1])
                wet = np.concatenate([none, wet]) | np.concatenate([wet, none])
            elif not field.levels:
                wet = wet[-1]
            all_values[name].append(np.where(wet, values, np.nan))
            # What a kernel leaves at the doubles is its own.
            for owned, block in zip(field.owned, field.layout.blocks, strict=True):
                owned[..., field.space.is_double(block, field.place)] += 1.0
            field.written()
        stream.write(start + duration(f"{hour}h"), fields)
    stream.close()
    stream.writers.close()
    return all_values


@pytest.mark.parametrize("periodic", [False, True])
def test_each_place_has_its_dimensions_and_coordinates(tmp_path, periodic):
    grid = regular(periodic)
    stream, fields = prepared(grid, tmp_path)
    expected = written(stream, fields, [0])
    with xarray.open_dataset(stream.path) as data:
        for name, some in dimensions.items():
            assert data[name].dims[-2:] == some
            assert np.array_equal(data[name][0], expected[name][0], equal_nan=True)
            assert np.isfinite(expected[name][0]).any()
        assert data.w.dims == ("time", "depth_interface", "latitude", "longitude")
        assert data.u.dims[1] == "depth" and data.depth.units == "m"
        assert np.array_equal(data.w[0], expected["w"][0], equal_nan=True)
        x, y = data.longitude.values, data.latitude.values
        east, north = data.longitude_face, data.latitude_face
        assert east.size == ni + (not periodic) and north.size == nj + 1
        assert np.allclose(east[1:ni], 0.5 * (x[1:] + x[:-1]))
        assert np.allclose(north[1:nj], 0.5 * (y[1:] + y[:-1]))
        assert east.standard_name == "longitude" and east.axis == "X"
        assert north.standard_name == "latitude" and north.axis == "Y"


def test_a_region_has_the_faces_on_both_sides_of_its_cells(tmp_path):
    grid = regular(True)
    stream, fields = prepared(grid, tmp_path, region=[-65, 65, -4, 4], variables=["u", "turn"])
    expected = written(stream, fields, [0])
    columns, faces = [10, 11, 0, 1, 2], [10, 11, 0, 1, 2, 3]
    rows = np.flatnonzero(np.abs(grid.y) <= 4)
    with xarray.open_dataset(stream.path) as data:
        west = np.append(grid.x[columns] - 15.0, grid.x[2] + 15.0)
        assert np.allclose((data.longitude_face - west) % 360.0, 0.0)
        assert (np.diff(data.longitude_face) > 0).all()
        ends = [*rows, rows[-1] + 1]
        found = expected["turn"][0][np.ix_(ends, faces)]
        assert np.array_equal(data.turn[0], found, equal_nan=True)
        found = expected["u"][0][:, rows][..., faces]
        assert np.array_equal(data.u[0], found, equal_nan=True)
        assert np.isfinite(found).any()


def test_a_region_of_one_column_is_as_wide_as_its_cell(tmp_path):
    grid = regular(True)
    column = int(np.argmax(grid.mask.any(axis=0)))
    box = [grid.x[column] - 1, grid.x[column] + 1, -90, 90]
    stream, fields = prepared(grid, tmp_path, region=box, variables=["u"])
    written(stream, fields, [0])
    with xarray.open_dataset(stream.path) as data:
        assert np.allclose(data.longitude_face, [grid.x[column] - 15, grid.x[column] + 15])


@pytest.mark.parametrize("fold", ["", "faces", "centres"])
def test_curvilinear_places_have_planes_of_longitude_and_latitude(tmp_path, fold):
    grid = curvilinear(fold)
    stream, fields = prepared(grid, tmp_path)
    expected = written(stream, fields, [0])
    with xarray.open_dataset(stream.path) as data:
        for name, place in places.items():
            assert np.array_equal(data[name][0], expected[name][0], equal_nan=True), name
            ending = "" if place is Place.center else f"_{place.value}"
            coordinates = {f"longitude{ending}", f"latitude{ending}"}
            assert coordinates <= set(data[name].coords)
            assert np.array_equal(data[f"longitude{ending}"], grid.at(place).x)
            assert np.array_equal(data[f"latitude{ending}"], grid.at(place).y)
        assert data.turn.dims == ("time", "y_face", "x_face")


@pytest.mark.parametrize("map_", maps, ids=lambda one: str(one.grid_mapping["grid_mapping_name"]))
def test_others_find_places_by_the_map_that_a_file_describes(tmp_path, map_):
    """pyproj, by what the CF conventions say of it: every place, from the x and y of the file.

    It comes with compliance-checker.
    """
    middle = map_.from_map(*(one + 2e5 for one in map_.to_map(np.array(20.0), np.array(-40.0))))
    projected = Projected.around(map_, middle, (1e4, 2e4), (nj, ni))
    stream, fields = prepared(Grid.on_map(projected, np.full((nj, ni), 50.0)), tmp_path)
    written(stream, fields, [0])
    with xarray.open_dataset(stream.path) as data:
        reference = pyproj.CRS.from_cf(data.projection.attrs)
        back = pyproj.Transformer.from_crs(reference, reference.geodetic_crs, always_xy=True)
        for name, place in places.items():
            assert data[name].grid_mapping == "projection"
            y, x = (data[line] for line in data[name].dims[-2:])
            longitude, latitude = back.transform(*np.meshgrid(x, y))
            ending = "" if place is Place.center else f"_{place.value}"
            assert np.allclose(longitude, data[f"longitude{ending}"], rtol=0, atol=1e-8)
            assert np.allclose(latitude, data[f"latitude{ending}"], rtol=0, atol=1e-8)


@pytest.mark.parametrize("fold", ["faces", "centres"])
def test_means_on_a_fold_are_those_of_the_owners(tmp_path, fold):
    stream, fields = prepared(curvilinear(fold), tmp_path, processing="mean", sampling="1h")
    expected = written(stream, fields, [1])
    with xarray.open_dataset(stream.path) as data:
        for name in fields:
            assert np.array_equal(data[name][0], expected[name][0], equal_nan=True), name


def test_extremes_of_vectors_on_a_seam_are_refused(tmp_path):
    with pytest.raises(UserError, match="stream 'maps': 'v' is a component of a vector"):
        prepared(curvilinear("faces"), tmp_path, processing="maximum", variables=["v"])
    stream, fields = prepared(
        curvilinear("faces"), tmp_path, processing="maximum", variables=["u", "turn"]
    )
    expected = written(stream, fields, [1])
    with xarray.open_dataset(stream.path) as data:
        assert np.array_equal(data.turn[0], expected["turn"][0], equal_nan=True)
