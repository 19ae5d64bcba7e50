"""`halocline lab biology`: the reaction of BFM's 51 tracers in the cells of a block.

All cells are wet, with states around that of the preset, so that no step is cut. A call is timed
from inside; the least and the median of some count. STREAM is measured in the same process with as
many threads.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.biogeochemistry import _native as kernels
from halocline.biogeochemistry.bfm.options import BfmOptions
from halocline.biogeochemistry.bfm.tracers import homogeneous_start
from halocline.runtime.ranks.threads import set_threads
from halocline_lab import _native
from halocline_lab.benchmarks import kernel_table, result_files, stream

Array = NDArray[Any]
levels_to_reach = {"float32": 0.3, "float64": 0.5}
"""On one core [us]; BFM v5 in Fortran takes 2.0 to 3.0."""

keys = {
    "cells": "cells, all of them wet",
    "tracers": "number of tracers",
    "stream": "by threads: bandwidth of copy and triad [byte s-1]",
    "rows": "one entry per precision and threads",
    "rows.precision": "float32 or float64",
    "rows.threads": "threads",
    "rows.microseconds": "median time per cell and call [us]",
    "rows.spread": "least and greatest of the repeated measurements [us]",
    "rows.processor_microseconds": "least processor time per thread of the same, which other"
    " programs disturb less [us]",
    "rows.floor": "time to read and write every tracer once at the triad's bandwidth [us]",
    "rows.over_floor": "microseconds over floor [1]",
    "rows.cut": "cells whose step the limiter cut",
    "rows.level": "level to reach on one core; null for more threads [us]",
}


def biology(
    precision: Sequence[str] = ("float32", "float64"),
    cells: int = 65536,
    repeats: int = 9,
    json: str | Path | None = None,
    *,
    threads: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Time the reaction and write the results to the file `json`; see `keys`.

    `threads` are 1 and all cores if not given.
    """
    cores = len(os.sched_getaffinity(0))
    before = _native.threads()
    rows, bandwidth = [], {}
    try:
        for number in threads or dict.fromkeys([1, cores]):
            bandwidth[str(number)] = stream.measure(number)
            set_threads(number)
            for kind in precision:
                row = _row(kind, cells, number, repeats)
                rows.append(_finish(row, bandwidth[str(number)]["triad"]))
    finally:
        set_threads(before)
    result: dict[str, Any] = {
        "cells": _shape(cells)[0] * _shape(cells)[1],
        "tracers": len(homogeneous_start()),
        "stream": bandwidth,
        "rows": rows,
    }
    if json is not None:
        result_files.write(json, result, keys)
    return result


def _shape(cells: int) -> tuple[int, int]:
    """Rows and columns of a block."""
    columns = min(cells, 320)
    return max(cells // columns, 1), columns


def _row(precision: str, cells: int, threads: int, repeats: int) -> dict[str, Any]:
    """Times per cell of some calls on one block [us], after one that warms up."""
    random, (nj, ni) = np.random.default_rng(0), _shape(cells)
    start = np.array(list(homogeneous_start().values()))
    tracer = start[:, None, None, None] * random.lognormal(sigma=0.3, size=(1, 1, nj, ni))
    arrays = {
        "tracer": tracer,
        "volume": np.ones((1, nj, ni)),
        "temperature": random.uniform(8.0, 25.0, (1, nj, ni)),
        "light": random.uniform(0.0, 200.0, (1, nj, ni)),
        "calcite_saturation": random.uniform(1.0, 5.0, (1, nj, ni)),
        "gross_production": np.zeros((1, nj, ni)),
        "primary_production": np.zeros((1, nj, ni)),
        "bacterial_production": np.zeros((1, nj, ni)),
    }
    single = {name: array.astype(precision) for name, array in arrays.items()}
    cut, numbers = np.zeros(2, np.int64), BfmOptions().native()
    wall, busy = [], []
    for _ in range(repeats + 1):
        begin, processor = time.perf_counter(), time.process_time()
        kernels.bfm_react(
            box=(0, nj, 0, ni, 0), **single, cut_cells=cut, numbers=numbers, dt=1800.0
        )
        busy.append((time.process_time() - processor) / threads / (nj * ni) * 1e6)
        wall.append((time.perf_counter() - begin) / (nj * ni) * 1e6)
    return {
        "precision": precision,
        "threads": threads,
        "microseconds": statistics.median(wall[1:]),
        "spread": [min(wall[1:]), max(wall[1:])],
        "processor_microseconds": min(busy[1:]),
        "cut": int(cut[0]),
    }


def _finish(row: dict[str, Any], triad: float) -> dict[str, Any]:
    """The row beside floor and level."""
    size = len(homogeneous_start()) * np.dtype(row["precision"]).itemsize
    floor = 2 * size / triad * 1e6
    return {
        **row,
        "floor": floor,
        "over_floor": row["microseconds"] / floor,
        "level": levels_to_reach[row["precision"]] if row["threads"] == 1 else None,
    }


def table(result: dict[str, Any]) -> str:
    """What `biology` found, as text."""
    head = f"{result['cells']:,} cells of {result['tracers']} tracers; us per cell and call"
    rows = kernel_table.lines(result["rows"], ["precision", "threads"], "microseconds", 3)
    return "\n".join([head, *rows, *stream.lines(result["stream"])])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab biology`."""
    parser.add_argument(
        "--precision",
        nargs="+",
        choices=["float32", "float64"],
        default=["float32", "float64"],
        help="both if not given",
    )
    parser.add_argument("--cells", type=int, default=65536, help="how many (65536)")
    parser.add_argument("--threads", type=int, nargs="+", help="numbers; 1 and all cores")
    parser.add_argument("--repeats", type=int, default=9, help="calls (9)")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    result = biology(
        options.precision, options.cells, options.repeats, options.json, threads=options.threads
    )
    print(table(result))
    return 0
