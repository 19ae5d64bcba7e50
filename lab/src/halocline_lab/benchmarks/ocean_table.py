"""What `halocline lab ocean` found, as text, beside figures of other models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from halocline_lab.benchmarks import independent_runs

published = {
    "minimal": {"POP 2.1": 16.7},
    "full": {"POP 2.1": 8.4},
}
"""Years per day of the same with 24 full and two half steps a day, float64."""

rivals = {
    "minimal": {"POP 2.1": 111.0, "MITgcm": 129.0},
    "full": {"POP 2.1": 220.0, "MITgcm": 235.0},
}
"""On one core of the project's reference machine, float64 [ns per cell and step], with
KPP, eddies along density (Gent-McWilliams/Redi) and anisotropic viscosity as the full physics."""

barotropic_most = 0.1
"""What the barotropic part with its solver may take of a step on one core."""


def table(result: dict[str, Any]) -> str:
    """What `measure` found, as text."""
    lines = [
        f"{result['cells']:,} cells ({result['wet_cells']:,} wet), steps of an hour;"
        " ns per cell and step",
        f"{'physics':<9}{'numbers':<9}{'on':>5}{'median':>8}{'min':>8}{'max':>8}{'busy':>8}"
        f"{'per wet':>9}{'level':>7}{'x floor':>9}{'speed-up':>10}{'at most':>9}{'years/day':>11}",
    ]
    for row in result["rows"]:
        level = "" if row["level"] is None else f"{row['level']:.0f}"
        bound = "" if row["bound"] is None else f"{row['bound']:.2f}"
        lines.append(
            f"{row['physics']:<9}{row['precision']:<9}{row['ranks']:>3}x{row['threads']}"
            f"{row['nanoseconds']:>8.1f}{row['spread'][0]:>8.1f}{row['spread'][1]:>8.1f}"
            f"{row['processor_nanoseconds']:>8.1f}{row['nanoseconds_wet']:>9.1f}{level:>7}{row['over_floor']:>9.1f}"
            f"{row['speed_up']:>10.2f}{bound:>9}{row['years_per_day']:>11.1f}"
            + (f"  {row['way']}" if row["way"] else "")
        )
    if any(row["bound"] is not None for row in result["rows"]):
        lines.append(independent_runs.caption)
    lines.append(f"{'by phase':<23}" + "".join(f"{n:>17}" for n in result["rows"][0]["phases"]))
    for row in result["rows"]:
        name = f"{row['physics']:<9}{row['precision']:<9}{row['ranks']:>3}x{row['threads']}"
        values = "".join(f"{value:>17.2f}" for value in row["phases"].values())
        lines.append(name + values + (f"  {row['way']}" if row["way"] else ""))
    for row in result["rows"]:
        lines += words_of(row)
    lines += grids_of(result["tried"])
    if result["grid"] == "x1":
        lines += [
            words_of_rivals(kind) for kind in {row["physics"]: None for row in result["rows"]}
        ]
    return "\n".join(lines)


def words_of(row: dict[str, Any]) -> Iterable[str]:
    """Shares and the longest kernels of a row."""
    longest = sorted(row["kernels"].items(), key=lambda item: -item[1])[:8]
    yield (
        f"{row['physics']}, {row['precision']}, {row['ranks']}x{row['threads']}: barotropic"
        f" {row['barotropic_share']:.1%} (at most {barotropic_most:.0%} on one core), solver"
        f" {row['solver_share']:.1%} with {row['iterations']:.1f} iterations"
    )
    yield "  kernels: " + ", ".join(f"{name} {value:.1f}" for name, value in longest)


def grids_of(tried: Sequence[dict[str, Any]]) -> Iterable[str]:
    """Processor grids, the fastest of each number of ranks and threads first."""
    for on in dict.fromkeys((row["ranks"], row["threads"]) for row in tried):
        mine = [row for row in tried if (row["ranks"], row["threads"]) == on]
        grids = [
            "{} x {}: {:.1f} ns".format(*row["processor_grid"], row["nanoseconds"])
            for row in sorted(mine, key=lambda row: float(row["nanoseconds"]))
        ]
        yield f"processor grids (rows x columns) on {on[0]}x{on[1]}: {', '.join(grids)}"


def words_of_rivals(kind: str) -> str:
    """What other models take for the same."""
    others = ", ".join(f"{name} {value:.0f} ns" for name, value in rivals[kind].items())
    years = ", ".join(f"{name} {value} years/day" for name, value in published[kind].items())
    return f"{kind} physics on one core of the reference machine, float64: {others}; {years}"
