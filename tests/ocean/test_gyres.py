"""Wind-driven gyres of one level against Stommel, Munk, and MITgcm's tutorial. Ranks: 1."""

import numpy as np
import pytest

from halocline.numerics.solver_options import SolverOptions
from halocline.ocean.options import OceanWindOptions
from halocline.ocean.rotation import CoriolisOptions
from ocean import oceans

length, beta, depth, density = 1e6, 2e-11, 500.0, 1026.0
weak = 1e-4
"""Amplitude of the wind [Pa]: currents so slow that they do not carry themselves."""


def steady(cells, days, dt=3600.0, **mixing):
    """Transport through western faces [m3 s-1] after so many days of a wind -cos(pi y / L)."""
    levels = oceans.plane(cells, cells, length / cells, [depth], x0=0.5 * length / cells,
                          y0=0.5 * length / cells)  # fmt: skip
    model = oceans.build(
        levels,
        dt,
        averaging=25,
        mixing=oceans.with_numbers(**mixing),
        wind=OceanWindOptions(amplitude=weak, wave=2.0 * length),
        rotation=CoriolisOptions(parameter=1e-4, gradient=beta),
        solver=SolverOptions(tolerance=1e-7),
    )
    *_, state = oceans.go(model, round(86400.0 * days / dt))
    u = state.u.gather()[0]
    return 0.5 * depth * (u[1:] + u[:-1]) * length / cells


def stream(through_faces):
    """The stream function at corners [m3 s-1]: what flows westward south of them."""
    rows = np.zeros((1, through_faces.shape[1]))
    return np.concatenate([rows, -np.cumsum(through_faces, axis=0)])


def between(roots, forced, ends, slopes, at):
    """Solution of a linear equation with constant coefficients at places `at`.

    Exponentials exp(r x), of complex roots scaled to their wall, and a constant, such that the
    solution vanishes at both ends, and its slope too where `slopes`.
    """
    roots = np.array(roots)
    walls = np.where(roots.real > 0.0, ends[1], ends[0])

    def waves(x, order):
        return roots**order * np.exp(roots * (x - walls))

    rows = [waves(end, 0) for end in ends]
    right = [-forced, -forced]
    if slopes:
        rows += [waves(end, 1) for end in ends]
        right += [0.0, 0.0]
    weights = np.linalg.solve(np.array(rows), np.array(right))
    return np.array([(weights * waves(x, 0)).sum() + forced for x in at]).real


pull = np.pi / length * weak / density
"""Curl of the stress over the density, times -sin(pi y / L) [m s-2]."""


def test_stommel():
    """r (psi_xx - l^2 psi) + beta psi_x = pull sin(l y), psi = 0 at the walls, within 2 %.

    Velocity cells at the wall stand still, so that the walls of the discrete equation stand where
    the outermost centres are. The drag of a step is that of r / (1 + 2 dt r).
    """
    cells, dt, rate = 30, 3600.0, 4e-6
    found = stream(steady(cells, 25.0, dt, drag=1e-3, drag_speed=rate * depth / 1e-3))
    step = length / cells
    slower, wave = rate / (1.0 + 2.0 * dt * rate), np.pi / (length - step)
    inner = np.arange(1, cells) * step
    roots = np.roots([slower, beta, -slower * wave**2])
    ends = (0.5 * step, length - 0.5 * step)
    wanted = between(roots, pull / (slower * wave**2), ends, False, inner)
    assert np.abs(found[cells // 2, 1:-1] - wanted).max() < 0.02 * wanted.max()


@pytest.mark.slow
def test_munk():
    """A (psi_xxxx - 2 l^2 psi_xx + l^4 psi) - beta psi_x = pull sin(l y), at rest at the walls.

    Within 2 %, halfway between the northern and the southern wall, once basin modes have died out.
    """
    cells, viscosity = 40, 6e3
    found = stream(steady(cells, 90.0, 7200.0, viscosity=viscosity))
    wave, inner = np.pi / length, np.arange(1, cells) * length / cells
    roots = np.roots([viscosity, 0.0, -2.0 * viscosity * wave**2, -beta, viscosity * wave**4])
    wanted = between(roots, pull / (viscosity * wave**4), (0.0, length), True, inner)
    assert np.abs(found[cells // 2, 1:-1] - wanted).max() < 0.02 * wanted.max()


mitgcm = {"u": 1.4402e-4, "v": 2.1224e-4}
"""Greatest velocities [m s-1] that MITgcm publishes of its tutorial of a barotropic gyre after 10
steps of 1200 s: `dynstat_uvel_max` and `dynstat_vvel_max` in MITgcm/MITgcm, commit 71cd7f61,
verification/tutorial_barotropic_gyre/results/output.txt."""


def test_a_gyre_begins_as_mitgcm_says():
    """60 x 60 cells of 20 km, 5 km deep, -cos(pi y / L) of 0.1 Pa, 400 m2/s, from rest: 3 %.

    MITgcm's water weighs 1000 kg/m3. Sea level is not compared: it is full of waves, which its
    backward steps damp more.
    """
    cells, size = 60, 1.2e6
    step = size / cells
    levels = oceans.plane(cells, cells, step, [5000.0], x0=0.5 * step, y0=0.5 * step)
    model = oceans.build(
        levels,
        1200.0,
        mixing=oceans.with_numbers(viscosity=400.0),
        wind=OceanWindOptions(amplitude=0.1 * density / 1000.0, wave=2.0 * size),
        rotation=CoriolisOptions(parameter=1e-4, gradient=1e-11),
        solver=SolverOptions(tolerance=1e-9),
    )
    *_, state = oceans.go(model, 10)
    u, v = state.u.gather()[0], state.v.gather()[0]
    assert u.max() == pytest.approx(mitgcm["u"], rel=0.03)
    assert -u.min() == pytest.approx(mitgcm["u"], rel=0.03)
    assert v.max() == pytest.approx(mitgcm["v"], rel=0.03)
