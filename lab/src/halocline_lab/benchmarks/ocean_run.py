"""One timed run of the ocean's benchmark, in a process (or ranks) of its own.

`python -m halocline_lab.benchmarks.ocean_run SETTINGS.json ANSWER` leaves its times in ANSWER.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

from halocline.component.case.reading import read_table
from halocline.experiment.run import run
from halocline.ocean.component import OceanComponent
from halocline.runtime.ranks.communicator import world
from halocline.runtime.record.run_record import RunRecord, Table
from halocline.runtime.record.run_record_file import read_record
from halocline_lab.benchmarks import stream
from halocline_lab.benchmarks.rank_programs import give_answer
from halocline_lab.diagnosis.timeline import Timeline, communicating_kinds, sums, timeline

physics: dict[str, dict[str, Any]] = {
    "minimal": {
        "density": {"equation": "linear"},
        "mixing": {
            "scheme": "richardson",
            "viscosity": 5e4,
            "diffusivity": 1e3,
            "vertical_viscosity": 5e-3,
            "vertical_diffusivity": 5e-5,
            "eddies": {},
            "viscous": {},
        },
    },
    "full": {},
}
"""Options beside the shipped case's. Minimal physics mixes along levels by Laplacians; the full one
is the case's: eddies (Gent-McWilliams and Redi), anisotropic viscosity, KPP."""

small_grid: dict[str, Any] = {
    "nx": 64,
    "ny": 48,
    "x0": 2.8125,
    "y0": -88.125,
    "dx": 5.625,
    "dy": 3.75,
    "depth": 4000.0,
    "land": [[0.0, 360.0, -90.0, -75.0], [0.0, 360.0, 74.0, 90.0], [200.0, 250.0, -36.0, 90.0]],
    "closed_edges": False,
    "periodic_x": True,
    "levels": {"thickness": [50.0, 100.0, 150.0, 200.0, 300.0, 400.0, 500.0, 600.0, 800.0, 900.0]},
}
"""What `--quick` computes instead of the x1 grid."""

step_hours = 1


def benchmark_case(
    kind: str, precision: str, steps: int, *, quick: bool, rows: int = 0, way: str = ""
) -> dict[str, Any]:
    """Tables of the shipped case with its physics changed, `steps` of an hour, no output.

    `rows` of ranks in the processor grid; 0: as the case says. `way` is that of halos, and after
    " + " of sums.
    Levels in time are not averaged, so that all steps cost the same.
    """
    _, table = read_table("global-ocean-analytic")
    ocean = table.setdefault("ocean", {})
    for name, options in physics[kind].items():
        ocean[name] = ocean.get(name, {}) | options
    ocean["averaging"] = 0
    table["precision"] = precision
    table["decomposition"] = {"rows": rows}
    if way:
        halos, _, sums = way.partition(" + ")
        table["communication"] = {"halos": halos, "sums": sums or "auto"}
    table["time"] |= {"step": f"{step_hours}h", "length": f"{steps * step_hours}h"}
    table.pop("output", None)
    if quick:
        table["grid"] = small_grid
    return table


phases = ("baroclinic", "barotropic", "solver")
"""Phases of the record, inner ones last."""


iteration_names = ("substitution", "chronopoulos_gear_step")
"""What a solver calls once in every iteration, by the record's names."""


def phase_seconds(record: RunRecord) -> dict[str, float]:
    """Median time of the steps after the first by phase [s], as the paper divides it; ranks' mean.

    Halos are what communicates within a phase; the solver's is with the solver.
    """
    ranks = [_phases_of_rank(timeline(record), rank) for rank in range(record.size)]
    return {name: float(np.mean([found[name] for found in ranks])) for name in ranks[0]}


