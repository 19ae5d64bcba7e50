"""Acoustic steps as linear theory wants them: speed, damping and stability of single waves.

All waves of one length along x in isothermal air at rest: the matrix that an acoustic step
multiplies them by, an entry of the state after the other, and its eigenvalues.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

from atmosphere.dynamics_cases import begun, small

columns, temperature = 8, 250.0
speed = np.sqrt(1.4 * 287.0 * temperature)  # of sound [m s-1]
scale = 287.0 * temperature / 9.81  # height over which pressure falls by e [m]
parts = {
    "u_change": "layers", "theta_change": "layers", "w_change": "interfaces",
    "geopotential_change": "interfaces", "pressure_change": "layers", "mass_change": "",
    "mass_rate": "",
}  # fmt: skip
none = {"off_centring": 0.0, "divergence_damping": 0.0}


def still(layers: int, top: float, dx: float = 1000.0):
    """The dynamics of air at rest."""
    settings = {
        "grid.nx": columns, "grid.dx": dx, "grid.dy": dx,
        "atmosphere.air.kind": "isothermal", "atmosphere.air.temperature": temperature,
        "atmosphere.layers.count": layers, "atmosphere.layers.top": top,
        "atmosphere.layers.level_above": -1,
    }  # fmt: skip
    return begun(small(**settings)).dynamics


def amplification(dynamics, waves, dt, *, external=0.0, **damping):
    """Eigenvalues and vectors of an acoustic step, with so many waves in the grid."""
    state, shape = dynamics.state, np.cos(2.0 * np.pi * waves * np.arange(columns) / columns)
    sizes = [getattr(state, name).gather()[..., 0, 0].size for name in parts]
    starts = np.cumsum([0, *sizes])
    matrix = np.zeros((starts[-1], starts[-1]), complex)
    for entry in range(starts[-1]):
        for name, size, start in zip(parts, sizes, starts, strict=False):
            values = np.zeros((size, 1, columns))
            if start <= entry < start + size and not (name in fixed and entry == start):
                values[entry - start] = shape
            field = getattr(state, name)
            field.set_global(values.reshape(field.shape))
        dynamics.later.push(dt=dt, external_damping=external)
        dynamics.later.columns(dt=dt, **damping)
        after = [getattr(state, name).gather().reshape(-1, columns) for name in parts]
        amplitude = np.fft.fft(np.concatenate(after))[:, waves] / columns
        matrix[:, entry] = amplitude * (1.0 if waves in (0, columns // 2) else 2.0)
    return np.linalg.eig(matrix)


fixed = ("w_change", "geopotential_change")  # they are 0 at flat ground


def test_sound_going_up_and_down():
    """Off-centring a gives (1 + i (1 - a) W) / (1 - i a W), of waves of frequency W / dt.

    Between the ground and a top of constant pressure tan(m h) = -2 H m (isothermal; the
    displacement is exp(z / 2 H) sin(m z)), and the frequency is c (m^2 + 1 / 4 H^2)^(1/2).
    """
    dt, off_centring = 5.0, 0.3
    dynamics = still(40, 10e3)
    found, _ = amplification(dynamics, 0, dt, off_centring=off_centring, divergence_damping=0.2)
    moving = found[(abs(found - 1.0) > 1e-4) & (abs(found) > 1e-4)]
    assert moving.size == 80
    after = 0.5 * (1.0 + off_centring)
    rates = (moving - 1.0) / (after * moving + 1.0 - after)
    np.testing.assert_allclose(rates.real, 0.0, atol=1e-8 * abs(rates).max())
    frequencies = np.unique(abs(rates.imag / dt).round(9))
    for number in range(3):
        ends = (np.pi * (number + 0.5) + 1e-9) / 10e3, np.pi * (number + 1.0) / 10e3
        m = brentq(lambda m: np.tan(m * 10e3) + 2.0 * scale * m, *ends)
        exact = speed * np.hypot(m, 0.5 / scale)
        assert frequencies[number] == pytest.approx(exact, rel=3e-3)


@pytest.mark.parametrize("waves", [1, 2, 4])
def test_gravity_waves_neither_grow_nor_fade_without_damping(waves):
    """They are slower than the buoyancy frequency, g / (7/2 R T)^(1/2)."""
    found, _ = amplification(still(15, 15e3), waves, 1.0, **none)
    slow = found[(abs(found) > 0.5) & (abs(np.angle(found)) < 1.01 * 9.81 / np.sqrt(1004.5 * 250))]
    assert slow.size == 29
    np.testing.assert_allclose(abs(slow), 1.0, atol=1e-9)


@pytest.mark.parametrize("waves", [2, 4])
@pytest.mark.parametrize("damping", [0.1, 0.2])
def test_longest_acoustic_step(waves, damping):
    """Of u'' and p'' with k c dt = K: K^2 < 4 / (1 + 2 damping), from the eigenvalues of
    ((1 - damping K^2, -i K), (-i K (1 - damping K^2), 1 - K^2))."""
    dynamics, k = still(15, 15e3), 2.0 * np.sin(np.pi * waves / columns) / 1000.0
    longest = 2.0 / (k * speed * np.sqrt(1.0 + 2.0 * damping))
    settings = {"off_centring": 0.1, "divergence_damping": damping}
    below, _ = amplification(dynamics, waves, 0.98 * longest, **settings)
    beyond, _ = amplification(dynamics, waves, 1.02 * longest, **settings)
    assert abs(below).max() < 1.005
    assert abs(beyond).max() > 1.05


def lamb(dynamics, dt, **damping):
    """The eigenvalue of the sound that moves least upward, in waves as long as the grid."""
    found, vectors = amplification(dynamics, 1, dt, **damping)
    layers = dynamics.state.layers.size
    eastward, upward = (
        np.linalg.norm(vectors[part], axis=0)
        for part in (np.s_[:layers], np.s_[2 * layers : 3 * layers + 1])
    )
    upward[(abs(found) < 0.5) | (np.angle(found) < 0.08 * dt)] = np.inf
    return found[(upward / np.maximum(eastward, 1e-9)).argmin()]


def test_sound_going_along_the_ground():
    """A Lamb wave: its speed, and what each damping takes of its energy in a step.

    In a column without end u goes as p^(-2/7). External damping takes (k dx)^2 of what is common
    to the column, (mean of u)^2 / mean of u^2 = 21/25 of all; divergence damping (k c dt)^2 of its
    part of the force of the pressure that changes, (mean of u) u / mean of u^2 at the ground = 3/5,
    since that is the same in all layers. Off-centring takes nothing of what does not go upward.
    """
    dynamics, dt, dx, some = still(60, 90e3, 2500.0), 0.5, 2500.0, 1e-3
    k = 2.0 * np.sin(np.pi / columns) / dx
    free = lamb(dynamics, dt, **none)
    assert 2.0 * np.sin(np.angle(free) / 2.0) / (k * dt) == pytest.approx(speed, rel=1e-3)
    assert abs(free) == pytest.approx(1.0, abs=1e-9)
    together = lamb(dynamics, dt, external=some, **none)
    assert 1.0 - abs(together) ** 2 == pytest.approx(0.84 * some * (k * dx) ** 2, rel=0.04)
    slowed = lamb(dynamics, dt, off_centring=0.0, divergence_damping=some)
    assert 1.0 - abs(slowed) ** 2 == pytest.approx(0.6 * some * (k * speed * dt) ** 2, rel=0.08)
    uneven = lamb(dynamics, dt, off_centring=0.1, divergence_damping=0.0)
    assert abs(uneven) == pytest.approx(1.0, abs=1e-6)


def test_damping_fades_as_the_step_does():
    """Off-centring b takes b W^2 dt / 2 of the height of sound upward in a second, and divergence
    damping g as much of sound along the ground: constant b and g are of first order."""
    column, b = still(20, 10e3), 0.1
    air, g = still(60, 90e3, 2500.0), 0.1
    upward, along = [], []
    for dt in (1.0, 0.5):
        found, _ = amplification(column, 0, dt, off_centring=b, divergence_damping=0.0)
        sound = found[(abs(found - 1.0) > 1e-4) & (abs(found) > 1e-4)]
        first = sound[abs(np.angle(sound)).argmin()]
        upward.append(-np.log(abs(first)) / dt)
        frequency = abs(np.angle(first)) / dt
        assert upward[-1] == pytest.approx(0.5 * b * frequency**2 * dt, rel=0.01)
        slowed = lamb(air, dt, off_centring=0.0, divergence_damping=g)
        along.append(-np.log(abs(slowed)) / dt)
    assert upward[0] / upward[1] == pytest.approx(2.0, rel=0.01)
    assert along[0] / along[1] == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize("waves", [1, 2, 3, 4])
def test_nothing_grows_as_it_is_used(waves):
    """With the damping of the options, to nine tenths of the longest step without any."""
    dynamics = still(15, 15e3)
    o = dynamics.options.acoustic
    used = {"off_centring": o.off_centring, "divergence_damping": o.divergence_damping}
    for courant in (0.3, 0.6, 0.9):
        dt = courant * 1000.0 / speed
        found, _ = amplification(dynamics, waves, dt, external=o.external_damping, **used)
        assert abs(found).max() < 1.0 + 1e-6
