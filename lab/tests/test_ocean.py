"""`halocline lab ocean`: phases from records, and the benchmark itself at small size."""

import json

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from halocline.component.case.reading import read_table
from halocline.core.errors import UserError
from halocline.runtime.ranks.threads import set_threads
from halocline_lab import _native
from halocline_lab.benchmarks import (
    independent_runs,
    ocean,
    ocean_plots,
    ocean_run,
    ocean_table,
    result_files,
)
from records.small import Events


def test_phases_are_divided_as_in_the_paper():
    """A step of 100 us on two ranks; a longer one before it does not count."""
    found = Events(2)
    for rank in range(2):
        for begin, scale in ((0, 3.0), (400, 1.0)):

            def span(first, last, name, kind, begin=begin, scale=scale, rank=rank):
                found.add(rank, begin + scale * first, begin + scale * last, name, kind)

            span(0, 100, "step", "phase")
            span(0, 60, "baroclinic", "phase")
            span(20, 50 + 8 * rank, "ocean_momentum", "kernel")
            span(10, 14, "halo exchange", "halo")
            span(62, 97, "barotropic", "phase")
            span(62, 63, "halo exchange", "halo")
            span(70, 95, "solver", "phase")
            span(72, 75, "halo exchange", "halo")
            span(76, 78, "global sum", "sum")
    kernels = ocean_run.kernel_seconds(found.record())
    assert kernels == {"momentum": pytest.approx(30e-6)}  # on the first rank
    phases = ocean_run.phase_seconds(found.record())
    wanted = {
        "baroclinic": 56,
        "baroclinic halo": 4,
        "barotropic": 9,
        "barotropic halo": 1,
        "solver": 25,
        "rest": 5,
        "step": 100,
    }
    assert list(phases) == list(wanted)
    for name, microseconds in wanted.items():
        assert phases[name] == pytest.approx(1e-6 * microseconds), name


def run(seconds):
    return {
        "seconds": seconds,
        "processor": 0.9 * seconds,
        "phases": {
            "baroclinic": 0.8 * seconds,
            "baroclinic halo": 0.05 * seconds,
            "barotropic": 0.02 * seconds,
            "barotropic halo": 0.01 * seconds,
            "solver": 0.1 * seconds,
            "rest": 0.02 * seconds,
        },
        "kernels": {"tracers": 0.3 * seconds, "momentum": 0.4 * seconds},
        "iterations": 7.0,
        "stream": {"copy": 1e10, "triad": 2e10},
        "processor_grid": [1, 1],
        "cells": 1_000_000,
        "wet_cells": 500_000,
    }


def test_rows_shares_floor_and_years():
    fast, slow = [run(0.03), run(0.05), run(0.04)], [run(0.06), run(0.1), run(0.08)]
    row = ocean.evaluate(ocean.Choice("minimal", "float32", 1, 1), fast, slow, quick=False)
    assert row["nanoseconds"] == pytest.approx(40.0)
    assert row["spread"] == pytest.approx([30.0, 50.0])
    assert row["processor_nanoseconds"] == pytest.approx(27.0)
    assert row["nanoseconds_wet"] == pytest.approx(80.0)
    assert row["phases"]["solver"] == pytest.approx(4.0)
    assert row["solver_share"] == pytest.approx(0.1)
    assert row["barotropic_share"] == pytest.approx(0.13)
    assert row["floor"] == pytest.approx(0.5 * 152 / 20)
    assert row["over_floor"] == pytest.approx(40.0 / 3.8)
    assert row["speed_up"] == pytest.approx(2.0)
    assert row["years_per_day"] == pytest.approx(3600 / 0.04 / 365 * 25 / 26)
    assert row["seconds_of_a_day"]["solver"] == pytest.approx(0.004 * 24 * 26 / 25)
    assert row["level"] == pytest.approx(30.0)
    assert (
        ocean.evaluate(ocean.Choice("full", "float64", 2, 1), fast, slow, quick=False)["level"]
        is None
    )
    assert row["bound"] is None
    text = ocean_table.table(
        {"grid": "x1", "cells": 10**6, "wet_cells": 5 * 10**5, "rows": [row], "tried": []}
    )
    assert "POP 2.1 111 ns, MITgcm 129 ns" in text
    assert "barotropic 13.0%" in text and "solver 10.0% with 7.0 iterations" in text
    assert set(row) == {name[5:] for name in ocean.keys if name.startswith("rows.")}


