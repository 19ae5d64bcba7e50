"""What `check` expects of a step against what steps take, by the processor's time."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from atmosphere.dynamics_cases import begun, small
from two_at_a_time import one_core

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

    def again(self, steps: int = 10) -> None:
        """The least of all rounds [s]; time was seen to come in ticks of half a dry step."""
        begin = time.process_time()
        for _ in range(steps):
            self._component.step(self._clock.time)
            self._clock.advance()
        self.found = min(self.found, (time.process_time() - begin) / steps)


@pytest.fixture(scope="module")
def dry():
    return Measured({})


@pytest.mark.parametrize("name", variants)
def test_what_physics_add_is_expected_to_a_half(dry, name):
    """More than dry air, as a ratio: machines differ, and others use them, now more, now less."""
    some, ratio = Measured(variants[name]), 0.0
    for turn in range(8):
        dry.again()
        some.again()
        ratio = (some.expected / dry.expected) / (some.found / dry.found)
        if turn and 1.0 / 1.5 < ratio < 1.5:
            return
    pytest.fail(f"expected is {ratio:.2f} of what is found")


def test_a_forecast_is_expected_to_a_half(dry):
    """All physics, with radiation in one step of three, at noon and at midnight."""
    night = {"time.start": "2000-03-20T00:00:00"}
    both = [Measured({**clouds, **eddies, **sun, **some}) for some in ({}, night)]
    for one in (dry, dry, *both, *both):
        one.again(10 if one is dry else 3)
    ratio = sum(one.found for one in both) / 2.0 / dry.found
    expected = both[0].expected / dry.expected
    assert 1.0 / 1.5 < expected / ratio < 1.5
    assert expected > 5.0
