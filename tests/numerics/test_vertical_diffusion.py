"""Implicit vertical diffusion against the decay of a mode and against a dense solution."""

import math

import numpy as np
import pytest

from halocline.numerics import _native
from numerics.tracer_states import random_sea
from references.tracer_transport import diffuse_vertically


def decay(levels, steps):
    """Error of a cosine after it has fallen to exp(-1), depth and diffusivity 1."""
    z = (np.arange(levels) + 0.5) / levels
    time = 1.0 / math.pi**2
    tracer = np.cos(math.pi * z).reshape(1, levels, 1, 1)
    thickness = 1.0 / levels
    for _ in range(steps):
        _native.vertical_diffusion(
            box=(0, 1, 0, 1, 0),
            tracer=tracer,
            volume=np.full((levels, 1, 1), thickness),
            vertical_diffusivity=np.ones((levels, 1, 1)),
            area=np.ones((1, 1)),
            spacing=np.full(levels, thickness),
            dt=time / steps,
        )
    return np.abs(tracer.ravel() - math.exp(-1) * np.cos(math.pi * z)).max()


def test_decay_of_a_mode():
    assert decay(64, 400) < 1e-3
    in_space = [decay(n, 50 * n * n // 16) for n in (4, 8, 16)]
    assert all(1.8 < math.log2(a / b) < 2.2 for a, b in zip(in_space, in_space[1:], strict=False))
    in_time = [decay(128, n) for n in (5, 10, 20)]
    assert all(0.8 < math.log2(a / b) < 1.2 for a, b in zip(in_time, in_time[1:], strict=False))


def test_any_step_is_stable_and_mixes_at_last():
    a, box = random_sea(np.random.default_rng(1), tracers=2, levels=6)
    volume, tracer = a["volume"], a["tracer"].copy()
    arguments = {n: a[n] for n in ("volume", "vertical_diffusivity", "area", "spacing")}
    _native.vertical_diffusion(box=box, tracer=tracer, **arguments, dt=1e9)
    j0, j1, i0, i1, _ = box
    for j in range(j0, j1):
        for i in range(i0, i1):
            wet = volume[:, j, i] > 0
            for t in range(2):
                before = a["tracer"][t, wet, j, i] * volume[wet, j, i]
                mean = before.sum() / volume[wet, j, i].sum() if wet.any() else 0.0
                np.testing.assert_allclose(tracer[t, wet, j, i], mean, rtol=1e-6)


@pytest.mark.parametrize("dt", [0.01, 1.0, 30.0])
def test_dense_solution(dt):
    a, box = random_sea(np.random.default_rng(2), tracers=3, levels=7)
    box = (0, a["area"].shape[0], 0, a["area"].shape[1], 0)
    arguments = {n: a[n] for n in ("volume", "vertical_diffusivity", "area", "spacing")}
    tracer = a["tracer"].copy()
    _native.vertical_diffusion(box=box, tracer=tracer, **arguments, dt=dt)
    expected = diffuse_vertically(
        a["tracer"], a["volume"], a["vertical_diffusivity"], a["area"], a["spacing"], dt
    )
    np.testing.assert_allclose(tracer, expected, rtol=1e-12)
    content = (tracer * a["volume"]).sum(axis=1)
    np.testing.assert_allclose(content, (a["tracer"] * a["volume"]).sum(axis=1), rtol=1e-13)