def test_independent_runs_bound_the_speed_up(monkeypatch):
    """As many of one rank at once, in the rounds of the others, where cores are there for them."""
    times = {(1, 1): 0.08, (2, 1): 0.05, (1, 2): 0.1}
    asked = []

    def answer_of(module, settings, ranks, threads):
        asked.append((ranks, settings["copies"], settings["rows"]))
        return json.dumps(run(times[ranks, settings["copies"]])).encode()

    monkeypatch.setattr(independent_runs, "answer_of", answer_of)
    monkeypatch.setattr(ocean, "cores", lambda: 2)
    on = [(1, 1), (2, 1), (4, 1)]
    times[4, 1] = 0.06
    found = ocean.measure(["full"], ["float64"], on, rounds=2)
    assert [row["bound"] for row in found["rows"]] == [None, pytest.approx(1.6), None]
    assert [row["speed_up"] for row in found["rows"]] == pytest.approx([1.0, 1.6, 4 / 3])
    assert asked == 2 * [(1, 1, 0), (2, 1, 0), (4, 1, 0), (1, 2, 0), (1, 2, 0)]
    assert "1.60     1.60" in ocean_table.table(
        found
    ) and "at most: speed-up of as many" in ocean_table.table(found)
    unlike = ocean.measure(["full"], ["float64"], on[1:2], rounds=1)
    assert unlike["rows"][0]["bound"] is None


@pytest.fixture
def one_thread():
    before = _native.threads()
    set_threads(1)
    yield
    set_threads(before)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("kind", ["minimal", "full"])
def test_the_small_benchmark_runs(kind):
    found = ocean_run.timed({"physics": kind, "precision": "float64", "steps": 4, "quick": True})
    assert found["cells"] == 64 * 48 * 10
    assert 0.4 < found["wet_cells"] / found["cells"] < 0.9
    assert all(seconds > 0.0 for seconds in found["phases"].values())
    assert {"tracers", "momentum", "density"} < set(found["kernels"])
    assert ("kpp" in found["kernels"]) == (kind == "full")
    assert sum(found["kernels"].values()) < found["seconds"]
    assert 1 <= found["iterations"] < 60


def test_the_benchmark_is_the_papers_grid():
    case = ocean_run.benchmark_case("full", "float32", 12, quick=False)
    assert case["grid"]["file"] == "g_pop_x1_grid.nc" and case["time"]["length"] == "12h"
    assert case["ocean"]["density"]["equation"] == "mcdougall-2003"
    assert case["ocean"]["mixing"]["scheme"] == "kpp" and case["precision"] == "float32"


def test_ranks_and_threads_are_read():
    with pytest.raises(UserError, match="--on 2y: write RANKSxTHREADS"):
        ocean.configurations_of(["1x1", "2y"])


def test_the_fastest_processor_grid_is_taken():
    """Of the grids of as many ranks and threads; where none was tried the case decides."""
    tried = {
        ocean.Choice("minimal", "float64", 4, 1, rows): [run(s), run(s + 0.02), run(9.0)]
        for rows, s in ((1, 0.05), (2, 0.03), (4, 0.04))
    }
    tried[ocean.Choice("minimal", "float64", 2, 1, 2)] = [run(0.01)]
    assert ocean.fastest_rows(tried, (4, 1)) == 2
    assert ocean.fastest_rows(tried, (4, 2)) == 0


def test_the_picture_shows_seconds_of_a_day_by_phase():
    one, four = [run(0.08)], [run(0.04)]
    rows = [
        ocean.evaluate(ocean.Choice("full", "float64", ranks, 1), runs, one, quick=False)
        for ranks, runs in ((1, one), (4, four))
    ]
    sheet = ocean_plots.figure(rows, ocean_table.published, ocean.cray_x1, {})
    speed, phases = sheet.axes
    assert phases.get_title() == "Phases, full physics, float64"
    drawn = {line.get_label(): line.get_xydata().tolist() for line in phases.get_lines()}
    day = 24 * 26 / 25
    assert drawn["barotropic"] == [
        pytest.approx([1, 0.13 * 0.08 * day]),
        pytest.approx([4, 0.13 * 0.04 * day]),
    ]
    points = {line.get_label(): line.get_xydata().tolist() for line in speed.get_lines()}
    assert points["POP 1.4.3, Cray X1, 240 processors"] == [[240, 125]]
    assert points["POP 2.1, full, one core"] == [[1, 8.4]]
    FigureCanvasAgg(sheet).draw()
    for axes in (speed, phases):
        low, high = axes.get_ylim()
        labels = axes.get_yticklabels(which="both")
        shown = [text.get_text() for text in labels if low <= text.get_position()[1] <= high]
        assert len([float(text) for text in shown if text]) > 2


