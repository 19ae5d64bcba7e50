"""What the ocean refuses: steps that are too long, values that are none. Ranks: 1."""

import re

import numpy as np
import pytest

from halocline.core.errors import BrokenState, UserError
from halocline.experiment.run import run
from halocline.ocean.tracer_options import OceanTracerOptions
from halocline.ocean.watch import StateWatch, column_rates
from halocline.runtime.writing.restart import find_restarts
from ocean import oceans
from ocean.forced_ocean import advance, build, everything


def watched(levels, u, v, dt):
    model = oceans.build(levels, dt, courant_interval=1)
    oceans.put_velocity(model, u, v)
    return model, StateWatch(model)


def test_a_courant_number_by_hand():
    """0.5 m/s along squares of 10 km, and 0.2 across, in an hour."""
    levels = oceans.plane(6, 6, 1e4, [10.0, 20.0])
    model, watch = watched(levels, 0.5, 0.2, 3600.0)
    model.step(1)
    model, watch = watched(levels, 0.5, 0.2, 3600.0)
    watch.courant(dt=3600.0)
    found = model.state.courant.gather()
    np.testing.assert_allclose(found[2:4, 2:4], 0.7 * 3600.0 / 1e4, rtol=1e-14)


@pytest.mark.parametrize("thin", [False, True])
def test_columns_agree_with_the_kernel_and_with_differences_of_fluxes(thin):
    """On a rough floor, where water must rise; the vertical part from what converges below."""
    levels = oceans.thinned(oceans.rough_sphere()) if thin else oceans.rough_sphere()
    random = np.random.default_rng(5)
    u, v = random.uniform(-1.0, 1.0, (2, *oceans.wet_corners(levels).shape))
    model, watch = watched(levels, u, v, 7200.0)
    watch.courant(dt=7200.0)
    s = model.state
    fields = s.courant, s.layer, s.u, s.v, s.corner_dx, s.corner_dy
    kernel, layer, *flow = (field.gather() for field in fields)
    checked = 0
    for j, i in np.argwhere(levels.mask)[:: 6 if thin else 1].tolist():
        shares = 7200.0 * column_rates(levels, flow, layer[j, i], j, i)
        np.testing.assert_allclose(shares.sum(axis=0).max(), kernel[j, i], rtol=1e-12)
        checked += int(shares[2].max() > 0.01)
    assert checked > (10 if thin else 50)
    assert not kernel[~levels.mask].any()


def test_a_step_that_is_too_long_is_refused_with_place_and_remedy():
    """A jet through one column; the step that is told would do."""
    levels = oceans.plane(9, 9, 1e4, [10.0, 20.0], closed_edges=True)
    jet = np.zeros(oceans.wet_corners(levels).shape)
    jet[1, 4:6, 3:6], jet[1, 4:6, 4] = 3.0, 3.3
    _, time = build(everything)
    model, watch = watched(levels, jet, 0.0, 6000.0)
    with pytest.raises(BrokenState) as caught:
        watch.look(1, time)
    words = str(caught.value)
    assert "1.98 of a cell in a step of 6000 s; at most 1 may: 1.89 along x, 0.00 along y" in words
    assert "0.09 along the vertical at level 1 (5 m), row 4, column 3" in words
    step = float(re.search(r"time.step = (\d+) s", words)[1])
    assert 2000.0 < step < 3000.0
    watched(levels, jet, 0.0, step)[1].look(1, time)


def test_sweeps_over_two_steps_bear_half_of_it():
    """0.6 of a cell: too much for the limited scheme, which would hold less than nothing."""
    levels = oceans.plane(9, 9, 1e4, [10.0, 20.0], periodic_x=True)
    _, time = build(everything)
    for advection, refused in (("upwind3", False), ("limited3", True)):
        tracers = OceanTracerOptions(advection=advection)
        model = oceans.build(levels, 6000.0, courant_interval=1, tracers=tracers)
        oceans.put_velocity(model, 1.0, 0.0)
        if refused:
            with pytest.raises(BrokenState, match=r"at most 0.5 may.* = 4000 s or less"):
                StateWatch(model).look(1, time)
        else:
            StateWatch(model).look(1, time)


def test_it_looks_when_it_is_asked_to():
    levels = oceans.plane(9, 9, 1e4, [10.0, 20.0])
    model = oceans.build(levels, 6000.0, courant_interval=4)
    oceans.put_velocity(model, 3.0, 0.0)
    watch, (_, time) = StateWatch(model), build(everything)
    for number in (1, 2, 3, 5):
        watch.look(number, time)
    with pytest.raises(BrokenState):
        watch.look(8, time)
    model = oceans.build(levels, 6000.0, courant_interval=0)
    oceans.put_velocity(model, 3.0, 0.0)
    StateWatch(model).look(0, time)


def test_a_value_that_is_not_finite_is_named():
    component, time = build(everything)
    time = advance(component, time, 3)
    s = component.model.state
    k, j, i = 3, 5, 4
    assert component.grid.wet[k, j, i]
    with s.tracer.change() as owned:
        owned[0][1, k, j, i] = np.nan
    with pytest.raises(BrokenState, match=r"is not finite at level \d .*row \d+, column \d+"):
        advance(component, time, 2)


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ("12h", "Its last restart is 'restart_"),
        ("10d", "It has left no restart yet: the next one was due at 2000-01-11 00:00."),
        ("", "It has left no restart: ask for some with restart.interval."),
    ],
)
def test_a_run_that_breaks_off_names_its_last_restart(tmp_path, interval, words):
    """A storm of 2 Pa along the equator, in steps of half a day."""
    case = {
        "component": "ocean",
        "time": {"length": "20d", "step": "12h"},
        "grid": {
            "nx": 24, "ny": 10, "dx": 1.0, "dy": 1.0, "y0": -4.5, "depth": 300.0,
            "levels": {"thickness": [100.0, 200.0]},
        },
        "ocean": {"wind": {"amplitude": 2.0, "bands": 0.0}, "courant_interval": 1},
        "restart": {"at_end": False} | ({"interval": interval} if interval else {}),
        "output": {},
    }  # fmt: skip
    with pytest.raises(UserError) as caught:
        run(case, output=tmp_path / "storm")
    said = str(caught.value)
    assert "of a cell in a step of 43200 s" in said and "along x" in said and words in said
    left = [path.name for path in find_restarts(tmp_path / "storm")]
    assert bool(left) == (interval == "12h") and (not left or f"'{left[0]}'" in said)
