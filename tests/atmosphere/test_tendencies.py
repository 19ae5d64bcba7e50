"""Tendencies of the air against their equations in plain NumPy, on random states, and in parts."""

from types import SimpleNamespace

import numpy as np
import pytest

from halocline.atmosphere import _native
from halocline.runtime.fields.kernel import kernels_of
from kernels import atmosphere_samples
from kernels.all_samples import samples
from references import air_tendencies

references = {
    "wind": (("u_tendency", "v_tendency"), air_tendencies.winds),
    "w": (("w_tendency", "geopotential_tendency"), air_tendencies.upward_wind),
    "theta": (("theta_rate",), air_tendencies.theta),
}
seldom = (
    "base_pressure", "base_volume", "dilution", "coriolis",
    "u_forcing", "v_forcing", "w_forcing", "theta_forcing",
)  # fmt: skip


def random_state(name, dtype=np.float64, without=(), seed=1):
    sample = samples[f"atmosphere_{name}_tendency"](np.random.default_rng(seed), dtype)
    given = {key: array.copy() for key, array in sample.arrays.items()}
    given |= {key: None for key in without if key in given}
    return sample.box, given


def called(name, box, given, order=5, vertical_order=3, weno=0):
    kernel = kernels_of(_native)[f"atmosphere_{name}_tendency"]
    call = (box, *(given[argument.name] for argument in kernel.arguments))
    kernel.bound([call])(order=order, vertical_order=vertical_order, weno=weno)


@pytest.mark.parametrize(("order", "weno"), [*((n, 0) for n in range(2, 7)), (2, 1), (5, 1)])
@pytest.mark.parametrize("name", references)
@pytest.mark.parametrize("without", [(), seldom])
def test_tendency(name, without, order, weno):
    box, given = random_state(name, without=without, seed=order)
    results, reference = references[name]
    orders = {"order": order, "vertical_order": 7 - min(order, 5), "weno": weno}
    wanted = reference(SimpleNamespace(**given), **orders)
    called(name, box, given, **orders)
    south, north, west, east, _ = box
    for result, expected in zip(results, wanted, strict=True):
        found, expected = (f[..., south:north, west:east] for f in (given[result], expected))
        assert np.isfinite(found).all() and np.ptp(found) > 0.0
        np.testing.assert_allclose(
            found, expected, rtol=0.0, atol=1e-12 * np.abs(expected).max(), err_msg=result
        )


@pytest.mark.parametrize("weno", [0, 1])
@pytest.mark.parametrize("name", references)
def test_parts_of_a_box_have_the_same_bits(name, weno, monkeypatch):
    """A box of several patches along x and y, at once and in uneven parts."""
    monkeypatch.setattr(atmosphere_samples, "plane_of_cells", (37, 203))
    (south, north, west, east, _), given = random_state(name, np.float32)
    called(name, (south, north, west, east, 0), given, weno=weno)
    results, _ = references[name]
    whole = [given[result].copy() for result in results]
    for result in results:
        given[result][...] = 0.0
    for rows in ((south, south + 5), (south + 5, north)):
        for columns in ((west, west + 50), (west + 50, west + 53), (west + 53, east)):
            called(name, (*rows, *columns, 0), given, weno=weno)
    for result, expected in zip(results, whole, strict=True):
        inside = (slice(None), slice(south, north), slice(west, east))
        assert np.isfinite(expected[inside]).all() and np.ptp(expected[inside]) > 0.0
        np.testing.assert_array_equal(given[result][inside], expected[inside], err_msg=result)


flows = {"x": ("x_flux", 1.0, 2), "y": ("y_flux", -1.0, 1), "z": ("rise", 1.0, 0)}


def uniform_flow(name, along, n, monkeypatch):
    """Unit cells, nothing in them but a flux of mass along one axis; the box, the arrays."""
    monkeypatch.setattr(atmosphere_samples, "plane_of_cells", (n, n))
    monkeypatch.setitem(atmosphere_samples.extents, "depth", n)
    box, given = random_state(name, without=seldom)
    ones = ("area", "x_area", "y_area", "x_open", "y_open", "thickness", "spacing")
    zeros = ("pressure", "geopotential", "mass", "u", "v", "w", "x_flux", "y_flux", "rise")
    for value, names in ((1.0, ones), (0.0, zeros)):
        for one in names:
            given.get(one, np.empty(0))[...] = value
    flux, speed, _ = flows[along]
    given[flux][...] = speed
    return box, given


@pytest.mark.parametrize(("order", "weno"), [*((n, 0) for n in range(2, 7)), (5, 1)])
@pytest.mark.parametrize("along", flows)
@pytest.mark.parametrize(("name", "carried"), [("wind", "u"), ("wind", "v"), ("w", "w")])
def test_order_of_advection_of_wind(name, carried, along, order, weno, monkeypatch):
    """Of means over cells of sine waves: the flux through a face is the value there."""
    errors = []
    for n in (16, 32):
        box, given = uniform_flow(name, along, n, monkeypatch)
        south, north, west, east, _ = box
        _, speed, axis = flows[along]
        shape = tuple(-1 if this == axis else 1 for this in range(3))
        entries = np.arange(given[carried].shape[axis] + 1) - (0, south, west)[axis]
        edges = 2.0 * np.pi / n * entries
        given[carried] += (-np.diff(np.cos(edges)) * n / (2.0 * np.pi)).reshape(shape)
        called(name, box, given, order, order, weno)
        exact = speed * -np.diff(np.sin(edges)).reshape(shape)
        error = np.abs(given[f"{carried}_tendency"] - exact)[5:-5, south:north, west:east]
        errors.append(error.max() * n)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)
