"""One timed run of the atmosphere's benchmark, in a process (or ranks) of its own.

`python -m halocline_lab.benchmarks.atmosphere_run SETTINGS.json ANSWER` leaves its times in ANSWER.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

from halocline.atmosphere import _native
from halocline.atmosphere.component import AtmosphereComponent
from halocline.experiment.run import run
from halocline.experiment.run_recording import threads_per_rank
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.run_record import RunRecord
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.benchmarks import stream
from halocline_lab.benchmarks.ocean_run import calls_of, steady_rows
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.benchmarks.run_records import step_seconds

prefix = "atmosphere_"
absent = ("w_damping", "coriolis", "gain_share")
of_storm = ("dilution", "x_carried", "y_carried", "w")
"""Arrays of kernels that may do without, and do in the case, beside all that is called forcing;
and those that the case in dry air does without."""

storm: dict[str, Any] = {
    "microphysics": {"scheme": "kessler"},
    "base": {"kind": "standard"},
    "damping": {"depth": 5e3},
    "start": {
        "wind_u": -12.0,
        "sounding": {"kind": "weisman-klemp"},
        "shear": {"kind": "tanh", "speed": 25.0, "depth": 3e3},
        "bubble": {
            "amplitude": 2.0, "z": 1400.0, "radius_x": 10e3, "radius_y": 10e3, "radius_z": 1400.0,
        },
    },
}  # fmt: skip
"""The atmosphere of the case `supercell`."""


def benchmark_case(
    precision: str, steps: int, *, quick: bool, moist: bool = False, shares: int = 1
) -> dict[str, Any]:
    """Tables of a warm bubble in wind over a hill: 160 x 160 x 40 cells of 1 km, steps of 5 s; or,
    `moist`, of the start of a supercell over flat ground. Of several `shares` of the box it is one,
    with the rows of it. What other runs have found of exchanges is not used."""
    cells, layers = (24, 8) if quick else (160, 40)
    rows = cells // shares
    return {
        "component": "atmosphere",
        "precision": precision,
        "time": {"start": "2000-01-01", "length": f"{5 * steps}s", "step": "5s"},
        "grid": {
            "kind": "cartesian", "nx": cells, "ny": rows, "dx": 1000.0, "dy": 1000.0,
            "x0": -500.0 * cells, "y0": -500.0 * rows, "periodic_x": True, "periodic_y": True,
        },
        "communication": {"remember": False},
        "atmosphere": {
            "layers": {"count": layers, "top": 20e3},
            "courant_interval": 0,
        } | (storm if moist else {
            "air": {"kind": "stable"},
            "start": {"wind_u": 10.0, "bubble": {"amplitude": 2.0, "radius_y": 2e3}},
            "mountain": {"kind": "bell", "height": 500.0, "width": 10e3, "width_y": 10e3},
        }),
    }  # fmt: skip


def bytes_per_cell(kernel: str, size: int, species: int = 0) -> int:
    """What a call must read and write of fields with layers, each value once [byte per cell], in
    air with so many `species` of water.

    >>> bytes_per_cell("theta_tendency", 4)  # theta, three fluxes, the tendency
    20
    """
    passes, without = 0, absent if species else (*absent, *of_storm)
    for name, access, place, _, _, _, optional, axes in _native.contracts[prefix + kernel]:
        missing = optional and (name in without or name.endswith("_forcing"))
        if place != "none" and "depth" in axes and not missing:
            each = species if "species" in axes else 1
            passes += each * (2 if access == "update" else 1)
    return passes * size


def kernels_of(record: RunRecord, size: int, species: int = 0) -> dict[str, dict[str, float]]:
    """Seconds and least bytes per cell in a step of kernels; the first rank, all its steps."""
    rows, steps = steady_rows(record), calls_of(record, "step")
    found = {}
    for number, region in enumerate(record.regions):
        mine = rows[rows["region"] == number]
        if region.kind == "kernel" and region.name.startswith(prefix) and mine.size:
            name, calls = region.name.removeprefix(prefix), float(mine["calls"].sum()) / steps
            found[name] = {
                "seconds": float(mine["seconds"].sum()) / steps,
                "bytes": round(calls) * bytes_per_cell(name, size, species),
            }
    return found


def timed(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Times of the steps after the first, from the record of a run; all ranks take part."""
    communicator, quick = world(), settings["quick"]
    case = benchmark_case(
        settings["precision"],
        settings["steps"],
        quick=quick,
        moist=settings["moist"],
        shares=settings["shares"],
    )
    with tempfile.TemporaryDirectory() as folder:
        place = communicator.broadcast(folder)
        result = run(case, output=place)
        communicator.broadcast(None)
        bandwidth = stream.of_all(communicator, threads_per_rank(), quick=quick)
        if communicator.rank > 0:
            return None
        record = read_record(place)
    assert isinstance(result.component, AtmosphereComponent)
    shape = result.component.plane.shape
    size, options = np.dtype(settings["precision"]).itemsize, result.component.options
    return {
        "seconds": step_seconds(record),
        "processor": float(record.ranks["steady_processor_seconds"].max())
        / calls_of(record, "step"),
        "kernels": kernels_of(record, size, len(options.species)),
        "stream": bandwidth,
        "cells": int(np.prod(shape)) * options.layers.count,
    }


if __name__ == "__main__":
    give_answer(timed)
