"""The dynamics of the atmosphere against published numbers, exact answers and what must not change.

Numbers of the cases are those of Straka et al. (1993) and Bryan and Fritsch (2002) and of a solver
in height coordinates with as many cells.
"""

import itertools

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, ended, shipped, small, values
from halocline.atmosphere import _native
from halocline.atmosphere.starting_air import ReferenceColumns, StartingAir, rise
from halocline.core.errors import BrokenState, UserError
from halocline.runtime.fields.kernel import kernels_of

mountain = {
    "atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 2000.0,
    "atmosphere.mountain.width": 2000.0,
}  # fmt: skip


@pytest.mark.parametrize(("precision", "most"), [("float64", 1e-10), ("float32", 1e-5)])
def test_air_at_rest_over_a_steep_mountain_stays_at_rest(precision, most):
    """Of the stratification of the base state; slopes of up to 0.65."""
    air = {"atmosphere.air.kind": "stable", "precision": precision, "time.length": "200s"}
    component = ended(small(**mountain, **air))
    assert np.diff(values(component, "ground")).max() > 300.0
    for name in ("u", "w"):
        assert np.abs(values(component, name)).max() < most


def test_what_air_at_rest_does_that_is_not_the_base_state():
    """Steeper by 10 K over the depth of the model than the base: errors of the pressure force."""
    air = {
        "atmosphere.air.kind": "stable", "atmosphere.base.kind": "isentropic",
        "time.length": "200s",
    }  # fmt: skip
    component = ended(small(**mountain, **air))
    assert 1e-3 < np.abs(values(component, "u")).max() < 0.2


def test_mass_stays_and_a_bubble_stays_symmetric():
    bubble = {"atmosphere.start.bubble.amplitude": 5.0, "time.length": "200s"}
    case = small(**bubble)
    component = begun(case)
    before = values(component, "mass").sum()
    full = before + values(component, "base_mass").sum()
    ended(case, component)
    assert abs(values(component, "mass").sum() - before) < 1e-13 * full
    u, theta = values(component, "u"), values(component, "theta")
    assert np.abs(u).max() > 1.0
    np.testing.assert_allclose(theta, theta[..., ::-1], atol=1e-9)
    np.testing.assert_allclose(u[..., 1:], -u[..., :0:-1], atol=1e-9)


def test_mirrors_are_walls_of_symmetry():
    """Half of a symmetric flow between mirrors is half of the whole."""
    bubble = {"atmosphere.start.bubble.amplitude": 5.0, "time.length": "100s"}
    whole = values(ended(small(**bubble)), "theta")
    sides = {"grid.sides.west": "mirror", "grid.sides.east": "mirror", "grid.periodic_x": False}
    half = small(**bubble, **sides, **{"grid.nx": 20, "grid.x0": 250.0})
    np.testing.assert_allclose(values(ended(half), "theta"), whole[..., 20:], atol=1e-9)


def test_heat_that_mixing_moves_stays():
    mixing = {"atmosphere.mixing.viscosity": 75.0, "atmosphere.mixing.diffusivity": 75.0}
    bubble = {"atmosphere.start.bubble.amplitude": -15.0, "time.length": "100s"}
    case = small(**bubble, **mixing)
    component = begun(case)

    def heat():
        mass = values(component, "mass") + values(component, "base_mass")
        c = component.coordinate
        layer = c.layer_mass(mass) * c.thickness[:, None, None]
        return float((layer * (values(component, "theta") + 300.0)).sum())

    before = heat()
    ended(case, component)
    assert heat() == pytest.approx(before, rel=1e-13)


def test_cases_that_cannot_run_are_refused():
    closed = small(**{"grid.periodic_x": False})
    with pytest.raises(UserError, match="closed in the west.*grid.sides.west = 'mirror'"):
        begun(closed)
    high = {"atmosphere.mountain.kind": "bell", "atmosphere.mountain.height": 9000.0}
    with pytest.raises(UserError, match="no mass"):
        begun(small(**high))
    with pytest.raises(BrokenState, match="Use a smaller time.step|s or less"):
        windy = {"atmosphere.start.wind_u": 50.0, "atmosphere.acoustic.steps": 24}
        ended(small(**{"time.step": "20s"}, **windy))
    with pytest.raises(
        UserError, match=r"5 s sound passes 3.46 cells at row 0, column [0-9]+; at most"
    ):
        begun(small(**{"time.step": "20s", "time.length": "60s"}))


