"""Streams of maps and of point spectra: contents, conventions, schedules, failures.

Ranks: 1, and 3 through test_ranks.py.
"""

import os
from dataclasses import replace

import netCDF4
import numpy as np
import pytest
import xarray

from halocline.component.streams.field_stream import FieldStream
from halocline.core.clock import Clock, date, duration
from halocline.core.errors import UserError
from halocline.core.names import Quantity
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.axis import Axis
from halocline.runtime.fields.decomposition import Decomposition, DecompositionOptions
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.space import Space
from halocline.runtime.files import classic_files, room
from halocline.runtime.files.file_names import refuse_shared
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.writing import record_files
from halocline.runtime.writing.writers import Writers
from halocline.runtime.writing.writing_options import WritingOptions
from halocline.waves.output import OutputOptions, WaveMapOptions, make_streams, output_volume
from halocline.waves.parameters import mean_parameters
from halocline.waves.point_stream import PointStream, PointStreamOptions
from halocline.waves.spectra import jonswap_directional
from halocline.waves.spectrum import SpectralGrid

start = date("2011-01-15 12")
spectral = SpectralGrid(first_frequency=0.04, frequencies=30, directions=36)


def clock(hours=6, step="1h"):
    return Clock(start, start + duration(f"{hours}h"), duration(step))


def grid(spherical=True):
    x, y = np.arange(-4.0, 6.0) * 2, np.arange(40.0, 47.0)
    mask = np.ones((7, 10), bool)
    mask[2, 3:6] = mask[5, 7] = mask[6, 7] = mask[5, 8] = mask[6, 8] = False
    depth = np.where(mask, 50.0 + 10 * np.arange(10.0), 0.0)
    return Grid(x=x, y=y, depth=depth, mask=mask, spherical=spherical)


def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("output") if world().rank == 0 else None
    return world().broadcast(folder)


def listing(folder):
    """Names of the files, as rank 0 sees them; a call for all ranks."""
    return world().broadcast(sorted(path.name for path in folder.iterdir()))


def cut(kind="blocks"):
    model = grid()
    return Decomposition(
        model.mask, model.topology, halo=2, communicator=world(), components=1080,
        options=DecompositionOptions(kind=kind, blocks_per_rank=2),
    )  # fmt: skip


def height(hour):
    return (np.arange(grid().sea_points) * 0.5 + hour).astype(np.float32)


def opened(stream):
    """The stream, written by rank 0 at once."""
    stream.writers = Writers(world(), WritingOptions(way="gathered"))
    stream.open(stream.writers)
    return stream


def close(stream):
    """Finish the file and wait until it is there, on all ranks."""
    stream.close()
    stream.writers.close()


def field_stream(folder, hours=6, resumed=False, at=0, **options):
    options.setdefault("variables", ["significant_height"])
    time = clock(hours)
    time.set(start + duration(f"{at}h"))
    return opened(
        FieldStream(
            "maps",
            WaveMapOptions(**options),
            grid(),
            time,
            folder,
            title="A test",
            resumed=resumed,
            space=cut(),
        )  # fmt: skip
    )


def write(stream, hours, kind="blocks"):
    field = Field("significant_height", "m", cut(kind))
    for hour in hours:
        time = start + duration(f"{hour}h")
        if stream.due(time):
            field.set_global(height(hour))
            stream.write(time, {"significant_height": field})


def assert_right(path, hours):
    if world().rank > 0:
        return
    with xarray.open_dataset(path) as data:
        times = np.datetime64("2011-01-15T12:00") + np.array(hours) * np.timedelta64(1, "h")
        assert np.array_equal(data.time.values, times)
        values = data.significant_height.values
        for record, hour in zip(values, hours, strict=True):
            assert np.array_equal(record[grid().mask], height(hour))
        assert np.isnan(values[:, ~grid().mask]).all()
        assert data.significant_height.dtype == np.float32


@pytest.mark.parametrize("kind", ["blocks", "curve", "cards"])
@pytest.mark.parametrize("settings", [{}, {"format": "netcdf4", "compression": 4}])
def test_maps_are_what_the_fields_were(tmp_path_factory, kind, settings):
    stream = field_stream(shared(tmp_path_factory), **settings)
    write(stream, range(7), kind)
    close(stream)
    assert_right(stream.path, range(7))
    expected = "NETCDF4" if settings else "NETCDF3_64BIT_DATA"
    with netCDF4.Dataset(stream.path) as file:
        assert file.data_model == expected


def test_files_do_not_know_the_decomposition(tmp_path_factory):
    folder = shared(tmp_path_factory)
    for kind in ("blocks", "cards"):
        stream = field_stream(folder, file=kind)
        write(stream, range(7), kind)
        close(stream)
    assert (folder / "blocks").read_bytes() == (folder / "cards").read_bytes()


