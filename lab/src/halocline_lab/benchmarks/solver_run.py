"""Timed solutions of the elliptic equation on POP's x1 grid, by ranks of their own if need be.

`python -m halocline_lab.benchmarks.solver_run SETTINGS.json ANSWER` leaves its times in ANSWER.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halocline.component.case.shipped import data_folder
from halocline.core.constants import gravity
from halocline.grids.vertical.levels import read_layers
from halocline.numerics.elliptic import EllipticOperator, kernels, nine_point_of, time_step_shift
from halocline.numerics.solver import EllipticSolver
from halocline.numerics.solver_options import SolverOptions
from halocline.runtime.fields.blocks import Block
from halocline.runtime.fields.decomposition import Decomposition
from halocline.runtime.fields.field import Field
from halocline.runtime.fields.place import Place
from halocline.runtime.ranks.communicator import Alone, world
from halocline.runtime.ranks.threads import set_threads
from halocline.runtime.running.referee import CommunicationOptions, Referee, first_check
from halocline.runtime.running.runner import Runner
from halocline_lab import _native
from halocline_lab.benchmarks.rank_programs import give_answer

dt, alpha = 3600.0, 1.0 / 3.0
"""Time step [s] and weight of the new pressure of the benchmark; the leapfrog interval is 2 dt."""

touches = 20
"""Values per point that an iteration of Chronopoulos & Gear's method reads or writes."""

halo, columns = 8, 16
"""Halo of the blocks of ranks, and of how many columns their widths are multiples [cells]."""


class Ocean:
    """The operator of the real grid on the ranks at hand, and what the benchmark solves for."""

    def __init__(self) -> None:
        grid = read_layers(data_folder() / "g_pop_x1_grid.nc")
        numbers = nine_point_of(grid, time_step_shift(gravity, alpha, 2.0 * dt, dt))
        self.shape = grid.mask.shape
        self.decomposition = Decomposition(
            grid.mask,
            grid.topology,
            halo=halo,
            communicator=world(),
            unit=(self.shape[0], columns),
        )
        self.operator = EllipticOperator(numbers, self.decomposition)
        self.run = Runner(self.decomposition)
        center = grid.horizontal.at(Place.center)
        lon, lat = np.radians(center.x), np.radians(center.y)
        smooth = (np.sin(2.0 * lon) * np.cos(lat) + np.sin(3.0 * lat)) * grid.mask
        random = np.random.default_rng(0).standard_normal(self.shape) * grid.mask
        self.exact = {"smooth": smooth, "random": random}
        self.wind = np.cos(lat) ** 2 * np.sin(3.0 * lon) * np.sin(2.0 * lat) * grid.mask

    def field(self, values: NDArray[np.float64] | float = 0.0, units: str = "m2 s-2") -> Field:
        field = self.operator.field("values", units)
        field.set_global(np.broadcast_to(np.asarray(values), self.shape))
        return field

    def image(self, of: Field) -> Field:
        """The operator applied to a field [m3 s-2]."""
        image = self.operator.field("image", "m3 s-2")
        self.run(kernels["apply_nine_point"], self.operator, direction=of, image=image)
        return image


def timed(settings: dict[str, Any]) -> dict[str, Any]:
    """Seconds and iterations of every choice; choices take turns in every round.

    Every rank has one thread.
    """
    set_threads(1)
    ocean, communicator = Ocean(), world()
    solvers, set_up = [], []
    for choice in settings["choices"]:
        start = time.perf_counter()
        solvers.append(EllipticSolver(ocean.operator, ocean.run, SolverOptions(**choice)))
        set_up.append(time.perf_counter() - start)
    rights = {name: ocean.image(ocean.field(exact)) for name, exact in ocean.exact.items()}
    ways: dict[str, str] = {}
    for solver in solvers:
        ways |= refereed(ocean, solver, rights)
    found: list[dict[str, Any]] = [
        {name: {"seconds": [], "processor": [], "iterations": 0, "error": 0.0} for name in rights}
        for _ in solvers
    ]
    triads = []
    for _ in range(settings["rounds"]):
        triads.append(triad_seconds(ocean) if communicator.size == 1 else 0.0)
        for solver, row in zip(solvers, found, strict=True):
            for name, right in rights.items():
                solution = ocean.field()
                communicator.maximum(np.zeros(1))
                start, busy = time.perf_counter(), time.process_time()
                ending = solver.solve(right, solution).require()
                spent = np.array([time.perf_counter() - start, time.process_time() - busy])
                wall, processor = communicator.maximum(spent).tolist()
                row[name]["seconds"].append(wall)
                row[name]["processor"].append(processor)
                row[name]["iterations"] = ending.iterations
                row[name]["error"] = largest_error(ocean, solution, name)
    return {
        "ranks": communicator.size,
        "cells": int(np.prod(ocean.shape)),
        "sea": int(ocean.operator.numbers.mask.sum()),
        "rows": found,
        "set_up": set_up,
        "triad": triads,
        "communication": ways,
    }