def tendency(q, u, v, order, vertical_order, w=0.0, weno=0):
    """What advection of a field on a periodic cube brings, in uniform flow; unit cells."""
    nk, n = q.shape[0], q.shape[2]
    wide = np.pad(q, ((0, 0), (3, 3), (3, 3)), "wrap")
    plane = wide.shape[1:]
    rise = np.full((nk + 1, *plane), float(w))
    result = np.zeros_like(wide)
    kernels_of(_native)["atmosphere_theta_tendency"].function(
        box=(3, 3 + n, 3, 3 + n, 0), theta=wide, x_flux=np.full_like(wide, u),
        y_flux=np.full_like(wide, v), rise=rise, area=np.ones(plane),
        theta_forcing=np.zeros_like(wide), thickness=np.ones(nk), theta_rate=result, order=order,
        vertical_order=vertical_order, weno=weno,
    )  # fmt: skip
    return result[:, 3:-3, 3:-3]


@pytest.mark.parametrize(("order", "weno"), [*((n, 0) for n in range(2, 7)), (5, 1)])
@pytest.mark.parametrize("along", ["x", "y", "z"])
def test_order_of_advection(along, order, weno):
    """Of means over cells of sine waves: the flux through a face is the value there."""
    errors = []
    for n in (16, 32):
        edges = np.linspace(0.0, 2.0 * np.pi, n + 1)
        means = -np.diff(np.cos(edges)) * n / (2.0 * np.pi)
        exact = -np.diff(np.sin(edges))
        shape = {"x": (1, 1, -1), "y": (1, -1, 1), "z": (-1, 1, 1)}[along]
        q = np.broadcast_to(means.reshape(shape), (n if along == "z" else 1, n, n)).copy()
        flow = {"x": (1.0, 0.0), "y": (0.0, -1.0), "z": (0.0, 0.0)}[along]
        rise = 1.0 if along == "z" else 0.0
        found = tendency(q, *flow, order, order, rise, weno)
        sign = -1.0 if along == "y" else 1.0
        error = np.abs(found - sign * exact.reshape(shape))
        errors.append((error[5:-5] if along == "z" else error).max() * n)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize("along", ["x", "y", "z"])
def test_weighted_heat_hardly_overshoots(along):
    """A warm block, carried 16 cells on in the three stages of steps; fifth order does by 0.15."""
    row = np.where((np.arange(50) >= 10) & (np.arange(50) < 25), 1.0, 0.0)
    shape = {"x": (1, 1, 50), "y": (1, 50, 1), "z": (50, 1, 1)}[along]
    flow = {"x": (0.4, 0.0, 0.0), "y": (0.0, 0.4, 0.0), "z": (0.0, 0.0, 0.4)}[along]
    over = {}
    for weno in (0, 1):
        q = np.broadcast_to(row.reshape(shape), (shape[0], 50, 50)).copy()
        before, over[weno] = q.sum(), 0.0
        for _ in range(40):
            stage = q
            for part in (1.0 / 3.0, 0.5, 1.0):
                stage = q + part * tendency(stage, *flow[:2], 5, 5, flow[2], weno)
            q = stage
            over[weno] = max(over[weno], q.max() - 1.0, -q.min())
        assert q.sum() == pytest.approx(before, rel=1e-13)
    assert over[1] < 3e-4 < 0.1 < over[0]


def test_as_much_heat_everywhere_stays_so():
    """What flows is uniform: of values weighted at faces nothing is left but round-off."""
    q = np.full((20, 12, 12), 7.3)
    found = tendency(q, 0.3, -0.2, 5, 5, 0.1, weno=1)
    assert np.abs(found[1:-1]).max() < 1e-14 * 7.3


