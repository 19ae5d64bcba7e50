"""Forcing read in parts: the bits of the whole, fewer values the more ranks, mistakes all the same.

Compared with the plain way of `references/file_maps.py`. Ranks: 1, 3 for whole runs.
"""

import os
import subprocess
import sys
import threading
from datetime import timedelta

import numpy as np
import pytest
import tomli_w
import xarray

from halocline.component.forcing.file_series import FileSeries, Scatter, Share
from halocline.core.clock import date
from halocline.core.errors import UserError
from halocline.experiment.run import run
from halocline.grids.files.gridded_files import GriddedFiles
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.own_points import numbers_around, owned_numbers
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command
from halocline.waves.component import WaveComponent
from rank_threads import together
from references import file_maps

start, end = date("2011-01-15"), date("2011-01-15 18")
hours = (0, 6, 12, 18)


class Rank(Alone):
    """One of several ranks, without the others."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size


def globe(seed=0):
    """A sea of 3 by 2 degrees with continents."""
    random = np.random.default_rng(seed)
    mask = random.random((60, 120)) < 0.9
    mask[20:45, 30:50] = mask[:12, 70:] = False
    x, y = 1.3 + 3.0 * np.arange(120), -59.5 + 2.0 * np.arange(60)
    return Grid(x=x, y=y, depth=1000.0 * mask, mask=mask, periodic_x=True)


def region():
    """A sea across Greenwich."""
    mask = np.ones((20, 30), bool)
    mask[5:9, 3:20] = False
    x, y = -20.25 + 1.1 * np.arange(30), 30.2 + 0.9 * np.arange(20)
    return Grid(x=x, y=y, depth=1000.0 * mask, mask=mask)


def land_in(grid, longitude, latitude):
    """Places of a file that are land of the model, and a coast more or less of it."""
    i = np.abs((grid.x[:, None] - longitude + 180.0) % 360.0 - 180.0).argmin(axis=0)
    j = np.abs(grid.y[:, None] - latitude).argmin(axis=0)
    return ~grid.mask[j][:, i]


def winds(grid, *, seed=1, turned=False, roll=0, southward=False, gaps=True, changing=False):
    """Winds and their missing values, random in every place."""
    random = np.random.default_rng(seed)
    longitude, latitude = np.arange(0.0, 360.0, 2.5), np.arange(-90.0, 90.1, 2.5)
    shape = (len(hours), latitude.size, longitude.size)
    land = land_in(grid, longitude, latitude)
    fields = {}
    for name in ("u10", "v10"):
        values = random.standard_normal(shape)
        for record in values:
            if gaps:
                lost = land & (random.random(land.shape) < 0.7) if changing else land
                record[lost] = np.nan
        fields[name] = values
    data = xarray.Dataset(
        {
            name: (("time", "lat", "lon"), values, {"units": "m s-1"})
            for name, values in fields.items()
        },
        {
            "time": ("time", np.array(hours), {"units": "hours since 2011-01-15"}),
            "lat": ("lat", latitude, {"units": "degrees_north"}),
            "lon": ("lon", longitude, {"units": "degrees_east"}),
        },
    )
    data = data.roll(lon=roll, roll_coords=True)
    data = data.isel(lat=slice(None, None, -1)) if southward else data
    return data.transpose("time", "lon", "lat") if turned else data


def series(path, grid, numbers, communicator=None, last=end):
    share = Share(numbers, communicator or Alone())
    names, variables = ("wind_u", "wind_v"), ("", "")
    return FileSeries(GriddedFiles([path]), names, variables, grid, (start, last), "wind", share)


def expected(data, grid, hour):
    """Both components at all sea points by the plain way."""
    one = data.sel(time=hour).sortby(["lat", "lon"]).transpose("lat", "lon")
    lines = one.lon.values, one.lat.values, grid.point_x, grid.point_y
    return [file_maps.at_points(one[name].values, *lines) for name in ("u10", "v10")]


def shares(grid, ranks, **options):
    """Numbers of the owned points of every rank."""
    for rank in range(ranks):
        cut = Decomposition(
            grid.mask, grid.topology, halo=3, options=DecompositionOptions(**options),
            communicator=Rank(rank, ranks), components=24,
        )  # fmt: skip
        yield owned_numbers(cut.home), numbers_around(cut, 1)


files = [
    {},
    {"gaps": False},
    {"roll": 57, "southward": True},
    {"turned": True, "roll": 100},
    {"changing": True},
]
cuts = [(1, {}), (5, {"rows": 5}), (3, {"kind": "curve"}), (2, {"kind": "cards"})]


@pytest.mark.parametrize("grid", [globe(), region()], ids=["globe", "region"])
@pytest.mark.parametrize("file", files, ids=str)
def test_any_part_has_the_bits_of_the_whole(tmp_path, grid, file):
    data = winds(grid, **file)
    data.to_netcdf(tmp_path / "wind.nc", engine="netcdf4")
    whole = {hour: expected(data, grid, hour) for hour in hours}
    for ranks, options in cuts:
        for few in shares(grid, ranks, **options):
            for numbers in few:
                some = series(tmp_path / "wind.nc", grid, numbers)
                for at in range(len(hours) - 1):
                    brackets = some.brackets(start + (end - start) * at / (len(hours) - 1))
                    for found, hour in ((brackets.before, at), (brackets.after, at + 1)):
                        for component, reference in zip(found, whole[hours[hour]], strict=True):
                            assert np.isfinite(component).all()
                            assert np.array_equal(component, reference[numbers])
                some.close()


@pytest.mark.parametrize("quantities", [1, 2, 5])
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_what_some_ranks_read_comes_to_those_who_need_it(ranks, quantities):
    """From ranks that read several quantities, one or none; the last rank needs no points."""
    points = 23
    values = np.random.default_rng(3).random((quantities, points))
    owner = np.random.default_rng(4).integers(0, ranks - 1, points)
    readers = []

    def program(communicator):
        own = np.flatnonzero(owner == communicator.rank)
        scatter = Scatter(Share(own, communicator), quantities, points)
        readers.extend((place, communicator.rank) for place in scatter.reads.tolist())
        for factor in (1.0, 2.0):
            found = scatter.values({n: factor * values[n] for n in scatter.reads.tolist()})
            np.testing.assert_array_equal(found, factor * values[:, own])

    together(ranks, program)
    assert sorted(place for place, _ in readers) == list(range(quantities))
    assert len({rank for _, rank in readers}) == min(ranks, quantities)


def values_read(path, grid, ranks, **options):
    """Values that each rank reads for a run."""
    counts = []
    for numbers, _ in shares(grid, ranks, **options):
        some = series(path, grid, numbers)
        for hour in hours:
            some.brackets(start + (end - start) * hour / hours[-1])
        some.close()
        counts.append(some.files.values_read)
    return np.array(counts)


@pytest.mark.parametrize("gaps", [False, True])
def test_ranks_read_less_the_more_they_are(tmp_path, gaps):
    data = winds(globe(), gaps=gaps)
    data.to_netcdf(tmp_path / "wind.nc")
    everything = data.u10.size + data.v10.size
    before = everything * (1.5 if gaps else 1.0)
    for ranks in (2, 4, 8):
        counts = values_read(tmp_path / "wind.nc", globe(), ranks)
        assert counts.max() < 0.75 * before
        before = counts.max()
        assert counts.sum() < (2.0 if gaps else 1.6) * everything
    cards = values_read(tmp_path / "wind.nc", globe(), 4, kind="cards")
    assert cards.min() > 0.6 * everything


def test_a_region_reads_its_columns_only(tmp_path):
    grid = region()
    winds(grid, gaps=False).to_netcdf(tmp_path / "wind.nc")
    (count,) = values_read(tmp_path / "wind.nc", grid, 1)
    rows, columns = 8, 15
    assert count == 2 * len(hours) * rows * columns


@pytest.mark.parametrize(
    ("between", "hour", "records"),
    [
        ("linear", 12, 3), ("linear", 11, 3), ("linear", 13, 4), ("linear", 0, 1),
        ("steps", 12, 3), ("steps", 11, 2), ("steps", 18, 4),
    ],
)  # fmt: skip
def test_no_record_beyond_the_end_of_a_run_is_read(tmp_path, between, hour, records):
    grid = region()
    data = winds(grid, gaps=False)
    data.to_netcdf(tmp_path / "wind.nc")
    share, last = Share.whole(grid), start + timedelta(hours=hour)
    some = FileSeries(
        GriddedFiles([tmp_path / "wind.nc"]), ("wind_u", "wind_v"), ("", ""), grid,
        (start, last), "wind", share, between=between,
    )  # fmt: skip
    numbered = {}
    for now in range(hour + 1):
        brackets = some.brackets(start + timedelta(hours=now))
        first, second = numbered.setdefault(brackets.number, (brackets.before, brackets.after))
        assert first is brackets.before and second is brackets.after
        found = brackets.now()
        before = now // 6 * 6
        after, weight = min(before + 6, 18), now % 6 / 6 if between == "linear" else 0.0
        for values, low, high in zip(
            found, expected(data, grid, before), expected(data, grid, after), strict=True
        ):
            np.testing.assert_allclose(values, (1 - weight) * low + weight * high, rtol=1e-12)
    some.reader.wait()
    assert some.files.values_read == records * 2 * 8 * 15
    assert some.look_through(np.inf) == (records, records)
    some.close()


@pytest.mark.parametrize("hour", [6, 9, 12])
def test_values_are_the_same_bits_whenever_the_run_ends(tmp_path, hour):
    """A run that ends at a moment, and one that goes on, at a record and between two."""
    grid = region()
    winds(grid, gaps=False).to_netcdf(tmp_path / "wind.nc")
    moment = start + timedelta(hours=hour)
    found = []
    for last in (moment, end):
        some = series(tmp_path / "wind.nc", grid, np.arange(grid.sea_points), last=last)
        some.brackets(moment - timedelta(hours=1))
        found.append(some.brackets(moment))
        some.close()
    assert found[0].weight == found[1].weight == (0.5 if hour == 9 else 0.0)
    for first, second in zip(found[0].now(), found[1].now(), strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("chunk", "whole"),
    [((1, 73, 144), True), ((1, 37, 144), True), ((1, 36, 144), False), ((4, 20, 30), False)],
)
def test_files_that_come_in_whole_maps_are_known(tmp_path, chunk, whole):
    data = winds(region(), gaps=False)
    packing = {name: {"zlib": True, "chunksizes": chunk} for name in data.data_vars}
    data.to_netcdf(tmp_path / "wind.nc", engine="netcdf4", encoding=packing)
    data.to_netcdf(tmp_path / "classic.nc", format="NETCDF3_64BIT")
    data.to_netcdf(tmp_path / "contiguous.nc", engine="netcdf4")
    packing = {name: {"chunks": chunk} for name in data.data_vars}
    data.to_zarr(tmp_path / "wind.zarr", zarr_format=2, encoding=packing)
    for name, expected in (
        ("wind.nc", whole), ("wind.zarr", whole), ("classic.nc", False), ("contiguous.nc", False)
    ):  # fmt: skip
        files = GriddedFiles([tmp_path / name])
        assert files.comes_whole("u10") is expected
        files.close()


def test_a_gap_is_filled_from_far_outside_the_own_rows(tmp_path):
    grid = region()
    data = winds(grid, gaps=False)
    # Model sea inside of the file's land: no gap over open sea, since land is close.
    mask = np.zeros(grid.shape, bool)
    mask[::4, ::4] = True
    islands = Grid(x=grid.x, y=grid.y, depth=1000.0 * mask, mask=mask)
    near = (data.lat > 25) & (data.lat < 55) & ((data.lon < 25) | (data.lon > 330))
    data = data.where(~near)
    data.to_netcdf(tmp_path / "wind.nc")
    u, v = expected(data, islands, 0)
    for numbers, _ in shares(islands, 6):
        some = series(tmp_path / "wind.nc", islands, numbers)
        before = some.brackets(start).before
        assert np.array_equal(before[0], u[numbers]) and np.array_equal(before[1], v[numbers])
        assert not some.fields[0].filling.part.is_whole
        some.close()


def test_places_of_gaps_that_move_are_found_anew(tmp_path):
    grid = globe()
    data = winds(grid, gaps=False)
    land = land_in(grid, data.lon.values, data.lat.values)
    data.u10.values[0][land] = np.nan
    nearer = land.copy()
    nearer[20:50, 20:30] = False
    data.u10.values[1][nearer] = np.nan
    data.to_netcdf(tmp_path / "wind.nc")
    for numbers, _ in shares(grid, 6):
        some = series(tmp_path / "wind.nc", grid, numbers)
        brackets = some.brackets(start)
        for values, hour in ((brackets.before, 0), (brackets.after, 6)):
            assert np.array_equal(values[0], expected(data, grid, hour)[0][numbers])
        some.close()


def test_a_nearer_place_beyond_the_rows_of_the_points_is_seen(tmp_path):
    """At first the nearest lies in the same row, in the second record further north."""
    mask = np.zeros((3, 20), bool)
    mask[1] = True
    x, y = 0.3 + np.arange(20.0), np.array([29.0, 31.0, 33.0])
    grid = Grid(x=x, y=y, depth=1000.0 * mask, mask=mask)
    data = winds(grid, gaps=False)
    inside = (data.lat > 14) & (data.lat < 48) & ((data.lon < 21) | (data.lon > 359))
    north = (data.lat == 37.5) & (data.lon == 10) & (data.time > 0)
    data = data.where(~inside | north).transpose("time", "lat", "lon")
    data.to_netcdf(tmp_path / "wind.nc")
    some = series(tmp_path / "wind.nc", grid, np.arange(20))
    brackets = some.brackets(start)
    for values, hour in ((brackets.before, 0), (brackets.after, 6)):
        assert np.array_equal(values[0], expected(data, grid, hour)[0])
    some.close()


def test_a_damaged_record_is_a_mistake_of_the_file(tmp_path):
    data, path = winds(region(), gaps=False), tmp_path / "wind.nc"
    data.to_netcdf(path, engine="netcdf4", encoding={n: {"zlib": True} for n in data.data_vars})
    grid = region()
    some = series(path, grid, np.arange(grid.sea_points))
    content = bytearray(path.read_bytes())
    content[len(content) // 2 :] = bytes(len(content) - len(content) // 2)
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"Cannot read '[uv]10' at 2011-01-15 .*Is the file compl"):
        for hour in (3, 9, 15):
            some.brackets(start + (end - start) * hour / 18)
    some.close()


def reading():
    return [some for some in threading.enumerate() if some.name.startswith("read ahead")]


def case(file, **more):
    """Winds and ice from a file over a band of sea with a continent's gaps."""
    grid = {"nx": 36, "ny": 12, "dx": 10.0, "dy": 10.0, "x0": 1.3, "y0": -54.2, "depth": 3000.0}
    return {
        "grid": grid | {"boundary": ["south"]},
        "spectrum": {"frequencies": 4, "directions": 8},
        "time": {"start": "2011-01-15", "length": "18h", "step": "3h"},
        "start": {"kind": "jonswap"},
        "forcing": {
            "wind": {"file": str(file)},
            "ice": {"file": str(file), "variable": "ice"},
            "air_sea": {"constant": -2.0},
        },
        "output": {"fields": {"maps": {"interval": "9h", "precision": "float64"}}},
    } | more  # fmt: skip


