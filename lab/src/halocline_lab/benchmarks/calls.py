"""`halocline lab calls`: what a call of a kernel costs beside the kernel itself.

Kernels of 1, 5 and 21 arrays that add them up, on one block, one thread. What a call costs is told
on the smallest block, in turns: the kernel many times within one call, which tells what it takes by
itself; the compiled call that holds the arrays; the call that the runner has bound; and
`run(kernel, state)`, which finds the call that it made before. Kernels are timed on blocks of all
sizes. The least of all turns counts, since other programs only add. Read the ratios.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.kernel import Kernel, kernels_of
from halocline.runtime.fields.place import Place
from halocline.runtime.fields.topology import Topology
from halocline.runtime.ranks.communicator import Alone
from halocline.runtime.running.runner import Runner
from halocline_lab import _native
from halocline_lab.statistics.turns import take_turns

kernels = kernels_of(_native)
counts = (1, 5, 21)
"""Numbers of arrays."""

sides = (8, 32, 128)
"""Cells along each side of the block."""

times = 101
"""How often the kernel runs within one call to tell what it takes by itself."""

keys = {
    "arguments": "arrays of the kernel",
    "cells": "cells of the block",
    "kernel_microseconds": "the kernel by itself [us]",
    "compiled_microseconds": "into the compiled call and back, without the kernel [us]",
    "bound_microseconds": "a bound call without the kernel: freshness of halos, record, compiled"
    " call [us]",
    "run_microseconds": "the same by run(kernel, state), which looks its call up [us]",
    "bound_over_kernel": "bound call without the kernel over the kernel",
    "bound_over_compiled": "bound call over compiled call, both without the kernel",
}


def measure(rounds: int = 101, seconds: float = 1.0) -> list[dict[str, Any]]:
    """One row for each number of arrays and size; see `keys`."""
    rows = []
    for count in counts:
        kernel = kernels[f"add_up_{count}"]
        many, *calls = _least(kernel, sides[0], rounds, seconds)
        for side in sides:
            by_itself = [many, *calls]
            if side != sides[0]:
                by_itself = _least(kernel, side, rounds, seconds, ways=2)
            rows.append(row(count, side * side, [many, *calls], by_itself))
    return rows


def _least(kernel: Kernel, side: int, rounds: int, seconds: float, ways: int = 4) -> list[float]:
    """Least times [s]: compiled with the kernel `times` times over, compiled, bound, looked up."""
    run, state = made(kernel, side)
    call, layout = run.bind(kernel, state), run.decomposition.home
    arrays = [getattr(state, one.name).storage(layout).arrays[0] for one in kernel.arguments]
    compiled = kernel.bound([(layout.blocks[0].box_of(Place.center), *arrays)])
    trials = [
        partial(compiled, times=times),
        partial(compiled, times=1),
        partial(call, times=1),
        partial(run, kernel, state, times=1),
    ]
    least: list[float] = take_turns(Alone(), trials[:ways], rounds, seconds).seconds.min(0).tolist()
    return least


def made(kernel: Kernel, side: int) -> tuple[Runner, SimpleNamespace]:
    """A runner on one block of `side` times `side` cells, and fields of ones for the kernel."""
    mask = np.ones((side, side), bool)
    decomposition = Decomposition(mask, Topology(side, side), halo=1)
    state = SimpleNamespace()
    for argument in kernel.arguments:
        field = Field(argument.name, "1", decomposition, place=Place.center, dtype=np.float64)
        field.set_global(mask.astype(float))
        setattr(state, argument.name, field)
    return Runner(decomposition), state


def row(
    count: int, cells: int, calls: Sequence[float], by_itself: Sequence[float]
) -> dict[str, Any]:
    """A row of the table from times [s]: of the four ways on the smallest block, and of the first
    two on a block of `cells`."""
    smallest, kernel = _kernel(calls), _kernel(by_itself)
    compiled, bound, looked_up = (one - smallest for one in calls[1:])
    return {
        "arguments": count,
        "cells": cells,
        "kernel_microseconds": 1e6 * kernel,
        "compiled_microseconds": 1e6 * compiled,
        "bound_microseconds": 1e6 * bound,
        "run_microseconds": 1e6 * looked_up,
        "bound_over_kernel": bound / kernel,
        "bound_over_compiled": bound / compiled,
    }


def _kernel(seconds: Sequence[float]) -> float:
    """The kernel by itself [s], from a call with it `times` times over and one with it once."""
    many, once, *_ = seconds
    return (many - once) / (times - 1)


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text."""
    lines = [
        f"{'arrays':>6}{'cells':>8}{'kernel us':>11}{'compiled':>10}{'bound':>8}{'run':>8}"
        f"{'bound/kernel':>14}{'bound/compiled':>16}"
    ]
    for one in rows:
        lines.append(
            f"{one['arguments']:>6}{one['cells']:>8,}{one['kernel_microseconds']:>11.3f}"
            f"{one['compiled_microseconds']:>10.3f}{one['bound_microseconds']:>8.3f}"
            f"{one['run_microseconds']:>8.3f}{one['bound_over_kernel']:>14.2f}"
            f"{one['bound_over_compiled']:>16.2f}"
        )
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab calls`."""
    parser.add_argument("--rounds", type=int, default=101, help="turns of each way at most (101)")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row at most (1)")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    rows = measure(options.rounds, options.seconds)
    print(table(rows))
    if options.json:
        Path(options.json).write_text(json.dumps({"rows": rows, "keys": keys}, indent=1) + "\n")
    return 0
