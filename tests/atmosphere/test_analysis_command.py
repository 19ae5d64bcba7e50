"""`halocline analysis`: files of starts and sides, what they hold and what is refused."""

import argparse
from datetime import timedelta
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr
from numpy.testing import assert_allclose, assert_array_equal

from atmosphere.analysis_files import column_values, write_analysis
from halocline.atmosphere.air_column import AirColumn
from halocline.atmosphere.coordinate import AirLayerOptions, HybridCoordinate
from halocline.atmosphere.start import analysis_command
from halocline.atmosphere.start.analysis_case import AnalysisCase
from halocline.atmosphere.start.start_files import side_rows
from halocline.atmosphere.start.start_reading import AnalysedSides, less_base, read_start
from halocline.atmosphere.starting_air import ReferenceColumns
from halocline.core.clock import date
from halocline.core.errors import UserError

case = """
component = "atmosphere"
[grid]
kind = "lambert"
nx = 14
ny = 11
dx = 60e3
dy = 60e3
[grid.projection]
center_longitude = 3.0
center_latitude = 52.0
[time]
start = "2020-01-01T06"
length = "6h"
[atmosphere.base]
kind = "standard"
[atmosphere.layers]
count = 12
top = 15e3
"""
x, y = np.arange(-15.0, 21.0, 2.5), np.arange(40.0, 63.0, 2.5)
levels = np.array([1000, 850, 700, 500, 300, 200, 100, 50.0]) * 100


