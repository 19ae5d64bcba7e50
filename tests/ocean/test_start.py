"""Temperature and salinity of closed form at the start, and the cases that use them. Ranks: 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from halocline.component.case.reading import read_case
from halocline.core.constants import gravity
from halocline.core.errors import UserError
from halocline.experiment.building import build_component
from halocline.ocean.options import OceanStartOptions
from halocline.ocean.start import FrontOptions, start_tracers
from halocline.runtime.ranks.communicator import Alone
from ocean import oceans


def started(name, **settings):
    """A shipped case ready for its first step, and its clock."""
    case = read_case(name).with_settings(settings)
    clock = case.time.clock()
    component = build_component(case, clock, Alone())
    component.start(clock.time, restarted=False)
    return component, clock


def going(component, clock):
    """Steps of a component, one after the other: how much time has passed [s]."""
    time = clock.time
    for _ in range(clock.steps):
        component.step(time)
        time += clock.step
        yield (time - clock.start).total_seconds()


def test_profile_front_and_waters():
    levels = oceans.plane(4, 3, 1e4, [100.0, 300.0])
    front = FrontOptions(difference=4.0, y=1e4, width=2e4, meander=5e3, length=4e4)
    start = OceanStartOptions(
        deep=3.0, range=10.0, scale=200.0, salinity=34.0, front=front,
        waters=[(-1.0, 1.0, -1.0, 1.5e4, 7.0)],
    )  # fmt: skip
    j, i = np.indices((3, 4))
    warm, salt = start_tracers(levels, start)(j, i)
    x, y = 1e4 * i, 1e4 * j
    wanted = 3.0 + 10.0 * np.exp(-np.array([250.0, 50.0]) / 200.0)[:, None, None]
    wanted = wanted + 2.0 * np.tanh((y - 1e4 - 5e3 * np.sin(2.0 * np.pi * x / 4e4)) / 1e4)
    wanted[:, :2, 0] = 7.0
    assert_allclose(warm, wanted, rtol=1e-14)
    assert (salt == 34.0).all()
    with pytest.raises(UserError, match="ocean.start.waters has the box .* no cell has its centre"):
        start_tracers(levels, OceanStartOptions(waters=[(5e5, 6e5, 0.0, 1.0, 7.0)]))


def reference_energy(component):
    """Potential energy of the water were it sorted [J m-1]: the least that no flow can lower.

    Of a channel one cell wide, over a flat or a rising floor; density falls with temperature.
    """
    levels, state = component.grid, component.model.state
    warm = state.tracer.gather()[0][:, 0]
    thick = levels.cell_thickness[:, 0].copy()
    thick[-1] = state.layer.gather()[0]
    volumes = (thick * levels.horizontal.dx[0]).ravel()
    density = 1000.0 - 0.2 * (warm.ravel() - 5.0)
    order = np.argsort(-density, kind="stable")
    order = order[volumes[order] > 0.0]
    heights, below = filled(levels)
    # the centre of mass of a slice is the mean of z over its volume
    fine = np.linspace(0.0, 1.0, 5)[1::2]
    starts = np.append(0.0, np.cumsum(volumes[order])[:-1])
    middle = [np.interp(starts + f * volumes[order], below, heights) for f in fine]
    return gravity * (density[order] * volumes[order] * np.mean(middle, axis=0)).sum()


def filled(levels):
    """Heights over the deepest floor [m], and the volume below them per width [m2]."""
    wet = levels.wet[:, 0]
    area = (wet * levels.horizontal.dx[0]).sum(axis=1)
    heights = np.append(0.0, np.cumsum(levels.thickness))
    below = np.append(0.0, np.cumsum(levels.thickness * area))
    heights[-1] += 10.0
    below[-1] += 10.0 * area[-1]
    return heights, below


def front(component):
    """How far cold water has come along the floor, and warm water along the surface [m]."""
    warm = component.model.state.tracer.gather()[0][:, 0]
    x = component.plane.x
    cold, light = warm[0] < 17.5, warm[-1] > 17.5
    return x[cold].max() - 32e3, 32e3 - x[light].min()


def test_fronts_of_a_lock_exchange_run_at_half_the_speed_of_long_waves():
    """0.5 sqrt(g' H) (Benjamin 1968) within 5 %; little mixes."""
    component, clock = started("lock-exchange", **{"time.length": "5h"})
    placed = {}
    before = reference_energy(component)
    for seconds in going(component, clock):
        if seconds in (7200.0, 18000.0):
            placed[seconds] = front(component)
    speeds = (np.array(placed[18000.0]) - placed[7200.0]) / 10800.0
    assert_allclose(speeds, 0.5 * np.sqrt(gravity * 5.0 / 1000.0 * 20.0), rtol=0.05)
    mixed = reference_energy(component) / before - 1.0
    assert 0.0 < mixed < 5e-6
    warm = component.model.state.tracer.gather()[0]
    assert 5.0 - 1e-9 < warm.min() < warm.max() < 30.0 + 1e-9


def test_water_over_the_shipped_seamount_stays_at_rest():
    component, clock = started("seamount", **{"time.length": "6h"})
    before = component.model.state.tracer.gather()
    for _ in going(component, clock):
        pass
    state = component.model.state
    assert component.grid.wet_levels.min() < 0.4 * component.grid.wet_levels.max()
    for name in ("u", "v", "surface"):
        assert not getattr(state, name).gather().any(), name
    assert_allclose(state.tracer.gather(), before, rtol=1e-13)
