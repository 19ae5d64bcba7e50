"""What the summary of a run says of the cost of its output."""

from __future__ import annotations

import pytest

import halocline
from halocline.experiment.writing import budget_verdict


def test_a_short_run_is_not_judged_by_the_budget(tmp_path) -> None:
    case = {
        "grid": {"kind": "cartesian", "nx": 8, "ny": 6, "dx": 1e4, "dy": 1e4},
        "spectrum": {"frequencies": 4, "directions": 8},
        "time": {"length": "2h"},
        "forcing": {"wind": {"speed": 9.0}},
        "output": {"fields": {"maps": {}}},
    }
    summary = halocline.run(case, output=tmp_path).summary
    assert "of the time lost; too short a run to be judged by the budget of 2.0%" in summary
    assert "beyond" not in summary


@pytest.mark.parametrize(
    ("lost", "seconds", "budget", "verdict"),
    [
        (0.5, 49.0, 0.02, "; too short a run"),
        (0.9, 51.0, 0.02, ", within the budget of 2.0%"),
        (1.2, 51.0, 0.02, ", beyond the budget of 2.0%"),
        (0.5, 6.0, 0.2, ", within the budget of 20.0%"),
    ],
)
def test_the_verdict(lost: float, seconds: float, budget: float, verdict: str) -> None:
    assert f"of the time lost{verdict}" in budget_verdict(lost, seconds, budget)
