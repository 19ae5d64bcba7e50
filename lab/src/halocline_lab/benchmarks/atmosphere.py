"""`halocline lab atmosphere`: steps of the atmosphere on a box of 160 x 160 x 40 cells.

The setting: a warm bubble in wind over a hill, in dry air, or with --moist the start of a supercell
with Kessler's clouds and rain over flat ground; sides joined, four acoustic steps, advection of
fifth order along layers and third across them, no mixing, no output. Each run is a process of its
own, and runs take turns; times are those of its record without the first step. The floor is the
time to pass the fields of each kernel once at the triad's bandwidth, measured in the same process.
Read the ratios where other programs compute beside.

Beside the speed-up of ranks stands what as many runs of one rank reach that know nothing of each
other, each of as many cells as a rank has: more the cores, their caches and the memory that they
share do not allow. Halos go as HALOCLINE_HALOS says, otherwise in the simplest way: so few steps
are too few to find the fastest.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.start import cores
from halocline_lab.benchmarks import atmosphere_run, independent_runs, result_files
from halocline_lab.benchmarks.independent_runs import bound_of, run_at_once
from halocline_lab.benchmarks.ocean import configurations_of

rivals = {"dry": (308.0, 382.0), "moist": (486.0, 569.0)}
"""WRF 4.7.1, dry and with Kessler's scheme, float32, on one core of the project's reference machine
[ns]."""

levels = {"dry": 150.0, "moist": 220.0}
"""To reach on such a core in float32 [ns per cell and step]."""

precisions = ("float32", "float64")

keys = {
    "air": "dry or moist",
    "cells": "cells of the box",
    "rows": "one entry per precision, ranks and threads",
    "rows.precision": "float32 or float64",
    "rows.ranks": "ranks of MPI",
    "rows.threads": "threads of each rank",
    "rows.nanoseconds": "median time of a step per cell [ns]",
    "rows.spread": "least and greatest of the runs of the same [ns]",
    "rows.processor_nanoseconds": "least processor time of a step per cell on the slowest rank, the"
    " first step among them, which other programs disturb less [ns]",
    "rows.kernels": "of each kernel on the first rank: nanoseconds, the least of the runs, and"
    " floor, per cell and step [ns]",
    "rows.floor": "sum of the floors of the kernels [ns]",
    "rows.over_floor": "nanoseconds over floor [1]",
    "rows.triad": "bandwidth of all ranks at once, median [byte s-1]",
    "rows.speed_up": "against the first of --on, median of pairs",
    "rows.bound": f"{independent_runs.key}; {independent_runs.of_shares}",
}


@dataclass(frozen=True)
class AirChoice:
    """One thing to time; with `copies` so many runs go at once, each for itself and of its share of
    the box."""

    precision: str
    ranks: int
    threads: int
    copies: int = 1

    def words(self) -> str:
        copies = f"{self.copies} runs at once, " if self.copies > 1 else ""
        return f"{copies}{self.precision}, {self.ranks} ranks x {self.threads} threads"

    def independent(self) -> AirChoice:
        """As many runs of one rank at once as this has ranks, each of a share of the box.

        >>> AirChoice("float32", 2, 1).independent().words()
        '2 runs at once, float32, 1 ranks x 1 threads'
        """
        return replace(self, ranks=1, copies=self.ranks)


def measure(
    chosen: Sequence[str] = precisions,
    configurations: Sequence[tuple[int, int]] = ((1, 1),),
    *,
    rounds: int = 3,
    steps: int = 12,
    quick: bool = False,
    moist: bool = False,
) -> dict[str, Any]:
    """Time the precisions on (ranks, threads) in turns; see `keys`."""
    choices = [AirChoice(p, *c) for p in chosen for c in configurations]
    alone = configurations[0] == (1, 1)
    apart = {c: c.independent() for c in choices if alone and 1 < c.ranks <= cores() // c.threads}
    runs: dict[AirChoice, list[dict[str, Any]]] = {c: [] for c in (*choices, *apart.values())}
    for turn in range(rounds):
        for choice, found in runs.items():
            print(f"round {turn + 1} of {rounds}: {choice.words()}", flush=True)
            timing = {"steps": steps, "quick": quick, "moist": moist, "shares": choice.copies}
            settings = {"precision": choice.precision, **timing}
            on = choice.ranks, choice.threads, choice.copies
            found.append(run_at_once(atmosphere_run.__name__, settings, *on))
    first = {p: runs[AirChoice(p, *configurations[0])] for p in chosen}
    rows = [
        evaluate(c, runs[c], first[c.precision], runs[apart[c]] if c in apart else ())
        for c in choices
    ]
    air = "moist" if moist else "dry"
    return {"air": air, "cells": runs[choices[0]][0]["cells"], "rows": rows}


def evaluate(
    choice: AirChoice,
    runs: Sequence[dict[str, Any]],
    base: Sequence[dict[str, Any]],
    apart: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A row of the result, from runs of one choice and those on the first configuration.

    `apart` are those of as many independent runs at once, if there are any.
    """
    unit = 1e9 / runs[0]["cells"]
    seconds = [run["seconds"] for run in runs]
    nanoseconds = statistics.median(seconds) * unit
    triad = statistics.median(run["stream"]["triad"] for run in runs)
    kernels = {
        name: {
            "nanoseconds": unit * min(run["kernels"][name]["seconds"] for run in runs),
            "floor": 1e9 * first["bytes"] / triad,
        }
        for name, first in runs[0]["kernels"].items()
    }
    floor = sum(kernel["floor"] for kernel in kernels.values())
    pairs = zip(base, seconds, strict=True)
    return {
        "precision": choice.precision,
        "ranks": choice.ranks,
        "threads": choice.threads,
        "nanoseconds": nanoseconds,
        "spread": [min(seconds) * unit, max(seconds) * unit],
        "processor_nanoseconds": min(run["processor"] for run in runs) * unit,
        "kernels": kernels,
        "floor": floor,
        "over_floor": nanoseconds / floor,
        "triad": triad,
        "speed_up": statistics.median(one["seconds"] / other for one, other in pairs),
        "bound": bound_of(1, base, apart) if apart else None,
    }