expected_attributes = {
    "significant_height": ("sea_surface_wave_significant_height", "m"),
    "mean_direction": ("sea_surface_wave_from_direction", "degree"),
    "wind_u": ("eastward_wind", "m s-1"),
    "charnock": ("charnock_coefficient_for_surface_roughness_length_for_momentum_in_air", "1"),
}


def test_conventions(tmp_path_factory):
    stream = field_stream(shared(tmp_path_factory), variables=list(expected_attributes))
    close(stream)
    with netCDF4.Dataset(stream.path) as file:
        assert file.Conventions == "CF-1.8"
        assert file.title == "A test"
        for name, (standard_name, units) in expected_attributes.items():
            assert file[name].dimensions == ("time", "latitude", "longitude")
            assert file[name].standard_name == standard_name
            assert file[name].units == units
        assert file["longitude"].units == "degrees_east"
        assert file["time"].axis == "T"
        assert file.dimensions["time"].isunlimited()
        assert file["mean_direction"].comment == "where it comes from, clockwise from north"


def test_schedules(tmp_path_factory):
    folder = shared(tmp_path_factory)
    stream = field_stream(folder, interval="2h", start="1h", end="2011-01-15 16:00")
    write(stream, range(7))
    close(stream)
    assert_right(stream.path, [1, 3])
    with pytest.raises(UserError, match="no multiple of the model's step of 1h"):
        field_stream(folder, interval="90min")


def test_the_file_is_complete_at_every_record(tmp_path_factory):
    stream = field_stream(shared(tmp_path_factory))
    for hour in range(4):
        write(stream, [hour])
        assert_right(stream.path, range(hour + 1))
    close(stream)


@pytest.mark.parametrize("processing", ["instantaneous", "mean"])
def test_axes_before_the_horizontal_ones_and_nothing_below_the_floor(tmp_path_factory, processing):
    options = WaveMapOptions(
        variables=["ballast"], precision="float64", processing=processing, interval="1h"
    )
    wet_levels = grid().mask * (1 + np.arange(10) % 2)
    space = Space(cut(), levels=Axis("level", 2), wet_levels=wet_levels)
    stream = opened(
        FieldStream(
            "tracers",
            options,
            grid(),
            clock(),
            shared(tmp_path_factory),
            space=space,
            place=Place.center,
            dtype=np.float64,
            outer={"ballast": ("tracer", "level")},
            axes={"tracer": np.arange(3), "level": [5.0, 15.0]},
            more={"ballast": Quantity("ballast", "", "kg m-3", "something heavy")},
        )
    )
    axes = (Axis("tracer", 3), space.levels)
    field = Field("ballast", "kg m-3", space, axes=axes, place=Place.center, dtype=np.float64)
    values = np.random.default_rng(3).random((3, 2, 7, 10))
    field.set_global(values)
    stream.write(start + duration("1h"), {"ballast": field})
    close(stream)
    with xarray.open_dataset(stream.path) as data:
        assert data.ballast.dims == ("time", "tracer", "level", "latitude", "longitude")
        deep = np.stack([wet_levels == 2, wet_levels > 0])
        assert np.array_equal(data.ballast[0], np.where(deep, values, np.nan), equal_nan=True)
        assert deep.any() and not deep[0].all()
    assert np.array_equal(field.gather(), values) if world().rank == 0 else field.gather() is None


def test_curvilinear_grids(tmp_path_factory):
    y, x = np.mgrid[0:7, 0:10].astype(float)
    model = replace(grid(False), longitude=x + 0.1 * y, latitude=y - 0.1 * x)
    options = WaveMapOptions(variables=["significant_height"])
    stream = opened(FieldStream("maps", options, model, clock(), shared(tmp_path_factory)))
    stream.write(start, {"significant_height": height(0)})
    close(stream)
    with xarray.open_dataset(stream.path) as data:
        assert data.significant_height.dims == ("time", "y", "x")
        assert set(data.significant_height.coords) == {"time", "y", "x", "longitude", "latitude"}
        assert np.array_equal(data.longitude, model.longitude)


def test_earlier_files_are_moved_aside_refused_or_replaced(tmp_path_factory):
    folder = shared(tmp_path_factory)
    for _ in range(3):
        stream = field_stream(folder)
        write(stream, [0])
        close(stream)
    assert listing(folder) == ["maps.1.nc", "maps.2.nc", "maps.nc"]
    with pytest.raises(UserError, match="maps.nc' exists. Choose another folder or name"):
        field_stream(folder, existing="refuse")
    stream = field_stream(folder, existing="replace")
    close(stream)
    assert_right(stream.path, [])
    assert len(listing(folder)) == 3


