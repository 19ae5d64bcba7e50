"""Check of the replay: against SimGrid's SMPI where it is installed, and against runs here.

SMPI simulates halos and sums of many ranks on the same network: both must agree within 15 %. With
--here, real ranks take the same steps on this machine, in turns; the platform is measured between
them, and each step is predicted from the time of its computation alone: on one rank, and with all
processors busy, where threads of a core or the memory are shared. Ranks are bound, so many to each
processor: a system that moves them unevenly takes up to half as long again.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halocline.core.errors import UserError
from halocline_lab.prediction import program_patterns as patterns
from halocline_lab.prediction.platform_measure import measured_platform, run_messages
from halocline_lab.prediction.platform_model import Platform
from halocline_lab.prediction.programs import Program, ProgramBuilder
from halocline_lab.prediction.replay import replay
from halocline_lab.prediction.replay_smpi import compare, smpi_command
from halocline_lab.statistics.number_lists import whole_numbers

agreement = 0.15
steps_of = (
    ("compute", 0),
    ("halo", 1024),
    ("halo", 131072),
    ("all_reduce", 8),
    ("all_reduce", 131072),
    ("solver", 4096),
    ("all_to_one", 8192),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab predict check`."""
    parser.add_argument("--ranks", help="8,64,512 with SMPI; 1,2,4,8 with --here")
    parser.add_argument("--smpirun", help="the command that starts SMPI, if it is not on PATH")
    parser.add_argument("--folder", type=Path, help="for what SMPI reads")
    parser.add_argument("--here", action="store_true", help="compare with runs on this machine")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each step (15)")
    parser.add_argument(
        "--pieces", type=int, default=200, help="computation of a step, 5 us each (200)"
    )
    parser.add_argument("--json", type=Path, help="write the numbers to a file")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    return _check_here(options) if options.here else _check_smpi(options)


def _check_smpi(options: argparse.Namespace) -> int:
    ranks = whole_numbers(options.ranks or "8,64,512", "--ranks")
    try:
        command = smpi_command(options.smpirun)
    except UserError as error:
        print(f"Not compared with SMPI. {error}")
        return 0
    found = compare(ranks, command, options.folder)
    print(f"{'ranks':>6}  {'program':<20}{'SMPI [s]':>12}{'ours [s]':>12}{'difference':>12}")
    for one in found:
        words = f"{one.smpi:>12.6f}{one.ours:>12.6f}{one.difference:>12.1%}"
        print(f"{one.ranks:>6}  {one.name:<20}{words}")
    worst = max(found, key=lambda one: abs(one.difference))
    agree = abs(worst.difference) <= agreement
    print(f"\nLargest difference {worst.difference:.1%}: {worst.name} on {worst.ranks} ranks.")
    if options.json is not None:
        options.json.write_text(json.dumps([vars(one) for one in found], indent=1) + "\n")
    if not agree:
        print(f"The two do not agree within {agreement:.0%}.")
    return 0 if agree else 1


@dataclass(frozen=True)
class Measured:
    """A step on real ranks, and its prediction [s]."""

    name: str
    size: int
    ranks: int
    measured: float
    low: float
    high: float
    predicted: float

    @property
    def difference(self) -> float:
        return self.predicted / self.measured - 1.0


def program_of(name: str, size: int, ranks: int, seconds: float, steps: int) -> Program:
    """The program of a step that `platform_measure_run` takes."""
    if name == "compute":
        build = ProgramBuilder(ranks)
        build.compute(seconds, name="work")
        return build.program(steps)
    if name == "halo":
        return patterns.halo(ranks, size=size, seconds=seconds, steps=steps)
    if name == "all_reduce":
        return patterns.collective(ranks, "all reduce", size=size, seconds=seconds, steps=steps)
    if name == "solver":
        return patterns.solver(ranks, size=size, seconds=seconds, steps=steps)
    assert name == "all_to_one"
    return patterns.all_to_one(ranks, size=size, seconds=seconds, steps=steps)


def measure_here(
    ranks: Sequence[int], rounds: int, *, pieces: int = 200, steps: int = 10
) -> tuple[Platform, list[Measured]]:
    """Steps on real ranks of this machine, each number of ranks in turns with the others."""
    settings = {"patterns": steps_of, "pieces": pieces, "steps": steps, "bound": True}
    cores = len(os.sched_getaffinity(0))
    runs: dict[int, list[dict[str, Any]]] = {number: [] for number in {1, cores, *ranks}}
    for _ in range(3):
        for number in sorted(runs):
            some = settings if number > 1 else {**settings, "patterns": steps_of[:1]}
            runs[number].append(run_messages(number, rounds=max(2, rounds // 3), **some))
    platform = measured_platform(rounds)
    alone = {n: _least(runs[n], "compute 0") for n in (1, cores)}
    found = []
    for number in ranks:
        # Ranks that never wait for each other need not share processors at the same time.
        first = int(number > cores)
        for name, size in steps_of[first:] if number > 1 else steps_of[:1]:
            key = f"{name} {size}"
            times = np.concatenate([run["rounds"][key] for run in runs[number]])
            seconds = alone[cores if number >= cores else 1]
            program = program_of(name, size, number, seconds, steps)
            predicted = replay(program, platform).step_seconds
            low, high = float(times.min()), float(np.quantile(times, 0.25))
            found.append(Measured(name, size, number, low, low, high, predicted))
    return platform, found


def _least(runs: Sequence[dict[str, Any]], name: str) -> float:
    return min(float(run["least"][name]) for run in runs)


def _check_here(options: argparse.Namespace) -> int:
    ranks = whole_numbers(options.ranks or "2,4,8", "--ranks")
    platform, found = measure_here(ranks, options.rounds, pieces=options.pieces)
    print(f"{platform.about}; the least of all runs, up to their lower quartile\n")
    print(f"{'ranks':>6}  {'step':<12}{'bytes':>8}{'measured [ms]':>22}{'predicted':>11}{'':>10}")
    for one in found:
        measured = f"{1e3 * one.measured:.3f} (-{1e3 * one.high:.3f})"
        words = f"{measured:>22}{1e3 * one.predicted:>11.3f}{one.difference:>10.1%}"
        print(f"{one.ranks:>6}  {one.name:<12}{one.size:>8}{words}")
    within = sum(abs(one.difference) <= 0.10 for one in found)
    print(f"\n{within} of {len(found)} within 10 %.")
    if options.json is not None:
        options.json.write_text(json.dumps([vars(one) for one in found], indent=1) + "\n")
    return 0
