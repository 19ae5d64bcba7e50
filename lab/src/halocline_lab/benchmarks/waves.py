"""`halocline lab waves`: the wave model on the benchmark of Tolman (2003), timed from inside.

Protocol (W-06 to W-08): 6 h forecast of 29,792 spectra of 25 x 24 components from a state spun up
for 48 h with active storms; no output; start-up excluded; medians of repeated runs; configurations
take turns, so that a change of the machine's speed meets all of them. STREAM is measured in the
same processes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.runtime.ranks.threads import set_threads_of_ranks
from halocline.runtime.writing.restart import find_restarts
from halocline_lab.benchmarks import result_files
from halocline_lab.benchmarks.rank_programs import answer_of

spin_up_hours, hours = 48, 6
rivals = {"ST2": 92.0, "ST4": 203.0}
"""WAVEWATCH III 7.14 on the machine of the project's reference measurements [ns]."""

keys = {
    "nanoseconds": "time per sea point, spectral component and hourly global step [ns]",
    "spread": "smallest and largest of the repeated measurements of the same [ns]",
    "speed_up": "against one rank of one thread, median of pairs",
    "phases": "nanoseconds of each phase, in the same unit, on one rank of one thread",
    "sub_steps_mean": "source sub-steps per point and global step",
    "sub_steps_tile": "the same of a tile, the most of its points",
    "source_nanoseconds": "source terms per point, component and executed sub-step [ns]",
    "sweep_over_copy": "propagation in space per sub-step and sweep over a STREAM copy of spectra",
    "stream": "bandwidth of copy and triad [byte s-1]",
    "copies": "most memory of the first rank, less what its libraries held before the run, over"
    " its share of the spectra; by ranks x threads",
}


def measure(
    physics: str = "ST2",
    configurations: Sequence[tuple[int, int]] | None = None,
    rounds: int = 3,
    repeats: int = 2,
) -> dict[str, Any]:
    """Time the configurations, given as (ranks, threads), in turn; see `keys`."""
    cores = len(os.sched_getaffinity(0))
    chosen = list(configurations or dict.fromkeys([(1, 1), (cores, 1), (1, cores), (8, 1)]))
    with tempfile.TemporaryDirectory() as folder:
        restart = spin_up(physics, Path(folder), cores)
        runs: dict[tuple[int, int], list[dict[str, Any]]] = {c: [] for c in chosen}
        for turn in range(rounds):
            for configuration in chosen:
                ranks, threads = configuration
                print(f"round {turn + 1} of {rounds}: {ranks} ranks x {threads} threads")
                settings = {
                    "physics": physics,
                    "restart": str(restart),
                    "length": f"{spin_up_hours + hours}h",
                    "repeats": repeats,
                }
                runs[configuration].append(_start(settings, *configuration))
    return {"physics": physics, **_evaluate(runs)}


def spin_up(physics: str, folder: Path, cores: int) -> Path:
    """The restart file of a state with active storms, written into a folder."""
    print(f"spinning up {spin_up_hours} h on {cores} threads")
    script = (
        "from halocline_lab.benchmarks.wave_run import benchmark_case;"
        " from halocline.experiment.run import run;"
        f" case = benchmark_case({physics!r}, '', '{spin_up_hours}h');"
        f" case['restart'] = {{}}; run(case, output={str(folder)!r})"
    )
    set_threads_of_ranks(cores)
    subprocess.run([sys.executable, "-c", script], check=True)
    return find_restarts(folder)[0]


def _start(settings: dict[str, Any], ranks: int, threads: int) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(
        answer_of("halocline_lab.benchmarks.wave_run", settings, ranks, threads)
    )
    return result