@pytest.mark.parametrize("settings", [{}, {"format": "netcdf4", "compression": 1}])
def test_a_run_that_goes_on_appends_without_gap_or_double(tmp_path_factory, settings):
    folder = shared(tmp_path_factory)
    stream = field_stream(folder, **settings)
    write(stream, range(5))
    close(stream)
    stream = field_stream(folder, resumed=True, at=2, **settings)
    assert_right(stream.path, range(3))
    write(stream, range(3, 7))
    close(stream)
    assert_right(stream.path, range(7))
    assert listing(folder) == ["maps.nc"]


def test_a_run_that_goes_on_does_not_mix_different_contents(tmp_path_factory):
    folder = shared(tmp_path_factory)
    for settings in ({"format": "netcdf4"}, {}):
        first = field_stream(folder, **settings)
        write(first, range(3))
        first.close()
        stream = field_stream(folder, resumed=True, at=2, precision="float64")
        close(stream)
        with xarray.open_dataset(stream.path) as data:
            assert data.sizes["time"] == 0
    assert len(listing(folder)) == 4


def test_wrong_options(tmp_path_factory):
    folder = shared(tmp_path_factory)
    with pytest.raises(UserError, match="CDF-5 files cannot be compressed. Set format"):
        WaveMapOptions(compression=4)
    with pytest.raises(UserError, match="Unknown output variable 'hs'"):
        field_stream(folder, variables=["hs"])
    with pytest.raises(UserError, match="Whole spectra are written at points"):
        field_stream(folder, variables=["wave_spectrum"])
    with pytest.raises(UserError, match="has no variables"):
        field_stream(folder, variables=[])
    with pytest.raises(UserError, match="only {stream}, {start} and {date} can be replaced"):
        field_stream(folder, file="{strem}.nc")
    table = {"fields": {"maps": {"varibles": ["wind_u"]}}}
    with pytest.raises(UserError, match=r"'output.fields.maps.varibles'. Did you mean 'variables'"):
        OutputOptions.from_table(table, "output")


def test_a_folder_that_cannot_be_written(tmp_path_factory, monkeypatch):
    folder = shared(tmp_path_factory)
    if world().rank == 0:
        (folder / "file").write_text("in the way")
    world().broadcast(None)
    with pytest.raises(UserError, match="Cannot write .*Not a directory"):
        field_stream(folder / "file" / "below")
    monkeypatch.setattr(record_files.os, "access", lambda *_: False)
    with pytest.raises(UserError, match="the folder is not writable"):
        field_stream(folder)


def test_a_disk_that_is_too_small_is_noticed_before_the_run(tmp_path_factory, monkeypatch):
    monkeypatch.setattr(room.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 900}))
    message = "stream 'maps' needs .* kB for 7 records in .*, but the disk has 900 bytes left"
    with pytest.raises(UserError, match=message):
        field_stream(shared(tmp_path_factory))


