"""Habitat and carrying capacity: made files with a known answer. Ranks: 1."""

from pathlib import Path

import gsw
import numpy as np
import pytest
import xarray

from halocline.analysis.habitat import HabitatMaps, oxygen_saturation
from halocline.core.errors import UserError
from halocline.experiment.command_line import main as halocline

DEPTH = np.array([45.0, 20.0, 5.0])  # of 30, 20 and 10 m


def sea(**fields):
    """Two records on three levels of 2 x 3 cells; fields are given by record and level."""
    shape, coords = (2, 3, 2, 3), {}
    coords["time"] = np.array(["2010-06-01", "2010-07-01"], "datetime64[ns]")
    coords["depth"] = ("depth", DEPTH, {"standard_name": "depth", "units": "m"})
    coords["latitude"] = ("latitude", [40.0, 41.0], {"units": "degrees_north"})
    coords["longitude"] = ("longitude", [3.0, 4.0, 5.0], {"units": "degrees_east"})
    data = {}
    for name, values in fields.items():
        full = np.broadcast_to(np.asarray(values, float)[..., None, None], shape).copy()
        full[:, :, 0, 0] = np.nan
        full[:, 0, 1, 2] = np.nan
        data[name] = (("time", "depth", "latitude", "longitude"), full)
    return xarray.Dataset(data, coords=coords)


@pytest.fixture
def whole(tmp_path: Path):
    made = sea(
        O2o=[[50, 100, 250], [50, 60, 250]], temperature=[[13, 15, 20], [13, 15, 26]],
        salinity=[[38] * 3] * 2, chlorophyll=[[0, 1, 0.5], [0, 1, 0.2]],
        N3n=[[5, 2, 0.5]] * 2, N4n=[[0, 0, 0.1]] * 2, N1p=[[0.2, 0.1, 0.02]] * 2,
        P1p=[[0, 0, 0.01]] * 2, primary_production=[[0, 1e-4, 2e-4], [0, 1e-4, 4e-4]],
    )  # fmt: skip
    made["primary_production"].attrs["standard_name"] = "production_per_unit_volume"
    made.to_netcdf(tmp_path / "fields.nc")
    return tmp_path / "fields.nc"


def test_indicators_have_known_values(whole: Path):
    found = HabitatMaps(whole, level=3.0, efficiency=0.2, ranges={"temperature": (16, 24)})
    maps = found.maps()
    assert not found.lacking
    land, shallow, deep = (0, 0), (1, 2), (1, 1)
    for one in maps.data_vars.values():
        assert np.isnan(one.values[land]) and np.isfinite(one.values[deep])
    assert maps["hypoxic_thickness"].values[deep] == pytest.approx((30 + 50) / 2)
    assert maps["hypoxic_thickness"].values[shallow] == pytest.approx((0 + 20) / 2)
    assert maps["hypoxic_thickness_worst"].values[deep] == 50
    assert not any("standard_name" in one.attrs for one in maps.data_vars.values())
    production = 86400 * (1e-4 * 20 + 3e-4 * 10)
    assert maps["primary_production"].values[deep] == pytest.approx(production)
    carried = production * 0.2**2 * 9 * 365.25e-3
    assert maps["carried_production"].values[deep] == pytest.approx(carried)
    assert maps["suitability"].values[deep] == 0.5
    index = [
        (np.log10(chl * abs(100 - 100 * 250 / oxygen_saturation(t, 38.0)) * 14.007 * 0.6
                  * 30.974 * 0.03) + 1.5) / 1.2
        for chl, t in [(0.5, 20.0), (0.2, 26.0)]
    ]  # fmt: skip
    assert maps["trophic_index"].values[deep] == pytest.approx(np.mean(index))


def test_oxygen_saturation_is_that_of_gsw():
    density = gsw.density.rho_t_exact(35.0 * 35.16504 / 35, 12.0, 0)
    theirs = 1e-3 * density * gsw.O2sol_SP_pt(35.0, 12.0)
    assert oxygen_saturation(np.array(12.0), np.array(35.0)) == pytest.approx(theirs, rel=5e-4)


def test_the_command_writes_what_can_be_made(whole: Path, capsys):
    given = ["habitat", str(whole), "--range", "temperature=16:24", "-o", str(whole.parent / "h")]
    assert halocline(given) == 0
    assert "suitability: mean 0.5" in capsys.readouterr().out
    assert (whole.parent / "h" / "habitat.png").stat().st_size > 10_000
    sea(O2o=[[50, 100, 250]] * 2).to_netcdf(whole.parent / "less.nc")
    assert halocline(["habitat", str(whole.parent / "less.nc")]) == 0
    printed = capsys.readouterr().out
    assert "no trophic_index: the file has no" in printed
    with xarray.open_dataset(whole.parent / "habitat.nc") as data:
        assert set(data.data_vars) == {"hypoxic_thickness", "hypoxic_thickness_worst"}


def test_what_makes_no_sense_is_refused(whole: Path, capsys):
    with pytest.raises(UserError, match="nothing that an indicator is made of.*no O2o"):
        sea(wind=[[1, 2, 3]] * 2).to_netcdf(whole.parent / "wind.nc")
        HabitatMaps(whole.parent / "wind.nc").maps()
    assert halocline(["habitat", str(whole), "--range", "temperature"]) != 0
    assert "is no range" in capsys.readouterr().err
    assert halocline(["habitat", str(whole), "--range", "temperature=24:16"]) != 0
    assert "'temperature=24:16' holds nothing" in capsys.readouterr().err
    assert halocline(["habitat", str(whole), "--efficiency", "2"]) != 0


def test_of_one_column_no_map_is_drawn(whole: Path, capsys):
    with xarray.open_dataset(whole) as data:
        data.isel(latitude=[1], longitude=[1]).to_netcdf(whole.parent / "column.nc")
    assert halocline(["habitat", str(whole.parent / "column.nc"), "-o", str(whole.parent)]) == 0
    assert "no map is drawn: the file has a single row or column" in capsys.readouterr().out
    assert (whole.parent / "habitat.nc").exists()
    assert not (whole.parent / "habitat.png").exists()
