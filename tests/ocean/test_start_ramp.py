"""A sea at rest whose forces of density grow. Ranks: 1."""

import math
from dataclasses import replace

import numpy as np
import pytest

from halocline.ocean.options import OceanStartOptions
from halocline.ocean.start import FrontOptions
from ocean.forced_ocean import advance, build, everything, step, still

front = OceanStartOptions(front=FrontOptions(difference=6.0, y=50.0, width=8.0))
days = 0.25


def started(ramp, **more):
    """A component with a front, driven by nothing but its density."""
    options = replace(
        everything,
        mixing=replace(still, drag=0.0, vertical_viscosity=0.0),
        start=replace(front, ramp=ramp),
        wind=replace(everything.wind, amplitude=0.0),
        forcing=type(everything.forcing)(),
    )
    return build(options, **more)


def share(steps):
    return math.sin(0.5 * math.pi * steps * step / (86400.0 * days)) ** 2


def test_the_first_step_has_its_share_of_the_whole_force():
    """From rest the first step is linear in the forces, the surface within the solver's error."""
    (whole, time), (ramped, _) = started(0.0), started(days)
    for component in (whole, ramped):
        component.step(time)
    for name, allowed in (("u", 1e-6), ("v", 1e-6), ("surface", 1e-6)):
        wanted = getattr(whole.model.state, name).gather()
        found = getattr(ramped.model.state, name).gather()
        most = np.abs(wanted).max()
        assert most > 1e-5
        np.testing.assert_allclose(found, share(1) * wanted, rtol=0.0, atol=allowed * most)


def test_forces_are_whole_after_the_ramp():
    component, time = started(days)
    shares = []
    for _ in range(14):
        time = advance(component, time, 1)
        shares.append(component.model.start_share)
    assert shares == pytest.approx([share(n) for n in range(1, 12)] + [1.0] * 3, rel=1e-13)


def test_a_restart_goes_on_with_the_ramp():
    whole, time = started(days)
    halfway = advance(whole, time, 4)
    kept = [[array.copy() for array in field.read()] for field in whole.restart_fields()]
    again, _ = started(days)
    for field, arrays in zip(again.restart_fields(), kept, strict=True):
        with field.change() as owned:
            for to, values in zip(owned, arrays, strict=True):
                to[...] = values
    again.start(halfway, True)
    again.forward = False
    for component in (whole, again):
        advance(component, halfway, 3)
    assert whole.model.start_share == again.model.start_share == pytest.approx(share(7))
    for field, other in zip(whole.restart_fields(), again.restart_fields(), strict=True):
        for one, two in zip(field.read(), other.read(), strict=True):
            assert np.array_equal(one, two), field.name
