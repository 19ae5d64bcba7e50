"""`halocline lab solver`: the elliptic solver on POP's x1 grid, every method and preconditioner.

The setting: 320 x 384 cells, real mask and depths, time step 3600 s, leapfrog interval twice that,
alpha 1/3, a smooth and a random known solution, first guess zero, residual at most 1e-12 of the
right side. All choices take turns in one process; the triad of STREAM runs between them on as many
values, in cache, as an iteration of Chronopoulos & Gear's method touches. Read the ratios.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from typing import Any

from halocline.runtime.ranks.threads import set_threads
from halocline_lab import _native
from halocline_lab.benchmarks import result_files, solver_run
from halocline_lab.benchmarks.rank_programs import answer_of

reference = {"method": "conjugate_gradient", "preconditioner": "diagonal"}


def _blocks(method: str, rows: int, columns: int) -> dict[str, Any]:
    size = {"block_rows": rows, "block_columns": columns}
    return {"method": method, "preconditioner": "blocks", **size}


choices: list[dict[str, Any]] = [
    reference,
    {"method": "chronopoulos_gear", "preconditioner": "none"},
    {"method": "chronopoulos_gear", "preconditioner": "diagonal"},
    {"method": "pipelined", "preconditioner": "diagonal"},
    {"method": "chebyshev", "preconditioner": "diagonal"},
    _blocks("chronopoulos_gear", 8, 8),
    _blocks("chronopoulos_gear", 16, 16),
    _blocks("chronopoulos_gear", 32, 32),
    _blocks("conjugate_gradient", 0, 16),
    _blocks("chronopoulos_gear", 0, 16),
    _blocks("pipelined", 0, 16),
    _blocks("chebyshev", 0, 16),
    {"method": "conjugate_gradient", "preconditioner": "polynomial"},
    {"method": "chronopoulos_gear", "preconditioner": "polynomial"},
    {"method": "pipelined", "preconditioner": "polynomial"},
    {"method": "chebyshev", "preconditioner": "polynomial"},
]

levels = {
    "blocks, iterations over the diagonal's": 0.45,
    "best, time over the diagonal's": 0.4,
    "Chronopoulos-Gear, diagonal: iteration over the triad": 1.5,
    "ranks, time per iteration over one rank's": 1.5,
}
"""Ratios to stay below."""

keys = {
    "cells": "cells of the grid, land included",
    "sea": "cells with water",
    "triad": "median processor time of STREAM's triad in cache, per cell [ns]",
    "rows": "one entry per choice, solution and number of ranks",
    "rows.choice": "method, preconditioner, and size of blocks (0 rows: all of the grid)",
    "rows.solution": "smooth or random",
    "rows.ranks": "ranks of one thread each",
    "rows.iterations": "iterations to a residual of 1e-12 of the right side",
    "rows.milliseconds": "median time of a solution [ms]",
    "rows.nanoseconds": "median per cell and iteration: processor time on one rank, which other"
    " programs disturb less, time on several [ns]",
    "rows.over_reference": "median ratio of that time to that of conjugate gradients with the"
    " diagonal in the same round",
    "rows.over_triad": "median ratio of an iteration's time to the triad's in the same round",
    "rows.error": "largest difference from the known solution [m2 s-2]",
    "ratios": "what is asked, what was found for each solution, and the level to stay below",
    "communication": "by ranks: how they exchange halos and sum, as the referee chose",
    "steps": "iterations per time step of a free surface under wind, by first guess",
}


def measure(
    rounds: int = 7, ranks: Sequence[int] = (4,), chosen: Sequence[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Time all choices on one rank, and the diagonal's on several; see `keys`."""
    settings: dict[str, Any] = {"rounds": rounds, "choices": list(chosen or choices)}
    before = _native.threads()
    try:
        alone = solver_run.timed(settings)
    finally:
        set_threads(before)
    rows = _rows(settings["choices"], alone)
    communication: dict[str, dict[str, str]] = {}
    # Wider blocks would straddle the ranks' shares of the grid.
    some = [c for c in settings["choices"] if c.get("block_columns", 0) <= solver_run.columns]
    for number in ranks:
        several = on_ranks(number, {**settings, "choices": some})
        rows += _rows(some, several)
        communication[f"{number} ranks"] = several["communication"]
    unit = 1e9 / alone["cells"]
    result = {
        "cells": alone["cells"],
        "sea": alone["sea"],
        "triad": statistics.median(alone["triad"]) * unit,
        "rows": rows,
        "communication": communication,
    }
    return {**result, "ratios": ratios(rows)}


def on_ranks(ranks: int, settings: dict[str, Any]) -> dict[str, Any]:
    """The same by several ranks of one thread, in processes of their own."""
    found: dict[str, Any] = json.loads(answer_of(solver_run.__name__, settings, ranks))
    return found


def label(choice: dict[str, Any]) -> str:
    """A choice in words."""
    words = f"{choice['method']}, {choice['preconditioner']}"
    if "block_rows" in choice:
        words += f" {choice['block_rows'] or 'all'} x {choice['block_columns']}"
    return words


