"""The fused transport of tracers: bits of its parts, plain reference, invariance, conservation."""

from contextlib import contextmanager

import numpy as np
import pytest

from halocline.numerics import _native
from halocline.runtime.ranks.threads import set_threads
from halocline_lab import _native as laboratory
from numerics.tracer_states import inside, random_sea
from references import tracer_transport as reference


def fused(arrays, box, *, first="x", limited=True, diffusive=True, width=64, group=8, result=None):
    result = np.zeros_like(arrays["tracer"]) if result is None else result
    getattr(_native, f"transport_tracers_{first}_first")(
        box=box,
        **arrays,
        new_tracer=result,
        dt=1.0,
        limited=limited,
        diffusive=diffusive,
        width=width,
        group=group,
    )
    return result


@contextmanager
def on_threads(number):
    before = laboratory.threads()
    set_threads(number)
    try:
        yield
    finally:
        set_threads(before)


def composed(a, box, limited=True, first="x"):
    """The plain kernels one after the other."""
    j0, j1, i0, i1, _ = box
    tracers = [a["tracer"], *(np.zeros_like(a["tracer"]) for _ in range(3))]
    volumes = [a["volume"], *(np.zeros_like(a["volume"]) for _ in range(3))]
    wider = (j0 - 2, j1 + 2, i0, i1, 0) if first == "x" else (j0, j1, i0 - 2, i1 + 2, 0)
    for at, axis in enumerate("xy" if first == "x" else "yx"):
        getattr(_native, f"sweep_{axis}")(
            box=box if at else wider,
            tracer=tracers[at],
            volume=volumes[at],
            **{name: a[name] for name in (f"{axis}_volume_flux", f"{axis}_conductance")},
            thickness=a["thickness"],
            swept_tracer=tracers[at + 1],
            swept_volume=volumes[at + 1],
            dt=1.0,
            limited=limited,
        )
    _native.sweep_z(
        box=box,
        tracer=tracers[2],
        volume=volumes[2],
        z_volume_flux=a["z_volume_flux"],
        swept_tracer=tracers[3],
        swept_volume=volumes[3],
        dt=1.0,
        limited=limited,
    )
    result, volume = tracers[3], volumes[3]
    _native.sinking(box, result, volume, a["area"], a["sinking_speed"], 1.0)
    _native.vertical_diffusion(
        box, result, volume, a["vertical_diffusivity"], a["area"], a["spacing"], 1.0
    )
    return result, volume


