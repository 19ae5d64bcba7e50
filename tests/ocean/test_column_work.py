"""What columns cost: balance of cuts counted cell by cell, and times measured on the x1 grid."""

from dataclasses import replace

import numpy as np
import pytest

from halocline.component.case.reading import make_case
from halocline.experiment.building import build_component
from halocline.experiment.imagined import Imagined
from halocline.grids.vertical.levels import VerticalGrid
from halocline.ocean.column_work import expected_seconds, of_calls
from halocline.ocean.options import OceanOptions
from halocline.ocean.passive_tracers import PassiveTracerOptions
from halocline.runtime.fields.processor_grid import best_grid
from halocline.runtime.running.runner import Plan
from ocean.oceans import plane

shelf = {
    "component": "ocean",
    "grid": {
        "nx": 48, "ny": 30, "dx": 1.0, "dy": 1.0, "y0": -15.0,
        "depth": [[500.0] * 8 + [100.0] * 40] * 20 + [[0.0] * 24 + [500.0] * 24] * 10,
        "levels": {"thickness": [100.0] * 5},
    },
    "time": {"start": "2000-01-01", "length": "1d", "step": "1h"},
}  # fmt: skip


def counted(levels, blocks):
    """Dry cells, and wet ones twice, one by one."""
    wet = levels.wet
    return [sum(1 + int(w) for w in wet[:, a:b, c:d].ravel()) for a, b, c, d in blocks]


@pytest.mark.parametrize("ranks", [2, 4])
def test_ranks_get_equal_work(ranks):
    case = make_case(shelf)
    levels = case.build_levels()
    advised = best_grid(case.load(levels.horizontal), ranks, 1).blocks
    component = build_component(case, case.time.clock(), Imagined(ranks), plan=Plan())
    taken = component.run.decomposition.world.rectangles
    assert [(r.j0, r.j1, r.i0, r.i1) for r in taken] == advised
    work = counted(levels, advised)
    assert sum(work) == counted(levels, [(0, 30, 0, 48)])[0] and max(work) < 1.04 * np.mean(work)
    sea = [int(levels.mask[a:b, c:d].sum()) for a, b, c, d in advised]
    assert max(sea) > 1.1 * np.mean(sea), "sea points alone would give other blocks"


quiet = {"minimal": (40.6, 20.5), "full": (81.5, 37.1)}
"""`halocline lab ocean` on one core of a Xeon (docs/ocean.md), in both precisions [ns per cell]."""


def options_of(physics):
    """As the laboratory has them, without averages of levels in time."""
    options = replace(OceanOptions(), averaging=0)
    if physics == "minimal":
        return replace(options, mixing=replace(options.mixing, scheme="richardson"))
    mixing = options.mixing
    eddies = replace(mixing.eddies, along=600.0, flattening=600.0)
    viscous = replace(mixing.viscous, scheme="anisotropic")
    return replace(options, mixing=replace(mixing, scheme="kpp", eddies=eddies, viscous=viscous))


def x1(levels=40, wet=0.545):
    """As many cells as POP's x1 grid, with its share of water."""
    horizontal = plane(320, 384, 1e5, [10.0]).horizontal
    deep = np.zeros(320 * 384, int)
    deep[: round(wet * deep.size)] = levels
    return VerticalGrid(
        horizontal=horizontal, thickness=np.ones(levels), wet_levels=deep.reshape(384, 320)
    )


@pytest.mark.parametrize("physics", quiet)
def test_expected_time_is_that_measured(physics):
    for precision, measured in zip(("float64", "float32"), quiet[physics], strict=True):
        seconds = expected_seconds(x1(), options_of(physics), precision)
        assert seconds * 1e9 / (320 * 384 * 40) == pytest.approx(measured, rel=0.03)


def test_expected_time_follows_the_choice():
    full = options_of("full")
    one = expected_seconds(x1(), full, "float64")
    assert expected_seconds(x1(20), full, "float64") - of_calls == pytest.approx(
        0.5 * (one - of_calls)
    )
    assert expected_seconds(x1(wet=1.0), full, "float64") > 1.25 * one
    averaged = replace(full, averaging=5)
    assert expected_seconds(x1(), averaged, "float64") == pytest.approx(1.2 * one)

    def with_tracers(advection, passive):
        some = dict.fromkeys("abcd"[:passive], PassiveTracerOptions())
        tracers = replace(full.tracers, advection=advection, passive=some)
        return expected_seconds(x1(), replace(full, tracers=tracers), "float64")

    assert with_tracers("centred", 4) == pytest.approx(1.4 * one, rel=0.02)
    assert one < with_tracers("upwind3", 0) < with_tracers("limited3", 0) < 1.4 * one
    assert with_tracers("upwind3", 2) > with_tracers("centred", 2)