def run(folder: Path, *words: str) -> int:
    parser = argparse.ArgumentParser()
    analysis_command.add_arguments(parser)
    given = [str(folder / "analysis.nc"), str(folder / "case.toml"), *words]
    return analysis_command.main(parser.parse_args([*given, "--output", str(folder / "made")]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An analysis of three times, the wind growing by 5 m/s between them, and a case."""
    (tmp_path / "case.toml").write_text(case)
    values = column_values(levels, (y.size, x.size))
    values["orog"] = np.full((y.size, x.size), 120.0)
    values["skt"] = np.full((y.size, x.size), 7.0)
    path = write_analysis(tmp_path / "analysis.nc", x, y, levels, values, hours=(0.0, 6.0, 12.0))
    with netCDF4.Dataset(path, "a") as file:
        for n in range(3):
            file["u"][n] += 5.0 * n
    return tmp_path


def test_start_and_sides(folder, capsys):
    assert run(folder, "--no-picture") == 0
    said = capsys.readouterr().out
    assert "analysis of 2020-01-01 06:00 on 8 levels" in said and "154 columns of 12 layers" in said
    assert "sides of 2020-01-01 12:00" in said
    told = {line.split()[0]: line.split()[2:] for line in said.splitlines() if " hPa  " in line}
    assert list(told) == ["850", "700", "500", "300", "200"]  # 1000 hPa lies below the ground
    assert -25.0 < float(told["500"][0]) < -1.0 and 1.0 < float(told["500"][1]) < 25.0
    with xr.open_dataset(folder / "made" / "start.nc") as start:
        assert start.u.shape == (1, 12, 11, 15) and start.v.shape == (1, 12, 12, 14)
        assert str(start.time.values[0])[:16] == "2020-01-01T06:00"
        assert_allclose(start.ground, 120.0, rtol=1e-6)
        assert_allclose(start.geopotential[0, 0], 9.81 * 120.0)
        assert_allclose(start.skin_temperature, 280.15, rtol=1e-6)
        air = AirColumn(kind="standard")
        assert float(start.top_pressure) == pytest.approx(float(air.pressure(np.array(15e3))))
        # Layers hold what the surface pressure says, by the numbers of the file itself.
        eta = start.interface.values
        layer = (start.c1 * start.mass + start.c2) * xr.DataArray(eta[:-1] - eta[1:], dims="level")
        weight = (layer * (1 + start.vapor.astype(float))).sum("level") + start.top_pressure
        assert_allclose(weight.values, start.surface_pressure.values, rtol=1e-7)
        # p alpha = Rd T: the thickness of layers is that of their temperature, to the balance.
        height = start.geopotential.diff("interface").values
        gas = 287.0 * start.temperature * (1 + 461.6 / 287 * start.vapor) / start.pressure
        assert_allclose(height, (layer * gas).transpose("time", "level", "y", "x"), rtol=1e-6)
        speed = np.hypot(start.u.isel(x_face=7, y=5), start.v.isel(x=7, y_face=5)).values[0]
        low = 8.0 * np.log(1e5 / start.pressure.isel(x=7, y=5).values[0])
        assert_allclose(speed, 15.0 + np.maximum(low, 0.0), rtol=0.02)
        with xr.open_dataset(folder / "made" / "sides.nc") as sides:
            assert sides.sizes["time"] == 2 and sides.sizes["inward"] == 7
            for name in ("mass", "u", "v", "theta", "vapor", "geopotential"):
                for side in ("west", "east", "south", "north"):
                    rows = side_rows(start[name].values, side, 7)
                    assert_array_equal(sides[f"{name}_{side}"].values[:1], rows)
            change = (sides.u_west[1] - sides.u_west[0]).values
            assert 4.0 < change.mean() < 5.01
            assert_array_equal(sides.mass_west[0], sides.mass_west[1])


def test_rows_of_sides_count_from_outside():
    values = np.arange(42.0).reshape(6, 7)
    assert side_rows(values, "north", 2)[0].tolist() == values[5].tolist()
    assert side_rows(values, "south", 2)[1].tolist() == values[1].tolist()
    assert side_rows(values, "west", 2)[1].tolist() == values[:, 1].tolist()
    assert side_rows(values, "east", 2)[0].tolist() == values[:, 6].tolist()


def test_ground_of_a_file_with_land(folder):
    run(folder, "--no-sides", "--no-picture")
    start = xr.open_dataset(folder / "made" / "start.nc").load()
    start.close()
    shape = start.latitude.shape
    ground = np.linspace(0.0, 900.0, start.latitude.size).reshape(shape)
    land = (ground > 300.0).astype(float)
    planes = {
        "terrain": (("y", "x"), ground, {"standard_name": "surface_altitude", "units": "m"}),
        "land": (("y", "x"), land, {"standard_name": "land_binary_mask"}),
        "lat": (("y", "x"), start.latitude.values, {"standard_name": "latitude"}),
        "lon": (("y", "x"), start.longitude.values + 360.0, {"standard_name": "longitude"}),
    }
    file = folder / "ground.nc"
    xr.Dataset(planes).to_netcdf(file)
    run(folder, "--no-sides", "--no-picture", "--ground", str(file))
    with xr.open_dataset(folder / "made" / "start.nc") as found:
        assert_allclose(found.ground[0], ground, atol=1e-4)
        assert_array_equal(found.land[0], land)
        pressure = found.surface_pressure.values[0]
        assert pressure[0, 0] - pressure[-1, -1] == pytest.approx(
            1e5 * (1 - np.exp(-9 / 80)), rel=0.02
        )
    off = xr.Dataset(planes)
    off["lat"] = off.lat + 0.1
    off.to_netcdf(folder / "off.nc")
    with pytest.raises(UserError, match="0.19 cells off the centres of the grid along latitude"):
        run(folder, "--no-sides", "--no-picture", "--ground", str(folder / "off.nc"))
    xr.Dataset(planes).isel(x=slice(1, None)).to_netcdf(folder / "less.nc")
    with pytest.raises(UserError, match="no ground of 11 x 14 cells"):
        run(folder, "--no-sides", "--no-picture", "--ground", str(folder / "less.nc"))


def test_steady_sides_and_those_that_do_not_cover_the_run(folder):
    text = case.replace('length = "6h"', 'length = "1d"')
    (folder / "case.toml").write_text(text)
    with pytest.raises(UserError, match="needs sides from 2020-01-01 06:00 to 2020-01-02 06:00"):
        run(folder, "--no-picture")
    run(folder, "--no-picture", "--steady")
    with xr.open_dataset(folder / "made" / "sides.nc") as sides:
        assert [str(t)[:13] for t in sides.time.values] == ["2020-01-01T06", "2020-01-02T06"]
        assert_array_equal(sides.u_north[0], sides.u_north[1])


def test_grids_without_places_and_times_without_analysis_are_refused(folder):
    plain = "[grid]\nkind = 'cartesian'\nnx = 9\nny = 9\ndx = 1e3\n[time]\nlength = '6h'\n"
    (folder / "case.toml").write_text(f"component = 'atmosphere'\n{plain}")
    with pytest.raises(UserError, match="case.toml: The grid is a plane without longitudes"):
        run(folder)
    (folder / "case.toml").write_text(case.replace("01T06", "01T03"))
    with pytest.raises(UserError, match="has no analysis of 2020-01-01 03:00"):
        run(folder)


def test_runs_read_what_was_made(folder):
    run(folder, "--no-picture")
    made, start = folder / "made", date("2020-01-01T06", "standard")
    given = AnalysisCase.read(folder / "case.toml")
    fields = read_start(made / "start.nc", given.grid, given.column, start)
    with xr.open_dataset(made / "start.nc") as file:
        for name in ("mass", "u", "theta", "geopotential", "ground", "skin_temperature"):
            assert_array_equal(fields[name], file[name].values[0])
    (folder / "case.toml").write_text(case.replace("01T06", "01T00").replace('"6h"', '"12h"'))
    run(folder, "--no-picture")
    hour = timedelta(hours=1)
    period = start - 6 * hour, start + 6 * hour
    sides = AnalysedSides(made / "sides.nc", given.grid, given.column, period, 7)
    with xr.open_dataset(made / "sides.nc") as file:
        u = file.u_south.values.astype(float)
        for hours, wanted in (
            (-6, u[0]), (-3, 0.5 * (u[0] + u[1])), (0, u[1]), (5, (u[1] + 5 * u[2]) / 6), (6, u[2])
        ):  # fmt: skip
            assert_allclose(sides.at("u", "south", start + hours * hour), wanted, rtol=1e-12)
        assert_array_equal(sides.at("mass", "east", start), file.mass_east.values[1])
    sides.close()


def test_layers_are_in_the_balance_of_the_core(folder):
    """Pressure and geopotential of the model's base state, by the columns of the analyses."""
    case, ground = AnalysisCase.read(folder / "case.toml"), np.array([0.0, 700.0, 2500.0])
    layers = AirLayerOptions(count=12, top=15e3)
    air = AirColumn(kind="standard")
    reference = ReferenceColumns(HybridCoordinate.of(layers, air), air)
    base, dry = reference.columns(ground), np.zeros((12, 3))
    assert_allclose(case.column.pressure(base.mass, dry), base.pressure, rtol=1e-12)
    found = case.column.geopotential(9.81 * ground, base.mass, base.volume)
    assert_allclose(found, base.geopotential, rtol=1e-12)
    # So a start that is the base state differs from it by nothing.
    fields = {"ground": ground, "mass": base.mass, "geopotential": found, "theta": base.theta}
    less = less_base(fields, reference)
    assert_allclose(less.mass, 0.0)
    assert_allclose(less.geopotential, 0.0, atol=1e-7)
    assert_allclose(less.theta, base.theta - 300.0)


def test_runs_refuse_what_was_made_for_others(folder):
    run(folder, "--no-picture")
    made, start = folder / "made", date("2020-01-01T06", "standard")
    given = AnalysisCase.read(folder / "case.toml")
    day = timedelta(days=1)
    with pytest.raises(UserError, match="is of 2020-01-01 06:00, but the run begins at 2020-01-02"):
        read_start(made / "start.nc", given.grid, given.column, start + day)
    with pytest.raises(
        UserError, match="from 2020-01-01 06:00 .* run needs 2020-01-01 06:00 to 2020-01-02"
    ):
        AnalysedSides(made / "sides.nc", given.grid, given.column, (start, start + day), 7)
    (folder / "case.toml").write_text(case.replace("count = 12", "count = 13"))
    more = AnalysisCase.read(folder / "case.toml")
    with pytest.raises(UserError, match="has 12 layers up to .* the run 13"):
        read_start(made / "start.nc", given.grid, more.column, start)
    (folder / "case.toml").write_text(case + "level_above = 0.3\n")
    other = AnalysisCase.read(folder / "case.toml")
    with pytest.raises(UserError, match="or they are cut in another way"):
        read_start(made / "start.nc", given.grid, other.column, start)
    (folder / "case.toml").write_text(case.replace("3.0", "3.1"))
    moved = AnalysisCase.read(folder / "case.toml")
    with pytest.raises(UserError, match="lies up to 0.06.* degrees off the grid"):
        read_start(made / "start.nc", moved.grid, given.column, start)
    (folder / "case.toml").write_text(case.replace("nx = 14", "nx = 15"))
    wider = AnalysisCase.read(folder / "case.toml").grid
    with pytest.raises(UserError, match="has 11 x 14 columns, but the grid of the run 11 x 15"):
        read_start(made / "start.nc", wider, given.column, start)
    with pytest.raises(
        UserError, match="has 7 rows of 14 columns along the southern side, .* wants 7 of 15"
    ):
        AnalysedSides(made / "sides.nc", wider, given.column, (start, start), 7)
    with pytest.raises(UserError, match="is no start and has no sides: it lacks c1, c2"):
        read_start(folder / "analysis.nc", given.grid, given.column, start)


@pytest.mark.slow
def test_picture(folder):
    run(folder, "--no-sides")
    assert (folder / "made" / "start.png").stat().st_size > 30_000


def test_times_far_apart_are_no_sides(folder):
    (folder / "case.toml").write_text(case.replace('"6h"', '"30h"'))
    values = column_values(levels, (y.size, x.size))
    values["orog"] = np.full((y.size, x.size), 120.0)
    values["skt"] = np.full((y.size, x.size), 7.0)
    write_analysis(folder / "analysis.nc", x, y, levels, values, hours=(6.0, 36.0))
    with pytest.raises(UserError, match="2020-01-01 06:00 and 2020-01-02 12:00 there is none"):
        run(folder, "--no-picture")
    run(folder, "--no-picture", "--steady")
