"""Light, carbon and gases in runs: budgets with the air, splits, output, calcite. Ranks: 1."""

from pathlib import Path

import numpy as np
import pytest
import xarray

from biogeochemistry.test_bloom_case import SEA
from biogeochemistry.test_gas_exchange import of_water
from halocline.biogeochemistry.bfm import tracers
from halocline.experiment.run import run

DARK = {"transmission": 0.0}


def test_carbon_from_the_air_is_in_the_budget():
    done = run({**SEA, "season": {"wind_speed": 15.0}})
    air = done.component.biology.air
    assert abs(air.taken()) > 1e-6 * done.component.elements()["carbon"][0] / 12
    for element, (before, now) in done.component.elements().items():
        assert now == pytest.approx(before, rel=1e-12), element
    still = run({**SEA, "season": {"wind_speed": 0.0}}).component.biology.air
    assert still.taken() == 0.0


def test_water_comes_to_balance_with_the_air():
    """A dark shallow sea under a storm for 20 days: oxygen is saturated, CO2 as that of the air."""
    grid = {**SEA["grid"], "nx": 1, "ny": 1, "depth": 2.0, "levels": {"thickness": [2.0]}}
    start = {name: 0.0 for name in tracers.names if name[0] in "BPZR"}
    biology = {"start": {**start, "N4n": 0.0, "N6r": 0.0, "O5c": 0.0, "O3h": 2600.0}}
    done = run({
        **SEA, "grid": grid, "biology": biology,
        "time": {**SEA["time"], "length": "20d", "step": "2h"},
        "season": {**DARK, "wind_speed": 15.0, "summer_temperature": 13.5},
    })  # fmt: skip
    found = done.component.state.tracer.gather()[:, 0, 0, 0]
    saturated = of_water("oxygen_saturation", 13.5, 38.2)
    assert found[tracers.index["O2o"]] == pytest.approx(saturated, rel=1e-6)
    ph = done.component.biology.air.ph.gather()[0, 0, 0]
    assert 8.0 < ph < 8.3
    assert abs(done.component.biology.air.oxygen_uptake.gather()[0, 0]) < 1e-6


def test_acid_water_dissolves_calcite_two_to_one():
    """Alkalinity rises twice as much as carbon, in mmol, where nothing lives and no wind blows."""
    start = {name: 0.0 for name in tracers.names if name[0] in "BPZR"}
    biology = {"start": {**start, "N4n": 0.0, "N6r": 0.0, "O5c": 120.0, "O3h": 2000.0}}
    done = run({**SEA, "biology": biology, "season": {**DARK, "wind_speed": 0.0}})
    found = done.component.state.tracer.gather()[:, 2, 0, 0]
    carbon = (found[tracers.index["O3c"]] - tracers.homogeneous_start()["O3c"]) / 12
    alkalinity = found[tracers.index["O3h"]] - 2000.0
    assert carbon > 0.01
    assert alkalinity == pytest.approx(2 * carbon, rel=1e-9)
    assert done.component.state.calcite_saturation.gather()[2, 0, 0] < 1.0


def test_split_run_has_the_same_ph_and_light(tmp_path: Path):
    case = {**SEA, "season": {"wind_speed": 12.0}}
    whole = run(case)
    run({**case, "time": {**case["time"], "length": "2h"}}, output=tmp_path / "first")
    again = run({**case, "restart": {"source": str(tmp_path / "first")}}, check_halos=True)
    for one, other in [
        (whole.component.state.tracer, again.component.state.tracer),
        (whole.component.biology.air.ph, again.component.biology.air.ph),
        (whole.component.biology.air.carbon_taken, again.component.biology.air.carbon_taken),
    ]:
        np.testing.assert_array_equal(one.gather(), other.gather())


def test_output_has_ph_and_fluxes_and_light_is_shaded(tmp_path: Path):
    names = ["ph", "carbon_dioxide_uptake", "oxygen_uptake", "chlorophyll", "aragonite_saturation"]
    maps = {"interval": "2h", "variables": names}
    done = run({**SEA, "output": {"fields": {"maps": maps}}}, output=tmp_path)
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        assert data["carbon_dioxide_uptake"].dims == ("time", "y", "x")
        assert data["ph"].attrs["standard_name"] == "sea_water_ph_reported_on_total_scale"
        ph = data["ph"].values[-1]
        assert 7.5 < np.nanmin(ph) < np.nanmax(ph) < 9.0 and np.isnan(ph[:, 1, 3]).all()
    light = done.component.state.light.gather()[:, 0, 0]
    clear = run(
        {**SEA, "light": {"course": "given", "tracers": False}}
    ).component.state.light.gather()[:, 0, 0]
    assert clear[0] / clear[2] == pytest.approx(np.exp(-0.0435 * 40))
    assert (light < clear).all() and light[0] / light[2] < clear[0] / clear[2]
