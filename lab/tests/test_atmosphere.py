"""`halocline lab atmosphere`: evaluation of runs, and the benchmark itself at small size."""

import argparse

import pytest

from halocline.core.errors import UserError
from halocline.runtime.ranks.communicator import Alone
from halocline_lab.benchmarks import atmosphere, atmosphere_run, stream


def run(seconds):
    return {
        "seconds": seconds,
        "processor": 0.9 * seconds,
        "kernels": {
            "acoustic_push": {"seconds": 0.4 * seconds, "bytes": 280},
            "theta_tendency": {"seconds": 0.2 * seconds, "bytes": 60},
        },
        "stream": {"copy": 1e10, "triad": 2e10},
        "cells": 1_000_000,
    }


def test_rows_of_runs():
    base = [run(0.2), run(0.3), run(0.25)]
    apart = [run(0.125), run(0.2), run(0.15625)]
    choice = atmosphere.AirChoice("float32", 2, 1)
    row = atmosphere.evaluate(choice, [run(0.1), run(0.2), run(0.125)], base, apart)
    assert row["nanoseconds"] == pytest.approx(125.0)
    assert row["spread"] == pytest.approx([100.0, 200.0])
    assert row["processor_nanoseconds"] == pytest.approx(90.0)
    assert row["kernels"]["acoustic_push"] == pytest.approx({"nanoseconds": 40.0, "floor": 14.0})
    assert row["floor"] == pytest.approx(17.0)
    assert row["speed_up"] == pytest.approx(2.0) and row["bound"] == pytest.approx(1.6)
    text = atmosphere.table({"air": "dry", "cells": 1_000_000, "rows": [row]})
    assert "acoustic_push           40.0    14.0   2.86" in text and "WRF 4.7.1 308" in text
    assert "2.00     1.60        20.0" in text and "independent runs" in text
    assert "486" in atmosphere.table({"air": "moist", "cells": 1_000_000, "rows": [row]})


def test_independent_runs_bound_the_speed_up(monkeypatch):
    """As many of one rank at once, in the rounds of the others, where cores are there for them;
    each has as many cells as a rank."""
    times = {(1, 1): 0.08, (2, 1): 0.05, (4, 1): 0.06, (1, 2): 0.05}
    asked = []

    def run_at_once(module, settings, ranks, threads, copies):
        assert settings["shares"] == copies
        asked.append((ranks, copies))
        return run(times[ranks, copies])

    monkeypatch.setattr(atmosphere, "run_at_once", run_at_once)
    monkeypatch.setattr(atmosphere, "cores", lambda: 2)
    found = atmosphere.measure(["float32"], [(1, 1), (2, 1), (4, 1)], rounds=2)
    assert [row["bound"] for row in found["rows"]] == [None, pytest.approx(1.6), None]
    assert [row["speed_up"] for row in found["rows"]] == pytest.approx([1.0, 1.6, 4 / 3])
    assert asked == 2 * [(1, 1), (2, 1), (4, 1), (1, 2)]
    assert atmosphere.measure(["float32"], [(2, 1)], rounds=1)["rows"][0]["bound"] is None


def test_small_box():
    found = atmosphere.measure(["float32"], rounds=1, steps=3, quick=True)
    (row,) = found["rows"]
    assert found["cells"] == 24 * 24 * 8
    named = set(row["kernels"])
    assert {"acoustic_push", "acoustic_columns", "wind_tendency", "new_stage", "rise"} <= named
    spent = sum(kernel["nanoseconds"] for kernel in row["kernels"].values())
    assert 0.0 < row["floor"] and 0.0 < spent


def test_shares_make_up_the_box():
    """They have the rows of the box between them, as long as they are there, the hill in all."""
    box, share = (
        atmosphere_run.benchmark_case("float32", 3, quick=True, shares=shares)["grid"]
        for shares in (1, 3)
    )
    assert share["nx"] == box["nx"] and 3 * share["ny"] == box["ny"]
    assert share["y0"] + 500.0 * share["ny"] == 0.0


def test_bandwidth_of_all_ranks_is_their_sum(monkeypatch):
    class Two(Alone):
        def sum(self, values):
            return 2 * values

    monkeypatch.setattr(stream, "measure", lambda threads, **_: {"copy": 1e10, "triad": 2e10})
    assert stream.of_all(Two(), 1) == {"copy": 2e10, "triad": 4e10}


def test_small_storm():
    found = atmosphere.measure(["float32"], rounds=1, steps=3, quick=True, moist=True)
    (row,) = found["rows"]
    assert {"kessler", "move_water", "move_water_within", "dilution"} <= set(row["kernels"])
    assert "collect" in atmosphere.table(found), "a kernel of planes, which has no floor"


def test_bytes_are_those_of_a_step():
    """Push: six fields read, two changed, the base pressure; geopotential and others once."""
    assert atmosphere_run.bytes_per_cell("acoustic_push", 4) == 4 * (7 + 2 * 2)
    assert atmosphere_run.bytes_per_cell("acoustic_columns", 8) == 8 * (8 + 2 * 3 + 1)
    moist = 4 * (8 + 2 * 4)  # dilution, and what is carried
    assert atmosphere_run.bytes_per_cell("acoustic_push", 4, species=3) == moist
    assert atmosphere_run.bytes_per_cell("dilution", 4, species=3) == 4 * (3 + 1)


def test_too_few_steps_are_refused():
    parser = argparse.ArgumentParser()
    atmosphere.add_arguments(parser)
    with pytest.raises(UserError, match="at least 3 steps"):
        atmosphere.main(parser.parse_args(["--steps", "2"]))
