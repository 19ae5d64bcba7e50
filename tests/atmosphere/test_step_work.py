"""What `check` expects of a step against what steps take, by the processor's time.

Other users of a machine have made this fail, so it runs with `--all` only.
"""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, small
from two_at_a_time import one_core

pytestmark = pytest.mark.slow

step = 40.0
common = {
    "grid.nx": 64, "grid.ny": 48, "grid.dx": 9e3, "grid.dy": 9e3, "precision": "float32",
    "time.step": f"{step:g}s", "time.length": "12h", "time.start": "2000-03-20T12:00:00",
    "atmosphere.layers.count": 35, "atmosphere.layers.top": 19.5e3,
    "atmosphere.courant_interval": 0, "atmosphere.ground.kind": "land",
}  # fmt: skip
moist = {"atmosphere.start.sounding.kind": "weisman-klemp"}
clouds = {**moist, "atmosphere.microphysics.scheme": "wsm6"}
eddies = {"atmosphere.physics.turbulence": "ysu"}
sun = {"atmosphere.physics.sunlight": "rrtmgp", "atmosphere.physics.radiation.interval": 3 * step}
variants = {
    "short acoustic steps": {"atmosphere.acoustic.steps": 12},
    "rain": {**moist, "atmosphere.microphysics.scheme": "kessler"},
    "ice": clouds,
    "turbulence": eddies,
    "weighted values at faces": {
        "atmosphere.advection.weno_heat": True,
        "atmosphere.advection.weno_wind": True,
    },
    "viscosity": {"atmosphere.mixing.viscosity": 75.0, "atmosphere.mixing.diffusivity": 75.0},
    "energy of eddies": {"atmosphere.mixing.kind": "turbulent-energy"},
}


@pytest.fixture(scope="module", autouse=True)
def alone() -> Iterator[None]:
    """Kernels have one thread."""
    with one_core():
        yield


class Measured:
    """What a step takes, by the processor's time, and what is expected."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        case = small(**(common | settings))
        self.expected = case.cost * case.state_values(case.build_grid())
        self.found = np.inf
        self._component, self._clock = begun(case), case.time.clock()

    def again(self, steps: int = 9) -> None:
        """The least of all rounds [s]; time was seen to come in ticks of half a dry step."""
        begin = time.process_time()
        for _ in range(steps):
            self._component.step(self._clock.time)
            self._clock.advance()
        self.found = min(self.found, (time.process_time() - begin) / steps)


@pytest.fixture(scope="module")
def dry():
    return Measured({})


def expected_over_found(dry: Measured, *others: Measured) -> float:
    """Of the mean of others, as multiples of dry air; in turns, until it is within a half."""
    expected = sum(one.expected for one in others) / len(others) / dry.expected
    ratio = 0.0
    for turn in range(8):
        for one in (dry, *others):
            one.again()
        found = sum(one.found for one in others) / len(others) / dry.found
        ratio = expected / found
        if turn and 1.0 / 1.5 < ratio < 1.5:
            break
    return ratio


@pytest.mark.parametrize("name", variants)
def test_what_physics_add_is_expected_to_a_half(dry, name):
    """More than dry air, as a ratio: machines differ, and others use them, now more, now less."""
    assert 1.0 / 1.5 < expected_over_found(dry, Measured(variants[name])) < 1.5


def test_a_forecast_is_expected_to_a_half(dry):
    """All physics, with radiation in one step of three, at noon and at midnight."""
    night = {"time.start": "2000-03-20T00:00:00"}
    both = [Measured({**clouds, **eddies, **sun, **some}) for some in ({}, night)]
    assert 1.0 / 1.5 < expected_over_found(dry, *both) < 1.5
    assert both[0].expected > 5.0 * dry.expected
