"""Open sides: what leaves through them, and what comes back."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from atmosphere.dynamics_cases import begun, ended, small, values
from halocline.atmosphere import _native
from halocline.atmosphere.component import AtmosphereComponent
from halocline.core.errors import UserError
from halocline.runtime.fields.kernel import kernels_of
from kernels.all_samples import samples
from references.linear_air import Channel

kernels = kernels_of(_native)
open_along_x = {"grid.periodic_x": False, "atmosphere.sides.kind": "open"}
open_all_around = open_along_x | {"grid.periodic_y": False, "grid.ny": 16}


def test_uniform_wind_stays_as_it_is():
    wind = {"atmosphere.start.wind_u": 20.0, "atmosphere.start.wind_v": -7.0}
    component = ended(small(**open_all_around, **wind, **{"atmosphere.air.kind": "stable"}))
    for name, expected in (("u", 20.0), ("v", -7.0), ("w", 0.0)):
        assert_allclose(values(component, name), expected, atol=1e-9)


def test_outermost_faces_have_the_wind_beside_them():
    """As in files: as it is after the step, not as it began."""
    stir = {
        "atmosphere.start.wind_u": 10.0, "atmosphere.start.bubble.amplitude": 5.0,
        "grid.nx": 20, "grid.x0": -4750.0, "time.length": "100s",
    }  # fmt: skip
    component = ended(small(**open_all_around, **stir))
    shown = component.diagnose(["x_wind"], component.time)["x_wind"].gather()
    u, v = values(component, "u"), values(component, "v")
    assert abs(u[..., -1] - 10.0).max() > 1e-3
    assert np.array_equal(u[..., :2], u[..., 1:3]) and np.array_equal(u[..., -2:], u[..., -3:-1])
    assert np.array_equal(v[..., -2:, :], v[..., -3:-1, :])
    assert np.array_equal(shown[..., -1], shown[..., -2])


def long_wave(component: AtmosphereComponent, x0: float, width: float) -> float:
    """Set a pulse of wind of the fastest gravity mode of a channel; its speed [m s-1]."""
    channel, k, s = Channel(), 1e-5, component.state
    squared, shapes, _ = channel.oscillators(k)
    mode = np.argmax(np.where(np.sqrt(np.abs(squared)) / k < 200.0, squared, 0.0))
    heights = component.options.layers.heights()
    (along, _), _ = channel.polynomials(0.5 * (heights[1:] + heights[:-1]))
    (_, _), (up, _) = channel.polynomials(heights)
    u, w = shapes[: channel.terms, mode] @ along, shapes[channel.terms :, mode] @ up / k
    x, dx = component.plane.x, component.plane.dx[0, 0]
    away, far = x - x0, np.append(x - 0.5 * dx, x[-1] + 0.5 * dx) - x0
    steep = -2.0 * away / width**2 * np.exp(-((away / width) ** 2))
    size = 1e-2 / np.abs(u).max()
    s.u.set_global((size * u[:, None] * np.exp(-((far / width) ** 2)))[:, None])
    s.w.set_global((size * w[:, None] * steep)[:, None])
    return float(np.sqrt(squared[mode]) / k)


@pytest.mark.parametrize("of_speed", [1.0, 2.0])
def test_an_outgoing_gravity_wave_leaves(of_speed):
    """With (c - wave_speed) / (c + wave_speed) of its wind turned round, which is none at its own.

    A pulse of 30 km in air of one temperature, in cells of 5 km, goes both ways; the half that has
    met the side comes back into the middle. What there is of it at its own speed, 0.06, is of
    first order in the cell over the pulse.
    """
    air = {
        "atmosphere.air.kind": "isothermal", "atmosphere.air.temperature": 250.0,
        "atmosphere.layers.count": 10, "grid.nx": 60, "grid.dx": 5e3, "grid.dy": 5e3,
        "grid.x0": 0.0, "time.step": "30s", "time.length": "2940s",
        "atmosphere.sides.wave_speed": of_speed * 58.77,
    }  # fmt: skip
    case = small(**open_along_x, **air)
    component = begun(case)
    assert long_wave(component, x0=225e3, width=30e3) == pytest.approx(58.77, abs=0.01)
    start = values(component, "u")[0, 0]
    component.start(case.time.clock().time, True)
    u = values(ended(case, component), "u")[0, 0] / (0.5 * start[np.abs(start).argmax()])
    assert u[5:20].max() == pytest.approx(1.0, abs=0.03)
    back = u[25:50]
    expected = (of_speed - 1.0) / (of_speed + 1.0)
    assert back[np.abs(back).argmax()] == pytest.approx(expected, abs=0.07)


@pytest.mark.parametrize(
    ("length", "most"),
    [("160s", {"theta": 0.12, "w": 0.35}), ("320s", {"theta": 0.012, "w": 0.17})],
)
def test_a_warm_bubble_goes_out_with_the_wind(length, most):
    """What differs from air that goes on beyond the side,
    of 1.6 K and 2 m/s: as it passes, then."""
    bubble = {
        "atmosphere.start.bubble.amplitude": 2.0, "atmosphere.start.bubble.z": 4000.0,
        "atmosphere.start.bubble.x": 4000.0, "atmosphere.start.wind_u": 40.0,
        "atmosphere.air.kind": "stable", "time.step": "4s", "time.length": length,
    }  # fmt: skip
    cut = ended(small(**open_along_x, **bubble))
    wide = ended(small(**bubble, **{"grid.nx": 100, "grid.x0": -24750.0}))
    if length == "160s":
        assert values(wide, "w").max() > 2.0
    for name, difference in most.items():
        here, there = values(cut, name), values(wide, name)[..., 30:70]
        assert np.abs(here - there)[..., 3:-3].max() < difference


def around(plane: np.ndarray, box: tuple[int, ...]) -> np.ndarray:
    j0, j1, i0, i1, _ = box
    return plane[..., j0:j1, i0:i1]


@pytest.mark.parametrize(("axis", "wind"), [(-1, "u"), (-2, "v")])
def test_radiation_is_that_of_plain_numpy(axis, wind):
    """With waves slower than the wind too, where nothing comes in."""
    kernel = kernels[f"atmosphere_radiate_{wind}"]
    sample = samples[kernel.name](np.random.default_rng(3), np.float64)
    a = {name: array.copy() for name, array in sample.arrays.items()}
    a["x_edge" if wind == "u" else "y_edge"][:, ::2] = 0.0
    was = a[f"{wind}_change"].copy()
    kernel.function(box=sample.box, **a, **(sample.scalars | {"wave_speed": 10.0}))
    edge = a["x_edge" if wind == "u" else "y_edge"]
    side, column = np.sign(edge), a["mass"] + a["base_mass"]
    here, ahead, behind = (np.roll(a[wind], n, axis) for n in (0, -1, 1))
    inside = np.where(side > 0, ahead, behind)
    layer = 0.5 * a["c1"][:, None, None] * (column + np.roll(column, 1, axis))
    layer = layer + a["c2"][:, None, None]
    out = np.maximum(10.0 - side * here, 0.0)
    length = a["x_distance" if wind == "u" else "y_distance"]
    more = np.where(side != 0, layer * out * (inside - here) / length, 0.0)
    found = a[f"{wind}_change"] - was
    assert (around(more, sample.box) == 0.0).any() and np.abs(around(more, sample.box)).max() > 1.0
    assert_allclose(
        around(found, sample.box), sample.scalars["dt"] * around(more, sample.box), rtol=1e-10,
        atol=1e-6,
    )  # fmt: skip


def test_outside_becomes_what_is_inside():
    """New values of theta, w and geopotential, by changes of momentum and heat per mass."""
    kernel = kernels["atmosphere_continue_cells"]
    sample = samples[kernel.name](np.random.default_rng(4), np.float64)
    a = {name: array.copy() for name, array in sample.arrays.items()}
    kernel.function(box=sample.box, **a)
    j0, j1, i0, i1, _ = sample.box
    marked = 0
    for j in range(j0, j1):
        for i in range(i0, i1):
            if not a["outside"][j, i]:
                for name in ("theta_change", "w_change", "geopotential_change"):
                    assert np.array_equal(a[name][:, j, i], sample.arrays[name][:, j, i])
                continue
            marked += 1
            n, m = j + int(np.round(a["inward_y"][j, i])), i + int(np.round(a["inward_x"][j, i]))
            was = a["base_mass"][j, i] + a["mass"][j, i]
            now = was + a["mass_change"][j, i]
            assert now == pytest.approx(a["base_mass"][j, i] + a["mass"][n, m], rel=1e-14)
            layers = [a["c1"] * mass + a["c2"] for mass in (was, now)]
            theta = (layers[0] * a["theta"][:, j, i] + a["theta_change"][:, j, i]) / layers[1]
            wanted = a["theta"][:, n, m] + a["base_theta"][:, j, i] - a["base_theta"][:, n, m]
            assert_allclose(theta, wanted, atol=1e-9)
            faces = [a["c1_face"] * mass + a["c2_face"] for mass in (was, now)]
            w = (faces[0] * a["w"][:, j, i] + a["w_change"][:, j, i]) / faces[1]
            assert_allclose(w, a["w"][:, n, m], atol=1e-9)
            lifted = a["geopotential"][:, j, i] + a["geopotential_change"][:, j, i]
            assert_allclose(lifted, a["geopotential"][:, n, m], atol=1e-9)
    assert marked > 5


@pytest.mark.parametrize(("name", "into"), [("water", "next_water"), ("energy", "next_energy")])
def test_water_and_energy_outside_become_what_is_inside(name, into):
    kernel = kernels[f"atmosphere_continue_{name}"]
    sample = samples[kernel.name](np.random.default_rng(5), np.float64)
    a = {key: array.copy() for key, array in sample.arrays.items()}
    kernel.function(box=sample.box, **a)
    j0, j1, i0, i1, _ = sample.box
    j, i = np.mgrid[j0:j1, i0:i1]
    n, m = (np.round(a[f"inward_{axis}"][j0:j1, i0:i1]).astype(int) for axis in "yx")
    source = a["water" if name == "water" else "stage_energy"]
    wanted = np.where(
        a["outside"][j, i] != 0, source[..., j + n, i + m], sample.arrays[into][..., j, i]
    )
    assert np.array_equal(a[into][..., j, i], wanted)


def test_what_open_sides_need():
    with pytest.raises(UserError, match=r"3 outer rows.*grid.nx = 8. Use 9 or more"):
        begun(small(**open_along_x, **{"grid.nx": 8}))
    with pytest.raises(UserError, match="all sides of the grid are joined"):
        begun(small(**{"atmosphere.sides.kind": "open"}))