def table(result: dict[str, Any]) -> str:
    """What `measure` found, as text."""
    air = result["air"]
    low, high = rivals[air]
    lines = [
        f"{result['cells']:,} cells, {air}, four acoustic steps; ns per cell and step",
        f"{'numbers':<9}{'on':>5}{'median':>8}{'min':>8}{'max':>8}{'busy':>8}{'floor':>8}"
        f"{'x floor':>9}{'speed-up':>10}{'at most':>9}{'triad GB/s':>12}",
    ]
    for row in result["rows"]:
        bound = "" if row["bound"] is None else f"{row['bound']:.2f}"
        lines.append(
            f"{row['precision']:<9}{row['ranks']:>3}x{row['threads']}{row['nanoseconds']:>8.1f}"
            f"{row['spread'][0]:>8.1f}{row['spread'][1]:>8.1f}{row['processor_nanoseconds']:>8.1f}"
            f"{row['floor']:>8.1f}{row['over_floor']:>9.2f}{row['speed_up']:>10.2f}"
            f"{bound:>9}{row['triad'] / 1e9:>12.1f}"
        )
    if any(row["bound"] is not None for row in result["rows"]):
        lines.append(f"{independent_runs.caption}, {independent_runs.of_shares}")
    for row in result["rows"]:
        lines += words_of(row)
    lines.append(
        f"on one core of the reference machine, float32: WRF 4.7.1 {low:.0f} to {high:.0f}"
        f" ns; to reach {levels[air]:.0f} ns"
    )
    return "\n".join(lines)


def words_of(row: dict[str, Any]) -> Iterable[str]:
    """The kernels of a row, the longest first; those of planes alone have no floor."""
    yield f"{row['precision']}, {row['ranks']}x{row['threads']}: kernels, least time over floor"
    kernels = sorted(row["kernels"].items(), key=lambda item: -item[1]["nanoseconds"])
    for name, kernel in kernels:
        took, floor = kernel["nanoseconds"], kernel["floor"]
        over = f"{took / floor:>7.2f}" if floor else f"{'-':>7}"
        yield f"  {name:<20}{took:>8.1f}{floor:>8.1f}{over}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab atmosphere`."""
    parser.add_argument("--precision", nargs="+", choices=precisions, help="both if not given")
    parser.add_argument("--moist", action="store_true", help="a supercell with Kessler's scheme")
    parser.add_argument("--rounds", type=int, default=3, help="how often choices take turns (3)")
    parser.add_argument("--steps", type=int, default=12, help="steps of a run, at least 3 (12)")
    parser.add_argument(
        "--on",
        action="append",
        metavar="RANKSxTHREADS",
        help="ranks and threads, for example 2x1 (may be repeated); 1x1 if not given",
    )
    parser.add_argument(
        "--quick", action="store_true", help="a box of 24 x 24 x 8 cells: a look, no result"
    )
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.steps < 3 or options.rounds < 1:
        raise UserError(
            f"--steps {options.steps} --rounds {options.rounds}: the first step is left out. Take"
            " at least 3 steps, and a round."
        )
    result = measure(
        options.precision or precisions,
        configurations_of(options.on or ["1x1"]),
        rounds=options.rounds,
        steps=options.steps,
        quick=options.quick,
        moist=options.moist,
    )
    print(table(result))
    if options.json:
        result_files.write(options.json, result, keys)
    return 0
