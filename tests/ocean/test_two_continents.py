"""The case `two-continents` for five days, beside what POP 2.1 gives for it. Ranks: 1."""

import numpy as np
import pytest

from halocline.component.case.reading import read_case
from halocline.core.constants import gravity
from halocline.experiment.building import build_component
from halocline.ocean.metrics import CornerMetrics, least_around
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Alone


def kinetic_energy(state, volume):
    """Mean over the volume [J m-3 for 1000 kg m-3], of velocities at corners."""
    square = state.u.gather() ** 2 + state.v.gather() ** 2
    return 0.5e3 * (square * volume).sum() / volume.sum()


@pytest.mark.slow
def test_numbers_of_pop():
    """Transports, deviation of the sea level and kinetic energy within 3 %, the jet within 5 %.

    POP has four half steps a day: its energies stand between two steps of ours.
    """
    case = read_case("two-continents")
    clock = case.time.clock()
    component = build_component(case, clock, Alone())
    component.start(clock.time, restarted=False)
    state, levels = component.model.state, component.grid
    metrics = CornerMetrics.of(levels.horizontal)
    depth = least_around(levels, levels.wet_levels) > 0
    area = metrics.dx * metrics.dy * depth
    volume = levels.thickness[:, None, None] * area
    energies, time = [], clock.time
    for _ in range(clock.steps):
        component.step(time)
        time += clock.step
        energies.append(kinetic_energy(state, volume))
    for day, wanted in ((0.93, 0.29488388), (1.85, 0.61867502), (2.77, 0.85993192)):
        at = np.interp(day, 0.02 * np.arange(1, clock.steps + 1), energies)
        assert 10.0 * at == pytest.approx(wanted, rel=0.03)
    height = 100.0 * state.surface.gather() / gravity
    weight = levels.horizontal.area * levels.mask
    mean = (height * weight).sum() / weight.sum()
    deviation = np.sqrt(((height - mean) ** 2 * weight).sum() / weight.sum())
    assert deviation == pytest.approx(2.446, rel=0.03)
    wet = height[levels.mask]
    assert wet.min() == pytest.approx(-11.726, rel=0.03)
    assert wet.max() == pytest.approx(6.706, rel=0.03)
    u = state.u.gather()
    assert 100.0 * u[-1].min() == pytest.approx(-59.30, rel=0.05)
    along = (u * levels.thickness[:, None, None]).sum(axis=0) * metrics.dy
    x, y = (levels.horizontal.at(Place.corner).x[0], metrics.latitude[:, 0])

    def transport(longitude, north):
        return along[y < north, np.argmin(np.abs(x - longitude))].sum() / 1e6

    assert transport(230.0, -35.0) == pytest.approx(29.27, rel=0.03)
    assert transport(130.0, -60.0) == pytest.approx(33.42, rel=0.03)
    passed = component.diagnostics.transports()
    assert passed["west"] / 1e6 == pytest.approx(29.23, rel=2e-3)
    assert passed["east"] / 1e6 == pytest.approx(33.41, rel=2e-3)
    temperature = state.tracer.gather()[0]
    cells = levels.volume
    start = 2.0 + 18.0 * np.exp(-levels.depth / 800.0)
    kept = (temperature * cells).sum() / (start[:, None, None] * cells).sum()
    assert kept == pytest.approx(1.0, abs=1e-4)
