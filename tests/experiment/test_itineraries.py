"""When nests begin and where they go, as cases say it, and what is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from atmosphere.test_air_nests import nest
from halocline.core.errors import UserError
from halocline.experiment.check import report_members
from halocline.experiment.itinerary import Move
from halocline.experiment.members import make_members
from halocline.experiment.run import run


def test_moves_are_read():
    assert Move.read("1h 30min west 3") == Move(timedelta(minutes=90), 0, -3)
    assert Move.read(" 6s north 1 east 2 ") == Move(timedelta(seconds=6), 1, 2)
    for words in ("east 1", "1h", "1h up 2", "1h east", "1h east 0", "1h east 1 north 1 east 1"):
        with pytest.raises(UserError):
            Move.read(words)


on_file = {"start": {"file": "start.nc"}, "sides": {"kind": "nest"}}
maps = {"fields": {"means": {"interval": "1min", "processing": "mean"}}}


@pytest.mark.parametrize(
    ("inner", "match"),
    [
        ({"nested_in": "", "begins": "6s"}, "but lies in no other one"),
        ({"begins": "7s"}, "no whole number of intervals of the schedule"),
        ({"moves": ["0s east 1"]}, "no whole number of intervals"),
        ({"moves": ["6s east 1", "6s north 1"]}, "two moves of one moment"),
        ({"begins": "12s", "moves": ["12s east 1"]}, "before the nest has begun"),
        ({"moves": ["6s east 1"], "follow": {"field": "updraft"}}, "both moves and follow"),
        ({"follow": {"field": "updrafts"}}, "Did you mean 'updraft'"),
        ({"follow": {"field": "air_pressure"}}, "no map of it without levels"),
        ({"moves": ["6s east 1"], "output": maps}, "maps of moments and of all its cells"),
        ({"moves": ["6s east 1"], "atmosphere": on_file}, "No data file 'start.nc'"),
        ({"moves": ["6s east 12"]}, "after '6s east 12' 'inner' goes from x"),
        ({"moves": ["6s south 1", "12s south 2"]}, "after '12s south 2' 'inner' goes from y"),
    ],
)
def test_nests_that_cannot_go_there_are_refused(inner: dict[str, Any], match: str):
    case = nest()
    case["members"]["inner"] |= inner
    with pytest.raises(UserError, match=match):
        run(case)


def test_a_nest_that_others_use_stays():
    case = nest()
    case["members"]["inner"]["begins"] = "6s"
    time = case["members"]["inner"]["time"]
    case["members"]["sea"] = {"case": "swell", "time": time | {"step": "6s", "end": ""}}
    case["exchanges"] = {"wind": {"source": "inner", "target": "sea", "fields": ["wind_u"]}}
    with pytest.raises(UserError, match="has to do with the member around it alone"):
        make_members(case)


def test_check_says_it_and_refuses_moves_out_of_the_grid(tmp_path):
    case = nest()
    follow = {"field": "surface_pressure", "interval": "30s", "most": 2}
    case["members"]["inner"] |= {"begins": "1h", "follow": follow}
    told = report_members(make_members(case), 1, tmp_path)
    late = (
        "inner begins at 2000-01-01 01:00, with what 'outer' has there (after the end of this run)"
    )
    assert late in told
    assert "inner follows the minimum of surface_pressure, looked for every 30s, by 2 x 2" in told
    del case["members"]["inner"]["follow"]
    case["members"]["inner"] |= {"begins": "", "moves": ["6s west 12"]}
    with pytest.raises(UserError, match="it lies outside"):
        report_members(make_members(case), 1, tmp_path)


def test_a_nest_stops_where_it_would_leave_the_grid_around_it(capfd):
    """It follows what the wind carries out, up to one cell from the side."""
    case = nest(feedback=False, start={"wind_u": 0.0})
    case["members"]["inner"]["time"]["length"] = case["members"]["outer"]["time"]["length"] = "1min"
    follow = {"field": "ground", "extreme": "maximum", "interval": "6s", "most": 4, "margin": 1}
    for table in case["members"].values():
        slope = {"kind": "bell", "x": 54e3, "y": 12e3, "height": 10.0, "width": 20e3}
        table["atmosphere"]["mountain"] = slope
    case["members"]["inner"] |= {"follow": follow}
    inner = run(case).components["inner"]
    assert inner.plane.x[-1] + 250.0 == 54e3 - 1500.0
