"""Growth by steady winds from calm against published curves, the deviations as they are.

Without the correction for stability, the package of Tolman and Chalikov grows less than the curves
(its authors correct the wind for that); with it, it lies on both sides of them.
"""

import numpy as np
import pytest

from halocline.experiment.run import run
from halocline.waves.inspection import BoxModel
from halocline.waves.parameters import mean_parameters
from halocline.waves.source_integration import SourceIntegration, SourceSettings
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.wind_stability import WindStability
from references import growth

grid = SpectralGrid(first_frequency=0.0418, frequencies=34, directions=24)
hours = (3, 6, 12, 24, 48, 72)


def grow(wind, stability):
    """Mean parameters after each of `hours` at one point, wind [m s-1] from west."""
    settings = SourceSettings(
        grid,
        integration=SourceIntegration(minimum_step=15.0),
        stability=WindStability(enabled=stability),
    )
    box = BoxModel(grid, wind=(wind, 270.0), settings=settings, dtype=np.float32)
    result = []
    for hour in range(1, hours[-1] + 1):
        box.advance(3600.0)
        if hour in hours:
            result.append(mean_parameters(box.spectrum, grid))
    return {name: np.array([one[name] for one in result]) for name in result[0]}


@pytest.mark.parametrize("wind", [10.0, 15.0, 20.0])
@pytest.mark.parametrize(
    ("stability", "least", "most"), [(False, -0.36, 0.08), (True, -0.20, 0.45)]
)
def test_growth_with_time(wind, stability, least, most):
    """Deviation of heights from Kahma and Calkoen, up to Pierson and Moskowitz."""
    sea = grow(wind, stability)
    expected, _ = growth.limited_by_duration(np.array(hours) * 3600.0, wind)
    deviation = sea["significant_height"] / expected - 1.0
    assert least < deviation.min()
    assert deviation.max() < most
    assert (np.diff(sea["significant_height"]) > 0.0).all()
    assert (np.diff(sea["peak_frequency"]) < 0.0).all()
    assert np.allclose(sea["mean_direction"], 270.0, atol=0.01)


@pytest.mark.parametrize("wind", [10.0, 15.0, 20.0])
def test_after_three_days_the_sea_is_nearly_fully_grown(wind):
    sea = grow(wind, stability=False)
    height, frequency = growth.pierson_moskowitz(wind)
    assert sea["significant_height"][-1] == pytest.approx(height, rel=0.15)
    assert sea["peak_frequency"][-1] == pytest.approx(frequency, rel=0.10)
    # Cox and Munk (1954): 0.003 + 0.00512 U in all; the longest waves hold a part of it.
    assert 0.01 < sea["mean_square_slope"][-1] < 0.003 + 0.00512 * wind


def test_growth_with_fetch():
    """15 m/s off a straight coast after 30 h: heights against both curves up to 390 km."""
    wind, width = 15.0, 20e3
    result = run(
        {
            "component": "waves",
            "grid": {
                "kind": "cartesian", "nx": 22, "ny": 3, "dx": width, "dy": width,
                "periodic_y": True,
            },
            "spectrum": {"first_frequency": 0.0485, "frequencies": 30, "directions": 24},
            "time": {"start": "2000-01-01", "length": "30h", "step": "20min"},
            "waves": {"integration": {"minimum_step": 30.0}},
            "forcing": {"wind": {"speed": wind, "direction": 270.0}},
        }
    )  # fmt: skip
    found = result.component.diagnose(["significant_height", "peak_frequency"], None)
    height, frequency = (field.gather().reshape(3, -1) for field in found.values())
    assert np.array_equal(height[0], height[1])
    fetch = (np.arange(height.shape[1]) + 0.5) * width
    far = fetch > 40e3
    for curve, least, most in (
        (growth.kahma_calkoen, -0.30, -0.08),
        (growth.jonswap, -0.22, 0.12),
    ):
        expected, peak = curve(fetch[far], wind)
        deviation = height[1][far] / expected - 1.0
        assert least < deviation.min()
        assert deviation.max() < most
        assert (np.abs(frequency[1][far] / peak - 1.0) < 0.40).all()
    assert (np.diff(height[1]) > 0.0).all()