def test_a_disk_that_fills_up_keeps_what_is_complete(tmp_path_factory, monkeypatch):
    stream = field_stream(shared(tmp_path_factory))
    write(stream, range(3))

    def full(handle, data, offset):
        monkeypatch.undo()
        os.pwrite(handle, data[: len(data) // 2], offset)
        monkeypatch.setattr(os, "pwrite", full)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    message = "Cannot write .*maps.nc': No space left on device. The file keeps its 3 complete"
    write(stream, [3])
    with pytest.raises(UserError, match=message):
        stream.writers.raise_failure()
    monkeypatch.undo()
    assert_right(stream.path, range(3))


def point_stream(folder, points, kind="blocks", **options):
    options = PointStreamOptions(points=points, **options)
    made = ("buoys", options, grid(), spectral, clock(), folder)
    return opened(PointStream(*made, decomposition=cut(kind)))


def waves(kind="blocks"):
    """A spectrum that grows to the east, and a wind from the south-west."""
    decomposition = cut(kind)
    one = jonswap_directional(spectral, direction=200.0).reshape(-1)
    axes = (decomposition.component_axis,)
    spectrum = Field("spectrum", "m2 Hz-1 rad-1", decomposition, axes=axes, dtype=np.float64)
    spectrum.set_global(one[:, None] * (grid().point_x + 10.0)[None, :])
    fields = {"wave_spectrum": spectrum}
    for name in ("wind_u", "wind_v"):
        fields[name] = Field(name, "m s-1", decomposition, dtype=np.float64)
        fields[name].set_global(np.full(grid().sea_points, np.sqrt(50.0)))
    return fields, one


points = {"west buoy": (-5.0, 41.25), "coast": (1.0, 42.5)}


@pytest.mark.parametrize("kind", ["blocks", "cards"])
@pytest.mark.parametrize("settings", [{}, {"format": "netcdf4", "compression": 4}])
def test_wavespectra_finds_our_heights_periods_and_directions(tmp_path_factory, kind, settings):
    import wavespectra  # slow; ranks run this file too

    fields, one = waves(kind)
    stream = point_stream(shared(tmp_path_factory), points, kind, precision="float64", **settings)
    for hour in range(3):
        stream.write(start + duration(f"{hour}h"), fields)
    close(stream)
    if world().rank > 0:
        return
    data = wavespectra.read_ww3(str(stream.path))
    assert dict(data.sizes) == {"time": 3, "site": 2, "freq": 30, "dir": 36}
    assert data.wspd.values == pytest.approx(10.0)
    assert data.wdir.values == pytest.approx(225.0)
    assert data.lon.values == pytest.approx([-5.0, 1.0])
    # The point at the coast has two sea points to its north, at x = 0 and 2, and land south.
    for site, factor in enumerate([5.0, 11.0]):
        ours = mean_parameters((one * factor).reshape(-1, 1), spectral)
        theirs = data.isel(time=1, site=site).spec
        assert float(theirs.hs()) == pytest.approx(float(ours["significant_height"][0]), rel=5e-3)
        assert float(theirs.tp()) == pytest.approx(float(ours["peak_period"][0]), rel=5e-3)
        assert float(theirs.tm02()) == pytest.approx(
            float(ours["mean_period_zero_crossing"][0]), rel=2e-2
        )
        assert float(theirs.dm()) == pytest.approx(float(ours["mean_direction"][0]), abs=0.1)
        assert float(theirs.dspr()) == pytest.approx(float(ours["directional_spread"][0]), abs=0.5)


def test_point_files_open_in_xarray(tmp_path_factory):
    fields, _ = waves()
    long = points | {"a station with a rather long name": (3.0, 44.0)}
    stream = point_stream(shared(tmp_path_factory), long)
    stream.write(start, fields)
    close(stream)
    with xarray.open_dataset(stream.path) as data:
        names = [name.decode() for name in data.station_name.values]
        assert names == list(long)
        assert data.efth.dims == ("time", "station", "frequency", "direction")
        assert data.efth.units == "m2 s rad-1"
        assert data.dpt.values[0] == pytest.approx([65.0, 95.0, 105.0])
        assert data.direction.values[:2] == pytest.approx([90.0, 80.0])


def test_points_on_land_and_outside_are_refused(tmp_path_factory):
    folder = shared(tmp_path_factory)
    message = "'lighthouse' at 7 E, 45.5 N lies on land.* nearest sea point is 6 E, 44 N"
    with pytest.raises(UserError, match=message):
        point_stream(folder, points | {"lighthouse": (7.0, 45.5)})
    with pytest.raises(UserError, match="'far away' at 170 E, 45 N lies outside"):
        point_stream(folder, {"far away": (170.0, 45.0)})
    with pytest.raises(UserError, match="has no points"):
        point_stream(folder, {})


def test_streams_of_a_case_and_their_volume(tmp_path_factory):
    folder = shared(tmp_path_factory)
    table = {
        "fields": {"maps": {"interval": "2h"}, "daily": {"interval": "1d", "variables": ["ice"]}},
        "points": {"buoys": {"points": {"one": [0.0, 44.0]}, "precision": "float64"}},
    }
    options = OutputOptions.from_table(table, "output")
    made = make_streams(options, grid(), spectral, clock(), folder, world(), decomposition=cut())
    writers = Writers(world(), WritingOptions(way="first"))
    for stream in made:
        stream.open(writers)
    fields, _ = waves()
    height_field = Field("significant_height", "m", cut())
    fields |= {"significant_height": height_field, "ice": height_field}
    for hour in range(7):
        for stream in made:
            if stream.due(start + duration(f"{hour}h")):
                stream.write(start + duration(f"{hour}h"), fields)
    writers.settle()
    volume = output_volume(options, grid(), spectral, clock())
    for name, stream in zip(("maps", "daily", "buoys"), made, strict=True):
        header = classic_files.read_header(stream.path)
        assert header.records * header.record_size == volume[name]
        stream.close()
    with pytest.raises(UserError, match="Two output streams write to 'all.nc'"):
        both = make_streams(
            OutputOptions(fields={n: WaveMapOptions(file="all.nc") for n in "ab"}),
            grid(), spectral, clock(), folder, Alone(), decomposition=cut(),
        )  # fmt: skip
        refuse_shared([stream.plan for stream in both])
