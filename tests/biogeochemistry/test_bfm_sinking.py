"""Sinking of BFM's tracers: exact profiles, budgets of water and floor, the three floors."""

import numpy as np
import pytest

from biogeochemistry.bfm_states import contents, names, random_states
from halocline.biogeochemistry import _native
from halocline.biogeochemistry.bfm import tracers
from halocline.biogeochemistry.bfm.model import floor_boxes
from halocline.biogeochemistry.bfm.options import BfmOptions

index = tracers.index
day = 86400.0


class Water:
    """Columns of some levels; the floor of the second half lies a level higher."""

    def __init__(self, tracer, thickness, **sinking):
        levels, count = tracer.shape[1], tracer.shape[-1]
        self.tracer = tracer.reshape(len(names), levels, 1, count).copy()
        self.area = np.full((1, count), 3.0)
        self.volume = np.broadcast_to(3.0 * thickness[:, None, None], (levels, 1, count)).copy()
        self.volume[0, :, count // 2 :] = 0.0
        self.tracer *= self.volume > 0
        self.temperature = np.full(self.volume.shape, 13.0)
        self.floor = np.zeros((len(floor_boxes), 1, count))
        self.numbers = BfmOptions.from_table({"sinking": sinking}).native_of_sinking()

    def sink(self, dt, steps=1):
        for _ in range(steps):
            _native.bfm_sink(
                box=(0, 1, 0, self.area.shape[1], 0),
                tracer=self.tracer,
                volume=self.volume,
                area=self.area,
                temperature=self.temperature,
                floor=self.floor,
                numbers=self.numbers,
                dt=dt,
            )
        return self

    def held(self, element):
        """Content of water and floor by column."""
        letter = {"carbon": "c", "nitrogen": "n", "phosphorus": "p", "silicon": "s"}[element]
        water = (contents(self.tracer, element) * self.volume).sum(axis=0)
        there = [at for at, name in enumerate(floor_boxes) if name.endswith(letter)]
        return water + self.floor[there].sum(axis=0) * self.area


def random_water(levels=6, count=11, **sinking):
    random = np.random.default_rng(3)
    state, _ = random_states(random, levels * count)
    thickness = random.uniform(5.0, 20.0, levels)
    return Water(state.reshape(len(names), levels, count), thickness, **sinking)


@pytest.mark.parametrize("floor", ["blocked", "buried", "returned"])
@pytest.mark.parametrize("element", tracers.elements)
def test_water_and_floor_keep_every_element(floor, element):
    water = random_water(floor=floor)
    before = water.held(element)
    water.sink(1800.0, 100)
    assert np.allclose(water.held(element), before, rtol=1e-13, atol=0.0)
    assert water.tracer.min() >= 0.0
    assert (water.floor.sum() == 0.0) == (floor == "blocked")


def test_a_column_follows_the_implicit_upwind_scheme():
    """c' (h + w dt) = h c + w dt c'(above), solved as one system."""
    water = random_water(floor="buried", detritus=4.0, buried_detritus=1.5)
    start = water.tracer[index["R6c"], :, 0, 0].copy()
    h, dt, w = water.volume[:, 0, 0] / 3.0, 7200.0, 4.0 / day
    system = np.diag(h + w * dt * np.ones(6)) - w * dt * np.diag(np.ones(5), 1)
    system[0, 0] = h[0] + 1.5 / day * dt
    exact = np.linalg.solve(system, h * start)
    water.sink(dt)
    assert np.allclose(water.tracer[index["R6c"], :, 0, 0], exact, rtol=1e-13)
    assert water.floor[floor_boxes.index("Q6c"), 0, 0] == pytest.approx(1.5 / day * dt * exact[0])
    still = [index[name] for name in ("O2o", "Z3c", "R1c", "P2c", "P4l", "O3c")]
    assert np.array_equal(water.tracer[still], random_water().tracer[still])


def test_diatoms_sink_where_nutrients_lack():
    """5 m per day times what their factor lacks to 0.1."""
    tracer = np.zeros((len(names), 2, 2))
    for name, value in {"P1c": 1.0, "P1n": 0.0126, "P1l": 0.02, "P1s": 0.01}.items():
        tracer[index[name]] = value
    tracer[index["N5s"]] = 8.0
    quota = 1.8e-4 + 0.04 * (7.86e-4 - 1.8e-4)  # factor 0.04
    tracer[index["P1p"]] = [[quota, 7.86e-4], [quota, 7.86e-4]]
    water = Water(tracer, np.array([10.0, 10.0]), floor="blocked")
    water.volume[:] = 30.0
    water.tracer[:] = tracer.reshape(water.tracer.shape)
    water.sink(day)
    speed = 5.0 * (0.1 - 0.04)
    for name in ("P1c", "P1n", "P1p", "P1l", "P1s"):
        left = water.tracer[index[name], 1, 0]
        start = tracer[index[name], 1]
        assert left[0] == pytest.approx(start[0] / (1.0 + speed / 10.0), rel=1e-12), name
        assert left[1] == start[1]


def test_what_lies_on_the_floor_returns_with_its_oxygen():
    """Q10 of 3 at 20 degrees; a tenth of the nitrogen as nitrate; oxygen goes with carbon."""
    tracer = np.zeros((len(names), 2, 2))
    tracer[index["O2o"]] = 200.0
    water = Water(tracer, np.array([10.0, 10.0]), floor="returned")
    water.temperature[:] = 20.0
    water.floor[:, 0, 0] = (8.0, 2.0, 0.4, 24.0, 4.0, 0.6, 3.0, 5.0)
    before = water.floor.copy()
    water.sink(3600.0)
    pace = 200.0 / 250.0 / 24.0
    low = water.tracer[:, 0, 0, 0]
    lost = (before - water.floor)[:, 0, 0]
    assert np.allclose(lost[:3], 0.1 * pace * before[:3, 0, 0])
    assert np.allclose(lost[3:7], 0.05 * pace * before[3:7, 0, 0])
    assert lost[7] == 0.0
    assert low[index["O3c"]] == pytest.approx((lost[0] + lost[3]) / 10.0)
    assert low[index["N3n"]] == pytest.approx(0.1 * (lost[1] + lost[4]) / 10.0)
    assert low[index["N4n"]] == pytest.approx(0.9 * (lost[1] + lost[4]) / 10.0)
    assert low[index["N1p"]] == pytest.approx((lost[2] + lost[5]) / 10.0)
    assert low[index["N5s"]] == pytest.approx(lost[6] / 10.0)
    assert 200.0 - low[index["O2o"]] == pytest.approx(low[index["O3c"]] / 12.0)


def test_without_oxygen_what_returns_waits():
    tracer = np.zeros((len(names), 2, 2))
    water = Water(tracer, np.array([10.0, 10.0]), floor="returned")
    water.floor[:] = 5.0
    water.sink(3600.0)
    assert (water.floor == 5.0).all()
    assert (water.tracer == 0.0).all()
