"""How wind and cooling deepen a mixed layer in the whole model, against laws of their own.

Ranks: 1. The kernel of KPP alone stands in test_vertical_mixing.py.
"""

from dataclasses import replace

import numpy as np
import pytest

from halocline.core.constants import gravity
from halocline.ocean.equation_of_state import DensityOptions
from halocline.ocean.forcing_options import (
    OceanHeatOptions,
    OceanWindOptions,
    SurfaceForcingOptions,
)
from halocline.ocean.vertical_mixing_options import KppOptions
from ocean import oceans

water = DensityOptions()
buoyancy = gravity * water.expansion / water.reference
"""Of a degree [m s-2]."""


def column(count, thickness, stability, dt, stress=0.0, cooling=0.0, **mixing):
    """Even stratification of N^2 [s-2] under a stress [Pa] or a loss of heat [W m-2]."""
    levels = oceans.plane(4, 4, 1e4, [thickness] * count, periodic_x=True, periodic_y=True)
    heat = OceanHeatOptions(rest=-cooling)
    model = oceans.build(
        levels,
        dt,
        mixing=replace(oceans.still, **mixing),
        wind=OceanWindOptions(amplitude=-stress),
        forcing=SurfaceForcingOptions(heat=heat),
        averaging=12,
    )
    warm = 20.0 - stability / buoyancy * levels.depth[:, None, None] * np.ones((4, 4))
    oceans.put_tracers(model, np.stack([warm, np.full(levels.shape, 35.0)]))
    return model, water.reference * heat.capacity


def test_wind_deepens_a_layer_as_kato_and_phillips():
    """1.05 u* sqrt(t / N) (Price 1979, after Kato and Phillips 1969), within 10 %."""
    friction, frequency, dt = 0.01, 0.01, 600.0
    stress = water.reference * friction**2
    kpp = KppOptions(background=0.0)
    model, _ = column(50, 1.0, frequency**2, dt, stress, scheme="kpp", kpp=kpp)
    for number, state in enumerate(oceans.go(model, 144), start=1):
        if number % 36 == 0:
            depth = state.boundary_layer_depth.gather()
            law = 1.05 * friction * np.sqrt(number * dt / frequency)
            assert np.ptp(depth) == 0.0
            assert depth[0, 0] == pytest.approx(law, rel=0.1), number
    found = (state.u.gather() * model.levels.thickness[:, None, None]).sum(axis=0)
    assert found == pytest.approx(friction**2 * 144 * dt, rel=1e-10)


def deepest(profile, levels):
    """Where it is stratified most [m]: the interface with the largest step."""
    return levels.interfaces[1:-1][np.argmax(np.diff(profile))]


def test_cooling_deepens_a_layer_by_encroachment_and_entrainment():
    """h = sqrt(2 B t (1 + 2 a)) / N with KPP, whose a is 0.2 (Large et al. 1994).

    What it carries whatever the gradient goes up where it is warmer above.
    """
    stability, cooling, dt, steps = 1e-5, 100.0, 900.0, 192
    kpp = KppOptions(background=0.0, shear_viscosity=0.0)
    model, capacity = column(40, 2.0, stability, dt, cooling=cooling, scheme="kpp", kpp=kpp)
    start = model.state.tracer.gather()[0]
    *_, state = oceans.go(model, steps)
    warm = state.tracer.gather()[0]
    alone = np.sqrt(2.0 * buoyancy * cooling / capacity * steps * dt / stability)
    ratio = deepest(warm[:, 1, 1], model.levels) / alone
    assert 0.10 < 0.5 * (ratio**2 - 1.0) < 0.25
    assert (np.diff(warm[20:34, 1, 1]) > 0.0).all()
    given = (2.0 * (warm - start)).sum(axis=0)
    assert given == pytest.approx(-cooling / capacity * steps * dt, rel=1e-9)


def test_convection_by_diffusion_encroaches_alone():
    """h = sqrt(2 B t) / N to a level: no water below is entrained; what is mixed is uniform."""
    stability, cooling, dt, steps = 1e-5, 100.0, 900.0, 192
    model, capacity = column(60, 1.0, stability, dt, cooling=cooling, convective_diffusivity=10.0)
    start = model.state.tracer.gather()[0, :, 1, 1]
    *_, state = oceans.go(model, steps)
    warm = state.tracer.gather()[0, :, 1, 1]
    depth = np.sqrt(2.0 * buoyancy * cooling / capacity * steps * dt / stability)
    below = model.levels.depth > depth + 1.5
    assert below.sum() > 10
    assert warm[below] == pytest.approx(start[below], abs=1e-12)
    above = model.levels.depth < depth - 1.5
    assert above.sum() > 10
    assert np.ptp(warm[above]) < 0.05 * np.ptp(start[above])
    mixed = 20.0 - stability / buoyancy * depth
    assert warm[above].mean() == pytest.approx(mixed, abs=0.03 * np.ptp(start[above]))
