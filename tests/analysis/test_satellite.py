"""Chlorophyll beside that of satellites: files with a known answer, what is refused. Ranks: 1."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.analysis import satellite
from halocline.analysis.satellite_command import main
from halocline.core.errors import UserError
from halocline.experiment.command_line import main as halocline

EAST, NORTH = np.arange(0.5, 10), np.arange(30.5, 36)
TIMES = np.array(["2010-03-01T12", "2010-03-02T12"], "datetime64[ns]")


def maps(values, east, north, times, name, units="mg m-3", levels=False, **attributes):
    """A file's maps (time, j, i), or of two levels of which the second is the surface."""
    dims, coords = ["time", "latitude", "longitude"], {"time": times}
    if levels:
        values = np.stack([0 * values + 9, values], axis=1)
        dims.insert(1, "depth")
        coords["depth"] = ("depth", [30.0, 5.0], {"standard_name": "depth", "units": "m"})
    coords["latitude"] = ("latitude", north, {"units": "degrees_north"})
    coords["longitude"] = ("longitude", east, {"units": "degrees_east"})
    return xarray.Dataset({name: (dims, values, {"units": units, **attributes})}, coords=coords)


@pytest.fixture
def files(tmp_path: Path):
    """A model of twice what satellites see on 3 x 3 pixels a cell, with clouds and land."""
    random = np.random.default_rng(1)
    truth = random.lognormal(-1, 1, (2, 6, 10))
    model = 2 * truth
    model[:, 0, 0] = np.nan
    fine = np.repeat(np.repeat(truth, 3, 1), 3, 2)
    fine *= np.tile([0.9, 1.0, 1.1], 10)
    fine[0, 3:6] = np.nan
    ocean = maps(model, EAST, NORTH, TIMES, "chlorophyll", levels=True)
    seen = maps(
        1e-6 * fine, np.linspace(1 / 6, 10 - 1 / 6, 30), np.linspace(30 + 1 / 6, 36 - 1 / 6, 18),
        TIMES + np.timedelta64(3, "h"), "CHL", "kg m-3",
    )  # fmt: skip
    ocean.to_netcdf(tmp_path / "model.nc")
    seen.to_netcdf(tmp_path / "seen.nc")
    return tmp_path, truth


def test_statistics_of_twice_as_much(files):
    folder, truth = files
    found = satellite.compare_chlorophyll(folder / "model.nc", folder / "seen.nc")
    assert len(found.records) == 2 and found.whole.pairs == 2 * 59 - 10
    assert found.whole.log_bias == pytest.approx(np.log10(2), rel=1e-12)
    assert found.whole.log_rms == pytest.approx(np.log10(2), rel=1e-12)
    assert found.whole.correlation == pytest.approx(1, rel=1e-12)
    weight = np.broadcast_to(np.cos(np.deg2rad(NORTH))[:, None], truth.shape).copy()
    weight[:, 0, 0] = weight[0, 1] = 0
    assert found.whole.bias == pytest.approx((truth * weight).sum() / weight.sum(), rel=1e-12)
    square = (truth**2 * weight).sum() / weight.sum()
    assert found.whole.rms == pytest.approx(np.sqrt(square), rel=1e-12)
    np.testing.assert_allclose(found.maps["ratio"][2:], np.log10(2), rtol=1e-12)
    np.testing.assert_allclose(found.maps["satellite"][1], truth[1, 1], rtol=1e-12)
    assert np.isnan(found.maps["model"][0, 0])


def test_agreement_is_that_of_numpy():
    a, b = np.random.default_rng(2).lognormal(0, 1, (2, 400))
    a[3] = b[5] = np.nan
    one, both = satellite.agreement(a, b, np.ones(400)), np.isfinite(a) & np.isfinite(b)
    assert one.pairs == 398
    assert one.correlation == pytest.approx(np.corrcoef(a[both], b[both])[0, 1])
    assert one.log_correlation == pytest.approx(np.corrcoef(np.log(a[both]), np.log(b[both]))[0, 1])
    assert one.rms == pytest.approx(np.sqrt(np.mean((a - b)[both] ** 2)))


def test_coarse_pixels_and_other_longitudes(tmp_path: Path):
    """Pixels of 5 x 3 cells that count longitudes from 0 to 360 and latitudes from the north."""
    model = maps(np.ones((1, 6, 10)), EAST - 5, NORTH, TIMES[:1], "chlorophyll")
    coarse = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    seen = maps(coarse, np.array([357.5, 362.5]), np.array([34.5, 31.5]), TIMES[:1], "chlor_a")
    model.to_netcdf(tmp_path / "model.nc")
    seen.to_netcdf(tmp_path / "seen.nc")
    found = satellite.compare_chlorophyll(tmp_path / "model.nc", tmp_path / "seen.nc")
    expected = np.repeat(np.repeat([[3.0, 4.0], [1.0, 2.0]], 3, 0), 5, 1)
    np.testing.assert_array_equal(found.maps["satellite"], expected)


def test_the_command_prints_draws_and_writes(files, capsys):
    folder, _ = files
    given = [str(folder / "model.nc"), str(folder / "seen.nc"), "--json", str(folder / "a.json")]
    assert halocline(["satellite", *given, "--maps", str(folder / "maps.nc")]) == 0
    printed = capsys.readouterr().out
    assert "log10: bias +0.301" in printed and (folder / "satellite.png").stat().st_size > 10_000
    assert json.loads((folder / "a.json").read_text())["records"][1]["pairs"] == 59
    with xarray.open_dataset(folder / "maps.nc") as data:
        assert set(data.data_vars) == {"model", "satellite", "ratio"}
    assert main.__module__ == "halocline.analysis.satellite_command"


def test_model_and_satellite_are_drawn_in_the_same_colours(files):
    folder, _ = files
    found = satellite.compare_chlorophyll(folder / "model.nc", folder / "seen.nc")
    figure = satellite.agreement_figure(found)
    limits = [axes.images[0].get_clim() for axes in figure.axes if axes.images]
    assert len(limits) == 3 and limits[0] == limits[1] != limits[2]


def test_chlorophyll_without_units_is_taken_in_mg_and_told(files, capsys):
    folder, truth = files
    maps(truth, EAST, NORTH, TIMES, "CHL", "").to_netcdf(folder / "bare.nc")
    assert halocline(["satellite", str(folder / "model.nc"), str(folder / "bare.nc")]) == 0
    told = capsys.readouterr().err
    assert (
        told.count(f"'CHL' of {folder / 'bare.nc'} has no units and is taken to be in mg m-3") == 1
    )


def test_what_cannot_be_compared_is_refused(files):
    folder, truth = files
    late = maps(truth, EAST, NORTH, TIMES + np.timedelta64(9, "D"), "CHL")
    late.to_netcdf(folder / "late.nc")
    maps(truth, EAST, NORTH, TIMES, "CHL", "K").to_netcdf(folder / "warm.nc")
    maps(truth, EAST, NORTH, TIMES, "wind").to_netcdf(folder / "wind.nc")
    maps(truth, EAST + 90, NORTH, TIMES, "CHL").to_netcdf(folder / "far.nc")
    for name, says in {
        "late": "within 12 hours", "warm": "'CHL' .* is in 'K', not in mg m-3",
        "wind": "no chlorophyll in .*wind", "far": "fewer than two cells",
    }.items():  # fmt: skip
        with pytest.raises(UserError, match=says):
            satellite.compare_chlorophyll(folder / "model.nc", folder / f"{name}.nc")