def _rows(chosen: Sequence[dict[str, Any]], run: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for choice, found in zip(chosen, run["rows"], strict=True):
        for solution, measured in found.items():
            # On one rank nothing is waited for: processor time leaves other programs out.
            alone = run["ranks"] == 1
            clock = "processor" if alone else "seconds"
            base, times = run["rows"][0][solution][clock], measured[clock]
            turns = [s / measured["iterations"] for s in times]
            pairs = list(zip(turns, run["triad"], strict=True))
            rows.append(
                {
                    "choice": label(choice),
                    "solution": solution,
                    "ranks": run["ranks"],
                    "iterations": measured["iterations"],
                    "milliseconds": 1e3 * statistics.median(measured["seconds"]),
                    "nanoseconds": 1e9 * statistics.median(turns) / run["cells"],
                    "over_reference": statistics.median(
                        s / b for s, b in zip(times, base, strict=True)
                    ),
                    "over_triad": statistics.median(t / w for t, w in pairs) if alone else None,
                    "error": measured["error"],
                }
            )
    return rows


def ratios(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is asked of the solver, from the rows."""
    found: list[dict[str, Any]] = []
    for solution in ("smooth", "random"):
        mine = [r for r in rows if r["solution"] == solution]
        alone = {r["choice"]: r for r in mine if r["ranks"] == 1}
        base = alone[label(reference)]
        blocks = [r for name, r in alone.items() if ", blocks" in name]
        gear = alone.get("chronopoulos_gear, diagonal")
        best = min(alone.values(), key=lambda r: r["over_reference"])
        values = {
            "best, time over the diagonal's": (best["over_reference"], best["choice"]),
        }
        if blocks:
            most = max(blocks, key=lambda r: r["iterations"])
            values["blocks, iterations over the diagonal's"] = (
                most["iterations"] / base["iterations"],
                most["choice"],
            )
        if gear:
            values["Chronopoulos-Gear, diagonal: iteration over the triad"] = (
                gear["over_triad"],
                gear["choice"],
            )
        for row in mine:
            if row["ranks"] > 1 and row["choice"] in (best["choice"], base["choice"]):
                name = f"{row['ranks']} ranks, time per iteration over one rank's"
                ratio = row["nanoseconds"] / alone[row["choice"]]["nanoseconds"]
                values[f"{name}: {row['choice']}"] = (ratio, row["choice"])
        for name, (value, choice) in values.items():
            level = next((v for k, v in levels.items() if k in name), levels_of_ranks)
            found.append(
                {
                    "asked": name,
                    "solution": solution,
                    "choice": choice,
                    "found": value,
                    "level": level,
                }
            )
    return found


levels_of_ranks = levels["ranks, time per iteration over one rank's"]


def table(result: dict[str, Any]) -> str:
    """What `measure` found, as text."""
    lines = [
        f"{result['cells']:,} cells ({result['sea']:,} sea); the triad of as many values takes"
        f" {result['triad']:.2f} ns per cell",
        f"{'choice':<42}{'solution':<9}{'ranks':>5}{'iter.':>7}{'ms':>8}{'ns':>8}"
        f"{'x diag.':>9}{'x triad':>9}{'error':>9}",
    ]
    for row in result["rows"]:
        triad = "" if row["over_triad"] is None else f"{row['over_triad']:.2f}"
        lines.append(
            f"{row['choice']:<42}{row['solution']:<9}{row['ranks']:>5}{row['iterations']:>7}"
            f"{row['milliseconds']:>8.1f}{row['nanoseconds']:>8.2f}{row['over_reference']:>9.3f}"
            f"{triad:>9}{row['error']:>9.1e}"
        )
    for one in result["ratios"]:
        lines.append(
            f"{one['asked']} ({one['solution']}): {one['found']:.2f}, to stay below {one['level']}"
        )
    for number, chosen in result["communication"].items():
        lines += [f"{number}, {what}: {way}" for what, way in chosen.items()]
    for row in result.get("steps", []):
        lines.append(
            f"time steps, {row['choice']}, first guess {row['guess']}: {row['mean']:.0f} iterations"
            f" ({row['least']} to {row['most']})"
        )
    return "\n".join(lines)


def steps_in_time(steps: int, chosen: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Iterations per step in the second half of `steps` time steps, by first guess."""
    found = solver_run.steps_in_time({"steps": steps, "choices": list(chosen)})
    rows = []
    for row in found:
        late = row["iterations"][steps // 2 :]
        rows.append(
            {
                "choice": label(chosen[row["choice"]]),
                "guess": row["guess"],
                "mean": statistics.mean(late),
                "least": min(late),
                "most": max(late),
            }
        )
    return rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of `halocline lab solver`."""
    parser.add_argument("--rounds", type=int, default=7, help="how often choices take turns (7)")
    parser.add_argument(
        "--ranks", type=int, nargs="*", default=[4], help="numbers of ranks besides one (4)"
    )
    parser.add_argument("--steps", type=int, default=48, help="time steps of the sequence; 0: none")
    parser.add_argument("--json", metavar="FILE", help=f"write results; keys: {', '.join(keys)}")


def main(options: argparse.Namespace) -> int:
    """Run the command."""
    result = measure(options.rounds, options.ranks)
    if options.steps:
        some = [reference, choices[4], choices[9], choices[13]]
        result["steps"] = steps_in_time(options.steps, some)
    print(table(result))
    if options.json:
        result_files.write(options.json, result, keys)
    return 0