def forcing_file(path, hole=(), compressed=False):
    """Winds, and ice that comes and goes; compressed, a map is one chunk."""
    grid = globe()
    data = winds(grid, gaps=False, seed=4)
    data = data.assign({name: 6.0 * data[name] for name in ("u10", "v10")})
    shape = data.u10.shape
    data["ice"] = data.u10.dims, np.random.default_rng(8).random(shape)
    data["ice"].values[:, :12] = np.nan
    for name, at in hole:
        data[name].values[at] = np.nan
    packing = {"zlib": True, "chunksizes": (1, *shape[1:])} if compressed else {}
    data.to_netcdf(path, engine="netcdf4", encoding=dict.fromkeys(data.data_vars, packing))
    return path


def start_ranks(folder, ranks):
    words = [*mpiexec_command(ranks, threads=1), sys.executable, "-P", "-m", "halocline", "run"]
    environment = mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"})
    return subprocess.run(
        [*words, str(folder), "--output", str(folder / f"ranks{ranks}")],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def write_case(folder, table):
    (folder / "case.toml").write_text(tomli_w.dumps(table), encoding="utf-8")


def test_a_run_has_the_same_bits_on_ranks_and_ends_its_threads(tmp_path):
    table = case(forcing_file(tmp_path / "wind.nc"))
    for name, cut in (("one", {}), ("cards", {"kind": "cards"}), ("many", {"blocks_per_rank": 5})):
        run(table | {"decomposition": cut}, output=tmp_path / name)
        assert not reading()
    whole = (tmp_path / "one" / "maps.nc").read_bytes()
    assert (tmp_path / "cards" / "maps.nc").read_bytes() == whole
    assert (tmp_path / "many" / "maps.nc").read_bytes() == whole
    with xarray.open_dataset(tmp_path / "one" / "maps.nc") as data:
        assert float(data.significant_height[0].max()) > 1.0
    for ranks, compressed in ((3, False), (2, True)):
        forcing_file(tmp_path / "wind.nc", compressed=compressed)
        write_case(tmp_path, table)
        done = start_ranks(tmp_path, ranks)
        assert done.returncode == 0, done.stderr
        folder = tmp_path / f"ranks{ranks}"
        assert (folder / "maps.nc").read_bytes() == whole
        log = (folder / "halocline.log").read_text()
        assert "input: reading" in log and "input: waiting for a record" in log


@pytest.mark.parametrize(("ranks", "compressed"), [(3, False), (2, True)])
def test_a_hole_that_one_rank_sees_ends_all_with_the_same_words(tmp_path, ranks, compressed):
    # In a record that is read ahead: v in the north and u near the equator, which is told.
    hole = [("v10", (2, 50, 68)), ("u10", (2, 38, 20))]
    table = case(forcing_file(tmp_path / "wind.nc", hole, compressed))
    with pytest.raises(UserError, match="missing .NaN. over sea at 2011-01-15 12:00") as told:
        run(table)
    assert not reading()
    assert "1 place, first at 50 E, 5 N" in str(told.value)
    write_case(tmp_path, table)
    done = start_ranks(tmp_path, ranks)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("halocline: ") == 1
    assert str(told.value) in done.stderr
    assert "on rank" not in done.stderr and "Traceback" not in done.stderr


def test_threads_end_where_a_run_fails(tmp_path):
    table = case(forcing_file(tmp_path / "wind.nc"))

    class Fails(Exception):
        pass

    table["output"] = {}
    step, calls = WaveComponent.step, []

    def failing(self, time):
        calls.append(time)
        if len(calls) == 2:
            raise Fails
        step(self, time)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Fails):
        patch.setattr(WaveComponent, "step", failing)
        run(table)
    assert not reading()


def test_a_constant_difference_of_temperatures_counts(tmp_path):
    table = case(forcing_file(tmp_path / "wind.nc"))
    found = run(table).component.model.air_sea_difference.gather()
    assert (found == -2.0).all()
