"""What the record of a run costs: calls per step times the cost of a call, over the step.

The step is that of the wave benchmark (29,792 points, 600 components), from rest, on one thread.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

from halocline.runtime.recorder import Recorder

keys = {
    "call_seconds": "cost of one timed call of the recorder [s]",
    "calls_per_step": "timed calls and counts of messages in a step of the wave model",
    "step_seconds": "median wall time of that step [s]",
    "overhead": "share of the step that the record takes",
}


def call_cost(calls: int = 20_000, repeats: int = 5) -> float:
    """Median cost of one timed call [s]."""

    def once() -> float:
        recorder = Recorder()
        start = time.perf_counter()
        for _ in range(calls):
            with recorder.time("x"):
                pass
        timed = time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(calls):
            pass
        return (timed - (time.perf_counter() - start)) / calls

    return statistics.median(once() for _ in range(repeats))


def measure(steps: int = 4) -> dict[str, float]:
    """Cost and overhead; see `keys`."""
    from halocline.experiment.run import run
    from halocline.lab.wave_run import benchmark_case

    result = run(benchmark_case("ST2", "", f"{steps}h"))
    counters = result.component.run.recorder.counters
    calls = sum(c.calls for c in counters.values()) / steps
    step = counters["step"].seconds / steps
    cost = call_cost()
    return {
        "call_seconds": cost,
        "calls_per_step": calls,
        "step_seconds": step,
        "overhead": cost * calls / step,
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab recorder`."""
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: Any) -> int:
    """Run the command."""
    result = measure()
    print(
        f"{result['calls_per_step']:.0f} calls of {1e6 * result['call_seconds']:.2f} us in a step"
        f" of {1e3 * result['step_seconds']:.0f} ms: {100 * result['overhead']:.4f} %"
    )
    if options.json:
        Path(options.json).write_text(json.dumps({**result, "keys": keys}, indent=1) + "\n")
    return 0
