"""Cases of biogeochemistry: shipped ones, budgets of a run, splits, output, what is refused."""

from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.biogeochemistry.bfm import tracers
from halocline.biogeochemistry.biogeochemistry_case import BiogeochemistryCase
from halocline.biogeochemistry.season import Season, SeasonOptions
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.experiment.plan import plan
from halocline.experiment.run import run

SEA = {
    "component": "biogeochemistry",
    "precision": "float64",
    "grid": {
        "kind": "cartesian",
        "nx": 7,
        "ny": 3,
        "depth": [[60.0, 60.0, 60.0, 0.0, 40.0, 20.0, 60.0]],
        "closed_edges": False,
        "levels": {"thickness": [20.0, 20.0, 20.0]},
    },
    "time": {"start": "2001-04-01", "length": "4h", "step": "30min"},
    "light": {"course": "given"},
}
SEA["grid"]["depth"] *= 3


def test_shipped_cases():
    for name, levels in {"bloom-box": 1, "bloom-column": 40}.items():
        case = read_case(name)
        assert isinstance(case, BiogeochemistryCase)
        assert case.build_levels().shape == (levels, 1, 1)
        assert len(case.tracer_names) == 51


def test_a_step_is_transport_reaction_and_sinking():
    lines = plan(BiogeochemistryCase.from_table(SEA), ranks=1).splitlines()
    kernels = [line.split()[1] for line in lines[1:] if line.split()[0] == "kernel"]
    assert kernels[0].startswith("transport_tracers_")
    assert kernels[1:3] == ["surface_light", "light_in_water"]
    assert kernels[-5:] == ["carbonate", "bfm_react", "bfm_sink", "air_sea_exchange", "add_up"]


def test_a_run_keeps_its_elements():
    done = run({**SEA, "season": {"wind_speed": 0.0}})
    for element, (before, now) in done.component.elements().items():
        assert now == pytest.approx(before, rel=1e-12), element
    volume = done.component.state.volume.gather().sum()
    start = tracers.homogeneous_start()
    silicon = sum(start[name] for name in tracers.elements["silicon"])
    assert done.component.elements()["silicon"][0] == pytest.approx(silicon * volume, rel=1e-12)
    assert done.component.biology.outside()["carbon"] > 0.0
    assert "the limiter did not act" in done.summary
    tracer = done.component.state.tracer.gather()
    assert np.isfinite(tracer).all()
    assert tracer.min() >= 0.0


def test_split_run_has_the_same_bits(tmp_path: Path):
    case = {**SEA, "biology": {"bfm": {"sinking": {"floor": "returned"}}}}
    whole = run(case)
    run({**case, "time": {**case["time"], "length": "2h"}}, output=tmp_path / "first")
    blocks = {"decomposition": {"blocks_per_rank": 3}}
    rest = {**case, **blocks, "restart": {"source": str(tmp_path / "first")}}
    again = run(rest, check_halos=True)
    for field in ("tracer", "volume"):
        one, other = (getattr(done.component.state, field).gather() for done in (whole, again))
        np.testing.assert_array_equal(one, other)
    floors = [done.component.biology.floor.gather() for done in (whole, again)]
    np.testing.assert_array_equal(*floors)
    assert floors[0][3].max() > 0.0


def test_output_names_what_it_holds(tmp_path: Path):
    maps = {"interval": "2h", "variables": ["N1p", "P1l", "chlorophyll", "primary_production"]}
    done = run({**SEA, "output": {"fields": {"maps": maps}}}, output=tmp_path)
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        assert data["N1p"].attrs["standard_name"].startswith("mole_concentration_of_phosphate")
        assert data["P1l"].attrs["units"] == "mg m-3"
        state = done.component.state.tracer.gather()
        green = sum(state[tracers.index[f"{p}l"]] for p in tracers.phytoplankton)
        last = data["chlorophyll"].values[-1]
        np.testing.assert_allclose(last[np.isfinite(last)], green[np.isfinite(last)], rtol=1e-6)
        assert np.nanmax(data["primary_production"].values[-1]) > 0.0
        assert np.isnan(last[:, 1, 3]).all()


def test_start_values_and_mistakes():
    start = {"N3n": 2.5}
    case = BiogeochemistryCase.from_table({**SEA, "biology": {"start": start}})
    assert case.built_biology.start_values()["N3n"] == 5.0
    short = {**SEA, "time": {**SEA["time"], "length": "30min"}}
    tracer = run({**short, "biology": {"start": start}}).component.state.tracer.gather()
    assert tracer[tracers.index["N3n"], 2, 0, 0] == pytest.approx(2.5, rel=1e-2)
    for table, says in {
        "N3": "has no tracer 'N3'.*Did you mean 'N3n'",
        "N1p": "N1p = -1.0: a tracer is not negative",
    }.items():
        value = -1.0 if table == "N1p" else 1.0
        with pytest.raises(UserError, match=says):
            run({**SEA, "biology": {"start": {table: value}}})
    with pytest.raises(UserError, match="transport.tracers are those of the biology"):
        BiogeochemistryCase.from_table({**SEA, "transport": {"tracers": ["a"]}})
    with pytest.raises(UserError, match="excretion = 0.5: together they are at most 1"):
        wrong = {"bfm": {"Z5": {"excretion": 0.5}}}
        BiogeochemistryCase.from_table({**SEA, "biology": wrong})


def test_the_season_is_what_it_says():
    """Mixed deepest in February, warmest in August, brightest in June."""
    grid = BiogeochemistryCase.from_table(SEA).build_levels()
    season, days = Season(SeasonOptions(), grid), np.arange(365.0)
    depths = np.array([season.mixed_depth(day) for day in days])
    assert (depths.argmax(), depths.max()) == (45, 150.0)
    assert 20.0 <= depths.min() < 21.0
    warm = np.array([season.temperature(day, np.array([1.0]))[0] for day in days])
    assert warm.argmax() == 227
    assert (warm.min(), warm.max()) == pytest.approx((13.5, 25.0), abs=0.01)
    bright = np.array([season.short_wave(day) for day in days])
    assert 168 <= bright.argmax() <= 175
