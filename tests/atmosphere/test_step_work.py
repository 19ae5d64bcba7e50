"""What `check` expects of a step against what steps take, by the processor's time."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from atmosphere.dynamics_cases import begun, small
from halocline.atmosphere.component import AtmosphereComponent
from halocline.core.clock import Clock
from two_at_a_time import one_core

step = 40.0
common = {
    "grid.nx": 64, "grid.ny": 48, "grid.dx": 9e3, "grid.dy": 9e3, "precision": "float32",
    "time.step": f"{step:g}s", "time.length": "1h", "time.start": "2000-03-20T12:00:00",
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


def least(component: AtmosphereComponent, clock: Clock, steps: int, rounds: int) -> float:
    """Processor time of a step, in the best of some rounds of so many steps [s]."""
    found = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(steps):
            component.step(clock.time)
            clock.advance()
        found.append((time.process_time() - begin) / steps)
    return min(found)


def measured(settings: Mapping[str, Any], steps: int = 10, rounds: int = 3) -> tuple[float, float]:
    """What a step takes [s], and what is expected.

    Processor time was seen to come in ticks of 4 ms, half a dry step: rounds are of ten steps.
    """
    case = small(**(common | settings))
    clock = case.time.clock()
    found = least(begun(case), clock, steps, rounds)
    return found, case.cost * case.state_values(case.build_grid())


@pytest.fixture(scope="module")
def dry():
    return measured({})


@pytest.mark.parametrize("name", variants)
def test_what_physics_add_is_expected_to_a_half(dry, name):
    """More than dry air, as a ratio: machines differ, and others use them."""
    found, expected = measured(variants[name])
    assert 1.0 / 1.5 < (expected / dry[1]) / (found / dry[0]) < 1.5


def test_a_forecast_is_expected_to_a_half(dry):
    """All physics, with radiation in one step of three, at noon and at midnight."""
    night = {"time.start": "2000-03-20T00:00:00"}
    both = [measured({**clouds, **eddies, **sun, **some}, 3, 2) for some in ({}, night)]
    ratio = sum(found for found, _ in both) / 2.0 / dry[0]
    expected = both[0][1] / dry[1]
    assert 1.0 / 1.5 < expected / ratio < 1.5
    assert expected > 5.0
