"""`halocline lab waves`: evaluation of measurements, and the benchmark case itself."""

import pytest

from halocline.component.case.reading import make_case
from halocline_lab.benchmarks import waves
from halocline_lab.benchmarks.wave_run import benchmark_case


def run(seconds: float) -> dict:
    return {
        "seconds": [seconds, seconds * 1.1],
        "phases": {"propagate_space": 0.4 * seconds, "sources: input": 0.3 * seconds},
        "counts": {"points": 100, "steps": 300, "executed": 400, "tiles": 10},
        "stream": {"copy": 2e10, "triad": 2.5e10},
        "ranks": 1,
        "points": 1000,
        "components": 600,
        "sub_steps": [3, 2, 1, 1],
        "memory": 5_000_000,
        "spectra": 2_400_000,
    }


def test_nanoseconds_speed_up_and_ratios():
    result = waves._evaluate({(1, 1): [run(0.36)], (2, 1): [run(0.2)]})
    one, two = result["rows"]
    unit = 1e9 / (1000 * 600 * waves.hours)
    assert one["nanoseconds"] == pytest.approx(0.36 * 1.05 * unit)
    assert two["speed_up"] == pytest.approx(1.8)
    assert result["sub_steps_mean"] == 3.0
    assert result["sub_steps_tile"] == 4.0
    propagation = 0.4 * 0.36 * unit
    assert result["sweep_over_copy"] == pytest.approx(propagation / (2 * 1.75) / (8e9 / 2e10))
    assert "WAVEWATCH III" in waves.table({**result, "physics": "ST2"})


def test_the_benchmark_has_the_points_of_the_paper():
    """W-01: 29,792 spectra."""
    case = make_case(benchmark_case("ST2", "", "6h"))
    assert case.build_grid().sea_points == 29_792
    assert case.spectrum.components == 600
