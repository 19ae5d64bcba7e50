"""Shipped cases of the atmosphere, run whole: what is published of them, or why they are shown."""

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, values


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
    u, v = values(component, "u")[0], values(component, "v")[0, 1:-1]
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


def density_current(dx: float, dt: float) -> np.ndarray:
    """Potential temperature less 300 K after 900 s in cells of dx [m], shape (nk, ni)."""
    cells = {"grid.nx": round(51200.0 / dx), "atmosphere.layers.count": round(6400.0 / dx)}
    place = {"grid.dx": dx, "grid.dy": dx, "grid.x0": -25600.0 + 0.5 * dx}
    return values(
        ended(shipped("density-current", **cells, **place, **{"time.step": f"{dt}s"})), "theta"
    )[:, 0]


def means(fine: np.ndarray, of: int) -> np.ndarray:
    """Of squares of so many cells."""
    nk, ni = fine.shape
    return fine.reshape(nk // of, of, ni // of, of).mean((1, 3))


@pytest.mark.slow
def test_the_density_current_converges():
    """Cells of 400 to 50 m; converged it has -9.77 K and its front at 15.5 km (Straka et al. 1993).

    Compared with the finest in cells of 200 m. Twelve minutes of a core that others used too.
    """
    fields = {dx: density_current(dx, dx / 200.0) for dx in (400.0, 200.0, 100.0, 50.0)}
    finest = means(fields[50.0], 4)
    errors = [rms(means(fields[dx], n) - finest) for dx, n in ((200.0, 1), (100.0, 2))]
    assert errors[0] < 0.35 and errors[1] < 0.25 * errors[0]
    assert fields[50.0].min() == pytest.approx(-9.77, abs=0.1)
    assert front(50.0, fields[50.0]) == pytest.approx(15_500.0, abs=50.0)
    assert fields[100.0].min() == pytest.approx(-9.77, abs=0.1)
    assert fields[400.0].max() > fields[200.0].max() > fields[100.0].max()
    fronts = [front(dx, fields[dx]) for dx in (400.0, 200.0, 100.0)]
    assert fronts[0] > fronts[1] > fronts[2]
    assert fronts[2] == pytest.approx(15_540.0, abs=50.0)


def rms(a: np.ndarray) -> float:
    return float(np.sqrt((a**2).mean()))


def front(dx: float, theta: np.ndarray) -> float:
    """Where the lowest layer is 1 K colder [m]."""
    last = int(np.flatnonzero(theta[0] < -1.0).max())
    share = (-1.0 - theta[0, last]) / (theta[0, last + 1] - theta[0, last])
    return -25600.0 + dx * (0.5 + last + share)


@pytest.mark.slow
def test_the_storm_splits():
    """Half of it, beside a mirror: Weisman and Klemp (1982) have 35 to 40 m/s, then two storms."""
    half = {
        "grid.ny": 42, "grid.y0": 1e3, "grid.periodic_y": False, "grid.sides.south": "mirror",
        "grid.sides.north": "mirror",
    }  # fmt: skip
    case = shipped("supercell", **half, **{"time.length": "80min"})
    component, clock, seen = begun(case), case.time.clock(), {}
    for step in range(1, clock.steps + 1):
        component.step(clock.time)
        clock.advance()
        if step in (125, 400):  # 25 and 80 minutes
            seen[step] = values(component, "w").max(axis=(0, 2))
    assert 35.0 < seen[125].max() < 40.0
    assert seen[125].argmax() == 0
    assert 30.0 < seen[400].max() < 45.0
    assert component.plane.y[seen[400].argmax()] > 8e3
    assert seen[400][0] < 0.7 * seen[400].max()
