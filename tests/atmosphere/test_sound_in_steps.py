"""`check` says how far sound goes in acoustic steps, and refuses too long ones before a run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from atmosphere.test_air_nests import nest
from halocline.component.case.reading import make_case
from halocline.core.errors import UserError
from halocline.experiment.check import report, report_members
from halocline.experiment.members import make_members

warm = {
    "component": "atmosphere",
    "time": {"start": "2000-01-01", "length": "1min", "step": "4s"},
    "grid": {
        "kind": "cartesian", "nx": 8, "ny": 6, "dx": 1000.0, "dy": 500.0, "periodic_x": True,
        "periodic_y": True,
    },
    "atmosphere": {
        "layers": {"count": 10, "top": 5e3}, "air": {"kind": "isentropic", "theta": 290.0},
    },
}  # fmt: skip


def test_check_says_how_far_sound_goes(tmp_path: Path):
    """Air of one potential temperature of 290 K is warmest in the lowest layer, 500 m deep."""
    told = report(make_case(warm), 1, tmp_path)
    found = re.search(
        r"sound passes ([0-9.]+) of at most ([0-9.]+) cells.*step of ([0-9.]+) s", told
    )
    assert found is not None
    number, allowed, step = map(float, found.groups())
    temperature = 290.0 - 9.81 / 1004.5 * 250.0
    speed = np.sqrt(1.4 * 287.0 * temperature)
    assert number == pytest.approx(step * speed * np.hypot(1.0 / 1000.0, 1.0 / 500.0), abs=0.006)
    assert allowed == pytest.approx(1.0 / np.sqrt(1.2), abs=0.006)
    (longest,) = map(float, re.findall(r"time.step up to ([0-9.]+) s", told))
    assert longest == pytest.approx(0.95 * 4.0 * allowed / number, rel=0.02)


def test_check_refuses_it_of_a_case_and_of_a_nest(tmp_path: Path):
    with pytest.raises(
        UserError, match=r"sound passes 2.*cells at row \d, column \d; at most 0.91"
    ):
        report(make_case(warm | {"time": warm["time"] | {"step": "15s"}}), 1, tmp_path)
    case = nest()
    case["members"]["inner"]["time"]["step"] = "6s"
    with pytest.raises(UserError, match=r"Member 'inner': In an acoustic step of 1.5 s sound"):
        report_members(make_members(case), 1, tmp_path)