@pytest.mark.parametrize("first", ["x", "y"])
@pytest.mark.parametrize("limited", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_has_the_bits_of_its_parts(dtype, limited, first):
    random = np.random.default_rng(3)
    for tracers, levels, rows, columns in ((5, 7, 20, 45), (1, 1, 1, 1), (3, 4, 2, 33)):
        a, box = random_sea(random, tracers, levels, rows, columns, dtype)
        expected, _ = composed(a, box, limited, first)
        for width, group in ((64, 8), (16, 2), (13, 5), (1, 1)):
            got = fused(a, box, first=first, limited=limited, width=width, group=group)
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("first", ["x", "y"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tracers_may_be_passed_in_their_own_place(dtype, first):
    """In one tile and in many; threads share parts of 16 rows or more."""
    random = np.random.default_rng(8)
    for tracers, levels, rows, columns in ((5, 4, 20, 33), (2, 3, 133, 40), (1, 1, 1, 1)):
        a, box = random_sea(random, tracers, levels, rows, columns, dtype)
        expected = a["tracer"].copy()
        expected[inside(box)] = fused(a, box, first=first)[inside(box)]
        for width, group, threads in ((64, 8, 3), (16, 2, 1), (13, 5, 2), (2, 1, 1), (1, 2, 3)):
            tracer = a["tracer"].copy()
            own = {**a, "tracer": tracer}
            with on_threads(threads):
                fused(own, box, first=first, width=width, group=group, result=tracer)
            np.testing.assert_array_equal(tracer, expected)


@pytest.mark.parametrize("first", ["x", "y"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_land_is_left_out(dtype, first):
    """Whole rows, packs and tiles of land at the lower levels, and single seas in them."""
    random = np.random.default_rng(12)
    for _ in range(4):
        a, box = random_sea(random, 3, 6, 14, 70, dtype)
        deep = np.zeros(a["area"].shape, bool)
        deep[random.integers(0, deep.shape[0], 6), random.integers(0, deep.shape[1], 6)] = True
        deep[5:9, 20:24] = True
        make_land(a, np.where(deep, 0, 3), np.where(random.random(deep.shape) < 0.5, 6, 0))
        expected, _ = composed(a, box, first=first)
        for width, group in ((80, 3), (16, 2), (5, 1), (1, 3)):
            np.testing.assert_array_equal(
                fused(a, box, first=first, width=width, group=group), expected
            )
            tracer = a["tracer"].copy()
            fused(
                {**a, "tracer": tracer}, box, first=first, width=width, group=group, result=tracer
            )
            np.testing.assert_array_equal(tracer[inside(box)], expected[inside(box)])


def make_land(a, floor, other):
    """No water below `floor`, nor below `other` in the northern half; no flow through land."""
    floor = floor.copy()
    floor[floor.shape[0] // 2 :] = np.maximum(floor, other)[floor.shape[0] // 2 :]
    wet = (np.arange(len(a["volume"]))[:, None, None] >= floor) & (a["volume"] > 0)
    a["volume"] *= wet
    a["tracer"] *= wet
    for axis, name in ((2, "x_volume_flux"), (1, "y_volume_flux"), (0, "z_volume_flux")):
        a[name] *= wet & np.roll(wet, 1, axis)


@pytest.mark.parametrize("limited", [True, False])
def test_plain_reference(limited):
    random = np.random.default_rng(4)
    for diffusive in (True, False):
        a, box = random_sea(random, tracers=4, levels=5, rows=8, columns=9)
        expected = reference.transport(a, 1.0, limited, diffusive)[inside(box)]
        got = fused(a, box, limited=limited, diffusive=diffusive)[inside(box)]
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-14)
        single = fused(
            {name: array.astype(np.float32) for name, array in a.items()},
            box,
            limited=limited,
            diffusive=diffusive,
        )[inside(box)]
        np.testing.assert_allclose(single, expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_in_blocks(dtype):
    a, box = random_sea(
        np.random.default_rng(5), tracers=3, levels=6, rows=13, columns=37, dtype=dtype
    )
    whole = fused(a, box)
    j0, j1, i0, i1, _ = box
    for rows, columns in ((1, 37), (13, 5), (4, 16), (7, 19)):
        pieces = np.zeros_like(whole)
        for j in range(j0, j1, rows):
            for i in range(i0, i1, columns):
                part = (j, min(j + rows, j1), i, min(i + columns, i1), 0)
                got = fused({n: x.copy() for n, x in a.items()}, part)
                pieces[inside(part)] = got[inside(part)]
        np.testing.assert_array_equal(pieces, whole)


def test_content_is_closed():
    """Content changes by what passes the sides of the box only: none with closed sides."""
    for seed in range(5):
        a, box = random_sea(np.random.default_rng(seed), tracers=4, levels=6, rows=12, columns=17)
        close_sides(a, box)
        result, volume = composed(a, box)
        before = (a["tracer"] * a["volume"])[inside(box)].sum(axis=(1, 2, 3))
        after = (fused(a, box) * volume)[inside(box)].sum(axis=(1, 2, 3))
        np.testing.assert_allclose(after, before, rtol=1e-14)
        np.testing.assert_allclose(
            volume[inside(box)].sum(), a["volume"][inside(box)].sum(), rtol=1e-14
        )
        assert not np.array_equal(result, a["tracer"])


def close_sides(a, box):
    j0, j1, i0, i1, _ = box
    outside = np.ones(a["area"].shape, bool)
    outside[j0:j1, i0:i1] = False
    a["volume"][..., outside] = 0
    a["tracer"][..., outside] = 0
    wet = a["volume"] > 0
    for axis, name in ((2, "x_volume_flux"), (1, "y_volume_flux"), (0, "z_volume_flux")):
        a[name] *= wet & np.roll(wet, 1, axis)


def test_never_negative_and_no_new_extremes():
    """Also where the flow diverges, half of every cell leaves it, and tracers are spikes."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        a, box = random_sea(random, tracers=4, levels=5, rows=9, columns=11)
        a["tracer"] = np.where(random.random(a["tracer"].shape) < 0.3, 1.0, 0.0) * (a["volume"] > 0)
        assert fused(a, box).min() >= 0.0
        a, box = random_sea(random, tracers=2, rows=9, columns=11, sinking=False)
        for name in ("x_volume_flux", "y_volume_flux", "z_volume_flux"):
            a[name] *= 0.0
        a["x_volume_flux"][:] = 0.3
        a["volume"][:] = 1.0
        a["tracer"] = random.random(a["tracer"].shape)
        got = fused(a, box)[inside(box)]
        assert a["tracer"].min() <= got.min() and got.max() <= a["tracer"].max()


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 3e-6), (np.float64, 5e-15)])
def test_constant_stays_constant(dtype, bound):
    """Whatever the divergence: volumes change by the very fluxes that carry the tracer."""
    a, box = random_sea(
        np.random.default_rng(7), levels=6, rows=12, columns=17, dtype=dtype, sinking=False
    )
    a["tracer"] = np.where(a["volume"] > 0, dtype(1), dtype(0)) * np.ones_like(a["tracer"])
    for _ in range(5):
        new = fused(a, box)
        a["tracer"][inside(box)] = new[inside(box)]
    wet = (a["volume"] > 0)[inside(box)]
    assert np.abs(new[inside(box)][:, wet] - 1).max() < bound
    assert not new[inside(box)][:, ~wet].any()