def test_weighted_values_of_heat_and_wind_are_asked_for_apart():
    """A cold blob that falls: without overshoots of its own warm side where heat is weighted."""
    cold = {
        "atmosphere.start.bubble.amplitude": -10.0, "atmosphere.start.bubble.z": 3000.0,
        "atmosphere.air.kind": "isentropic", "time.length": "300s", "time.step": "4s",
    }  # fmt: skip
    found = {}
    for asked in ((), ("heat",), ("wind",), ("heat", "wind")):
        weno = {f"atmosphere.advection.weno_{name}": True for name in asked}
        component = ended(small(**cold, **weno))
        found[asked] = values(component, "theta"), values(component, "w")
    warmest = {asked: theta.max() for asked, (theta, _) in found.items()}
    assert warmest["heat",] < 0.02 < 0.1 < warmest[()]
    assert warmest["heat", "wind"] < 0.02 < 0.1 < warmest["wind",]
    for one, other in itertools.combinations(found.values(), 2):
        assert np.abs(one[1] - other[1]).max() > 0.01
    for theta, w in found.values():
        np.testing.assert_allclose(theta, theta[..., ::-1], rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(w, w[..., ::-1], rtol=0.0, atol=1e-9)


def test_waves_below_the_top_are_damped():
    """The bubble below them rises as it does without."""
    bubble = {"atmosphere.start.bubble.amplitude": 5.0, "time.length": "40s"}
    free = ended(small(**bubble))
    damped = ended(small(**bubble, **{"atmosphere.damping.depth": 5000.0}))
    rate = damped.state.w_damping.read()[0]
    assert rate[:10].max() == 0.0 and rate[-1] == pytest.approx(0.2)
    above = [np.abs(values(some, "w")[15:]).max() for some in (free, damped)]
    below = [np.abs(values(some, "w")[3:6]).max() for some in (free, damped)]
    assert above[1] < 0.4 * above[0]
    assert below[1] == pytest.approx(below[0], rel=0.05)


def test_sound_that_goes_along_the_ground_has_its_speed():
    """A standing Lamb wave in air of one temperature: sqrt(gamma R T), but for the top at 50 km.

    Columns are heavier by a cosine along x, hydrostatic; a quarter of a period later they are not.
    """
    air = {"atmosphere.air.kind": "isothermal", "atmosphere.air.temperature": 250.0}
    layers = {"atmosphere.layers.count": 30, "atmosphere.layers.top": 50e3}
    case = small(**air, **layers, **{"grid.dx": 1e4, "time.step": "15s", "time.length": "600s"})
    component, clock = begun(case), case.time.clock()
    shape = np.cos(2.0 * np.pi * np.arange(40) / 40.0)[None]
    base = ReferenceColumns(component.coordinate, component.options.base_air).columns(0.0 * shape)
    start = StartingAir(
        component.coordinate, component.options.air, component.options.air, component.options.start
    )
    mass = 10.0 * shape
    pressure = base.pressure + start.coordinate_pressure(mass)
    theta = base.theta
    for _ in range(4):  # what the air at rest has at these heights
        heights = rise(component.coordinate, base.mass + mass, theta, pressure)
        middle = 0.5 * (heights[1:] + heights[:-1]) / 9.81
        still = 0.5 * (base.geopotential[1:] + base.geopotential[:-1]) / 9.81
        air_there = component.options.air.potential_temperature(
            component.options.air.pressure(middle)
        ) - component.options.air.potential_temperature(component.options.air.pressure(still))
        theta = base.theta + air_there
    component.state.theta.set_global(theta - 300.0)
    component.state.mass.set_global(mass)
    component.state.geopotential.set_global(heights - base.geopotential)
    component.start(clock.time, restarted=True)
    seen = []
    while clock.time < clock.end:
        component.step(clock.time)
        clock.advance()
        seen.append((values(component, "mass") * shape).mean())
    after = int(np.flatnonzero(np.array(seen) < 0.0)[0])
    crossing = 15.0 * (after + seen[after - 1] / (seen[after - 1] - seen[after]))
    assert 4e5 / (4.0 * crossing) == pytest.approx(np.sqrt(1.4 * 287.0 * 250.0), rel=0.03)


@pytest.mark.slow
def test_density_current():
    component = ended(shipped("density-current"))
    theta = values(component, "theta")
    assert theta.min() == pytest.approx(-9.735, abs=0.25)
    assert values(component, "u").max() == pytest.approx(36.09, abs=0.6)
    w = values(component, "w")
    assert (w.min(), w.max()) == pytest.approx((-15.90, 13.01), abs=0.4)
    lowest, x = theta[0, 0], component.plane.x
    last = int(np.flatnonzero(lowest < -1.0).max())
    share = (-1.0 - lowest[last]) / (lowest[last + 1] - lowest[last])
    assert x[last] + 100.0 * share == pytest.approx(15_480.0, abs=100.0)


@pytest.mark.slow
def test_bubble():
    component = ended(shipped("bubble"))
    theta, w = values(component, "theta"), values(component, "w")
    assert theta.max() == pytest.approx(2.075, rel=0.03)
    assert theta.min() == pytest.approx(-0.143, abs=0.06)
    assert (w.min(), w.max()) == pytest.approx((-8.585, 14.532), rel=0.03)


def test_steep_ground_is_refused():
    """With its place, before anything is built."""
    steep = {"atmosphere.mountain.width": 1000.0, "atmosphere.mountain.height": 2500.0}
    with pytest.raises(UserError, match=r"rises by 753 m.*500 m apart.*a slope of 1.51"):
        begun(small(**{"atmosphere.mountain.kind": "bell"}, **steep))


def test_the_fastest_wind_is_found():
    fast = {"time.step": "20s", "atmosphere.acoustic.steps": 24, "atmosphere.start.wind_u": 60.0}
    words = r"cells along x at level [0-9]+, row 0, column [0-9]+; at most 1.42"
    with pytest.raises(BrokenState, match=words):
        ended(small(**fast))
