"""Stages of a step, and steps that are made in parts."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, small, values
from halocline.core.errors import BrokenState, UserError

blown = {
    "atmosphere.start.bubble.amplitude": 1.0, "atmosphere.start.wind_u": 20.0,
    "atmosphere.air.kind": "stable", "atmosphere.acoustic.steps": 8,
}  # fmt: skip


@pytest.mark.parametrize(("stages", "terms"), [(2, 3), (3, 4)])
def test_a_wave_of_wind_across_itself_grows_by_the_polynomial_of_the_stages(stages, terms):
    """v of x in uniform u: in a step by the first terms of exp(z), z of fifth order."""
    case = small(**{
        "atmosphere.start.wind_u": 30.0, "atmosphere.stages": stages, "time.step": "4s",
        "time.length": "4s", "grid.ny": 4, "atmosphere.acoustic.steps": 6,
    })  # fmt: skip
    component = begun(case)
    phase = 2.0 * np.pi * np.arange(40) / 8
    component.state.v.set_cells(lambda j, i: np.cos(phase)[i] + np.zeros((20, *i.shape)))
    component.start(case.time.clock().time, True)
    v = values(ended(case, component), "v")[5, 0]
    found = 2.0 * np.mean(v * np.exp(-1j * phase))
    a = 2.0 * np.pi / 8
    slope = 1j * (45.0 * np.sin(a) - 9.0 * np.sin(2.0 * a) + np.sin(3.0 * a)) / 30.0
    damped = (10.0 - 15.0 * np.cos(a) + 6.0 * np.cos(2.0 * a) - np.cos(3.0 * a)) / 30.0
    z = -30.0 * 4.0 / 500.0 * (slope + damped)
    expected = sum(z**n / np.prod(np.arange(1.0, n + 1.0)) for n in range(terms))
    assert found == pytest.approx(expected, abs=1e-7)
    assert abs(z**terms) > 1e-4


def test_a_step_in_four_parts_is_four_steps():
    """To the last bit; as many as the wind asks for, which the summary says."""
    parted = {"time.step": "8s", "atmosphere.parted_above": 0.1, "time.length": "64s"}
    one = ended(small(**blown, **parted))
    four = ended(small(**blown, **{"time.step": "2s", "time.length": "64s"}))
    for name in ("u", "w", "theta", "geopotential", "mass"):
        assert np.array_equal(values(one, name), values(four, name))
    assert "steps made in 4 to 4 parts, 4.00 in the mean" in one.summary()
    assert "parts" not in four.summary()


def test_a_step_has_as_many_parts_as_the_wind_asks_for():
    slow = begun(small(**blown, **{"time.step": "4s", "atmosphere.parted_above": 0.5}))
    assert [slow.watch.parts(dt) for dt in (4.0, 12.0, 13.0, 50.0)] == [1, 1, 2, 4]


def test_what_parts_and_two_stages_refuse():
    with pytest.raises(BrokenState, match="in 160 parts, with a Courant number of 0.16; at most"):
        ended(small(**blown, **{"time.step": "4s", "atmosphere.parted_above": 0.001}))
    with pytest.raises(UserError, match="of order 4 along layers and 3 across: even orders grow"):
        small(**{"atmosphere.stages": 2, "atmosphere.advection.order": 4})
    with pytest.raises(BrokenState, match=r"0.48 cells along x at level .*; at most 0.3 it may"):
        ended(small(**{
            "atmosphere.stages": 2, "atmosphere.start.wind_u": 60.0, "time.step": "4s",
            "atmosphere.acoustic.steps": 6,
        }))  # fmt: skip