def _evaluate(runs: dict[tuple[int, int], list[dict[str, Any]]]) -> dict[str, Any]:
    first = runs[1, 1] if (1, 1) in runs else next(iter(runs.values()))
    work = first[0]["points"] * first[0]["components"] * hours
    unit = 1e9 / work
    base = [s for run in first for s in run["seconds"]]
    rows = []
    for (ranks, threads), results in runs.items():
        seconds = [s for run in results for s in run["seconds"]]
        pairs = [a / b for a, b in zip(base, seconds, strict=True)]
        rows.append(
            {
                "ranks": ranks,
                "threads": threads,
                "nanoseconds": statistics.median(seconds) * unit,
                "spread": [min(seconds) * unit, max(seconds) * unit],
                "speed_up": statistics.median(pairs),
            }
        )
    phases = {
        name: statistics.median(run["phases"].get(name, 0.0) for run in first) * unit
        for name in first[0]["phases"]
    }
    copy = statistics.median(run["stream"]["copy"] for run in first)
    triad = statistics.median(run["stream"]["triad"] for run in first)
    counts = first[0]["counts"]
    passes = 2.0 * sum(first[0]["sub_steps"]) / len(first[0]["sub_steps"])
    copy_time = 2.0 * 4.0 * 1e9 / copy
    executed = counts["executed"] / max(counts["points"], 1)
    sources = sum(phases.get(f"sources: {name}", 0.0) for name in _source_phases)
    return {
        "rows": rows,
        "phases": phases,
        "sub_steps_mean": counts["steps"] / max(counts["points"], 1),
        "sub_steps_tile": executed,
        "source_nanoseconds": sources / max(executed, 1e-9),
        "sweep_over_copy": phases.get("propagate_space", 0.0) / passes / copy_time,
        "stream": {"copy": copy, "triad": triad},
        "copies": {
            f"{ranks}x{threads}": max(run["memory"] for run in results) / results[0]["spectra"]
            for (ranks, threads), results in runs.items()
        },
    }


_source_phases = ("input", "friction", "quadruplets", "update")


def table(result: dict[str, Any]) -> str:
    """What `measure` found, as text."""
    lines = [
        f"29,792 sea points, 25 x 24 components, {result['physics']},"
        f" {hours} hourly steps; ns per point, component and step",
        f"{'ranks':>6}{'threads':>9}{'median':>9}{'min':>8}{'max':>8}{'speed-up':>10}",
    ]
    for row in result["rows"]:
        low, high = row["spread"]
        lines.append(
            f"{row['ranks']:>6}{row['threads']:>9}{row['nanoseconds']:>9.2f}{low:>8.2f}"
            f"{high:>8.2f}{row['speed_up']:>10.2f}"
        )
    rival = rivals.get(result["physics"])
    if rival:
        lines.append(
            f"WAVEWATCH III 7.14, one core of the reference machine: {rival:.0f} ns;"
            f" one core here is {rival / result['rows'][0]['nanoseconds']:.1f} times as fast"
        )
    lines.append("by phase, one rank of one thread:")
    for name, value in sorted(result["phases"].items(), key=lambda item: -item[1]):
        lines.append(f"  {name:<28}{value:>8.3f}")
    stream = result["stream"]
    lines += [
        f"source sub-steps: mean {result['sub_steps_mean']:.2f} per point,"
        f" {result['sub_steps_tile']:.2f} per tile",
        f"sources per executed sub-step: {result['source_nanoseconds']:.2f} ns",
        f"propagation per sub-step and sweep: {result['sweep_over_copy']:.2f} x a STREAM copy of"
        " the spectra",
        "memory in copies of the spectra: "
        + ", ".join(f"{name} {copies:.2f}" for name, copies in result["copies"].items()),
        f"STREAM: copy {stream['copy'] / 1e9:.1f}, triad {stream['triad'] / 1e9:.1f} GB/s",
    ]
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab waves`."""
    parser.add_argument("--physics", choices=["ST2", "ST4"], default="ST2")
    parser.add_argument("--rounds", type=int, default=3, help="how often configurations take turns")
    parser.add_argument("--repeats", type=int, default=2, help="forecasts per turn")
    parser.add_argument(
        "--on",
        action="append",
        metavar="RANKSxTHREADS",
        help="a configuration, for example 4x1 (may be repeated); 1x1, all cores and 8x1",
    )
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    configurations = None
    if options.on:
        try:
            pairs = [tuple(int(n) for n in word.split("x")) for word in options.on]
            configurations = [(ranks, threads) for ranks, threads in pairs]
        except ValueError:
            raise UserError(f"--on {options.on}: write RANKSxTHREADS, for example 4x1.") from None
    result = measure(options.physics, configurations, options.rounds, options.repeats)
    print(table(result))
    if options.json:
        result_files.write(options.json, result, keys)
    return 0