def test_small_grids_stand_beside_no_published_speed(tmp_path):
    runs = [run(0.08)]
    row = ocean.evaluate(ocean.Choice("full", "float64", 1, 1), runs, runs, quick=True)
    file = tmp_path / "small.png"
    ocean_plots.draw({"grid": "small", "rows": [row]}, file, ocean_table.published, ocean.cray_x1)
    assert file.stat().st_size > 10_000
    speed = ocean_plots.figure([row], {}, None, {}).axes[0]
    assert [line.get_label() for line in speed.get_lines()] == ["Halocline, full, float64"]


def test_ways_and_other_results_are_compared(monkeypatch, tmp_path):
    """One rank is timed once; each way has its line, another machine's results theirs."""
    asked = []

    def answer_of(module, settings, ranks, threads):
        asked.append((ranks, settings["way"]))
        slow = 0.04 if settings["way"] == "shared-put + tree:4 shared" else 0.06
        return json.dumps(run({1: 0.08}.get(ranks, slow))).encode()

    monkeypatch.setattr(independent_runs, "answer_of", answer_of)
    monkeypatch.setattr(ocean, "cores", lambda: 1)
    ways = ["messages aggregated + all-reduce", "shared-put + tree:4 shared"]
    found = ocean.measure(["full"], ["float64"], [(1, 1), (4, 1)], rounds=1, ways=ways)
    assert asked == [(1, ways[0]), (4, ways[0]), (4, ways[1])]
    assert [row["speed_up"] for row in found["rows"]] == pytest.approx([1.0, 4 / 3, 2.0])
    assert ocean_table.table(found).count("  shared-put + tree:4 shared\n") == 2
    other = tmp_path / "cluster.json"
    result_files.write(other, found, ocean.keys)
    others = {"cluster": ocean.rows_in(other)}
    *_, compared = ocean_plots.figure(found["rows"], {}, None, others).axes
    lines = {line.get_label(): line.get_xydata().tolist() for line in compared.get_lines()}
    day = 24 * 26 / 25
    names = [*ways, *(f"cluster, {way}" for way in ways)]
    for way, seconds in zip(names, (0.06, 0.04, 0.06, 0.04), strict=True):
        for part, share in (("barotropic", 0.13), ("baroclinic", 0.85)):
            wanted = [[1, share * 0.08 * day], [4, share * seconds * day]]
            assert lines[f"{part}, {way}"] == [pytest.approx(point) for point in wanted]
    with pytest.raises(UserError, match="no results of 'halocline lab ocean --json'"):
        ocean.rows_in(tmp_path / "none.json")


def test_a_way_is_that_of_the_run():
    case = ocean_run.benchmark_case("full", "float64", 3, quick=True, way="shared-put + all-reduce")
    assert case["communication"] == {"halos": "shared-put", "sums": "all-reduce"}
    case = ocean_run.benchmark_case("full", "float64", 3, quick=True, way="shared-put")
    assert case["communication"] == {"halos": "shared-put", "sums": "auto"}


def test_full_physics_is_that_of_the_global_ocean():
    """All but advection of tracers; minimal physics has none of its mixing."""
    case = ocean_run.benchmark_case("full", "float64", 3, quick=False)["ocean"]
    _, real = read_table("global-ocean")
    assert case["checkerboard"] == real["ocean"]["checkerboard"]
    assert case["mixing"] == real["ocean"]["mixing"] and case["density"] == real["ocean"]["density"]
    assert set(real["ocean"]["mixing"]) >= {"scheme", "viscous", "eddies"}
    mixing = ocean_run.benchmark_case("minimal", "float64", 3, quick=False)["ocean"]["mixing"]
    assert mixing["scheme"] == "richardson" and not mixing["eddies"] and not mixing["viscous"]
    assert mixing["diffusivity"] == 1e3 and mixing["viscosity"] == 5e4
