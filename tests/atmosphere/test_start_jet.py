"""A balanced jet in a channel: by its formulas, at rest, and the wave that a gust makes of it."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, values
from halocline.atmosphere.start_jet import BalancedJet, JetOptions
from halocline.core.errors import UserError

thin = {"grid.nx": 4, "atmosphere.start.jet.gust": 0.0, "precision": "float64"}


def test_the_jet_is_in_thermal_wind_balance():
    """f du / d ln eta = R dT/dy, by differences of small steps."""
    jet = BalancedJet(JetOptions(speed=35.0), -1e6, 6e6, 1e-4, 1.6e-11)
    y, eta, step = np.linspace(-0.9e6, 4.9e6, 40), np.linspace(0.02, 1.0, 30)[:, None], 1e-4
    f = 1e-4 + 1.6e-11 * (y - 2e6)
    up, down = (jet.wind(1e9, y, eta * np.exp(sign * step)) for sign in (1, -1))
    north, south = (jet.temperature(y + sign * 100.0, eta) for sign in (1, -1))
    expected = 287.0 * (north - south) / 200.0
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(f * (up - down) / (2.0 * step), expected, atol=1e-8)
    edges = jet.wind(1e9, np.array([-1e6, 5e6]), np.array([0.3, 0.3]))
    np.testing.assert_allclose(edges, 0.0, atol=1e-12)


def test_the_jet_stays_as_it_is():
    """For half a day; a jet of another turning plane does not."""
    moved = []
    for rotation in (1.0313e-4, 1.2e-4):
        case = shipped("baroclinic-wave", **thin, **{"time.length": "12h"})
        component = begun(case)
        if rotation > 1.1e-4:
            component.state.coriolis.set_global(np.full((30, 4), rotation))
        before = values(component, "u")
        assert before.max() == pytest.approx(35.0 * 0.858, rel=0.01)
        ended(case, component)
        moved.append(np.abs(values(component, "u") - before).max())
    assert moved[0] < 0.1 < 1.0 < moved[1]


def test_jets_that_cannot_be_are_refused():
    hill = {"atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 100.0}
    with pytest.raises(UserError, match="over flat ground"):
        begun(shipped("baroclinic-wave", **thin, **hill))
    with pytest.raises(UserError, match="give atmosphere.rotation"):
        begun(shipped("baroclinic-wave", **thin, **{"atmosphere.rotation": 0.0}))
