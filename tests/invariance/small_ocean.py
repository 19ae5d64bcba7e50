"""A small ocean with islands, storms and ice, run in many ways; prints one hash per way.

Started on several ranks by test_same_bits.py; `python small_ocean.py` runs it on one.
"""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np

from halocline.core.clock import Clock, date, duration
from halocline.grids.horizontal.grid import Grid
from halocline.runtime.fields.decomposition import DecompositionOptions
from halocline.runtime.ranks.communicator import world
from halocline.waves.component import ForcingOptions, WaveComponent
from halocline.waves.forcing import WindOptions
from halocline.waves.spectrum import SpectralGrid
from halocline.waves.start import WaveStart
from halocline.waves.waves_options import WavesOptions

steps = 4
shape = 20, 75


def small_ocean() -> Grid:
    """A periodic band with continents wider than a pack, straits, islands and shallow water.

    Its cells are narrow in x, so that sweeps in x take more sub-steps than those in y.
    """
    random = np.random.default_rng(5)
    depth = 10.0 ** random.uniform(1.0, 3.6, shape)
    mask = random.random(shape) < 0.85
    mask[3:9, 8:30] = False
    mask[11:16, 24:68] = False
    mask[13, 20:] = True
    mask[[0, -1]] = False
    return Grid(
        x=np.arange(shape[1]) * 0.4,
        y=-57.0 + 6.0 * np.arange(shape[0]),
        depth=np.where(mask, depth, 0.0),
        mask=mask,
        periodic_x=True,
        obstruction_x=np.where(mask, 0.3 * random.random(shape), 0.0),
        obstruction_y=np.where(mask, 0.3 * random.random(shape), 0.0),
    )


def storms(seconds: float, x: Any, y: Any) -> tuple[Any, Any]:
    """Wind of a travelling pattern of storms [m s-1], made of sums and products only."""
    phase = (x / 2.5 + seconds / 40_000.0) % 2.0 - 1.0
    return 18.0 * (1.0 - phase * phase) - 4.0, 12.0 * phase * (1.0 - (y / 60.0) ** 2)


def freeze(component: WaveComponent, step: int) -> None:
    """Ice from the south, in parts closed, that moves east by 0.4 degrees a step."""
    numbers, grid = component.ice.share.numbers, component.grid
    away = (grid.point_x[numbers] - 0.4 * step) % 7.5 / 3.75 - 1.0
    southward = (60.0 - grid.point_y[numbers]) / 120.0
    component.model.set_ice(numbers, np.clip(southward - away * away, 0.0, 1.0))


def flow(seconds: float, x: Any, y: Any) -> tuple[Any, Any]:
    """Currents of both signs that change [m s-1], against and with waves."""
    phase = (x / 15.0 - seconds / 20_000.0) % 2.0 - 1.0
    return 5.0 * phase * (1.0 - (y / 60.0) ** 2), 3.0 - 6.0 * phase * phase


def tide(seconds: float, x: Any, y: Any) -> Any:
    """A level that changes, and that would let the shallowest places fall dry [m]."""
    phase = (x / 15.0 + seconds / 10_000.0) % 2.0 - 1.0
    return 12.0 * phase * (1.0 - phase * phase) - 2.0 + 0.0 * y


moving = {"current_function": flow, "level_function": tide}
"""Arguments of a component over water that moves."""


def simulate(way: dict[str, Any], physics: dict[str, Any], **water: Any) -> WaveComponent:
    """The component after all steps, cut as `way` says."""
    component, clock = prepare(way, physics, **water)
    assert component.model.sub_steps.max() > 1
    component.start(clock.time, False)
    for number in range(steps):
        freeze(component, number)
        component.step(clock.time)
        clock.advance()
    return component


def prepare(
    way: dict[str, Any], physics: dict[str, Any], **water: Any
) -> tuple[WaveComponent, Clock]:
    start = date("2000-01-01")
    clock = Clock(start, start + steps * duration("30min"), duration("30min"))
    component = WaveComponent(
        small_ocean(),
        SpectralGrid(frequencies=12, factor=1.2, directions=12),
        WavesOptions.from_table(physics),
        WaveStart(kind="jonswap"),
        ForcingOptions(wind=WindOptions(function="given")),
        clock,
        world(),
        decomposition=DecompositionOptions(**way),
        wind_function=storms,
        **water,
    )
    return component, clock


def fingerprint(component: WaveComponent) -> str:
    """Hash of all prognostic fields in global order, on rank 0; empty elsewhere."""
    total = hashlib.sha256()
    for field in component.restart_fields():
        values = field.gather()
        if values is None:
            continue
        assert np.isfinite(values).all(), field.name
        assert values.any() or field.name == "friction_velocity", field.name
        total.update(np.ascontiguousarray(values).tobytes())
    return total.hexdigest() if world().rank == 0 else ""


ways = [
    {"kind": "blocks"},
    {"kind": "blocks", "blocks_per_rank": 3},
    {"kind": "curve", "blocks_per_rank": 2},
    {"kind": "cards"},
    {"kind": "cards", "blocks_per_rank": 2},
]


def main(physics: dict[str, Any], **water: Any) -> None:
    for way in ways:
        found = fingerprint(simulate(way, physics, **water))
        if found:
            print(f"bits {found} {way}", flush=True)


if __name__ == "__main__":
    main(eval(sys.argv[1]) if len(sys.argv) > 1 else {})
