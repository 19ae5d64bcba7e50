"""`halocline remap`: fields of CF files on other grids, vectors, weights from files, the report."""

import numpy as np
import pytest
import xarray

from halocline.experiment.command_line import main

degree = np.pi / 180.0


def file_of(path, north_to_south=False, curvilinear=False):
    """Maps of 5 degrees with a hole, in time and on levels, and a wind over the poles."""
    x, y = np.arange(2.5, 360.0, 5.0), np.arange(-87.5, 90.0, 5.0)
    y = y[::-1] if north_to_south else y
    wide_x, wide_y = np.meshgrid(x, y)
    heat = 280.0 + 10.0 * np.cos(2 * wide_y * degree) + np.arange(6.0).reshape(2, 3, 1, 1)
    heat[..., (np.abs(wide_x - 120.0) < 15.0) & (np.abs(wide_y) < 15.0)] = np.nan
    wind = {"units": "m s-1"}
    dims = ("y", "x") if curvilinear else ("lat", "lon")
    places = {
        "lon": (dims if curvilinear else dims[1:], wide_x if curvilinear else x),
        "lat": (dims if curvilinear else dims[:1], wide_y if curvilinear else y),
    }
    # About the axis through 0 E, 0 N: over the poles.
    east, north = -np.cos(wide_x * degree) * np.sin(wide_y * degree), np.sin(wide_x * degree)
    set_ = xarray.Dataset(
        {
            "heat": (("time", "level", *dims), heat.astype("f4"), {"units": "K"}),
            "u": (dims, east, wind | {"standard_name": "eastward_wind"}),
            "v": (dims, north, wind | {"standard_name": "northward_wind"}),
        },
        {
            "time": ("time", [0.0, 1.0], {"units": "days since 2000-01-01"}),
            "level": ("level", [1.0, 2.0, 3.0], {"units": "m", "positive": "down"}),
            "lon": (*places["lon"], {"standard_name": "longitude", "units": "degrees_east"}),
            "lat": (*places["lat"], {"standard_name": "latitude", "units": "degrees_north"}),
        },
    )
    set_.to_netcdf(path)
    return path


def remap(*arguments):
    return main(["remap", *(str(one) for one in arguments)])


@pytest.mark.parametrize("kind", ["south to north", "north to south", "curvilinear"])
def test_fields_of_a_file_on_another_grid(tmp_path, kind, capsys):
    source = file_of(
        tmp_path / "maps.nc",
        north_to_south=kind == "north to south",
        curvilinear=kind == "curvilinear",
    )
    output = tmp_path / "out.nc"
    assert remap(source, "48x24", "--method", "patch", "--output", output) == 0
    assert "u, v: as a vector" in capsys.readouterr().out
    found = xarray.open_dataset(output)
    assert found.heat.dims == ("time", "level", "lat", "lon") and found.heat.dtype == "f4"
    assert found.heat.units == "K" and found.level.positive == "down"
    x, y = np.meshgrid(found.lon, found.lat)
    true = 280.0 + 10.0 * np.cos(2 * y * degree) + np.arange(6.0).reshape(2, 3, 1, 1)
    hole = (np.abs(x - 120.0) < 10.0) & (np.abs(y) < 10.0)
    assert np.isnan(found.heat.values[..., hole]).all() and hole.any()
    away = (np.abs(x - 120.0) > 30.0) | (np.abs(y) > 30.0)
    rim = 90.0 if kind != "curvilinear" else 80.0  # whose poles the file does not tell
    some = away & (np.abs(y) < rim)
    assert np.abs(found.heat.values - true)[..., some].max() < 0.05
    east, north = -np.cos(x * degree) * np.sin(y * degree), np.sin(x * degree)
    assert np.abs(found.u.values - east)[some].max() < 2e-3
    assert np.abs(found.v.values - north)[some].max() < 2e-3


def test_conservative_means_keep_the_integral(tmp_path):
    source, output = file_of(tmp_path / "maps.nc"), tmp_path / "out.nc"
    target = tmp_path / "target.nc"
    x, y = np.arange(5.0, 360.0, 10.0), np.arange(-85.0, 90.0, 10.0)
    xarray.Dataset(
        {"any": (("lat", "lon"), np.zeros((18, 36)))},
        {
            "lon": ("lon", x, {"units": "degrees_east"}),
            "lat": ("lat", y, {"units": "degrees_north"}),
        },
    ).to_netcdf(target)
    arguments = (source, target, "--method", "conservative", "--fields", "u", "--output", output)
    assert remap(*arguments, "--write-weights", tmp_path / "w.nc", "--scrip") == 0
    given, found = (xarray.open_dataset(path).u for path in (source, output))
    weights = [np.cos(one.lat * degree) for one in (given, found)]
    means = [float(one.weighted(w).mean()) for one, w in zip((given, found), weights, strict=True)]
    assert abs(means[0] - means[1]) < 1e-3
    again = tmp_path / "again.nc"
    assert remap(*arguments[:-1], again, "--weights", tmp_path / "w.nc") == 0
    assert np.array_equal(xarray.open_dataset(again).u, found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--fields", "heet"], "Fields: heat, u, v"),
        (["--method", "cubic"], "is not one of"),
        (["--output", "maps.nc"], "the source itself"),
        (["--write-weights", "w.nc"], "missing values at different points"),
    ],
)
def test_mistakes_are_told(tmp_path, monkeypatch, capsys, change, said):
    monkeypatch.chdir(tmp_path)
    file_of("maps.nc")
    assert remap("maps.nc", "36x18", *change) == 2
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) in (["maps.nc"], ["maps.nc", "w.nc"])


def test_what_is_no_grid_is_told(tmp_path, capsys):
    assert remap(file_of(tmp_path / "maps.nc"), "nowhere") == 2
    assert "no such file or case" in capsys.readouterr().err


def test_report_on_own_grids(tmp_path, capsys):
    source = file_of(tmp_path / "maps.nc")
    assert remap("--report", source, "24x12", "--method", "bilinear", "-o", tmp_path / "r") == 0
    table = (tmp_path / "r" / "report.txt").read_text(encoding="utf-8")
    assert table in capsys.readouterr().out
    assert [line.split()[1] for line in table.splitlines()[2:]] == [
        "sinusoid",
        "harmonic",
        "vortex",
        "gulfstream",
    ]
    assert (tmp_path / "r" / "report.png").stat().st_size > 10_000
