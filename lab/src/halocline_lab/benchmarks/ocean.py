"""`halocline lab ocean`: steps of the ocean on POP's x1 grid, by phase, beside other models.

The setting: the shipped case global-ocean-analytic (320 x 384 x 40 cells, real depths, forcing in
closed form, from rest) with steps of an hour that are not averaged in time, with minimal physics
(Richardson numbers, linear density, Laplacians along levels) and full physics (KPP, density of
McDougall et al. 2003, eddies along density with the smooth taper, anisotropic viscosity). Each run
is a process of its own, and runs take turns; times are those of its record without the first step,
as `halocline lab report` shows them. Read the ratios where other programs compute beside.

Beside the speed-up of ranks stands what as many runs of one rank reach that know nothing of each
other: more the cores, their caches and the memory that they share do not allow.

Phases are those of Worley and Levesque (2004): the baroclinic part with the tracers, its halos, the
barotropic part without the solver, its halos, the solver with all that it communicates, the rest,
to which the sum of both parts' velocities belongs, as in POP.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from halocline.core.errors import UserError
from halocline.experiment.start import cores
from halocline_lab.benchmarks import (
    independent_runs,
    ocean_plots,
    ocean_run,
    ocean_table,
    result_files,
)
from halocline_lab.benchmarks.independent_runs import bound_of, run_at_once

cray_x1 = (240, 125.0)
"""Processors, and years per day of POP 1.4.3 on them (Worley and Levesque 2004, section 9)."""

levels_to_reach = {"minimal": 50.0, "full": 110.0}
"""On one core in float64 [ns per cell and step]; 0.6 of it in float32."""

single_over_double = 0.6
steps_of_a_day = 24.0 / ocean_run.step_hours * (1.0 + 1.0 / 25.0)
"""Of which every 25th is done in two halves, as the shipped cases do."""

least_bytes = {"minimal": 152.0, "full": 300.0}
"""What must pass the memory in a step of float64, per cell [byte]."""

precisions = ("float64", "float32")

keys = {
    "grid": "the x1 grid, or a small one where --quick was asked for",
    "cells": "cells of the grid, land included",
    "wet_cells": "cells with water",
    "tried": "one entry per processor grid that was tried first: ranks, threads, rows and columns"
    " of blocks, and median time of a step per cell [ns]",
    "rows": "one entry per physics, precision, ranks and threads",
    "rows.physics": "minimal or full",
    "rows.precision": "float64 or float32",
    "rows.ranks": "ranks of MPI",
    "rows.threads": "threads of each rank",
    "rows.way": "how ranks exchange halos, and after ' + ' how they add sums; empty: as measured"
    " at the start",
    "rows.processor_grid": "rows and columns of blocks",
    "rows.nanoseconds": "median time of a step per cell, land included [ns]",
    "rows.spread": "least and greatest of the runs of the same [ns]",
    "rows.processor_nanoseconds": "least processor time of a step per cell, the first step among"
    " them, which other programs disturb less [ns]",
    "rows.nanoseconds_wet": "median per wet cell [ns]",
    "rows.phases": "median of each phase per cell [ns]",
    "rows.kernels": "median of each kernel of the ocean on the first rank per cell [ns]",
    "rows.solver_share": "of the solver in a step [1]",
    "rows.barotropic_share": "of the barotropic part, solver and halos included [1]",
    "rows.iterations": "mean iterations of the solver in a step",
    "rows.floor": "time to pass the least bytes of all cells at the triad's bandwidth [ns]",
    "rows.over_floor": "nanoseconds over floor [1]",
    "rows.speed_up": "against the first of --on, median of pairs",
    "rows.bound": independent_runs.key,
    "rows.years_per_day": "years of 365 days that a day of computing simulates, with the half steps"
    " that averages of levels in time take",
    "rows.seconds_of_a_day": "of each phase per simulated day [s]",
    "rows.level": "level to reach on one core; null for more, or a small grid [ns]",
}


@dataclass(frozen=True)
class Choice:
    """One thing to time; `rows` of ranks in the processor grid, 0: as a run would cut.

    With `copies` as many runs of the same go at once, each for itself. `way` is that of halos and,
    after " + ", of sums.
    """

    physics: str
    precision: str
    ranks: int
    threads: int
    rows: int = 0
    copies: int = 1
    way: str = ""

    def words(self) -> str:
        grid = f" in {self.rows} rows" if self.rows else ""
        copies = f"{self.copies} runs at once, " if self.copies > 1 else ""
        ranks = f"{self.ranks} ranks{grid} x {self.threads} threads"
        by = f" by {self.way}" if self.way else ""
        return f"{copies}{self.physics} physics, {self.precision}, {ranks}{by}"


def measure(
    chosen: Sequence[str] = tuple(levels_to_reach),
    precision: Sequence[str] = precisions,
    configurations: Sequence[tuple[int, int]] = ((1, 1),),
    *,
    rounds: int = 3,
    steps: int = 12,
    quick: bool = False,
    grids: bool = False,
    ways: Sequence[str] = ("",),
) -> dict[str, Any]:
    """Time the choices on (ranks, threads) in turns; see `keys`.

    With `grids` the fastest processor grid of each number of ranks is found first, as all choices
    of physics and precision take it then. Choices of more than one rank are timed in all `ways`.
    """
    timing: dict[str, Any] = {"rounds": rounds, "steps": steps, "quick": quick}
    tried: dict[Choice, list[dict[str, Any]]] = {}
    if grids:
        first = (chosen[0], precision[0])
        tried = in_turns(
            [Choice(*first, *c, rows) for c in configurations for rows in rows_of(c[0])], **timing
        )
    best = {c: fastest_rows(tried, c) for c in configurations}
    choices = [
        Choice(p, n, *c, best[c], way=way)
        for p in chosen
        for n in precision
        for c in configurations
        for way in (ways if c[0] > 1 else ways[:1])
    ]
    alone = configurations[0][0] == 1
    apart = {c: independent(c) for c in choices if alone and 1 < c.ranks * c.threads <= cores()}
    runs = in_turns([*choices, *apart.values()], **timing)
    some = runs[choices[0]][0]

    def base(choice: Choice) -> Choice:
        (ranks, threads), *_ = configurations
        rows = best[ranks, threads]
        return replace(choice, ranks=ranks, threads=threads, rows=rows, way=ways[0])

    return {
        "grid": "small" if quick else "x1",
        "cells": some["cells"],
        "wet_cells": some["wet_cells"],
        "tried": [
            {
                "ranks": choice.ranks,
                "threads": choice.threads,
                "processor_grid": found[0]["processor_grid"],
                "nanoseconds": median_seconds(found) * 1e9 / found[0]["cells"],
            }
            for choice, found in tried.items()
        ],
        "rows": [
            evaluate(
                choice,
                runs[choice],
                runs[base(choice)],
                runs[apart[choice]] if choice in apart else (),
                quick=quick,
            )
            for choice in choices
        ],
    }


def independent(choice: Choice) -> Choice:
    """As many runs of one rank at once as a choice has ranks.

    >>> independent(Choice("full", "float64", 2, 1, rows=2)).words()
    '2 runs at once, full physics, float64, 1 ranks x 1 threads'
    """
    return replace(choice, ranks=1, rows=0, copies=choice.ranks, way="")


def in_turns(
    choices: Sequence[Choice], *, rounds: int, steps: int, quick: bool
) -> dict[Choice, list[dict[str, Any]]]:
    """Runs of all choices, one after the other in every round."""
    runs: dict[Choice, list[dict[str, Any]]] = {choice: [] for choice in choices}
    for turn in range(rounds):
        for choice in runs:
            print(f"round {turn + 1} of {rounds}: {choice.words()}", flush=True)
            settings = {**asdict(choice), "steps": steps, "quick": quick}
            on = choice.ranks, choice.threads, choice.copies
            runs[choice].append(run_at_once(ocean_run.__name__, settings, *on))
    return runs


def rows_of(ranks: int) -> list[int]:
    """Rows of all processor grids of so many ranks.

    >>> rows_of(8)
    [1, 2, 4, 8]
    """
    return [rows for rows in range(1, ranks + 1) if not ranks % rows]


def fastest_rows(
    tried: Mapping[Choice, Sequence[dict[str, Any]]], configuration: tuple[int, int]
) -> int:
    """Rows of the fastest grid of those tried on (ranks, threads), 0 where none was."""
    mine = [c for c in tried if (c.ranks, c.threads) == configuration]
    return min(mine, key=lambda c: median_seconds(tried[c])).rows if mine else 0


def median_seconds(runs: Sequence[dict[str, Any]]) -> float:
    """The median time of a step [s]."""
    return statistics.median(run["seconds"] for run in runs)


def evaluate(
    choice: Choice,
    runs: Sequence[dict[str, Any]],
    base: Sequence[dict[str, Any]],
    apart: Sequence[dict[str, Any]] = (),
    *,
    quick: bool,
) -> dict[str, Any]:
    """A row of the result, from runs of one choice and those on the first configuration.

    `apart` are those of as many independent runs at once, if there are any.
    """
    kind, precision = choice.physics, choice.precision
    unit = 1e9 / runs[0]["cells"]
    seconds = [run["seconds"] for run in runs]
    size = 1.0 if precision == "float64" else 0.5
    triad = statistics.median(run["stream"]["triad"] for run in runs)
    nanoseconds, floor = statistics.median(seconds) * unit, size * least_bytes[kind] / triad * 1e9
    phases = medians([run["phases"] for run in runs], unit)
    level = levels_to_reach[kind] * (1.0 if precision == "float64" else single_over_double)
    pairs = zip(base, seconds, strict=True)
    whole = sum(phases.values())
    return {
        "physics": kind,
        "precision": precision,
        "ranks": choice.ranks,
        "threads": choice.threads,
        "way": choice.way,
        "processor_grid": runs[0]["processor_grid"],
        "nanoseconds": nanoseconds,
        "spread": [min(seconds) * unit, max(seconds) * unit],
        "processor_nanoseconds": min(run["processor"] for run in runs) * unit,
        "nanoseconds_wet": nanoseconds * runs[0]["cells"] / runs[0]["wet_cells"],
        "phases": phases,
        "kernels": medians([run["kernels"] for run in runs], unit),
        "solver_share": phases["solver"] / whole,
        "barotropic_share": sum(
            phases[name] for name in ("barotropic", "barotropic halo", "solver")
        )
        / whole,
        "iterations": statistics.mean(run["iterations"] for run in runs),
        "floor": floor,
        "over_floor": nanoseconds / floor,
        "speed_up": statistics.median(one["seconds"] / other for one, other in pairs),
        "bound": bound_of(choice.ranks, base, apart) if apart else None,
        "years_per_day": 86400.0 / (statistics.median(seconds) * steps_of_a_day * 365.0),
        "seconds_of_a_day": {n: v / unit * steps_of_a_day for n, v in phases.items()},
        "level": None if quick or choice.ranks * choice.threads > 1 else level,
    }


def medians(runs: Sequence[dict[str, float]], unit: float) -> dict[str, float]:
    """The median of each name's seconds, times a unit."""
    return {name: unit * statistics.median(run[name] for run in runs) for name in runs[0]}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab ocean`."""
    parser.add_argument(
        "--physics", nargs="+", choices=list(levels_to_reach), help="both if not given"
    )
    parser.add_argument("--precision", nargs="+", choices=precisions, help="both if not given")
    parser.add_argument("--rounds", type=int, default=3, help="how often choices take turns (3)")
    parser.add_argument("--steps", type=int, default=12, help="steps of a run, at least 3 (12)")
    parser.add_argument(
        "--on",
        action="append",
        metavar="RANKSxTHREADS",
        help="ranks and threads, for example 2x1 (may be repeated); 1x1 if not given",
    )
    parser.add_argument(
        "--grids",
        action="store_true",
        help="find the fastest processor grid of each number of ranks first",
    )
    parser.add_argument(
        "--way",
        action="append",
        metavar="HALOS[ + SUMS]",
        help="how ranks exchange halos and add sums, for example 'messages aggregated + all-reduce'"
        " (may be repeated, to compare them); the fastest, measured at the start, if not given",
    )
    parser.add_argument(
        "--beside",
        action="append",
        metavar="FILE",
        help="results that --json left, of another machine or version, to draw too (may be"
        " repeated)",
    )
    parser.add_argument(
        "--picture", metavar="FILE", help="draw years per day and phases over ranks"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a grid of 64 x 48 x 10 cells: a look, no result"
    )
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    if options.steps < 3:
        raise UserError(f"--steps {options.steps}: the first is left out. Take at least 3.")
    others = {Path(name).stem: rows_in(Path(name)) for name in options.beside or ()}
    result = measure(
        options.physics or tuple(levels_to_reach),
        options.precision or precisions,
        configurations_of(options.on or ["1x1"]),
        rounds=options.rounds,
        steps=options.steps,
        quick=options.quick,
        grids=options.grids,
        ways=options.way or ("",),
    )
    print(ocean_table.table(result))
    if options.picture:
        ocean_plots.draw(result, Path(options.picture), ocean_table.published, cray_x1, others)
    if options.json:
        result_files.write(options.json, result, keys)
    return 0


def rows_in(path: Path) -> list[dict[str, Any]]:
    """Rows of the results that `--json` has left in a file."""
    try:
        found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["rows"]
        missing = {"ranks", "threads", "physics", "precision", "seconds_of_a_day"} - set(found[0])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UserError(
            f"--beside {path}: it holds no results of 'halocline lab ocean --json' ({error})."
        ) from None
    if missing:
        raise UserError(f"--beside {path}: its rows have no {', '.join(sorted(missing))}.")
    return found


def configurations_of(words: Sequence[str]) -> list[tuple[int, int]]:
    """Ranks and threads.

    >>> configurations_of(["1x1", "4x2"])
    [(1, 1), (4, 2)]
    """
    found = []
    for word in words:
        ranks, _, threads = word.partition("x")
        if not (ranks.isdigit() and threads.isdigit() and int(ranks) and int(threads)):
            raise UserError(f"--on {word}: write RANKSxTHREADS, for example 4x1.")
        found.append((int(ranks), int(threads)))
    return found
