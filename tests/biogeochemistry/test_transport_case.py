"""Cases of the transport: shipped ones are valid, a run gives the same bits when it is split."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tomli_w
import xarray

from biogeochemistry.folded_ocean import folded_ocean
from halocline.biogeochemistry.case import TransportCase
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.experiment.plan import plan
from halocline.experiment.run import run
from halocline.runtime.ranks.launch import mpi_environment, mpiexec_command

CASE = {
    "component": "transport",
    "precision": "float64",
    "grid": {
        "nx": 16,
        "ny": 12,
        "x0": -7.5,
        "y0": -5.5,
        "depth": 300.0,
        "closed_edges": False,
        "levels": {"thickness": [50.0, 100.0, 150.0]},
    },
    "time": {"length": "6h", "step": "1h"},
    "transport": {
        "tracers": ["bell", "constant", "sand"],
        "start_offset": 2.0,
        "sinking": {"sand": 40.0},
        "horizontal_diffusivity": 500.0,
        "rotation": {"radius": 4.0, "rim": 1.0, "period": 2.0},
    },
}


def test_shipped_cases():
    rotation = read_case("tracer-rotation")
    assert isinstance(rotation, TransportCase)
    assert rotation.build_levels().shape == (1, 100, 100)
    ocean = read_case("tracer-51", ["grid.levels.count=3"])
    assert isinstance(ocean, TransportCase)
    assert len(ocean.transport.tracers) == 51
    assert ocean.build_levels().shape == (3, 384, 320)
    assert ocean.build_grid().longitude.shape == (384, 320)


def test_plan_has_one_exchange_for_all_tracers():
    lines = plan(TransportCase.from_table(CASE), ranks=2).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["exchange", "kernel"]


def test_split_run_has_the_same_bits(tmp_path: Path):
    whole = run(CASE)
    assert "3 tracers: greatest change of a content" in whole.summary
    half = {**CASE, "time": {"length": "3h", "step": "1h"}}
    run(half, output=tmp_path / "first")
    rest = {**CASE, "restart": {"source": str(tmp_path / "first")}}
    again = run(rest, check_halos=True)
    expected = whole.component.model.state.tracer.gather()
    np.testing.assert_array_equal(again.component.model.state.tracer.gather(), expected)
    assert np.ptp(expected[0]) > 0.1
    fields = whole.component.diagnose(["sand", "bell"], whole.outcome.time)
    np.testing.assert_array_equal(fields["sand"].gather(), expected[2])


def test_output(tmp_path: Path):
    """All tracers on all levels, land and closed cells missing; the last record is the state."""
    case = {**CASE, "output": {"fields": {"maps": {"interval": "3h", "precision": "float64"}}}}
    done = run(case, output=tmp_path)
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        assert data.sizes["time"] == 3
        assert data["bell"].dims == ("time", "depth", "latitude", "longitude")
        np.testing.assert_allclose(data["depth"], [225.0, 100.0, 25.0])
        assert data["depth"].units == "m"
        expected = done.component.model.state.tracer.gather()
        np.testing.assert_array_equal(data["sand"].values[-1], expected[2])
    wrong = {**CASE, "output": {"fields": {"maps": {"variables": ["sandd"]}}}}
    with pytest.raises(UserError, match="Did you mean 'sand'"):
        run(wrong, output=tmp_path / "wrong")


def test_tracers_begin_from_a_file_beside_the_case(tmp_path: Path):
    """A constant of the file stays constant; cells without water have 0."""
    x, y = np.arange(-10.0, 11.0, 5.0), np.arange(-10.0, 11.0, 5.0)
    values = np.full((1, y.size, x.size), 7.0)
    data = xarray.Dataset({"PO4": (("z", "lat", "lon"), values)}, {"z": [10.0], "lat": y, "lon": x})
    data.to_netcdf(tmp_path / "start.nc")
    begin = {"file": "start.nc", "variables": {"constant": "PO4"}}
    case = {
        **CASE,
        "data_folder": str(tmp_path),
        "time": {"length": "1h", "step": "1h"},
        "transport": {**CASE["transport"], "start_file": begin},
    }
    model = run(case).component.model
    np.testing.assert_allclose(model.state.tracer.gather()[1], 7.0 * model.grid.wet, rtol=1e-13)


def test_mistakes():
    with pytest.raises(UserError, match="Did you mean 'constant'"):
        run(CASE).component.diagnose(["constat"], None)
    with pytest.raises(UserError, match=r"transport.limitr.*Did you mean 'limiter'"):
        TransportCase.from_table({"transport": {"limitr": True}})
    for old, new in (
        ("grid_file", "grid.file"),
        ("levels", "grid.levels.count"),
        ("thickness", "grid.levels.thickness"),
    ):
        with pytest.raises(UserError, match=f"'transport.{old}' is '{new}' now"):
            TransportCase.from_table({"transport": {old: 1}})


def restoring_file(path: Path) -> Path:
    """Two maps a day apart, on two levels: 3 + day at 25 m, 1 + day at 125 m and below."""
    x, y = np.arange(-20.0, 21.0, 2.0), np.arange(-20.0, 21.0, 2.0)
    values = np.empty((2, 2, y.size, x.size))
    values[...] = np.array([[3.0, 1.0], [4.0, 2.0]])[:, :, None, None]
    dims = ("time", "depth", "lat", "lon")
    coordinates = {
        "time": ("time", [0.0, 1.0], {"units": "days since 2000-01-01"}),
        "depth": ("depth", [25.0, 125.0], {"units": "m", "positive": "down"}),
        "lat": ("lat", y, {"units": "degrees_north"}),
        "lon": ("lon", x, {"units": "degrees_east"}),
    }
    xarray.Dataset({"po4": (dims, values)}, coordinates).to_netcdf(path)
    return path


def restored(path: Path, **options) -> dict:
    table = {"file": str(path), "variables": {"constant": "po4"}} | options
    transport = CASE["transport"] | {"restoring": table, "sinking": {}, "tracers": ["constant"]}
    transport = transport | {"mixing": {"surface": 0.0, "background": 0.0}}
    return {**CASE, "transport": transport}


def test_a_tracer_is_restored_as_the_formula_says(tmp_path: Path):
    """A constant moves nowhere: six implicit steps of 1 h towards the value of their end."""
    path = restoring_file(tmp_path / "po4.nc")
    table = restored(path, time_scale=0.25, depth=50.0)
    table["transport"]["circulation"], table["transport"]["rotation"] = "rotation", {"period": 1e9}
    found = run(table).component.model.state.tracer.gather()
    expected = 1.0
    for hour in range(1, 7):
        expected += (1 / 7) * (3.0 + hour / 24 - expected)
    np.testing.assert_allclose(found[0, 2], expected, rtol=1e-7)
    np.testing.assert_allclose(found[0, :2], 1.0, rtol=1e-7)


def test_held_values_are_those_of_the_file_at_all_restored_levels(tmp_path: Path):
    path = restoring_file(tmp_path / "po4.nc")
    done = run(restored(path, time_scale=0.0, depth=1000.0), output=tmp_path / "out")
    found = done.component.model.state.tracer.gather()
    hours = 6 / 24  # levels at 225, 100 and 25 m
    expected = np.array([1.0 + hours, 1.0 + hours + 0.25 * 2.0, 3.0 + hours])
    np.testing.assert_allclose(found[0, :, 5, 5], expected, rtol=1e-13)


def test_a_restored_run_has_the_same_bits_split_and_on_ranks(tmp_path: Path):
    """Ranks: 1 and 3."""
    path = restoring_file(tmp_path / "po4.nc")
    table = restored(path, time_scale=0.5, depth=120.0)
    whole = run(table, check_halos=True).component.model.state.tracer.gather()
    assert whole.std() > 0.01
    run({**table, "time": {"length": "3h", "step": "1h"}}, output=tmp_path / "first")
    rest = {**table, "restart": {"source": str(tmp_path / "first")}}
    assert np.array_equal(run(rest).component.model.state.tracer.gather(), whole)
    maps = {"fields": {"maps": {"interval": "6h", "precision": "float64"}}}
    (tmp_path / "case.toml").write_text(tomli_w.dumps({**table, "output": maps}))
    run(tmp_path / "case.toml", output=tmp_path / "one")
    words = [*mpiexec_command(3, threads=1), sys.executable, "-P", "-m", "halocline", "run"]
    subprocess.run(
        [*words, str(tmp_path / "case.toml"), "--output", str(tmp_path / "three")],
        env=mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"}), check=True, timeout=120,
    )  # fmt: skip
    one, three = ((tmp_path / name / "maps.nc").read_bytes() for name in ("one", "three"))
    assert one == three


def test_restoring_that_lacks_something_is_refused(tmp_path: Path):
    path = restoring_file(tmp_path / "po4.nc")
    with pytest.raises(UserError, match="needs both: 'file', and 'variables'"):
        TransportCase.from_table(restored(path, variables={}))
    with pytest.raises(UserError, match=r"restoring.variables names 'oxygen', which is not among"):
        TransportCase.from_table(restored(path, variables={"oxygen": "po4"}))
    with pytest.raises(UserError, match="has no variable 'nitrate'"):
        run(restored(path, variables={"constant": "nitrate"}))


def test_a_tripolar_ocean_from_a_file_has_the_same_files_on_ranks(tmp_path: Path):
    """Ranks: 1 and 3."""
    grid = folded_ocean("centres").horizontal
    corners, both = grid.curvilinear, ("corner_j", "corner_i")
    planes = {
        "ulon": (both, corners.corner_x),
        "ulat": (both, corners.corner_y),
        "depth": (("j", "i"), grid.depth),
    }
    xarray.Dataset(planes).to_netcdf(tmp_path / "grid.nc")
    table = {
        **CASE,
        "grid": {"file": str(tmp_path / "grid.nc"), "levels": CASE["grid"]["levels"]},
        "time": {"length": "2h", "step": "30min"},
        "transport": {"tracers": ["layers", "constant"], "circulation": "gyres"},
        "output": {"fields": {"maps": {"interval": "1h", "precision": "float64"}}},
    }
    (tmp_path / "case.toml").write_text(tomli_w.dumps(table))
    done = run(tmp_path / "case.toml", output=tmp_path / "one", check_halos=True)
    assert done.component.grid.topology.fold == "centres"
    before = done.component.contents_at_start.read()[0]
    np.testing.assert_allclose(done.component.model.contents(), before, rtol=1e-14)
    words = [*mpiexec_command(3, threads=1), sys.executable, "-P", "-m", "halocline", "run"]
    subprocess.run(
        [*words, str(tmp_path / "case.toml"), "--output", str(tmp_path / "three")],
        env=mpi_environment({**os.environ, "OMP_NUM_THREADS": "1"}), check=True, timeout=120,
    )  # fmt: skip
    names = {path.name for path in (tmp_path / "one").iterdir() if path.suffix != ".log"}
    for name in names & {"maps.nc", "restart_20000101T020000.safetensors"}:
        one, three = ((tmp_path / out / name).read_bytes() for out in ("one", "three"))
        assert one == three
    assert "maps.nc" in names