class StepsOfRank:
    """The steps of one rank but the first, which finds its memory cold, and what they hold."""

    def __init__(self, lines: Timeline, rank: int) -> None:
        self.lines = lines
        self.names = np.array([region.name for region in lines.regions])[lines.events["region"]]
        self.mine = lines.events["rank"] == rank
        self._begins, self._ends = lines.events["begin"], lines.events["end"]
        self._steps = self.phase("step")[1:]

    def phase(self, name: str) -> Any:
        """Numbers of the events of a phase."""
        return np.flatnonzero(self.mine & self.lines.is_kind("phase") & (self.names == name))

    def within(self, some: Any, rows: Any) -> Any:
        """Which of some events begin within one of the events `rows`, which follow each other."""
        at = np.searchsorted(self._begins[rows], self._begins[some], side="right") - 1
        return some[(at >= 0) & (self._begins[some] < self._ends[rows][at])]

    def seconds(self, rows: Any, own: bool = False) -> Any:
        """Sums over the steps in which events begin [s], with or without what is within them."""
        rows = self.within(rows, self._steps)
        at = np.searchsorted(self._begins[self._steps], self._begins[rows], side="right") - 1
        whole = (self._ends[rows] - self._begins[rows]) / 1e9
        return sums(at, self.lines.own_seconds[rows] if own else whole, len(self._steps))


def _phases_of_rank(lines: Timeline, rank: int) -> dict[str, float]:
    steps = StepsOfRank(lines, rank)
    speaking = np.flatnonzero(steps.mine & lines.is_kind(*communicating_kinds))
    whole, halo = {}, {}
    for name in phases:
        rows = steps.phase(name)
        whole[name] = steps.seconds(rows)
        halo[name] = steps.seconds(steps.within(speaking, rows), own=True)
    step = steps.seconds(steps.phase("step"))
    found = {
        "baroclinic": whole["baroclinic"] - halo["baroclinic"],
        "baroclinic halo": halo["baroclinic"],
        "barotropic": whole["barotropic"] - whole["solver"] - (halo["barotropic"] - halo["solver"]),
        "barotropic halo": halo["barotropic"] - halo["solver"],
        "solver": whole["solver"],
        "rest": step - whole["baroclinic"] - whole["barotropic"],
        "step": step,
    }
    return {name: float(np.median(values)) for name, values in found.items()}


def kernel_seconds(record: RunRecord) -> dict[str, float]:
    """Median time of the ocean's kernels in the steps after the first [s], on the first rank."""
    steps = StepsOfRank(timeline(record), 0)
    ours = {region.name for region in record.regions if region.name.startswith("ocean_")}
    found = {}
    for name in sorted(ours):
        seconds = steps.seconds(np.flatnonzero(steps.mine & (steps.names == name)))
        if seconds.any():
            found[name.removeprefix("ocean_")] = float(np.median(seconds))
    return found


def steady_rows(record: RunRecord) -> Table:
    """The statistics of the first rank in the steady period."""
    rows = record.statistics
    return rows[(rows["rank"] == 0) & (rows["thread"] == 0) & (rows["period"] == 1)]


def calls_of(record: RunRecord, name: str) -> int:
    """Calls of a region on the first rank in the steady period."""
    rows = steady_rows(record)
    named = [at for at, region in enumerate(record.regions) if region.name == name]
    return int(rows["calls"][np.isin(rows["region"], named)].sum())


def timed(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Times of the steps after the first, from the record of a run; all ranks take part."""
    communicator, quick = world(), settings["quick"]
    case = benchmark_case(
        settings["physics"],
        settings["precision"],
        settings["steps"],
        quick=quick,
        rows=settings.get("rows", 0),
        way=settings.get("way", ""),
    )
    with tempfile.TemporaryDirectory() as folder:
        place = communicator.broadcast(folder)
        result = run(case, output=place)
        communicator.broadcast(None)
        if communicator.rank > 0:
            return None
        record = read_record(place)
    assert isinstance(result.component, OceanComponent)
    levels = result.component.grid
    times, threads = phase_seconds(record), int(record.ranks["threads"][0])
    solved = calls_of(record, "solver")
    iterations = max(calls_of(record, name) for name in iteration_names)
    blocks = result.component.decomposition.world.rectangles
    return {
        "seconds": times.pop("step"),
        "processor": float(record.ranks["steady_processor_seconds"].max())
        / calls_of(record, "step"),
        "phases": times,
        "kernels": kernel_seconds(record),
        "iterations": iterations / max(solved, 1),
        "processor_grid": [len({b.j0 for b in blocks}), len({b.i0 for b in blocks})],
        "stream": stream.measure(threads, size=1_000_000) if quick else stream.measure(threads),
        "cells": int(np.prod(levels.shape)),
        "wet_cells": int(levels.wet_levels.sum()),
    }


if __name__ == "__main__":
    give_answer(timed)