def refereed(ocean: Ocean, solver: EllipticSolver, rights: dict[str, Field]) -> dict[str, str]:
    """Let the referee choose how a solver's ranks exchange and sum; the way of each."""
    if isinstance(world(), Alone):
        return {}
    options = CommunicationOptions(remember=False)
    referee = Referee(ocean.run.exchange, options, lambda _: None, sums=solver.sums)
    start = time.perf_counter()
    for _ in range(first_check):
        for right in rights.values():
            solver.solve(right, ocean.field())
        referee.after_step(time.perf_counter() - start)
    return {verdict.exchange: verdict.chosen for verdict in referee.verdicts}


def largest_error(ocean: Ocean, solution: Field, name: str) -> float:
    error = 0.0
    for block, values in zip(ocean.decomposition.home.blocks, solution.owned, strict=True):
        assert isinstance(block, Block)
        r = block.rectangle
        exact = ocean.exact[name][r.j0 : r.j1, r.i0 : r.i1]
        error = max(error, float(np.abs(values - exact).max()))
    return float(world().maximum(np.array([error]))[0])


def triad_seconds(ocean: Ocean, repeats: int = 100) -> float:
    """Processor time that a triad in cache takes for the values that an iteration touches [s]."""
    size = int(np.prod(ocean.shape)) * touches // 3
    a, b, c = np.ones(size), np.ones(size), np.ones(size)
    _native.stream_triad(a, b, c, scale=3.0, threads=1)
    start = time.process_time()
    for _ in range(repeats):
        _native.stream_triad(a, b, c, scale=3.0, threads=1)
    return (time.process_time() - start) / repeats


def steps_in_time(settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Iterations per time step of a free surface under a growing and turning wind, by first guess.

    The linear barotropic mode without rotation, in leapfrog steps as in POP (reference manual,
    "barotropic solver"): p(n+1) follows from p(n), p(n-1) and the divergence of the transport.
    """
    ocean, found = Ocean(), []
    for number, choice in enumerate(settings["choices"]):
        solver = EllipticSolver(ocean.operator, ocean.run, SolverOptions(**choice))
        for guess in ("zero", "last", "extrapolated"):
            taken = _steps(ocean, solver, guess, settings["steps"])
            found.append({"choice": number, "guess": guess, "iterations": taken})
    return found


def _steps(ocean: Ocean, solver: EllipticSolver, guess: str, steps: int) -> list[int]:
    tau, gamma = 2.0 * dt, 1.0 - 2.0 * alpha
    shift = time_step_shift(gravity, alpha, tau, dt) * ocean.operator.numbers.area
    weight, wind = ocean.field(shift), ocean.field(ocean.wind * ocean.operator.numbers.area)

    def stiffness(p: Field) -> list[Any]:
        """-area div(H grad p) [m3 s-2]."""
        parts = zip(ocean.image(p).owned, weight.owned, p.owned, strict=True)
        return [a - s * v for a, s, v in parts]

    before, now = ocean.field(), ocean.field()
    flows: list[list[Any]] = [[np.zeros_like(v) for v in now.owned] for _ in (0, 1)]
    taken = []
    for step in range(steps):
        force = 1e-6 * np.sin(2.0 * np.pi * (step + 1) / 60.0)
        old, new = stiffness(before), stiffness(now)
        right, first = ocean.field(units="m3 s-2"), ocean.field()
        middle = [
            d + tau * (gamma * b + (1.0 - gamma) * a + force * w)
            for d, a, b, w in zip(flows[0], old, new, wind.owned, strict=True)
        ]
        for at, target in enumerate(right.owned):
            target[...] = -middle[at] / (alpha * tau) + old[at]
            target += weight.owned[at] * now.owned[at]
            if guess != "zero":
                first.owned[at][...] = now.owned[at]
            if guess == "extrapolated":
                first.owned[at][...] += now.owned[at] - before.owned[at]
        right.written()
        first.written()
        taken.append(solver.solve(right, first).require().iterations)
        newest = stiffness(first)
        divergence = [
            d + alpha * tau * (c - a) for d, a, c in zip(middle, old, newest, strict=True)
        ]
        flows = [flows[1], divergence]
        before, now = now, first
    return taken


if __name__ == "__main__":
    give_answer(timed)
