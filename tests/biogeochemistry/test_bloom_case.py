"""Cases of biogeochemistry: shipped ones, budgets of a run, splits, output, what is refused."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import xarray

from halocline.biogeochemistry.bfm import tracers
from halocline.biogeochemistry.biogeochemistry_case import BiogeochemistryCase
from halocline.biogeochemistry.season import Season, SeasonOptions
from halocline.component.case.reading import read_case
from halocline.core.errors import UserError
from halocline.experiment.building import build_component
from halocline.experiment.check import fields_of
from halocline.experiment.imagined import Imagined
from halocline.experiment.plan import plan
from halocline.experiment.run import run
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.processor_grid import best_grid
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.running.runner import Plan

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


def test_elements_are_those_of_the_start_and_what_came_through_boundaries():
    """Rivers, deposition and an open boundary, while plankton lives, sinks and is moved."""
    cells = {"kind": "spherical", "x0": 4.0, "y0": 34.0, "dx": 1.0, "dy": 1.0}
    river = {"mouth": [8.0, 35.0], "flow": 1e4, "concentrations": {"N3n": 200.0, "N5s": 100.0}}
    boundaries = {
        "rivers": {"r": river},
        "deposition": {"N1p": 2.0},
        "open": {"w": {"box": [3.0, 5.4, 30.0, 40.0], "values": {"O3c": 2e4, "N1p": 1.0}}},
    }
    done = run(
        {
            **SEA,
            "grid": SEA["grid"] | cells,
            "season": {"wind_speed": 0.0},
            "transport": {"circulation": "gyres", "boundaries": boundaries},
        }
    ).component
    start = done.contents_at_start.read()[0]
    for element, (before, now) in done.elements().items():
        numbers = [done.options.tracers.index(name) for name in tracers.elements[element]]
        assert abs(before / start[numbers].sum() - 1.0) > 1e-6, element
        assert now == pytest.approx(before, rel=1e-12), element


@pytest.mark.parametrize(
    ("length", "split"), [("4h", "2h"), pytest.param("24h", "510min", marks=pytest.mark.slow)]
)
def test_split_run_has_the_same_bits(tmp_path: Path, length: str, split: str):
    case = {**SEA, "biology": {"bfm": {"sinking": {"floor": "returned"}}}}
    case["time"] = {**case["time"], "length": length}
    whole = run(case)
    run({**case, "time": {**case["time"], "length": split}}, output=tmp_path / "first")
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
    productions = ["gross_production", "primary_production"]
    columns = [f"column_{name}" for name in productions]
    around = ["temperature", "salinity", "light", "short_wave", "wind_speed"]
    names = ["N1p", "P1l", "O3h", "chlorophyll", *productions, *columns, *around]
    maps = {"interval": "2h", "variables": names}
    done = run({**SEA, "output": {"fields": {"maps": maps}}}, output=tmp_path)
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        assert data["N1p"].attrs["standard_name"].startswith("mole_concentration_of_phosphate")
        assert data["P1l"].attrs["units"] == "mg m-3"
        state = done.component.state.tracer.gather()
        green = sum(state[tracers.index[f"{p}l"]] for p in tracers.phytoplankton)
        last = data["chlorophyll"].values[-1]
        np.testing.assert_allclose(last[np.isfinite(last)], green[np.isfinite(last)], rtol=1e-6)
        gross, net = (data[name].values[-1] for name in productions)
        wet = np.isfinite(net)
        assert (gross[wet] > net[wet]).all() and net[wet].max() > 0.0
        for name, values in zip(columns, (gross, net), strict=True):
            assert data[name].dims == ("time", "y", "x")
            found = data[name].values[-1]
            np.testing.assert_allclose(
                found[wet[2]], 20.0 * np.where(wet, values, 0.0).sum(axis=0)[wet[2]], rtol=1e-6
            )
        for name in around:
            field = getattr(done.component.state, name).gather()
            found = data[name].values[-1]
            here = np.isfinite(found)
            assert here.sum() == (wet[2].sum() if found.ndim == 2 else wet.sum())
            np.testing.assert_allclose(found[here], field[here], rtol=1e-6)
        assert np.isnan(last[:, 1, 3]).all()


def test_ranks_get_equal_work():
    """Cells of land cost the transport, wet ones the reaction too, counted one by one."""
    deep = np.full((24, 36), 20.0)
    deep[:, :12], deep[12:, 20:] = 200.0, 0.0
    levels = {"thickness": [20.0] * 10}
    grid = {**SEA["grid"], "nx": 36, "ny": 24, "depth": deep.tolist(), "levels": levels}
    case = BiogeochemistryCase.from_table({**SEA, "grid": grid})
    built = case.build_levels()
    blocks = best_grid(case.load(built.horizontal), 3, 1).blocks
    component = build_component(case, case.time.clock(), Imagined(3), plan=Plan())
    taken = component.run.decomposition.world.rectangles
    assert [(r.j0, r.j1, r.i0, r.i1) for r in taken] == blocks
    reaction, transport = 4e-7, 51 * 6e-9
    work = [
        sum(transport + reaction * bool(wet) for wet in built.wet[:, a:b, c:d].ravel())
        for a, b, c, d in blocks
    ]
    cells = [10 * (b - a) * (d - c) for a, b, c, d in blocks]
    assert max(work) < 1.06 * np.mean(work)
    assert max(cells) > 1.2 * np.mean(cells), "cells alone would give other blocks"


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


def test_fields_take_less_than_two_copies_of_the_tracers():
    case = read_case("bloom-column", ["grid.nx=8", "grid.ny=6"])
    done = case.build(case.time.clock(), Alone())
    done.start(case.time.clock().start, False)
    done.step(case.time.clock().start)
    counted = [field for field in fields_of(done) if field.decomposition is done.decomposition]
    gc.collect()
    living = [one for one in gc.get_objects() if isinstance(one, Field)]
    living = [field for field in living if field.decomposition is done.decomposition]
    assert {id(field) for field in living} == {id(field) for field in counted}
    assert len(counted) == len(living), "each is counted once"
    size = sum(array.nbytes for field in counted for array in field.blocks)
    (tracer,) = (field for field in counted if field.name == "tracer")
    copy = sum(array.nbytes for array in tracer.blocks)
    assert copy < size < 1.6 * copy, "tracers are moved in their own place"
    tracemalloc.start()
    done.model.contents()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.3 * copy, "contents are added up without copies of all tracers"


def test_what_nothing_shows_is_not_made(tmp_path: Path):
    """Fields of the biology that no stream names; the tracers have the same bits."""
    short = {**SEA, "time": {**SEA["time"], "length": "1h"}}
    every = run(short).component
    maps = {"interval": "1h", "variables": ["N1p", "column_primary_production"]}
    some = run({**short, "output": {"fields": {"maps": maps}}}, output=tmp_path).component
    np.testing.assert_array_equal(every.state.tracer.gather(), some.state.tracer.gather())
    names = {field.name for field in fields_of(every)} - {field.name for field in fields_of(some)}
    left_out = {"chlorophyll", "gross_production", "bacterial_production", "aragonite_saturation"}
    assert left_out < names and "primary_production" not in names
    assert all("column" in name for name in names - left_out)
    with xarray.open_dataset(tmp_path / "maps.nc") as data:
        production = data["column_primary_production"].values[-1]
    expected = every.diagnose(["column_primary_production"], None)
    full = expected["column_primary_production"].gather()
    there = np.isfinite(production)
    np.testing.assert_allclose(production[there], full[there], rtol=1e-6)
    assert full[there].max() > 0.0
    with pytest.raises(AssertionError, match="nobody said that 'chlorophyll' would be shown"):
        some.diagnose(["chlorophyll"], None)


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
