"""Shipped cases of the atmosphere, run whole: what is published of them, or why they are shown."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import ended, shipped, values


@pytest.mark.slow
def test_bubble_in_cloudy_air():
    """Bryan and Fritsch (2002) have up to 15.7 m/s upward, with other thermodynamics."""
    w = values(ended(shipped("bubble-moist")), "w")
    assert w.max() == pytest.approx(15.7, rel=0.04)
    assert w.min() == pytest.approx(-9.9, rel=0.05)
    assert np.abs(w - w[..., ::-1]).max() < 1e-3


@pytest.mark.slow
def test_a_squall_line_lasts_and_leaves_cold_air():
    """After three hours it rains, and the air at the ground behind the storm is colder by 4 K."""
    component = ended(shipped("squall-line", **{"time.length": "3h"}))
    water, theta = values(component, "water"), values(component, "theta")[0, 0]
    assert values(component, "w").max() > 10.0
    assert component.options.species[2] == "rain" and water[2, 0].max() > 2e-3
    assert theta.min() < theta[-10] - 4.0
    fallen = component.clouds.totals["rain_total"].gather()[0]
    assert fallen.max() > 50.0 and fallen[-60:].max() == 0.0


@pytest.mark.slow
def test_a_hill_that_is_too_high_is_gone_around():
    """N h / U = 3: air goes back in the lee, and stands ahead (Smolarkiewicz and Rotunno 1989)."""
    component = ended(shipped("hill"))
    u, v = values(component, "u")[0], values(component, "v")[0]
    middle = u[23:25].mean(axis=0)
    assert middle[34:44].min() < -1.0 and middle[15:27].min() < 3.0
    assert np.abs(v + v[::-1]).max() < 0.05
    assert np.abs(v).max() > 4.0


@pytest.mark.slow
def test_a_breeze_blows_from_both_seas():
    """At 15 UTC: onto the land below, back above 1 km; one coast is the mirror of the other."""
    component = ended(shipped("sea-breeze", **{"time.length": "9h"}))
    u = values(component, "u")[:, 0]
    faces = np.concatenate([u, u[:, :1]], axis=1)
    assert np.array_equal(faces, -faces[:, ::-1])
    heights = component.options.layers.heights()
    at_coast = faces[:, 70:80].mean(axis=1)
    assert at_coast[:3].min() > 4.0
    assert at_coast[(heights[:-1] > 1200.0) & (heights[1:] < 2500.0)].max() < -1.0
