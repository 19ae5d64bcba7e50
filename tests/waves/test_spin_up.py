"""Short runs say what their start lacks; the demo's case begins in balance with its wind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import halocline
from halocline.component.case.reading import make_case, read_case
from halocline.experiment.check import report
from halocline.experiment.demo import demo

calm, local = "begun from a calm sea", "begun from a sea of the local wind"


def table(**changes: Any) -> dict[str, Any]:
    return {
        "grid": {"kind": "cartesian", "nx": 6, "ny": 5, "dx": 1e4, "dy": 1e4, "depth": 500.0},
        "spectrum": {"frequencies": 5, "directions": 8, "factor": 1.2},
        "time": {"start": "2000-01-01", "length": "2h", "step": "1h"},
        "forcing": {"wind": {"speed": 12.0}},
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, calm),
        ({"start": {"kind": "jonswap"}}, local),
        ({"start": {"kind": "gaussian"}}, ""),
        ({"waves": {"physics": "none"}}, ""),
        ({"forcing": {"wind": {"speed": 0.0}}}, ""),
    ],
)
def test_summary_and_check_say_what_the_start_lacks(changes: dict[str, Any], words: str) -> None:
    case = table(**changes)
    for text in (halocline.run(case).summary, report(make_case(case), ranks=1)):
        said = re.findall(r"begun from [^:]*", text)
        assert said == ([words] if words else [])


def test_a_week_forgets_the_start_and_a_restart_has_none(tmp_path: Path) -> None:
    long = table(time={"start": "2000-01-01", "length": "7d", "step": "1h"})
    assert "begun from" not in report(make_case(long), ranks=1)
    halocline.run(table(restart={"at_end": True}), output=tmp_path)
    later = table(
        time={"start": "2000-01-01T02:00:00", "length": "2h", "step": "1h"},
        restart={"source": str(tmp_path)},
    )
    assert "begun from" not in halocline.run(later).summary


def test_global_waves_begins_in_balance_with_its_wind() -> None:
    """The mean height of the start is that of all five days, 1.57 to 1.60 m."""
    result = halocline.run("global-waves", settings=["time.length=1h"])
    mean = re.search(r"mean ([\d.]+) m", result.summary)
    assert mean is not None and 1.5 < float(mean[1]) < 1.7
    assert local in result.summary


def test_the_demo_and_its_pictures_say_that_swell_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("halocline.analysis.plot.plot", lambda *given, **more: [])
    assert demo(lambda words: 0) == 0
    said = capsys.readouterr().out
    assert "swell from before is missing" in said and "where a January has 2.5 m" in said
    assert "Scaling" not in said and "Command" not in said
    assert "without swell" in read_case("global-waves").title
