"""`halocline lab transport`: the fused transport of tracers on the real ocean grid.

One block of 320 x 384 x 40 cells, land included, as in the case tracer-51. A step is timed from
inside, start-up and halos excluded; steps that begin with x and with y take turns and the median of
their pairs counts. STREAM is measured in the same process with as many threads.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from halocline.biogeochemistry.transport import Transport, TransportOptions, kernel_of
from halocline.component.case.shipped import data_folder
from halocline.grids.vertical.levels import VerticalGrid, read_layers
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.ranks.threads import set_threads
from halocline.runtime.running.runner import Runner
from halocline_lab import _native
from halocline_lab.benchmarks import kernel_table, result_files, stream

levels_to_reach = {
    "float32": {"few": 3.0, "many": 2.5, "stretch": 1.4},
    "float64": {"few": 5.5, "many": 5.0, "stretch": 2.8},
}
"""On one core [ns]: with fewer than 8 tracers, with more, and what would be very good."""

full_factor = 1.3
"""What horizontal diffusion and sinking may cost on top."""

keys = {
    "cells": "cells of the grid, land included",
    "wet_cells": "cells with water",
    "stream": "by threads: bandwidth of copy and triad [byte s-1]",
    "rows": "one entry per number of tracers, precision, threads and processes",
    "rows.tracers": "number of tracers",
    "rows.precision": "float32 or float64",
    "rows.threads": "threads",
    "rows.processes": "'advection' (with implicit vertical diffusion) or 'all' (with horizontal"
    " diffusion and sinking of every second tracer as well)",
    "rows.nanoseconds": "median time per cell and tracer of a step [ns]",
    "rows.spread": "least and greatest of the repeated measurements [ns]",
    "rows.processor_nanoseconds": "least processor time per thread of the same, which other"
    " programs disturb less [ns]",
    "rows.nanoseconds_wet": "median time per wet cell and tracer [ns]",
    "rows.floor": "time to read and write each tracer once at the triad's bandwidth [ns]",
    "rows.over_floor": "nanoseconds over floor [1]",
    "rows.level": "level to reach on one core; null for more threads [ns]",
}


def transport(
    tracers: Sequence[int] = (2, 51),
    precision: Sequence[str] = ("float32", "float64"),
    repeats: int = 5,
    json: str | Path | None = None,
    *,
    threads: Sequence[int] | None = None,
    levels: int | None = None,
) -> dict[str, Any]:
    """Time the transport and write the results to the file `json`; see `keys`.

    `threads` are 1 and all cores if not given; `levels` takes the upper levels of the grid only.
    """
    cores = len(os.sched_getaffinity(0))
    chosen = list(threads or dict.fromkeys([1, cores]))
    grid = read_layers(data_folder() / "g_pop_x1_grid.nc", levels)
    before = _native.threads()
    rows, bandwidth = [], {}
    try:
        for number in chosen:
            bandwidth[str(number)] = stream.measure(number)
        for kind in precision:
            for count in tracers:
                for row in _rows(grid, count, kind, chosen, repeats):
                    rows.append(_finish(row, bandwidth[str(row["threads"])]["triad"], grid))
    finally:
        set_threads(before)
    result: dict[str, Any] = {
        "cells": int(np.prod(grid.shape)),
        "wet_cells": int(grid.wet.sum()),
        "stream": bandwidth,
        "rows": rows,
    }
    if json is not None:
        result_files.write(json, result, keys)
    return result


def _rows(
    grid: VerticalGrid, tracers: int, precision: str, threads: Sequence[int], repeats: int
) -> Iterator[dict[str, Any]]:
    """Times of a step [s] for every number of threads and both sets of processes."""
    names = [f"tracer{number}" for number in range(tracers)]
    decomposition = Decomposition(grid.mask, grid.topology, halo=2)
    run = Runner(decomposition)
    for processes in ("advection", "all"):
        some = processes == "all"
        options = TransportOptions(
            tracers=names,
            circulation="gyres",
            horizontal_diffusivity=1000.0 * some,
            sinking=dict.fromkeys(names[1::2], 5.0) if some else {},
        )
        model = Transport(grid, options, decomposition, 1800.0, dtype=precision)
        model.set_start()
        for number in threads:
            set_threads(number)
            times, processor = [], []
            for repeat in range(-1, repeats):
                pair = [_step_times(model, run, first) for first in (0, 1)]
                if repeat >= 0:
                    times.append(0.5 * sum(wall for wall, _ in pair))
                    processor.append(0.5 * sum(busy for _, busy in pair) / number)
            yield {
                "tracers": tracers,
                "precision": precision,
                "threads": number,
                "processes": processes,
                "times": times,
                "processor": processor,
            }


def _step_times(model: Transport, run: Runner, number: int) -> tuple[float, float]:
    """Wall and processor time in the kernel of one step [s]."""
    kernel, spent = kernel_of(number), [0.0, 0.0]

    def timed(**arguments: Any) -> None:
        wall, processor = time.perf_counter(), time.process_time()
        kernel.function(**arguments)
        spent[0] += time.perf_counter() - wall
        spent[1] += time.process_time() - processor

    state = model.state
    plain = replace(kernel, function=timed, versions=())
    run(plain, state, new_tracer=state.tracer, dt=1800.0, **model.settings)
    return spent[0], spent[1]


def _finish(row: dict[str, Any], triad: float, grid: VerticalGrid) -> dict[str, Any]:
    """Turn times into nanoseconds per cell and tracer, beside floor and level."""
    times, processor = row.pop("times"), row.pop("processor")
    unit = 1e9 / (np.prod(grid.shape) * row["tracers"])
    nanoseconds = float(statistics.median(times) * unit)
    floor = 2 * np.dtype(row["precision"]).itemsize / triad * 1e9
    kind = "few" if row["tracers"] < 8 else "many"
    factor = full_factor if row["processes"] == "all" else 1.0
    level = levels_to_reach[row["precision"]][kind] * factor if row["threads"] == 1 else None
    return {
        **row,
        "nanoseconds": nanoseconds,
        "spread": [float(min(times) * unit), float(max(times) * unit)],
        "processor_nanoseconds": float(min(processor) * unit),
        "nanoseconds_wet": float(nanoseconds * np.prod(grid.shape) / grid.wet.sum()),
        "floor": floor,
        "over_floor": nanoseconds / floor,
        "level": level,
    }


def table(result: dict[str, Any]) -> str:
    """What `transport` found, as text."""
    head = f"{result['cells']:,} cells ({result['wet_cells']:,} wet); ns per cell and tracer"
    labels = ["precision", "tracers", "threads", "processes"]
    rows = kernel_table.lines(result["rows"], labels, "nanoseconds", 2)
    return "\n".join([head, *rows, *stream.lines(result["stream"])])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab transport`."""
    parser.add_argument("--tracers", type=int, nargs="+", default=[2, 51], help="numbers (2 51)")
    parser.add_argument(
        "--precision",
        nargs="+",
        choices=["float32", "float64"],
        default=["float32", "float64"],
        help="both if not given",
    )
    parser.add_argument("--threads", type=int, nargs="+", help="numbers; 1 and all cores")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of steps (5)")
    parser.add_argument("--levels", type=int, help="upper levels of the grid only")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    result = transport(
        options.tracers,
        options.precision,
        options.repeats,
        options.json,
        threads=options.threads,
        levels=options.levels,
    )
    print(table(result))
    return 0
