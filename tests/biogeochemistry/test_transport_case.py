"""Cases of the transport: shipped ones are valid, a run gives the same bits when it is split."""

from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.biogeochemistry.case import TransportCase
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.experiment.plan import plan
from halocline.experiment.run import run

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
