"""One timed configuration of the wave benchmark, in a process (or ranks) of its own.

`python -m halocline_lab.benchmarks.wave_run SETTINGS.json ANSWER` leaves its times in ANSWER.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np

from halocline.experiment.run import Result, run
from halocline.runtime.ranks.communicator import world
from halocline.waves.component import WaveComponent
from halocline_lab.benchmarks import stream
from halocline_lab.benchmarks.rank_programs import give_answer

hours = 6
"""Length of the timed forecast (W-06)."""


def benchmark_case(physics: str, restart: str, length: str) -> dict[str, Any]:
    """The benchmark of Tolman (2003): 29,792 sea points, 25 x 24 components, no output."""
    return {
        "component": "waves",
        "grid": {"file": "w_depth_1p25x1.nc", "mask": "mask_reduced"},
        "time": {"start": "2011-01-15T12:00", "length": length, "step": "1h"},
        "waves": {"physics": physics, "spatial_step": 1300.0, "directional_step": 3600.0},
        "forcing": {"wind": {"file": "w_wind_6h_2p5.nc"}},
        "restart": {"source": restart, "at_end": False},
    }


def component_of(result: Result) -> WaveComponent:
    assert isinstance(result.component, WaveComponent)
    return result.component


def timed(settings: dict[str, Any]) -> dict[str, Any]:
    """Times of repeated forecasts from the same spun-up state; all ranks take part."""
    communicator = world()
    repeats = int(settings["repeats"])
    libraries = resident("VmRSS")
    case = benchmark_case(settings["physics"], settings["restart"], settings["length"])
    seconds: list[float] = []
    phases: list[dict[str, float]] = []
    for _ in range(repeats + 1):
        component = component_of(run(case))
        recorder = component.run.recorder
        local = np.array([recorder.seconds("step")])
        seconds.append(float(communicator.maximum(local)[0]))
        phases.append({name: c.seconds for name, c in recorder.counters.items()})
        if len(seconds) == 1:
            memory = resident("VmHWM") - libraries
    spectra = 4 * component.grid.sea_points * component.spectral.components
    counts = component.model.source_counts(communicator)
    return {
        "seconds": seconds[1:],
        "phases": {
            name: statistics.median(p.get(name, 0.0) for p in phases[1:]) for name in phases[-1]
        },
        "counts": counts,
        "stream": stream.measure(1) if communicator.rank == 0 else {},
        "ranks": communicator.size,
        "points": component.grid.sea_points,
        "components": component.spectral.components,
        "sub_steps": component.model.sub_steps.tolist(),
        "memory": memory,
        "spectra": spectra // communicator.size,
    }


def resident(kind: str) -> int:
    """Memory of this process [byte]: VmRSS is what it holds, VmHWM the most it ever held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) * 1024
    return 0


def answer(settings: dict[str, Any]) -> dict[str, Any]:
    """The times, and how long all of it took [s]."""
    started = time.perf_counter()
    result = timed(settings)
    result["wall"] = time.perf_counter() - started
    return result


if __name__ == "__main__":
    give_answer(answer)
