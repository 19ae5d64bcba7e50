"""Cases without waves or without output say so, in `check` and in the summary of a run."""

from __future__ import annotations

import numpy as np
import pytest

import halocline
from halocline.component.case.reading import make_case
from halocline.component.case.shipped import names
from halocline.component.streams.own_stream import OwnStream
from halocline.experiment.check import report
from halocline.experiment.members import read_members

calm = {
    "grid": {"kind": "cartesian", "nx": 8, "ny": 6, "dx": 1e4, "dy": 1e4},
    "spectrum": {"frequencies": 4, "directions": 8},
    "time": {"length": "2h"},
}
maps = {"output": {"fields": {"maps": {}}}}
tracers = {"component": "transport", "time": {"length": "1h"}}


@pytest.mark.parametrize(
    ("table", "empty"),
    [
        ({}, True),
        ({"forcing": {"wind": {"speed": 0.0}}}, True),
        ({"forcing": {"wind": {"speed": 8.0}}}, False),
        ({"forcing": {"wind": {"speed": 8.0}}, "waves": {"physics": "none"}}, True),
        ({"forcing": {"wind": {"file": "w.nc"}}}, False),
        ({"forcing": {"wind": {"function": "a.py:wind"}}}, False),
        ({"boundary": {"file": "spectra.nc"}}, False),
        ({"start": {"kind": "gaussian"}}, False),
        ({"start": {"boundary": "gaussian"}}, False),
        ({"start": {"kind": "jonswap"}}, True),
        ({"start": {"kind": "jonswap"}, "forcing": {"wind": {"speed": 8.0}}}, False),
    ],
)
def test_where_waves_would_come_from(table: dict[str, object], empty: bool) -> None:
    found = make_case({**calm, **maps, **table}).lacking()
    assert [words[:8] for words in found] == ["no waves"] * empty


def test_what_a_calm_sea_lacks_is_what_others_may_get_as_missing() -> None:
    case = make_case(calm)
    sea = halocline.run(calm).component
    wanted = [name for name in case.described() if "_waves_" not in name]  # those need an option
    found = {name: sea.diagnose([name], sea.taken_at)[name].gather() for name in wanted}
    missing = {name for name, values in found.items() if not np.isfinite(values).all()}
    assert missing == set(case.holes) & set(found)
    assert {"peak_period", "mean_direction"} < missing


def test_what_a_run_has_of_its_own_counts() -> None:
    case = make_case(calm)
    assert len(case.lacking()) == 2
    assert case.lacking(given=["wind_function"], watched=True) == []
    assert case.lacking(restarted=True, watched=True) == []
    assert [words[:9] for words in make_case(tracers).lacking()] == ["no output"]


@pytest.mark.parametrize("name", names())
def test_shipped_cases_lack_nothing(name: str) -> None:
    members = read_members(name)
    given = {some.link.target: [] for some in members.exchanges()}
    for some in members.exchanges():
        given[some.link.target] += some.taken
    for member, some in members.members.items():
        assert some.case.lacking(given=given.get(member, ())) == []


def test_check_and_the_summary_of_a_run_say_it(tmp_path) -> None:
    told = report(make_case(calm), 1)
    assert "note      no waves: no wind" in told and "note      no output: nothing is" in told
    summary = halocline.run(calm, output=tmp_path / "a").summary
    assert "\nno waves: no wind" in summary and "\nno output: nothing is written" in summary
    log = (tmp_path / "a" / "halocline.log").read_text()
    assert "no waves: no wind" in log.partition("summary")[2]


def test_a_run_that_is_watched_or_windy_is_not_scolded(tmp_path) -> None:
    def blow(seconds, x, y):
        return 0.0 * x + 9.0, 0.0 * y

    assert "no output" not in halocline.run(calm).summary
    own = OwnStream("mean", lambda fields, grid: {"a": 1.0}, reads=[], writes={"a": "m"})
    windy = {**calm, "forcing": {"wind": {}}}
    told = halocline.run(windy, output=tmp_path / "b", streams=[own], wind_function=blow).summary
    assert "no output" not in told and "no waves" not in told
